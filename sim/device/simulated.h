/* simulated.h - the state of a simulated device. Private to sim/.
 *
 * The device owns every object in its lists until it is destroyed or the device closes.
 */
#ifndef SIM_SIMULATED_H
#define SIM_SIMULATED_H

#include "engine/device.h"
#include "kernels/points.h"
#include "sim/device/limits.h"
#include "sim/exec/heap.h"

struct sim_buffer {
	struct buffer base;             /* first */
	struct sim_buffer *next;
	bool managed;                   /* the program's host code uses it too */
};

struct device_simulated {
	struct device base;             /* first */
	const struct profile *profile;
	enum sim_variant variant;       /* of kernels that are not checked */
	struct grid_runner *runner;
	struct check *check;            /* NULL: kernels are not checked */
	int check_orders;               /* seeds to run launches again under */
	uint64_t seed, launches;        /* launches run so far */
	bool other_clock;               /* see device_options */
	uint64_t steps;                 /* basic blocks that a launch may enter; 0: no limit */
	uint64_t random;                /* picks streams and graph nodes */
	uint32_t next_id;
	size_t allocated;               /* bytes of all buffers */
	struct sim_buffer *buffers;
	struct known_kernel *kernels;
	int stream_count;               /* created so far */
	struct stream *streams;         /* the last is the default stream, which always exists */
	struct event *events;
	struct graph *graphs;
	struct graph_exec *execs;
	struct capture *captures;       /* active, including invalidated ones */
	uint64_t capture_count;         /* begun so far */
	int sticky;                     /* CUDA error code of the work that faulted */
	enum status sticky_status;      /* DEVICE, or STEPS */
	char sticky_text[600];
	struct made_code *made_codes;   /* of launches by device code: queued.c */
	struct device_heap heap;        /* of kernels */
	struct point_sink points;       /* records NULL: off */
	struct device_observer observer;
	bool host_waits;                /* for work in streams: then nothing waits for the host */
	bool observing; /* within a call of the observer, or while the program stepped
					 * aside for it: operations act at once */
};

static inline struct device_simulated *simulated(struct device *device)
{
	return (struct device_simulated *)device;
}

/* The sticky error, if there is one. */
enum status simulated_check_alive(const struct device_simulated *);
/* Whether all these bytes are in one allocated buffer. */
bool simulated_holds(const struct device_simulated *, uint64_t address, uint64_t bytes);
/* Whether the address is in memory that the program's host code uses too. */
bool simulated_is_managed(const struct device_simulated *, uint64_t address);
/* A number below `below`, the same for the same seed and calls. */
uint32_t simulated_draw(struct device_simulated *, uint32_t below);

#endif
