/* recording.h - a launch while it is being recorded: what it writes.
 *
 * What a launch writes is asked of the kernel table right before it runs, since the answer may lie
 * in device memory that it or others change. Serves the recorder.
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
};

/* A launch, or a launch that a graph made, while it is being recorded. */
struct recording {
	struct recorder *recorder;
	const struct launch *launch;
	const struct node *node;        /* of a graph that has run; NULL: a launch of its own */
	int64_t op, number;             /* of the launch in the trace */
	const struct kernel_param *params;
	struct kernel_value values[MAX_ARGS];
	struct kernel_call call;
	struct written written[MAX_ARGS];
	int written_count;
};

/* Begins to record a launch, of a graph's node unless that is NULL. */
void recording_begin(struct recording *, struct recorder *, const struct launch *,
		     const struct node *);
/* Asks the kernel table what the launch writes. */
void recording_find_written(struct recording *);
void recording_mark_written(const struct recording *);
void recording_end(struct recording *);
/* Bytes of a buffer as they were when the launch had ended. */
enum status recording_read(const struct recording *, const struct buffer *, uint64_t offset,
			   void *out, uint64_t bytes);

#endif
