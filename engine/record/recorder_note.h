/* recorder_note.h - stores rows of operations, and keeps errors of work that ends after its call.
 *
 * Used by the files of the recorder.
 */
#ifndef RECORDER_NOTE_H
#define RECORDER_NOTE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/row.h"

struct recorder;

/* A row without times, with the number of an object; without an object. */
#define OP_ON(kind_, object_, ...) \
	((struct row_op){ .kind = (kind_), .start_us = NAN, .duration_us = NAN, \
			    .object = (object_), __VA_ARGS__ })
#define OP(kind_, ...) OP_ON(kind_, -1, __VA_ARGS__)

/* Whether an operation with this status never reached the device, and is therefore not recorded. */
bool recorder_refused(enum status done);
/* Stores an operation that ended with `done` and returns `done`, or the store's error. op: -1
 * unless stored. */
enum status recorder_note(struct recorder *, struct row_op *, enum status done, int64_t *op);
/* The same for callers that need no number. */
enum status recorder_add(struct recorder *, struct row_op, enum status done);
/* Keeps an error that cannot be returned now: the next operation returns it. */
void recorder_keep_error(struct recorder *, enum status);
/* Returns and clears the kept error. */
enum status recorder_late_error(struct recorder *);

#endif
