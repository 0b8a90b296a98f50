/* ladder_shape.c - which rung and form of the path `ladder` a shape gets; see ladder_shape.h. */
#include "engine/attention/ladder_shape.h"

#include <limits.h>
#include <stdio.h>

#include "engine/attention/path_parts.h"
#include "kernels/head_sizes.h"
#include "kernels/plan_rule.h"

static int group_of(const struct attention_shape *s)
{
	return s->kv_heads > 0 ? s->heads / s->kv_heads : 0;
}

static bool uses_tensor_cores(const struct attention_shape *s, int rung)
{
	return s->kv_dtype != DTYPE_F32 && rung >= LADDER_TENSOR_RUNG;
}

bool ladder_uses_tensor_cores(const struct attention_shape *s)
{
	return uses_tensor_cores(s, ladder_rung(s));
}

int ladder_room(const struct attention_shape *s, int rung)
{
	return uses_tensor_cores(s, rung) ? TENSOR_GROUP(group_of(s)) : group_of(s);
}

/* The form of rung 10, by times of an H100 (doc/ladder.md): clusters, as long as those of two
 * launches run at once, so that one begins while the other ends. Then they are on half of the
 * multiprocessors. A long sequence that is alone keeps the memory busy from there, but not from
 * fewer than a third; of several, the longest would keep its cluster when the others have ended. */
enum { CLUSTER_LONG_PART = 3, CLUSTER_MIN_STAGES = 2 };

static int max_clusters(int multiprocessors)
{
	return multiprocessors / (LADDER_CLUSTER_LAUNCHES * CLUSTER_BLOCKS);
}

int ladder_max_clusters(const struct device_info *info)
{
	return info->compute_major < 9 ? 0 : max_clusters(info->multiprocessors);
}

int ladder_cluster_keys(const struct attention_shape *s, int multiprocessors)
{
	return s->slots == 1
		&& (int64_t)s->kv_heads * CLUSTER_BLOCKS * CLUSTER_LONG_PART >= multiprocessors
		? INT_MAX : LADDER_CLUSTER_LEN;
}

/* Whether clusters suit the shape on a GPU with so many multiprocessors. */
static bool suits_clusters(const struct attention_shape *s, int multiprocessors)
{
	return s->max_len <= ladder_cluster_keys(s, multiprocessors)
		&& (int64_t)s->slots * s->kv_heads <= max_clusters(multiprocessors)
		&& CLUSTER_STAGES(ladder_room(s, 10), s->head_dim) >= CLUSTER_MIN_STAGES;
}

enum { PAIR_LEN = 4 << 10 };    /* room for most keys with them, if elements have 16 bits */

/* Whether rungs 9 and 10 have two blocks for each multiprocessor, by times of an H200
 * (doc/ladder.md): 16 warps hide what 8 do not, where each byte takes much arithmetic, and where
 * splits are short. With no more splits than multiprocessors each has one, whose larger ring is
 * better. */
static bool suits_pairs(const struct attention_shape *s, int multiprocessors)
{
	int64_t splits = (int64_t)s->slots * s->kv_heads * SPLITS_USED((int64_t)s->max_len);

	return uses_tensor_cores(s, 9) && s->head_dim <= PAIR_MAX_D
		&& SPLIT_KEPT(ladder_room(s, 9))
		&& (s->kv_dtype == DTYPE_E4M3 || s->max_len <= PAIR_LEN)
		&& splits > multiprocessors;
}

/* Rung 13: the fastest rung for a shape, by times of an H100 and an H200 (doc/ladder.md), which
 * have TABLE_MULTIPROCESSORS; on a GPU with fewer, rung 10 may have its other form for a shape that
 * clusters suit there. The first row that a shape fits is taken. All that it names have the same
 * bits. The times are those of f32; narrow_rung() is for other types. */
enum { SHAPE_TABLE = 13, FP8_RUNG = 11, TABLE_MULTIPROCESSORS = 132 };

static const struct {
	int rung;
	bool clusters;                  /* only shapes that they suit */
	bool alone;                     /* only one sequence */
	bool queries;                   /* only several queries */
	int group, len, head_dim;       /* at least: query heads of a KV head; room for keys */
} shape_table[] = {
	{ .rung = 9, .group = 9, .len = (1 << 10) + 1 },
	{ .rung = 9, .alone = true, .len = (16 << 10) + 1 },
	{ .rung = 10, .clusters = true, .group = 5 },
	{ .rung = 9, .group = 9 },
	{ .rung = 10, .clusters = true, .len = (2 << 10) + 1 },
	{ .rung = 10, .clusters = true, .head_dim = 128 },
	/* A second launch is less than a last block's wait, and than the barriers of a cluster. */
	{ .rung = 9, .alone = true, .len = 3 << 10 },
	{ .rung = 9, .clusters = true },
	{ .rung = 9, .queries = true, .len = (16 << 10) + 1 },
	{ .rung = 10 },
};

