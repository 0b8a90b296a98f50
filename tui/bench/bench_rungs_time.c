/* bench_rungs_time.c - times one layer's attention from graphs, with keys and values that are in no
 * cache.
 *
 * The path gets as many layers as there are copies of K and V: a graph of all layers' attention
 * launches reads each copy in turn, and all copies together are several times the L2. The launches
 * are copies of those that the path makes in a step; scatters are left out.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/xalloc.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/path_ladder.h"
#include "tui/bench/bench_sample.h"

enum {
	L2_TIMES = 8, MAX_COPIES = 128, GRAPH_LAUNCHES = 16, WARM = 2,
	HOST_KEYS = 4096,               /* most keys of a step of rung 0, which takes ms */
	NO_MEMORY = 2,                  /* CUDA_ERROR_OUT_OF_MEMORY */
};
#define LONG_GRAPH 20e3                 /* us; of a longer one, each copy is read once */
#define USED_MEMORY 0.75                /* of the device's */

/* --- samples --- */

static enum status sample(struct rig *rig, rig_work *work, void *context, double *us)
{
	struct rig_times times;

	TRY(rig_time_once(rig, false, work, context, &times));
	*us = rig->on_gpu ? times.device : times.wall;
	return STATUS_OK;
}

static double percentile(const double *sorted, int count, double share)
{
	return sorted[(int)(share * (count - 1) + 0.5)];
}

/* Of work that does `times` times what is measured. */
static enum status take_samples(struct rig *rig, rig_work *work, void *context, int times,
				struct rungs_time *out)
{
	double *us = xcalloc((size_t)rig->runs, sizeof *us);
	enum status status = STATUS_OK;

	for (int i = -WARM; status == STATUS_OK && i < rig->runs; i++)
		status = sample(rig, work, context, &us[i < 0 ? 0 : i]);
	if (status == STATUS_OK) {
		out->us = bench_median(us, (size_t)rig->runs) / times;  /* sorts them */
		out->p10 = percentile(us, rig->runs, 0.1) / times;
		out->p90 = percentile(us, rig->runs, 0.9) / times;
		out->runs = rig->runs;
	}
	free(us);
	return status;
}

/* --- graphs --- */

static enum status launch_graph(struct rig *rig, void *exec)
{
	return device_graph_launch(rig->device, exec, rig->stream);
}

static enum status issue(struct rig *rig, int copies, int rounds, rungs_work *work, void *context)
{
	for (int i = 0; i < copies * rounds; i++)
		TRY(work(rig, context, i % copies));
	return STATUS_OK;
}

static enum status capture(struct rig *rig, int copies, int rounds, rungs_work *work,
			   void *context, struct graph_exec **out)
{
	enum status status, ended;
	struct graph *graph;

	TRY(device_capture_begin(rig->device, rig->stream, CAPTURE_GLOBAL));
	status = issue(rig, copies, rounds, work, context);
	ended = device_capture_end(rig->device, rig->stream, &graph);
	TRY(status);
	TRY(ended);
	TRY(device_graph_instantiate(rig->device, graph, out));
	return device_graph_destroy(rig->device, graph);
}

/* How often a graph reads each copy: a short one more than once, so that what a graph itself costs
 * is shared by many launches. */
static int rounds_for(int copies, double once)
{
	int rounds = (GRAPH_LAUNCHES + copies - 1) / copies;

	return once * rounds > LONG_GRAPH ? 1 : rounds;
}

enum status rungs_time_work(struct rig *rig, int copies, rungs_work *work, void *context,
			    struct rungs_time *out)
{
	struct graph_exec *exec;
	double once;
	int rounds = 1;

	TRY(capture(rig, copies, rounds, work, context, &exec));
	TRY(sample(rig, launch_graph, exec, &once));
	if (rig->on_gpu && rounds_for(copies, once) > 1) {
		rounds = rounds_for(copies, once);
		TRY(device_graph_exec_destroy(rig->device, exec));
		TRY(capture(rig, copies, rounds, work, context, &exec));
	}
	out->copies = copies;
	out->launches = copies * rounds;
	TRY(take_samples(rig, launch_graph, exec, copies * rounds, out));
	return device_graph_exec_destroy(rig->device, exec);
}

