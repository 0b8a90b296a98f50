/* bench_seeds.c - measures what the attention paths claim to gain, in one run on one device.
 *
 * Measures attention kernels alone, without uploads and with a cold L2; the number and time of a
 * step's launches; a step with and without waits, launched one by one and as a graph; a long
 * prompt. The launches come from the paths themselves. bench_traffic.c counts bytes and blocks,
 * bench_claims.c adds verdicts, bench_report.c prints them.
 */
#include "config.h"

#include "tui/bench/bench_seeds.h"

#include <math.h>
#include <string.h>

#include "tui/bench/bench.h"

enum { CHUNK = 128 };           /* where the chunk size does not matter, or is not measured */

static const struct seeds_sizes full = {
	.heads = 32, .kv_heads = 8, .head_dim = 128,
	.lengths = { 32, 64, 127, 129, 256, 512, 1023, 1024, 4096, 32768, 131072 },
	.layers = 28, .slots = 4, .keys = 1024,
	.prefill_heads = 32, .prefill_rows = 4096, .flush_bytes = 256u << 20,
};

/* The same work at sizes that take the simulator about two seconds. */
static const struct seeds_sizes reduced = {
	.heads = 4, .kv_heads = 2, .head_dim = 32,
	.lengths = { 64, 200 },
	.layers = 28, .slots = 4, .keys = 40,
	.prefill_heads = 2, .prefill_rows = 48, .flush_bytes = 4096,
};

/* --- decode attention --- */

static struct attention_shape shape_of(const struct seeds_sizes *s, int layers, int slots, int keys)
{
	return (struct attention_shape){
		.layers = layers, .slots = slots, .heads = s->heads, .kv_heads = s->kv_heads,
		.head_dim = s->head_dim, .max_len = keys, .chunk = CHUNK,
		.scale = attention_scale(s->head_dim),
	};
}

static enum status time_list(struct rig *rig, struct attention *attention, int keys,
			     unsigned roles, double *us)
{
	struct launches list;
	struct rig_times times;
	enum status status = launches_of_step(rig, attention, keys, roles, &list);

	if (status == STATUS_OK)
		status = rig_time(rig, true, launches_run, &list, &times);
	launches_free(&list);
	if (status == STATUS_OK)
		*us = times.device;
	return status;
}

static enum status measure_case(struct rig *rig, const struct seeds_sizes *sizes,
				const struct seeds_case *how, int keys, double *us)
{
	struct attention_shape shape = shape_of(sizes, 1, 1, keys);
	struct attention *attention;
	enum status status;

	if (how->chunk) {
		shape.chunk = how->chunk;
		shape.warps = how->warps;
	}
	TRY(attention_create(path_find(how->path), rig->device, &shape, &attention));
	status = time_list(rig, attention, keys, ROLES_ATTEND, us);
	attention_destroy(attention);
	return status;
}

static enum status measure_decode(struct rig *rig, struct seeds_results *r)
{
	for (int i = 0; i < SEEDS_LENGTHS && r->sizes->lengths[i]; i++)
		for (int c = 0; c < SEEDS_CASES; c++)
			TRY(measure_case(rig, r->sizes, &seeds_cases[c], r->sizes->lengths[i],
					 &r->decode[c][i]));
	return STATUS_OK;
}

/* --- steps --- */

/* Calls `measure` with the launches of one step that have the roles. */
static enum status with_step(struct rig *rig, struct seeds_results *r, const char *path, int slots,
			     unsigned roles,
			     enum status (*measure)(struct rig *, struct launches *, void *),
			     void *out)
{
	struct attention_shape shape = shape_of(r->sizes, r->sizes->layers, slots, r->sizes->keys);
	struct attention *attention;
	struct launches list;
	enum status status;

	TRY(attention_create(path_find(path), rig->device, &shape, &attention));
	status = launches_of_step(rig, attention, r->sizes->keys, roles, &list);
	if (status == STATUS_OK)
		status = measure(rig, &list, out);
	launches_free(&list);
	attention_destroy(attention);
	return status;
}

struct scatter {
	int launches;
	double us;
};

static enum status measure_scatter(struct rig *rig, struct launches *list, void *out)
{
	struct scatter *scatter = out;
	struct rig_times times;

	TRY(rig_time(rig, true, launches_run, list, &times));
	*scatter = (struct scatter){ list->count, times.device };
	return STATUS_OK;
}

