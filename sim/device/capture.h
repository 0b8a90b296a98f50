/* capture.h - active captures: which operations they forbid, and their graphs. Private to sim/.
 *
 * The rules come from a table that was measured on a GPU (tests/h200/capture.txt, which the build
 * converts to sim/device/capture_rules.h). Every operation first calls capture_check() or
 * capture_check_event(), which apply them.
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

/* OK, the device's sticky error, or the error of a capture that forbids the operation; this may
 * invalidate the capture. Stream NULL: the operation affects the whole device. */
enum status capture_check(struct device_simulated *, enum operation, const struct stream *);
/* The same for an event. It has three operations: for an event last recorded outside a capture, in
 * an active capture, and in a capture that has ended. */
enum status capture_check_event(struct device_simulated *, const struct event *,
				enum operation plain, enum operation captured,
				enum operation ended);
/* The operation failed for another reason, in a stream that may be capturing. */
void capture_note_failure(const struct stream *, enum operation);

/* Adds a task to the graph of a capturing stream. Takes the task's reference. */
void capture_add(struct stream *, struct task *);
/* capture_record() records an event in a capturing stream. capture_wait() joins a stream to the
 * event's capture, or fails: with 902, 905, or 1 if that capture has ended. *done: the wait needs
 * no further action. */
void capture_record(const struct stream *, struct event *);
enum status capture_wait(struct stream *, const struct event *, bool *done);
/* Whether the stream may be destroyed; if so, it leaves its capture. */
enum status capture_destroy_stream(struct stream *);

void captures_close(struct device_simulated *);

/* The operations of device_ops of these names. */
enum status sim_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status sim_capture_end(struct device *, struct stream *, struct graph **out);
enum status sim_capture_state(struct device *, struct stream *, enum capture_state *out);
enum status sim_capture_relax(struct device *, bool relaxed);

#endif