/* --- memory --- */

enum status rungs_fits(enum status status, const char *note, struct rungs_time *out)
{
	if (status != STATUS_DEVICE || error_code() != NO_MEMORY)
		return status;
	snprintf(out->note, sizeof out->note, "%s", note);
	error_clear();
	return STATUS_OK;
}

int rungs_copies(struct rig *rig, double bytes, double held)
{
	double memory = USED_MEMORY * (double)rig->info.memory_bytes, copies;
	int l2;

	if (!rig->on_gpu || device_attribute(rig->device, DEVICE_L2_BYTES, &l2) != STATUS_OK)
		return 2;
	copies = fmax(2, fmin(MAX_COPIES, ceil(L2_TIMES * (double)l2 / bytes)));
	return (int)fmax(1, fmin(copies, floor(memory / held)));
}

/* What the path's caches take for one layer. */
static double cache_bytes(const struct attention_shape *s)
{
	return 2.0 * s->slots * s->kv_heads * s->max_len * s->head_dim
		* (double)dtype_bytes(s->kv_dtype);
}

/* --- a rung --- */

/* All copies have the same random values. */
static enum status fill_caches(struct rig *rig, struct attention *a, const struct shape *shape)
{
	struct kv_cache *cache = a->cache;
	int *lengths = shape_lengths(shape), queries = attention_queries(&a->shape);
	enum status status = rig_fill_random(rig, cache->k[0]);

	for (int layer = 0; status == STATUS_OK && layer < cache->layers; layer++) {
		size_t bytes = cache->k[0]->bytes;

		if (layer > 0)
			status = device_copy(rig->device, NULL, cache->k[layer], 0, cache->k[0], 0,
					     bytes);
		if (status == STATUS_OK)
			status = device_copy(rig->device, NULL, cache->v[layer], 0, cache->k[0], 0,
					     bytes);
		for (int slot = 0; slot < shape->sequences; slot++)
			kv_cache_append(cache, layer, slot, lengths[slot] - queries);
	}
	free(lengths);
	return status;
}

struct rotation {
	struct launches list;           /* of all layers, in order */
	int each;                       /* launches of a layer */
};

static enum status launch_layer(struct rig *rig, void *context, int layer)
{
	struct rotation *r = context;
	struct launches some = { r->list.items + layer * r->each, r->each };

	return launches_run(rig, &some);
}

static enum status time_launches(struct rig *rig, struct attention *a, const struct shape *shape,
				 struct rungs_time *out)
{
	struct rotation r = { 0 };
	int layers = a->shape.layers;
	enum status status;

	TRY(fill_caches(rig, a, shape));
	status = launches_take(rig, ROLES_ATTEND, step_run, a, &r.list);
	r.each = r.list.count / layers;
	if (status == STATUS_OK)
		status = rungs_time_work(rig, layers, launch_layer, &r, out);
	launches_free(&r.list);
	return status;
}

/* --- rung 0: the host does a step, and the time is the host's --- */

static enum status host_step(struct rig *rig, void *context)
{
	struct attention *a = context;
	int keys = a->shape.max_len;

	kv_cache_clear(a->cache, 0);
	kv_cache_append(a->cache, 0, 0, keys - 1);
	return step_run(rig, a);
}

static enum status time_host(struct rig *rig, struct attention *a, const struct shape *shape,
			     struct rungs_time *out)
{
	bool on_gpu = rig->on_gpu;
	enum status status;

	TRY(fill_caches(rig, a, shape));
	rig->on_gpu = false;            /* the wall clock */
	status = take_samples(rig, host_step, a, 1, out);
	rig->on_gpu = on_gpu;
	out->copies = out->launches = 1;
	snprintf(out->note, sizeof out->note, "host: a whole step, by the wall clock%s",
		 a->path->repeat_kv ? ", a KV head per query head" : "");
	return status;
}