static enum status measure_scatters(struct rig *rig, struct seeds_results *r)
{
	static const char *const paths[2] = { [SLOW] = "incremental", [FAST] = "batched" };

	for (int i = SLOW; i <= FAST; i++) {
		struct scatter scatter;

		TRY(with_step(rig, r, paths[i], r->sizes->slots, ROLES_SCATTER, measure_scatter,
			      &scatter));
		r->scatter_launches[i] = scatter.launches;
		r->scatter[i] = scatter.us;
	}
	return STATUS_OK;
}

static enum status measure_waits(struct rig *rig, struct launches *list, void *out)
{
	struct seeds_results *r = out;

	TRY(rig_time(rig, false, launches_run_waiting, list, &r->wait[SLOW]));
	return rig_time(rig, false, launches_run, list, &r->wait[FAST]);
}

/* --- the same step as a graph --- */

static enum status launch_graph(struct rig *rig, void *exec)
{
	return device_graph_launch(rig->device, exec, rig->stream);
}

static enum status capture(struct rig *rig, struct launches *list, struct graph **out)
{
	enum status status, ended;

	TRY(device_capture_begin(rig->device, rig->stream, CAPTURE_GLOBAL));
	status = launches_run(rig, list);
	ended = device_capture_end(rig->device, rig->stream, out);
	return status != STATUS_OK ? status : ended;
}

static enum status measure_graph(struct rig *rig, struct launches *list, void *out)
{
	struct seeds_results *r = out;
	struct graph_exec *exec;
	struct graph *graph;

	r->step_launches = list->count;
	TRY(rig_time(rig, false, launches_run, list, &r->step[SLOW]));
	TRY(capture(rig, list, &graph));
	TRY(device_graph_instantiate(rig->device, graph, &exec));
	TRY(rig_time(rig, false, launch_graph, exec, &r->step[FAST]));
	TRY(device_graph_exec_destroy(rig->device, exec));
	return device_graph_destroy(rig->device, graph);
}

/* --- a long prompt --- */

static enum status measure_prefill(struct rig *rig, struct seeds_results *r)
{
	const struct seeds_sizes *s = r->sizes;
	struct rig_times times;
	struct launches list;
	enum status status;

	status = launches_of_prefill(rig, s->prefill_heads, s->prefill_rows, s->head_dim, false,
				     &list);
	if (status == STATUS_OK)
		status = rig_time(rig, true, launches_run, &list, &times);
	launches_free(&list);
	if (status == STATUS_OK)
		r->prefill = times.device;
	return status;          /* closing the device frees the buffers */
}

/* --- the suite --- */

static enum status measure_all(struct rig *rig, struct seeds_results *r)
{
	TRY(measure_decode(rig, r));
	TRY(measure_scatters(rig, r));
	TRY(with_step(rig, r, "flash-decoding", 1, ROLES_ATTEND, measure_waits, r));
	TRY(with_step(rig, r, "flash-decoding", 1, ROLES_ATTEND | ROLES_SCATTER, measure_graph, r));
	TRY(seeds_measure_traffic(rig, r));
	return measure_prefill(rig, r);
}

static void clear_results(struct seeds_results *r)
{
	static const struct rig_times none = { NAN, NAN, NAN };

	for (int c = 0; c < SEEDS_CASES; c++)
		for (int i = 0; i < SEEDS_LENGTHS; i++)
			r->decode[c][i] = NAN;
	for (int i = SLOW; i <= FAST; i++) {
		r->scatter[i] = NAN;
		r->wait[i] = r->step[i] = none;
	}
	r->prefill = NAN;
}

enum status bench_seeds(const char *device, int runs, bool json, const char *plot)
{
	bool on_gpu = strcmp(device, "cuda") == 0;
	struct seeds_results results = { .sizes = on_gpu ? &full : &reduced, .runs = runs,
					 .on_gpu = on_gpu };
	struct rig rig;
	enum status status = rig_open(device, false, runs, results.sizes->flush_bytes, &rig);

	clear_results(&results);
	results.info = rig.info;
	if (status == STATUS_OK)
		status = measure_all(&rig, &results);
	rig_close(&rig);
	if (status == STATUS_OK)
		status = seeds_print(&results, json);
	return status == STATUS_OK && plot ? seeds_plot(&results, plot) : status;
}
