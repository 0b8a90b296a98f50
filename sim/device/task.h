/* task.h - one thing a device does at some later time: a launch, a move of bytes, a fill.
 *
 * A task holds copies of all it was asked with, so that streams can run it later and graphs often.
 * It never changes; whoever keeps it holds a reference. Private to sim/.
 */
#ifndef SIM_TASK_H
#define SIM_TASK_H

#include "sim/device/simulated.h"

struct task;

/* `static_bytes`: of the code's shared variables. Points go where the device sends them now. */
struct task *task_launch(const struct device_simulated *, const struct launch *,
			 const struct sim_code *);
/* Between device and host or within the device; host memory is touched when the task runs. */
struct task *task_copy(const struct buffer *to, uint64_t to_offset, const struct buffer *from,
		       uint64_t from_offset, size_t bytes);
struct task *task_upload(const struct buffer *, uint64_t offset, const void *source, size_t bytes);
struct task *task_download(const struct buffer *, uint64_t offset, void *destination, size_t bytes);
struct task *task_fill(const struct buffer *, uint64_t offset, uint32_t pattern, size_t words);

struct task *task_keep(struct task *);
void task_drop(struct task *);

/* On a checked device: arguments of a launch, a node of a graph launched on a stream of this number,
 * that are not what their live sources hold now. */
void task_check_live(const struct device_simulated *, const struct task *, int node, int stream);

/* DEVICE when a kernel faults or memory is gone by now; the device's sticky error is set then. */
enum status task_run(struct device_simulated *, const struct task *);

#endif
