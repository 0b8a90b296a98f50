/* task.h - work that a device runs later: a launch, a move of bytes, a fill. Private to sim/.
 *
 * A task holds copies of all its arguments, so that a stream can run it later and a graph many
 * times. It is immutable and reference-counted.
 */
#ifndef SIM_TASK_H
#define SIM_TASK_H

#include "sim/device/simulated.h"

struct task;

/* Points are written to the device's current sink. */
struct task *task_launch(const struct device_simulated *, const struct launch *, bool cooperative,
			 const struct sim_code *);
/* Between device and host or within the device; host memory is touched when the task runs. */
struct task *task_copy(const struct buffer *to, uint64_t to_offset, const struct buffer *from,
		       uint64_t from_offset, size_t bytes);
struct task *task_upload(const struct buffer *, uint64_t offset, const void *source, size_t bytes);
struct task *task_download(const struct buffer *, uint64_t offset, void *destination, size_t bytes);
struct task *task_fill(const struct buffer *, uint64_t offset, uint32_t pattern, size_t words);

bool task_is_launch(const struct task *);
/* Whether it is a launch that may begin before a launch before it has ended. */
bool task_may_overlap(const struct task *);

struct task *task_keep(struct task *);
void task_drop(struct task *);

/* On a checked device: reports arguments of a launch whose live sources have changed. The launch is
 * the node `node` of a graph launched on stream number `stream`. */
void task_check_live(const struct device_simulated *, const struct task *, int node, int stream);

/* DEVICE if a kernel faults or memory was freed; this sets the device's sticky error. */
enum status task_run(struct device_simulated *, const struct task *);
/* Whether it is a launch that does not end before the host stores to memory that it polls. */
bool task_waits_for_host(struct device_simulated *, const struct task *);

#endif
