/* recording.h - a launch while it is being recorded: what it writes.
 *
 * The kernel table gives the bytes that a launch writes. They are found right before it runs,
 * because they may depend on device memory that can change. Used by the recorder.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "engine/device.h"
#include "engine/record/ranges.h"

struct node;
struct recorder;
struct shadow;

/* What a launch is about to write to one buffer. */
struct written {
	struct shadow *shadow;
	struct ranges ranges;
	/* Of memory of a program: what the parameters that point to it say. COUNT: it holds structs
	 * or pointers, or no parameter does; U8: several types. */
	enum dtype element;
	bool typed;                     /* a parameter said */
};

/* A launch, or a launch that a graph made, while it is being recorded. */
struct recording {
	struct recorder *recorder;
	const struct launch *launch;
	const struct node *node;        /* of a graph that has run; NULL: not in a graph */
	int64_t op, number;             /* of the launch in the trace */
	const struct kernel_param *params;
	struct kernel_value values[MAX_ARGS];
	struct kernel_call call;
	struct written *written;        /* one per buffer */
	int written_count;
};

/* Begins to record a launch. node: the graph's node that made it, or NULL. */
void recording_begin(struct recording *, struct recorder *, const struct launch *,
		     const struct node *);
/* Finds the bytes that the launch writes, from the kernel table. */
void recording_find_written(struct recording *);
void recording_mark_written(const struct recording *);
void recording_end(struct recording *);
/* Reads bytes of a buffer as they were after the launch. */
enum status recording_read(const struct recording *, const struct buffer *, uint64_t offset,
			   void *out, uint64_t bytes);

#endif
