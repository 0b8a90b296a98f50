/* capture.h - captures under way: what they forbid, and the graphs they make. Private to sim/.
 *
 * What is forbidden comes from a table that was measured on a GPU (tests/h200/capture.txt, which
 * the build turns into sim/device/capture_rules.h). Every operation asks capture_check() or
 * capture_check_event() first, and those look it up.
 */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include "sim/device/capture_rules.h"
#include "sim/device/stream.h"

struct task;

enum operation {
#define X(name) OPERATION_##name,
	CAPTURE_OPERATIONS(X)
#undef X
	OPERATION_COUNT
};

/* OK, the device's sticky error, or what a capture makes of the operation; that capture may be
 * invalid from then on. Stream NULL: the operation concerns the whole device. */
enum status capture_check(struct device_simulated *, enum operation, const struct stream *);
/* The same for an event, which is asked about under three names: recorded in a stream that works,
 * in a capture under way, in one that has ended. */
enum status capture_check_event(struct device_simulated *, const struct event *,
				enum operation plain, enum operation captured,
				enum operation ended);
/* The operation failed on its own account, in a stream that may capture. */
void capture_note_failure(const struct stream *, enum operation);

/* The stream captures: the task, whose reference is taken, becomes a node. */
void capture_add(struct stream *, struct task *);
/* An event recorded in a stream that captures, and a wait that joins a stream to a capture, or is
 * refused: 902, 905, and 1 when the event's capture has ended. *done: nothing is left to do for
 * the caller. */
void capture_record(const struct stream *, struct event *);
enum status capture_wait(struct stream *, const struct event *, bool *done);
/* Whether the stream may be destroyed; it captures no more then. */
enum status capture_destroy_stream(struct stream *);

void captures_close(struct device_simulated *);

/* The operations of device_ops of these names. */
enum status sim_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status sim_capture_end(struct device *, struct stream *, struct graph **out);
enum status sim_capture_state(struct device *, struct stream *, enum capture_state *out);
enum status sim_capture_relax(struct device *, bool relaxed);

#endif
