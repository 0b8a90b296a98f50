/* step_query.c - one query of a prefill launch, or of attention on the host; see step.h.
 *
 * Neither publishes scores, so weights are computed in float64 from q and K, as far as the trace
 * has their bytes. A prefill launch publishes its online softmax once per tile of keys, in
 * recordings of kernels that have this point; without it, that is computed too.
 */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cache.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define MAX_KEYS ((int64_t)1 << 24)
#define MAX_WEIGHTS 8192                /* keys whose weights are computed */
#define MAX_STRIDE ((int64_t)1 << 31)

/* --- arguments --- */

enum { NAME, VALUE, BUFFER, OFFSET };

static enum status take_argument(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;
	struct step_query *q = &s->query;
	const struct { const char *name; int64_t *value, *offset; } arguments[] = {
		{ "q", &q->q, &q->q_offset }, { "k", &q->k, &q->k_offset },
		{ "v", &q->v, &q->v_offset }, { "H", &q->heads, NULL },
		{ "Hkv", &q->kv_heads, NULL }, { "Nq", &q->count, NULL }, { "Nk", &q->keys, NULL },
		{ "D", &s->d, NULL }, { "Dv", &q->value_dim, NULL },
		{ "stride", &q->stride, NULL }, { "offset", &q->offset, NULL },
	};
	const char *name = view_text(row, NAME);

	(void)c;
	if (strcmp(name, "scale") == 0)
		q->scale = sqlite3_column_double(row, VALUE);
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
		if (strcmp(name, arguments[i].name) != 0)
			continue;
		*arguments[i].value = view_int(row, arguments[i].offset ? BUFFER : VALUE);
		if (arguments[i].offset)
			*arguments[i].offset = view_int(row, OFFSET);
	}
	return STATUS_OK;
}

static bool in(int64_t value, int64_t from, int64_t to)
{
	return value >= from && value <= to;
}

static enum status check_arguments(const struct step *s)
{
	const struct step_query *q = &s->query;

	if (in(q->heads, 1, s->heads) && in(q->kv_heads, 1, q->heads) && in(q->count, 1, MAX_KEYS)
	    && in(q->keys, 0, MAX_KEYS) && in(s->d, 1, VIEW_CACHE_ELEMENTS)
	    && in(q->value_dim, 1, VIEW_CACHE_ELEMENTS) && in(q->stride, 0, MAX_STRIDE)
	    && in(q->offset, -MAX_KEYS, MAX_KEYS) && in(q->k_offset, 0, INT64_MAX / 2)
	    && in(q->v_offset, 0, INT64_MAX / 2) && in(q->q_offset, 0, INT64_MAX / 2))
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "L%" PRId64 ": arguments of %s are damaged", s->attend.launch,
		    s->attend.kernel);
}

/* How many keys a query sees. */
static int64_t visible(const struct step_query *q, int64_t query)
{
	int64_t last = query + q->offset + 1;

	return last < 0 ? 0 : last < q->keys ? last : q->keys;
}

enum status step_query_find(const struct view_context *c, struct step *s)
{
	struct step_query *q = &s->query;
	int64_t sequence;

	TRY(VIEW_ROWS(c, take_argument, s, "SELECT name, value, buffer, offset FROM v_arg"
		      " WHERE run = ?1 AND op = ?2", c->run, s->attend.op));
	TRY(check_arguments(s));
	step_query_shape(s);
	step_query_choose(s, &c->at);
	/* A launch attends for one sequence, whose rows begin at its place in the cache. */
	TRY(VIEW_NUMBER(c, 1, &s->slots, "SELECT slots FROM v_model WHERE run = ?1", c->run));
	sequence = q->stride * q->kv_heads * s->d * (int64_t)sizeof(float);
	s->slot = sequence > 0 ? q->k_offset / sequence : 0;
	if (s->slot >= s->slots)
		s->slot = 0;
	return STATUS_OK;
}

void step_tile_address(const struct step *s, int64_t chunk, struct address *at)
{
	if (s->form == STEP_TILES) {
		step_query_address(s, s->query.number, at);
	} else {
		at->launch = s->attend.launch;
		at->block = s->chunks[chunk].block;
		at->warp = at->lane = 0;
	}
	at->point = s->chunks[chunk].merge_point;
}

/* --- weights --- */

static enum status read_keys(const struct view_context *c, struct step *s, int64_t keys)
{
	bool known;

	if (keys <= 0 || keys > MAX_WEIGHTS)
		return STATUS_OK;
	s->k = xcalloc((size_t)(keys * s->d), sizeof *s->k);
	TRY(step_cache_rows(c, s, 'k', 0, keys, s->k, &known));
	s->k_rows = keys;
	if (!known) {
		free(s->k);
		s->k = NULL;
	}
	return STATUS_OK;
}

static double score_of(const struct step *s, const float *q, int64_t key, double scale)
{
	double score = 0.0;

	for (int64_t d = 0; d < s->d; d++)
		score += (double)q[d] * s->k[key * s->d + d];
	return score * scale;
}