/* Whether rung 10's clusters are faster than a second launch for one sequence of another type than
 * f32, with many query heads or large ones: a short one, and with 16 bits one that is neither short
 * nor long. */
static bool suits_narrow_clusters(const struct attention_shape *s)
{
	bool large = group_of(s) >= 5 || s->head_dim >= 128;
	bool middle = s->kv_dtype != DTYPE_E4M3 && s->max_len > 4 << 10 && s->max_len <= 32 << 10;

	return large && (s->max_len <= 1 << 10 || middle)
		&& suits_clusters(s, TABLE_MULTIPROCESSORS);
}

/* The same for other types: a last block for several sequences, and a second launch for one. But
 * clusters for some (suits_narrow_clusters()), and a second launch for several of e4m3 that may be
 * long and have one query each. With 16 bits many that may be long, and so have different lengths,
 * have a block for each split. */
static int narrow_rung(const struct attention_shape *s, bool options)
{
	bool long_rows = s->max_len > 16 << 10;

	if (s->slots > 1 && long_rows && s->kv_dtype == DTYPE_E4M3 && attention_queries(s) == 1)
		return 9;
	if (s->slots > 16 && long_rows)
		return LADDER_TENSOR_RUNG;
	if (s->slots > 1)
		return 10;
	return !options && suits_narrow_clusters(s) ? 10 : 9;
}

/* Rung 11 is what the table names for e4m3: all rungs from 7 up fold its scales. */
static bool is_fp8_rung(const struct attention_shape *s)
{
	return s->rung == FP8_RUNG && s->kv_dtype == DTYPE_E4M3;
}

/* Room for the keys that a query sees: with a window, no more than that and the sinks. */
static int visible_room(const struct attention_shape *s)
{
	int64_t seen = (int64_t)s->window + s->sinks;

	return s->window > 0 && seen < s->max_len ? (int)seen : s->max_len;
}

/* With options rung 10 has no clusters, so rows that name it for them do not apply. */
static bool fits_row(const struct attention_shape *s, bool options, int i)
{
	return group_of(s) >= shape_table[i].group && s->max_len >= shape_table[i].len
		&& s->head_dim >= shape_table[i].head_dim
		&& (s->slots == 1 || !shape_table[i].alone)
		&& (attention_queries(s) > 1 || !shape_table[i].queries)
		&& (!shape_table[i].clusters
		    || (suits_clusters(s, TABLE_MULTIPROCESSORS)
			&& !(options && shape_table[i].rung == 10)));
}

static int f32_rung(const struct attention_shape *s, bool options)
{
	int i = 0;

	while (i + 1 < COUNT(shape_table) && !fits_row(s, options, i))
		i++;
	return shape_table[i].rung;
}

int ladder_rung(const struct attention_shape *s)
{
	struct attention_shape seen = *s;

	if (s->rung > 0 && s->rung != SHAPE_TABLE && !is_fp8_rung(s))
		return s->rung;
	/* Each query is a row of the batch. */
	seen.slots = attention_rows(s);
	seen.max_len = visible_room(s);
	return s->kv_dtype == DTYPE_F32 ? f32_rung(&seen, attention_has_options(s))
		: narrow_rung(&seen, attention_has_options(s));
}

enum ladder_form ladder_form(const struct attention_shape *s, const struct device_info *info)
{
	int rung = ladder_rung(s);

	if (rung < LADDER_PLAN_RUNG || info->compute_major < 9 || attention_has_options(s))
		return LADDER_SINGLE;
	if (rung == 10 && suits_clusters(s, info->multiprocessors))
		return LADDER_CLUSTERS;
	return suits_pairs(s, info->multiprocessors) ? LADDER_PAIRS : LADDER_SINGLE;
}

int ladder_blocks_at_once(enum ladder_form form)
{
	return form == LADDER_PAIRS ? 2 : 1;
}

int ladder_max_blocks(enum ladder_form form, int multiprocessors)
{
	return ladder_blocks_at_once(form) * multiprocessors;
}

static bool has_rung(const struct attention_shape *s, int rung)
{
	return rung == 5 || rung == 6 || rung == 9 || rung == 10
		|| rung == (s->kv_dtype == DTYPE_F32 ? 4 : LADDER_TENSOR_RUNG);
}

