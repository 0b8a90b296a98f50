/* nested.c - launches by device code, and the calls of CUDA's runtime that it may make.
 *
 * The rewriter makes f<<<c>>>(a) in a kernel a call of f: ft_configure() notes c for the calling
 * thread, and f begins with ft_nested_take(), which copies a, and ends the call. The launches are
 * run when the kernel is over; see nested.h.
 */
#include "config.h"

#include "sim/exec/nested.h"

#include <stdlib.h>
#include <string.h>

#include "base/runtime_error_text.h"
#include "base/xalloc.h"
#include "sim/exec/mix.h"
#include "sim/exec/worker.h"

/* Streams of device code that are no handles (cuda_device_runtime_api.h). */
enum { STREAM_TAIL = 3, STREAM_FIRE_AND_FORGET = 4, STREAM_FIRST = 16 };

/* cudaSuccess */
enum { SUCCESS = 0 };

/* --- making a launch --- */

static struct nested *current(void)
{
	return worker_self->grid->nested;
}

static void *copy_of(const struct kernel_param *param, const void *value)
{
	size_t bytes = param->bytes ? param->bytes : 1;
	void *copy = xcheck(aligned_alloc(128, (bytes + 127) / 128 * 128));

	memcpy(copy, value, param->bytes);
	return copy;
}

/* Launches without a stream are in order with others of their block. */
static uint64_t queue_of(uint64_t stream)
{
	const struct block *block = lane_current()->warp->block;

	if (stream == STREAM_TAIL || stream == STREAM_FIRE_AND_FORGET)
		return 0;
	return stream >= STREAM_FIRST ? 2 * stream : 2 * block->order + 1;
}

static void make(struct nested *n, const struct nested_call *call, const struct kernel_entry *entry,
		 void *const *args)
{
	struct nested_launch *made;

	n->made = xreallocarray(n->made, n->made_count + 1, sizeof *n->made);
	made = &n->made[n->made_count];
	*made = (struct nested_launch){
		.entry = entry, .grid = call->grid, .block = call->block, .shared = call->shared,
		.queue = queue_of(call->stream), .tail = call->stream == STREAM_TAIL,
		.number = (unsigned)n->made_count++,
	};
	for (unsigned i = 0; i < entry->param_count; i++)
		made->args[i] = copy_of(&entry->params[i], args[i]);
}

int ft_nested_take(const struct kernel_entry *entry, void *const *args)
{
	struct nested *n = current();
	size_t i = n->call_count;

	while (i > 0 && n->calls[i - 1].lane != lane_current())
		i--;
	if (i == 0)
		return 0;
	if (entry->param_count > MAX_NESTED_ARGS)
		worker_abort(worker_self, 719, "a launch in device code has too many arguments");
	make(n, &n->calls[i - 1], entry, args);
	n->call_count--;
	memmove(&n->calls[i - 1], &n->calls[i], (n->call_count - (i - 1)) * sizeof *n->calls);
	return 1;
}

void nested_free(struct nested *n)
{
	for (size_t i = 0; i < n->made_count; i++)
		for (unsigned k = 0; k < n->made[i].entry->param_count; k++)
			free(n->made[i].args[k]);
	free(n->made);
	free(n->calls);
	*n = (struct nested){ 0 };
}

/* --- running --- */

/* Whether no launch before it, that has not run, must run first. */
static bool is_ready(const struct nested *n, const bool *done, size_t at)
{
	const struct nested_launch *launch = &n->made[at];

	for (size_t i = 0; i < (launch->tail ? n->made_count : at); i++) {
		const struct nested_launch *other = &n->made[i];

		if (!done[i] && i != at
		    && (launch->tail ? !other->tail || i < at
			: launch->queue && other->queue == launch->queue))
			return false;
	}
	return true;
}

/* The launch to run next. */
static size_t pick(const struct nested *n, const bool *done, uint64_t *random)
{
	size_t ready = 0, at = 0;

	for (size_t i = 0; i < n->made_count; i++) {
		if (done[i] || !is_ready(n, done, i))
			continue;
		if (!*random)
			return i;
		*random = mix(*random, 0) | 1;
		if ((*random >> 32) * ++ready >> 32 == 0)       /* one in `ready` */
			at = i;
	}
	return at;
}

enum status nested_run(const struct nested *n, uint64_t seed, nested_run_fn *fn, void *context)
{
	bool *done = xcalloc(n->made_count + 1, sizeof *done);
	uint64_t random = seed;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < n->made_count && status == STATUS_OK; i++) {
		size_t at = pick(n, done, &random);

		done[at] = true;
		status = fn(context, &n->made[at]);
	}
	free(done);
	return status;
}

uint64_t ft_nested_stream(void)
{
	return STREAM_FIRST + current()->streams++;
}

/* --- calls of CUDA's runtime in device code; the linker makes kernels call these --- */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* Returns 0: the launch may be made. */
int __wrap_ft_configure(struct dim3 grid, struct dim3 block, size_t shared, void *stream)
{
	struct nested *n = current();

	n->calls = xreallocarray(n->calls, n->call_count + 1, sizeof *n->calls);
	n->calls[n->call_count++] = (struct nested_call){
		lane_current(), grid, block, shared, (uint64_t)(uintptr_t)stream };
	return 0;
}

int __wrap_cudaStreamDestroy(void *stream)
{
	(void)stream;
	return SUCCESS;
}

/* A launch that fails ends the grid, so there is no error to return. */
int __wrap_cudaGetLastError(void) { return SUCCESS; }
int __wrap_cudaPeekAtLastError(void) { return SUCCESS; }

const char *__wrap_cudaGetErrorString(int error) { return runtime_error_text(error); }
const char *__wrap_cudaGetErrorName(int error) { return runtime_error_name(error); }

int __wrap_cudaFree(void *memory)
{
	ft_free(memory);
	return SUCCESS;
}
