/* bench_rig.h - a device prepared for timing work on it: clocks, a cold L2, filled buffers, and
 * copies of the launches of an attention path, to be launched again alone.
 *
 * Callers own what they get: a rig until rig_close(), a list until launches_free(). Errors are the
 * device's. Used by the suites of `flashtwin bench`.
 */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include "engine/attention/path.h"

struct rig {
	struct device *device;
	struct device_info info;
	bool on_gpu;                    /* else a simulator, which has only the wall clock */
	int runs;                       /* samples of each median */
	struct stream *stream;          /* timed work runs on it */
	struct event *from, *to;
	struct buffer *flush;           /* larger than the L2 */
};

/* Microseconds. */
struct rig_times {
	double submit;                  /* until the host has submitted everything */
	double wall;                    /* until the host has seen its end */
	double device;                  /* between events around it; `wall` on a simulator */
};

typedef enum status rig_work(struct rig *, void *context);

/* check: a simulator that runs kernels under the checker. */
enum status rig_open(const char *device, bool check, int runs, size_t flush_bytes,
		     struct rig *out);
/* For a rig that was passed to rig_open(), also if that failed. */
void rig_close(struct rig *);

/* Pseudo-random numbers between -1 and 1 of the buffer's type, a float type. They repeat after
 * a million. */
enum status rig_fill_random(struct rig *, struct buffer *);

/* Medians, after one run that is not counted. With cold, each run begins by writing the flush
 * buffer: what the work reads is then in no cache, and a GPU stays busy until all of a short work
 * is submitted, so that `device` includes no host time. */
enum status rig_time(struct rig *, bool cold, rig_work *, void *context, struct rig_times *out);
/* The same once. */
enum status rig_time_once(struct rig *, bool cold, rig_work *, void *context,
			  struct rig_times *out);

/* --- a step --- */

/* Fills the cache, so that the next step has `keys` keys. */
enum status step_prepare(struct rig *, struct attention *, int keys);
/* One step of all layers; a rig_work, whose context is the attention. */
enum status step_run(struct rig *, void *attention);

/* --- launches --- */

/* Copies (engine/launch_copy.h) of launches made one by one. For those of a graph, see
 * engine/attention/launch_list.h. */
struct launches {
	struct launch *items;
	int count;
};

#define ROLES_SCATTER (1u << ROLE_SCATTER)
#define ROLES_ATTEND (1u << ROLE_ATTENTION | 1u << ROLE_CHUNK | 1u << ROLE_REDUCE)

/* Does the work, and keeps copies of its launches whose kernel's role is among `roles`
 * (1 << ROLE_...). Free the list on an error too. */
enum status launches_take(struct rig *, unsigned roles, rig_work *, void *context,
			  struct launches *out);
/* The same for one step of all layers, with `keys` keys in the cache after it. The attention must
 * outlive the list. */
enum status launches_of_step(struct rig *, struct attention *, int keys, unsigned roles,
			     struct launches *out);
/* That of a prompt, with a causal mask, by attention_prefill_tiled if `tiled`, on buffers of its
 * own, which closing the device frees. */
enum status launches_of_prefill(struct rig *, int heads, int rows, int head_dim, bool tiled,
				struct launches *out);
void launches_free(struct launches *);

/* Launches all, on the rig's stream; a rig_work, whose context is the list. */
enum status launches_run(struct rig *, void *list);
/* The same, but waits for the stream after each chunk kernel. */
enum status launches_run_waiting(struct rig *, void *list);

#endif