const char *ladder_rungs_of(enum dtype type)
{
	return type == DTYPE_F32 ? "0 to 6, 9, 10 and 13"
		: type == DTYPE_E4M3 ? "5 to 7, 9 to 11 and 13" : "5 to 7, 9, 10 and 13";
}

/* "9", or "9, which best picks,". */
static const char *rung_text(const struct attention_shape *s, char text[40])
{
	int rung = ladder_rung(s);

	snprintf(text, 40, s->rung == rung ? "%d" : "%d, which best picks,", rung);
	return text;
}

/* Rungs that take any head size: rung 0 takes one sequence, with a KV head for each query head. */
static const char *other_rungs(const struct attention_shape *s)
{
	if (s->kv_dtype != DTYPE_F32)
		return "";
	return s->slots > 1 || s->heads != s->kv_heads ? "; rungs 1 to 4 take any up to 256"
		: "; rungs 0 to 4 take any up to 256";
}

enum status ladder_check(const struct attention_shape *s)
{
	int rung = ladder_rung(s);
	char chosen[40];

	if (!has_rung(s, rung))
		return fail(STATUS_USAGE, "ladder: a KV cache of %s has no rung %d; it has %s",
			    dtype_name(s->kv_dtype), rung, ladder_rungs_of(s->kv_dtype));
	if (attention_has_options(s) && rung < LADDER_SPLIT_RUNG)
		return fail(STATUS_USAGE, "ladder: rung %d has no softcap, window, sinks, "
			    "log-sum-exp, pages or several queries, which rungs from %d up have",
			    rung, LADDER_SPLIT_RUNG);
	if (group_of(s) > SPLIT_MAX_GROUP)
		return fail(STATUS_USAGE, "ladder: rung %s takes at most %d query heads for each "
			    "KV head, got %d%s", rung_text(s, chosen), SPLIT_MAX_GROUP, group_of(s),
			    s->kv_dtype == DTYPE_F32 ? "; rungs 1 to 3 take any" : "");
	if (rung == 4)
		return flash_check("ladder", s);
	if (head_size_has(s->head_dim))
		return STATUS_OK;
	return fail(STATUS_USAGE, "ladder: rung %s takes head sizes of " HEAD_SIZES_AND
		    ", got %d%s", rung_text(s, chosen), s->head_dim, other_rungs(s));
}

/* Tiles that a warp has in flight on tensor cores (kernels/split_lanes.cuh). */
static int tensor_places(const struct attention_shape *s, enum ladder_form form)
{
	int G = ladder_room(s, ladder_rung(s)), D = s->head_dim;
	int bytes = form == LADDER_PAIRS ? PAIR_BYTES : BLOCK_BYTES;

	if (form == LADDER_CLUSTERS)
		bytes -= 4 * CLUSTER_FLOATS(G, D);
	return TENSOR_PLACES(G, D, (int)dtype_bytes(s->kv_dtype), bytes);
}

size_t ladder_shared(const struct attention_shape *s, enum ladder_form form)
{
	int rung = ladder_rung(s), G = ladder_room(s, rung), D = s->head_dim;
	int floats = form == LADDER_CLUSTERS ? CLUSTER_FLOATS(G, D) : 0;

	if (rung == 4)
		return 0;
	if (uses_tensor_cores(s, rung))
		return (size_t)(floats + TENSOR_FLOATS(G, D)) * sizeof(float)
			+ (size_t)tensor_places(s, form)
			* TENSOR_PLACE(D, dtype_bytes(s->kv_dtype));
	floats += SPLIT_FLOATS(G, D) + SPLIT_MERGE_FLOATS(G, D);
	if (form == LADDER_CLUSTERS)
		floats += CLUSTER_RING_FLOATS(G, D);
	else if (rung >= LADDER_BULK_RUNG)
		floats += SPLIT_RING_FLOATS(G, D);
	return (size_t)floats * sizeof(float);
}

/* Those of smaller types share the memory of one of f32 (kernels/split_ring.cuh). */
int ladder_tiles_in_flight(const struct attention_shape *s, enum ladder_form form)
{
	int rung = ladder_rung(s), G = ladder_room(s, rung), D = s->head_dim, tiles;
	int ratio = (int)(sizeof(float) / dtype_bytes(s->kv_dtype));

	if (rung < LADDER_BULK_RUNG)
		return 0;
	if (uses_tensor_cores(s, rung))
		return tensor_places(s, form);
	tiles = ratio * (form == LADDER_CLUSTERS ? CLUSTER_STAGES(G, D) : SPLIT_STAGES(G, D));
	return tiles < SPLIT_MAX_PLACES ? tiles : SPLIT_MAX_PLACES;
}