/* --- which rung --- */

struct attention_shape rungs_attention(const struct shape *shape, int rung)
{
	struct attention_shape s = shape_attention(shape);

	s.rung = rung;
	if (ladder_path(rung)->repeat_kv)
		s.kv_heads = s.heads;
	return s;
}

static struct attention_shape layers_of(struct rig *rig, const struct shape *shape, int rung)
{
	struct attention_shape s = rungs_attention(shape, rung);

	if (rung != 0)
		s.layers = rungs_copies(rig, shape_bytes(shape, dtype_bytes(shape->kv_dtype)),
					cache_bytes(&s));
	return s;
}

enum status rungs_check(int rung, enum dtype kv_dtype, int queries)
{
	struct shape_run keys = { 1, queries > 1024 ? queries : 1024 };
	const struct shape usual = { 1, 32, 8, 128, &keys, 1, kv_dtype, queries };
	struct attention_shape s = rungs_attention(&usual, rung);

	return attention_check(ladder_path(rung), &s);
}

/* Why a rung is not measured with a shape, in the note. */
static bool left_out(struct rig *rig, const struct shape *shape, int rung,
		     struct attention_shape *s, struct rungs_time *out)
{
	if (rung == 0 && (shape->sequences > 1 || shape_max_keys(shape) > HOST_KEYS)) {
		snprintf(out->note, sizeof out->note,
			 "host: left out above one sequence of %d keys", HOST_KEYS);
		return true;
	}
	if (shape_min_keys(shape) < attention_queries(s)) {
		snprintf(out->note, sizeof out->note, "a sequence has fewer than %d keys",
			 attention_queries(s));
		return true;
	}
	if (rig->on_gpu && rig->info.compute_major < 9 && ladder_path(rung) == &path_ladder
	    && ladder_rung(s) >= LADDER_BULK_RUNG) {
		snprintf(out->note, sizeof out->note, "needs sm_90");
		return true;
	}
	if (attention_check(ladder_path(rung), s) != STATUS_OK) {
		snprintf(out->note, sizeof out->note, "%s", error_text());
		error_clear();
		return true;
	}
	return false;
}

enum status rungs_time_rung(struct rig *rig, const struct shape *shape, int rung,
			    struct rungs_time *out)
{
	struct attention_shape s = layers_of(rig, shape, rung);
	struct attention *attention = NULL;
	enum status status;
	char note[80];

	*out = (struct rungs_time){ .us = NAN, .p10 = NAN, .p90 = NAN, .copies = s.layers };
	if (left_out(rig, shape, rung, &s, out))
		return STATUS_OK;
	status = attention_create(ladder_path(rung), rig->device, &s, &attention);
	if (status == STATUS_OK)
		status = rung == 0 ? time_host(rig, attention, shape, out)
			: time_launches(rig, attention, shape, out);
	attention_destroy(attention);
	snprintf(note, sizeof note, "%d copies of %.1f GB do not fit in memory", s.layers,
		 1e-9 * cache_bytes(&s));
	return rungs_fits(status, note, out);
}

/* --- a prompt --- */

static enum status launch_prompt(struct rig *rig, void *list, int copy)
{
	(void)copy;
	return launches_run(rig, list);
}

enum status rungs_time_prompt(struct rig *rig, int heads, int rows, int head_dim,
			      bool tiled, struct rungs_time *out)
{
	struct launches list;
	enum status status = launches_of_prefill(rig, heads, rows, head_dim, tiled, &list);

	*out = (struct rungs_time){ .us = NAN, .p10 = NAN, .p90 = NAN };
	if (status == STATUS_OK)
		status = rungs_time_work(rig, 1, launch_prompt, &list, out);
	launches_free(&list);
	return rungs_fits(status, "does not fit in memory", out);
}
