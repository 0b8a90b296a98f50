/* bench_rig.h - a device with what it takes to time work on it: clocks, a cold L2, filled buffers,
 * and launches taken from an attention path at work, to be launched again alone.
 *
 * Serves the measurements of `flashtwin bench --suite`, which own what they get here: a rig until
 * rig_close(), a list until launches_free(). Errors are the device's.
 */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include "engine/attention/path.h"

struct rig {
	struct device *device;
	struct device_info info;
	bool on_gpu;                    /* else a simulator, whose only clock is the wall's */
	int runs;                       /* samples behind each median */
	struct stream *stream;          /* what is timed runs here */
	struct event *from, *to;
	struct buffer *flush;           /* larger than the L2 */
};

/* Microseconds. */
struct rig_times {
	double submit;                  /* until the host has asked for everything */
	double wall;                    /* until the host has seen the end of it */
	double device;                  /* between events around it; the wall's on a simulator */
};

typedef enum status rig_work(struct rig *, void *context);

enum status rig_open(const char *device, int runs, size_t flush_bytes, struct rig *out);
/* Of a rig that rig_open() was called for, also where that failed. */
void rig_close(struct rig *);

/* Pseudo-random floats between -1 and 1, repeating every 4 MiB. */
enum status rig_fill_random(struct rig *, struct buffer *);

/* Medians, after one run that is not counted. With cold, writing the flush buffer comes before each
 * run: what the work reads is then in no cache, and a GPU is busy until all of a short work was
 * submitted, so that `device` holds no time of the host. */
enum status rig_time(struct rig *, bool cold, rig_work *, void *context, struct rig_times *out);

/* --- launches --- */

/* Copies (engine/launch_copy.h) of launches as they were made one by one; what a graph of them
 * would hold is engine/attention/launch_list.h's. */
struct launches {
	struct launch *items;
	int count;
};

#define ROLES_SCATTER (1u << ROLE_SCATTER)
#define ROLES_ATTEND (1u << ROLE_ATTENTION | 1u << ROLE_CHUNK | 1u << ROLE_REDUCE)

/* Does the work, and keeps copies of its launches whose kernel's role is among `roles`
 * (1 << ROLE_...). The list is to be freed on an error too. */
enum status launches_take(struct rig *, unsigned roles, rig_work *, void *context,
			  struct launches *out);
/* The same of one step, all layers, with `keys` keys in the cache when it is over. The attention
 * outlives the list. */
enum status launches_of_step(struct rig *, struct attention *, int keys, unsigned roles,
			     struct launches *out);
void launches_free(struct launches *);

/* Launches all, on the rig's stream; a rig_work, whose context is the list. */
enum status launches_run(struct rig *, void *list);
/* Waits for the stream behind each chunk kernel. */
enum status launches_run_waiting(struct rig *, void *list);

#endif
