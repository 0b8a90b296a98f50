/* step_query_place.c - which thread of a prefill launch has a query, and which query a thread has;
 * see step.h.
 */
#include "tui/views/step/step.h"

#include <string.h>

#include "kernels/prefill_rule.h"
#include "traces/kernel_names.h"

#define BLOCK 128                       /* threads of attention_prefill */
#define TILED_ROWS 8                    /* of a group of lanes of attention_prefill_tiled */

/* Its first blocks have the last queries, which see the most keys. */
static bool is_tiled(const char *kernel)
{
	return strcmp(kernel, KERNEL_PREFILL_TILED) == 0;
}

bool step_has_queries(const char *kernel)
{
	return strcmp(kernel, KERNEL_PREFILL) == 0 || is_tiled(kernel);
}

void step_query_shape(struct step *s)
{
	struct step_query *q = &s->query;
	int64_t widest = s->d > q->value_dim ? s->d : q->value_dim;

	q->reversed = is_tiled(s->attend.kernel);
	if (q->reversed) {
		q->rows = PREFILL_ROWS(s->d);
		q->group = TILED_ROWS;
		q->threads = PREFILL_LANES(s->d);
		q->tile = PREFILL_KEYS(s->d);
		return;
	}
	q->threads = widest <= 64 ? 2 : widest <= 128 ? 4 : 8;
	q->rows = BLOCK / q->threads;
	q->group = 1;
	q->tile = VIEW_TILE;
}

int64_t step_query_row(const char *kernel, int64_t tiles, int64_t tile)
{
	return is_tiled(kernel) ? tiles - 1 - tile : tile;
}

static int64_t row_of_tile(const struct step *s, int64_t tile)
{
	const struct step_query *q = &s->query;

	return step_query_row(s->attend.kernel, (q->count - 1) / q->rows + 1, tile);
}

void step_query_address(const struct step *s, int64_t query, struct address *at)
{
	const struct step_query *q = &s->query;
	int64_t row = query % q->rows;
	int64_t thread = row / q->group * q->threads + row % q->group;

	at->launch = s->attend.launch;
	at->block = row_of_tile(s, query / q->rows) * s->heads + s->head;
	at->warp = thread / 32;
	at->lane = thread % 32;
}

/* Of lanes that publish nothing, the last query of their group. */
static int64_t row_of_thread(const struct step_query *q, int64_t thread)
{
	int64_t lane = thread % q->threads;

	return thread / q->threads * q->group + (lane < q->group ? lane : q->group - 1);
}

int64_t step_query_last(const struct step_query *q, int64_t tile)
{
	return (tile + 1) * q->rows < q->count ? (tile + 1) * q->rows - 1 : q->count - 1;
}

void step_query_choose(struct step *s, const struct address *at)
{
	struct step_query *q = &s->query;
	int64_t tile;

	q->number = q->count - 1;
	if (at->launch != s->attend.launch || at->block < 0)
		return;
	s->head = at->block % s->heads;
	tile = row_of_tile(s, at->block / s->heads);
	if (tile < 0)
		return;
	q->number = step_query_last(q, tile);
	if (at->lane >= 0)
		q->number = tile * q->rows
			+ row_of_thread(q, (at->warp > 0 ? at->warp : 0) * 32 + at->lane);
	if (q->number >= q->count)
		q->number = q->count - 1;
}
