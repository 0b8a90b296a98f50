/* recorder_internal.h - what the parts of the recorder share; nobody else includes it.
 *
 * recorder.c opens, closes, marks steps and windows; recorder_ops.c holds the table of operations;
 * recorder_launch.c records launches, recorder_digest.c what they wrote, recorder_decode.c what it
 * means as attention.
 */
#ifndef RECORDER_INTERNAL_H
#define RECORDER_INTERNAL_H

#include "engine/probe.h"
#include "engine/ranges.h"
#include "engine/recorder.h"
#include "traces/log_at.h"

/* What the recorder knows of a live buffer. */
struct shadow {
	struct buffer *buffer;
	uint32_t id;                    /* in the trace: 1, 2, ... in order of allocation */
	bool written;                   /* since its last digest after a step */
	struct ranges unsaved;          /* written while nothing was recorded */
	/* The upload that wrote it last; -1: something else did, or the trace does not have it. */
	int64_t upload_op;
	uint64_t upload_offset, upload_bytes;
	/* A pointer table: {buffer id, offset} of each 8 bytes. Addresses differ between devices,
	 * so this stands for the bytes. NULL: plain bytes. */
	uint64_t (*pointers)[2];
};

/* What a launch is about to write to one buffer. */
struct written {
	struct shadow *shadow;
	struct ranges ranges;
};

/* Objects the caller holds by pointer, numbered 1, 2, ... in order of creation. */
struct numbers {
	const void **items;             /* NULL: destroyed */
	int count;
};

struct recorder {
	struct device device;           /* first: callers hold a struct device */
	struct store *store;
	int64_t run;
	enum log_level level;
	struct log_at log_at;
	char *points;                   /* filter, NULL: all */
	struct probe *probe;            /* NULL below level points */

	bool storing;                   /* inside a window */
	bool in_step, step_stored;      /* between step_begin and step_end; its row was begun */
	int64_t step;                   /* the number the caller gave */
	int64_t step_first;             /* operation the stored step begins with */
	int64_t launches;               /* of the whole run so far, recorded or not */
	int64_t last_op;                /* stored last, -1: none */
	int uncommitted;                /* operations */

	struct shadow *shadows;         /* of live buffers, ascending id */
	int shadow_count;
	uint32_t last_id;
	struct numbers streams, events;
	const struct kernel **kernels;  /* whose source is in the trace */
	int kernel_count;
};

extern const struct device_ops device_recorder;

static inline struct recorder *recorder_of(struct device *device)
{
	return (struct recorder *)device;
}

/* --- recorder.c --- */

/* NULL when it was not allocated through the recorder. */
struct shadow *shadow_find(struct recorder *, const struct buffer *);
struct shadow *shadow_add(struct recorder *, struct buffer *, uint32_t id);
void shadow_remove(struct recorder *, struct shadow *);
uint32_t shadow_id(struct recorder *, const struct buffer *);           /* 0 for NULL */
/* Something wrote [offset, offset + bytes). */
void shadow_written(struct recorder *, struct shadow *, uint64_t offset, uint64_t bytes);

void numbers_add(struct numbers *, const void *object);
void numbers_remove(struct numbers *, const void *object);
int numbers_find(const struct numbers *, const void *object);           /* 0 for NULL */

/* Whether an operation that ended so never reached the device: then it is none. */
bool recorder_refused(enum status done);
/* Stores an operation that ended with `done` and returns `done`, or the store's error. op: -1
 * unless stored. */
enum status recorder_note(struct recorder *, struct event_op *, enum status done, int64_t *op);
enum status recorder_step_begin(struct device *, int64_t step);
enum status recorder_step_end(struct device *);
void recorder_close(struct device *);
/* Opens or closes a window before step or launch `number`. */
enum status recorder_window(struct recorder *, char unit, int64_t number);

/* --- recorder_launch.c --- */

enum status recorder_launch(struct device *, const struct launch *);

/* --- recorder_digest.c --- */

/* One row for what `op` wrote. keep: its bytes too, if they are contiguous. */
enum status recorder_digest_written(struct recorder *, const struct written *, int64_t op,
				    bool keep);
/* Digests of the buffers written since the last call; after_step rows. */
enum status recorder_digest_state(struct recorder *);

/* --- recorder_decode.c --- */

/* Reads what a launch of an attention kernel did: K and V rows, and from level partials on partials
 * or reduction steps, of the launch that was just stored. Does nothing for other kernels. */
enum status recorder_decode(struct recorder *, const struct launch *, const struct kernel_call *);

#endif
