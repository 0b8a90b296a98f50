/* kernel_options.h - which rows of keys and values the ladder's kernels read that have options, for
 * their entries.
 *
 * Their parameters end with softcap, window, sinks, page_table, page, pages and queries: of each
 * sequence, slots that follow each other. Included only by kernel_ladder.c and kernel_planned.c.
 */
#ifndef KERNEL_OPTIONS_H
#define KERNEL_OPTIONS_H

#include "kernels/kernel_split.h"

enum { OPTION_WINDOW = 1, OPTION_SINKS, OPTION_TABLE, OPTION_PAGE, OPTION_PAGES,
       OPTION_QUERIES };
#define OPTIONS_LATER 1         /* queries */

/* The number of a parameter after those of the kernel without options, which end with the scale,
 * after the stride, or with the scales of e4m3. */
static inline int option_of(const struct ladder_params *p, int option)
{
	return p->partials.stride + 2 + (p->scales ? 2 : 0) + option;
}

/* The sequence of a slot. */
static inline uint64_t sequence_of(const struct kernel_call *call, const struct ladder_params *p,
				   uint64_t m)
{
	uint64_t queries = value_of(call, option_of(p, OPTION_QUERIES));

	return queries > 1 ? m / queries : m;
}

/* The rows of a sequence that its query sees: the sinks and the window, or all and none. */
struct visible_rows {
	uint64_t begin[2], end[2];
};

/* How many keys of a sequence its query does not see, behind the sinks. */
static inline uint64_t gap_of(const struct kernel_call *call, const struct ladder_params *p,
			      uint64_t m)
{
	int64_t keys = (int64_t)length_at(call, p->partials.seq_lens, m);
	int64_t window = (int64_t)value_of(call, option_of(p, OPTION_WINDOW));
	int64_t sinks = (int64_t)value_of(call, option_of(p, OPTION_SINKS));

	return (uint64_t)SPLIT_GAP(keys, window, sinks);
}

/* Of the keys [first, last) of those that the query sees, as splits count them. */
static inline struct visible_rows visible_part(const struct kernel_call *call,
					       const struct ladder_params *p, uint64_t m,
					       uint64_t first, uint64_t last)
{
	uint64_t gap = gap_of(call, p, m);
	uint64_t before = gap > 0 ? value_of(call, option_of(p, OPTION_SINKS)) : 0;
	uint64_t split = before < first ? first : before < last ? before : last;

	return (struct visible_rows){ { first, split + gap }, { split, last + gap } };
}

static inline struct visible_rows visible_rows_of(const struct kernel_call *call,
						  const struct ladder_params *p, uint64_t m)
{
	return visible_part(call, p, m, 0, length_at(call, p->partials.seq_lens, m)
			    - gap_of(call, p, m));
}

/* Rows [begin, end) of a sequence, of KV heads [head, head + heads). */
struct rows {
	uint64_t sequence, head, heads, begin, end;
};

/* Rows that follow each other in a cache without pages. */
static inline void cache_rows_read(const struct kernel_call *call, const struct ladder_params *p,
				   struct rows rows, kernel_extent_fn *extent, void *context)
{
	const struct partials_params *of = &p->partials;
	uint64_t row = value_of(call, of->D) * of->element;

	for (uint64_t h = rows.head; rows.begin < rows.end && h < rows.head + rows.heads; h++) {
		uint64_t at = rows.sequence * value_of(call, of->stride) * of->element
			+ (h * value_of(call, of->max_len) + rows.begin) * row;

		extent(context, of->k, at, (rows.end - rows.begin) * row);
		extent(context, of->v, at, (rows.end - rows.begin) * row);
	}
}

/* Rows in the pages that the sequence's table names, up to the table's end. */
static inline void page_rows_read(const struct kernel_call *call, const struct ladder_params *p,
				  struct rows rows, kernel_extent_fn *extent, void *context)
{
	const struct partials_params *of = &p->partials;
	int table = option_of(p, OPTION_TABLE);
	uint64_t page = value_of(call, option_of(p, OPTION_PAGE));
	uint64_t row = value_of(call, of->D) * of->element;

	while (page > 0 && rows.begin < rows.end) {
		uint64_t entry = rows.sequence * value_of(call, option_of(p, OPTION_PAGES))
			+ rows.begin / page;
		uint64_t count = page - rows.begin % page, at;

		if (entry >= value_of(call, table) / sizeof(int32_t))
			return;
		count = count < rows.end - rows.begin ? count : rows.end - rows.begin;
		at = length_at(call, table, entry) * value_of(call, of->stride) * of->element
			+ rows.begin % page * row;
		extent(context, table, entry * sizeof(int32_t), sizeof(int32_t));
		for (uint64_t h = rows.head; h < rows.head + rows.heads; h++) {
			extent(context, of->k, at + h * page * row, count * row);
			extent(context, of->v, at + h * page * row, count * row);
		}
		rows.begin += count;
	}
}

/* Rows wherever they are. */
static inline void rows_read(const struct kernel_call *call, const struct ladder_params *p,
			     struct rows rows, kernel_extent_fn *extent, void *context)
{
	if (call->values[option_of(p, OPTION_TABLE)].i == 0)
		cache_rows_read(call, p, rows, extent, context);
	else
		page_rows_read(call, p, rows, extent, context);
}

#endif