/* Sets weight [keys] to the scores, and then to their softmax. */
static void attend(const struct step *s, const float *q, double scale, int64_t keys,
		   double *weight, float *score, double *max, double *total)
{
	*max = -INFINITY;
	*total = 0.0;
	for (int64_t key = 0; key < keys; key++) {
		weight[key] = score_of(s, q, key, scale);
		if (score)
			score[key] = (float)weight[key];
		*max = fmax(*max, weight[key]);
	}
	for (int64_t key = 0; key < keys; key++)
		*total += weight[key] == *max ? 1.0 : exp(weight[key] - *max);
	for (int64_t key = 0; key < keys; key++)
		weight[key] = (weight[key] == *max ? 1.0 : exp(weight[key] - *max)) / *total;
}

static double *copy_weights(const double *weight, int64_t begin, int64_t end)
{
	double *copy = xcalloc((size_t)(end - begin), sizeof *copy);

	memcpy(copy, weight + begin, (size_t)(end - begin) * sizeof *copy);
	return copy;
}

/* The queries first .. first + count - 1 of the head. */
static enum status read_queries(const struct view_context *c, const struct step *s, int64_t first,
				int64_t count, float **out)
{
	const struct step_query *q = &s->query;
	size_t row = (size_t)s->d * sizeof **out;
	bool known;
	enum status status;

	*out = xcalloc((size_t)count, row);
	status = view_upload_read(c, s->attend.op, q->q, q->q_offset
			     + (s->head * q->count + first) * (int64_t)row,
			     (size_t)count * row, *out, &known);
	if (status != STATUS_OK || !known) {
		free(*out);
		*out = NULL;
	}
	return status;
}

enum status step_query_shares(const struct view_context *c, const struct step *s, int64_t first,
			      int64_t count, double **shares, int64_t *tiles)
{
	int64_t keys = visible(&s->query, first + count - 1);
	double *weight, max, total;
	float *q = NULL;

	*shares = NULL;
	*tiles = (keys + s->query.tile - 1) / s->query.tile;
	if (s->k && keys > 0 && keys <= s->k_rows)
		TRY(read_queries(c, s, first, count, &q));
	if (!q)
		return STATUS_OK;
	weight = xcalloc((size_t)keys, sizeof *weight);
	*shares = xcalloc((size_t)(count * *tiles), sizeof **shares);
	for (int64_t i = 0; i < count; i++) {
		int64_t seen = visible(&s->query, first + i);

		attend(s, q + i * s->d, s->query.scale, seen, weight, NULL, &max, &total);
		for (int64_t tile = 0; tile < *tiles; tile++)
			(*shares)[i * *tiles + tile] = tile * s->query.tile < seen ? 0.0 : NAN;
		for (int64_t key = 0; key < seen; key++)
			(*shares)[i * *tiles + key / s->query.tile] += weight[key];
	}
	free(weight);
	free(q);
	return STATUS_OK;
}

/* --- tiles of prefill --- */

struct tiles {
	struct step *step;
	int64_t next;
};

enum { SEQUENCE, MAX, RESCALE, SUM };

static enum status take_tile(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct tiles *t = state;
	struct step_chunk *k = &t->step->chunks[t->next];

	(void)c;
	if (t->next++ >= t->step->count)
		return STATUS_OK;
	k->merge_point = view_int(row, SEQUENCE);
	k->max = view_f32(row, MAX);
	k->merge_factor = view_f32(row, RESCALE);
	k->merge_sum = k->sum = view_f32(row, SUM);
	k->factor = k->merge_factor;
	return STATUS_OK;
}

/* *published: the thread of the query published every tile that it sees. */
static enum status read_tiles(const struct view_context *c, struct step *s)
{
	struct tiles t = { s, 0 };
	struct address at = address_none;

	step_query_address(s, s->query.number, &at);
	TRY(VIEW_ROWS(c, take_tile, &t, "SELECT sequence, v0_bits, v1_bits, v2_bits FROM w_point"
		      " WHERE run = ?1 AND launch = ?2 AND thread = ?3 AND name = 'softmax'"
		      " ORDER BY sequence", c->run, s->attend.launch,
		      view_place_thread(&s->attend, at.block, at.warp * 32 + at.lane)));
	s->published = t.next == s->count;
	return STATUS_OK;
}

void step_share_tiles(struct step *s)
{
	double before = 0.0;

	s->max = s->chunks[s->count - 1].max;
	s->total = s->chunks[s->count - 1].sum;
	for (int64_t i = 0; i < s->count; i++) {
		struct step_chunk *k = &s->chunks[i];
		double factor = k->max == s->max ? 1.0 : exp((double)k->max - s->max);

		k->share = (k->sum - before * k->factor) * factor / s->total;
		before = k->sum;
	}
}

