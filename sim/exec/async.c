/* async.c - asynchronous copies to shared memory, like cp.async, that complete only at their wait.
 *
 * Until the thread waits for a copy's group, the destination holds poison and the checker treats it
 * as never written, so a kernel that forgets the wait does not work by accident. The copy takes the
 * contents that the source has at the wait. Used by the built-ins in sim/cuda/cuda_c.h.
 */
#include "config.h"

#include "sim/exec/async.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/exec/worker.h"

struct copy {
	void *to;
	const void *from;
	size_t bytes, zeros;            /* total size; of it, bytes at the end filled with zeros */
	uintptr_t pc;                   /* of the call */
	unsigned group;
};

/* The pending copies of one thread, in the order of the calls. */
struct async_queue {
	struct copy *copies;
	size_t count, capacity;
	unsigned group;                 /* the open group; lower numbers are committed */
};

void async_reset(struct lane *lane)
{
	lane->async->count = 0;
	lane->async->group = 0;
}

void async_free(struct lane *lane)
{
	if (lane->async)
		free(lane->async->copies);
	free(lane->async);
	lane->async = NULL;
}

static struct async_queue *queue_of(struct lane *lane)
{
	if (!lane->async)
		lane->async = xcalloc(1, sizeof *lane->async);
	return lane->async;
}

void ft_async_copy(void *to, const void *from, size_t bytes, size_t zeros)
{
	struct lane *lane = lane_current();
	struct async_queue *queue = queue_of(lane);
	struct listener *listener = worker_self->grid->listener;
	const uint32_t poison = DEVICE_POISON;
	struct copy copy = { to, from, bytes, zeros, (uintptr_t)__builtin_return_address(0),
			     queue->group };

	if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
		worker_abort(worker_self, 710, "__pipeline_memcpy_async() takes 4, 8 or 16 bytes, "
			       "and no more zeros than bytes");
	LISTENER_CALL(listener, async_begin, to, from, bytes, bytes - zeros, copy.pc);
	if (((uintptr_t)to | (uintptr_t)from) & (bytes - 1))
		worker_abort(worker_self, 716, "misaligned address in __pipeline_memcpy_async()");
	for (size_t i = 0; i < bytes; i += sizeof poison)
		memcpy((unsigned char *)to + i, &poison, sizeof poison);
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
		queue->copies = xreallocarray(queue->copies, queue->capacity,
					      sizeof *queue->copies);
	}
	queue->copies[queue->count++] = copy;
}

void ft_async_commit(void)
{
	queue_of(lane_current())->group++;
}

static void complete_copy(const struct copy *copy)
{
	struct listener *listener = worker_self->grid->listener;
	size_t copied = copy->bytes - copy->zeros;

	LISTENER_CALL(listener, async_end, copy->to, copy->from, copy->bytes, copied, copy->pc);
	memcpy(copy->to, copy->from, copied);
	memset((unsigned char *)copy->to + copied, 0, copy->zeros);
}

void ft_async_wait(unsigned open)
{
	struct async_queue *queue = queue_of(lane_current());
	size_t kept = 0;

	for (size_t i = 0; i < queue->count; i++) {
		const struct copy *copy = &queue->copies[i];

		if (copy->group < queue->group && queue->group - copy->group > open)
			complete_copy(copy);
		else
			queue->copies[kept++] = *copy;
	}
	queue->count = kept;
}