/* The running maximum and sum after each tile, in float64. */
static void run_tiles(struct step *s, const float *score)
{
	double max = -INFINITY, sum = 0.0;

	for (int64_t i = 0; i < s->count; i++) {
		struct step_chunk *k = &s->chunks[i];
		double before = max;

		for (int64_t key = k->begin; key < k->end; key++)
			max = fmax(max, score[key]);
		k->factor = before == -INFINITY ? 0.0 : exp(before - max);
		sum *= k->factor;
		for (int64_t key = k->begin; key < k->end; key++)
			sum += score[key] == max ? 1.0 : exp(score[key] - max);
		k->max = (float)max;
		k->sum = (float)sum;
	}
}

static enum status weigh_tiles(const struct view_context *c, struct step *s)
{
	double *weight;
	float *q = NULL, *score;

	if (s->k)
		TRY(read_queries(c, s, s->query.number, 1, &q));
	if (!q)
		return STATUS_OK;
	weight = xcalloc((size_t)s->keys, sizeof *weight);
	score = xcalloc((size_t)s->keys, sizeof *score);
	attend(s, q, s->query.scale, s->keys, weight, score, &s->max, &s->total);
	if (!s->published)
		run_tiles(s, score);
	for (int64_t i = 0; i < s->count; i++) {
		struct step_chunk *k = &s->chunks[i];

		k->weight = copy_weights(weight, k->begin, k->end);
		k->score = xcalloc((size_t)(k->end - k->begin), sizeof *k->score);
		memcpy(k->score, score + k->begin, (size_t)(k->end - k->begin) * sizeof *score);
		k->share = 0.0;
		for (int64_t key = k->begin; key < k->end; key++)
			k->share += weight[key];
	}
	free(weight);
	free(score);
	free(q);
	return STATUS_OK;
}

enum status step_query_read(const struct view_context *c, struct step *s)
{
	struct step_query *q = &s->query;
	struct address at = address_none;

	s->kv_heads = q->kv_heads;
	s->kv_head = s->head % q->heads * q->kv_heads / q->heads;
	s->keys = visible(q, q->number);
	s->tiled = true;
	if (s->keys == 0)
		return STATUS_OK;
	step_query_address(s, q->number, &at);
	s->count = (s->keys + q->tile - 1) / q->tile;
	s->chunks = xcalloc((size_t)s->count, sizeof *s->chunks);
	for (int64_t i = 0; i < s->count; i++)
		s->chunks[i] = (struct step_chunk){
			.number = i, .block = at.block, .begin = i * q->tile,
			.end = (i + 1) * q->tile < s->keys ? (i + 1) * q->tile : s->keys,
			.share = NAN,
		};
	TRY(read_tiles(c, s));
	TRY(read_keys(c, s, visible(q, step_query_last(q, q->number / q->rows))));
	if (s->published)
		step_share_tiles(s);
	TRY(weigh_tiles(c, s));
	for (int64_t i = 0; i < s->count; i++) {
		s->chunks[i].merged = s->published;
		if (s->published && c->at.point == s->chunks[i].merge_point)
			s->chosen = i;
	}
	s->live = s->published || step_has_weights(s) ? s->count : 0;
	return STATUS_OK;
}

/* --- the host --- */

struct host {
	struct step *step;
	int64_t q_data;
	double scale;
};

static enum status take_host(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct host *h = state;

	(void)c;
	h->step->keys = view_int(row, 0);
	h->step->d = view_int(row, 1);
	h->scale = sqlite3_column_double(row, 2);
	h->q_data = view_null(row, 3) ? 0 : view_int(row, 3);
	return STATUS_OK;
}

static void weigh_host(struct step *s, const float *q, double scale)
{
	struct step_chunk *k = xcalloc(1, sizeof *k);

	k->end = s->keys;
	k->share = k->factor = 1.0;
	k->weight = xcalloc((size_t)s->keys, sizeof *k->weight);
	k->score = xcalloc((size_t)s->keys, sizeof *k->score);
	attend(s, q, scale, s->keys, k->weight, k->score, &s->max, &s->total);
	k->max = (float)s->max;
	k->sum = (float)s->total;
	s->chunks = k;
	s->count = s->live = 1;
}

enum status step_host_read(const struct view_context *c, struct step *s)
{
	struct host h = { .step = s };
	void *bytes;
	size_t size, row;

	s->kv_heads = s->heads;
	s->kv_head = s->head;
	TRY(VIEW_ROWS(c, take_host, &h, "SELECT keys, head_dim, scale, q_data FROM v_softmax"
		      " WHERE run = ?1 AND op = ?2", c->run, s->attend.op));
	if (!in(s->keys, 1, MAX_KEYS) || !in(s->d, 1, VIEW_CACHE_ELEMENTS))
		return fail(STATUS_DAMAGED, "op %" PRId64 ": %" PRId64 " keys of %" PRId64
			    " elements", s->attend.op, s->keys, s->d);
	if (!h.q_data)
		return STATUS_OK;
	TRY(read_keys(c, s, s->keys));
	TRY(store_data(c->store, h.q_data, &bytes, &size));
	row = (size_t)s->d * sizeof(float);
	if (s->k && size / row > (size_t)s->head)
		weigh_host(s, (const float *)bytes + s->head * s->d, h.scale);
	free(bytes);
	return STATUS_OK;
}
