/* runtime_symbol.c - __device__ and __constant__ variables, which the program names by shadows.
 *
 * The program's loader knows where a variable is. It is a buffer like any other, so that copies to
 * and from it are operations of the device. Variables that a kernel can reach are buffers from the
 * beginning, others from the first call that names them.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "kernels/kernel_table.h"

static bool is_zero(const unsigned char *bytes, size_t count)
{
	return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Keeps the first value for a reset. One that has addresses differs on a GPU, which has it. */
static enum status keep_first(struct runtime_device *d, struct allocation *a)
{
	bool here = a->buffer->address == (uint64_t)(uintptr_t)a->variable;
	enum status status = STATUS_OK;

	if (is_zero(a->variable, a->bytes))
		return status;
	a->first = xmalloc(a->bytes);
	if (here)
		memcpy(a->first, a->variable, a->bytes);
	else
		status = device_download(d->device, NULL, a->buffer, 0, a->first, a->bytes);
	if (status != STATUS_OK)
		free(a->first);
	return status;
}

/* Also so that a recorder knows it. */
static enum status write_first(struct runtime_device *d, const struct allocation *a)
{
	void *zeros = a->first ? NULL : xcalloc(a->bytes, 1);
	enum status status = pointers_upload(d, NULL, a->buffer, 0, a->first ? a->first : zeros,
					     a->bytes);

	free(zeros);
	return status;
}

static enum status add(struct runtime_device *d, const struct kernel_variable *v,
		       struct allocation *out)
{
	const struct buffer_spec spec = {
		.name = v->name, .dtype = DTYPE_U8, .rank = 1, .shape = { (int64_t)v->bytes },
	};
	struct allocation a = {
		.bytes = v->bytes, .kind = v->managed ? PLACE_MANAGED : PLACE_VARIABLE, .device = d,
		.variable = v->address, .touched = true,
	};
	enum status status;

	if (runtime.device_count > 1 && !v->managed)
		return fail(STATUS_USAGE, "variable %s: each device would need its own; with "
			    "%d devices only __managed__ variables are possible", v->name,
			    runtime.device_count);
	TRY(device_alloc_variable(d->device, &spec, v, &a.buffer));
	status = keep_first(d, &a);
	if (status != STATUS_OK) {
		device_free(d->device, a.buffer);
		return status;
	}
	/* The host uses a managed variable where its own code has it. */
	a.address = v->managed ? (uint64_t)(uintptr_t)v->address : a.buffer->address;
	address_add(a);
	*out = a;
	return STATUS_OK;
}

/* A first value may be the address of a variable that comes later: all are there before the first
 * is written. */
static enum status add_all(struct runtime_device *d, const struct kernel_variable *list,
			   size_t count)
{
	struct allocation *added = xcalloc(count + 1, sizeof *added);
	enum status status = STATUS_OK;

	for (size_t i = 0; status == STATUS_OK && i < count; i++)
		status = add(d, &list[i], &added[i]);
	for (size_t i = 0; status == STATUS_OK && i < count && d->watched
	     && !runtime_capture_active(d); i++)
		status = write_first(d, &added[i]);
	free(added);
	return status;
}

enum status runtime_add_variables(const struct kernel_variable *list)
{
	size_t count = 0;

	while (list[count].name)
		count++;
	return add_all(&runtime.devices[0], list, count);
}

cudaError_t runtime_reset_variables(struct runtime_device *d)
{
	for (size_t i = 0; i < runtime.allocation_count; i++) {
		const struct allocation *a = &runtime.allocations[i];

		if (a->device == d && a->kind == PLACE_VARIABLE)
			TRY_DEVICE(d, write_first(d, a));
	}
	return cudaSuccess;
}

static struct allocation *find_variable(const struct kernel_variable *v)
{
	for (size_t i = 0; i < runtime.allocation_count; i++)
		if (runtime.allocations[i].variable == v->address)
			return &runtime.allocations[i];
	return NULL;
}

cudaError_t runtime_symbol(const void *shadow, struct allocation **out)
{
	const struct kernel_variable *v = !shadow ? NULL
		: runtime.program->variable(runtime.program->context, shadow);

	if (!v)
		return cudaErrorInvalidSymbol;
	*out = find_variable(v);
	if (!*out)
		TRY_DEVICE(runtime_current(), add_all(runtime_current(), v, 1));
	*out = find_variable(v);
	return *out ? cudaSuccess : cudaErrorInvalidSymbol;
}

/* *place: the variable's byte at `offset`, from which `bytes` more must be the variable's. */
static cudaError_t part(const void *shadow, size_t offset, size_t bytes, char **place)
{
	struct allocation *a;

	TRY_CUDA(runtime_symbol(shadow, &a));
	if (offset > a->bytes || bytes > a->bytes - offset)
		return cudaErrorInvalidValue;
	*place = (char *)(uintptr_t)a->address + offset;
	return cudaSuccess;
}

static cudaError_t submit(struct copy_work *copy, cudaStream_t stream, bool waited)
{
	struct work work = { .kind = WORK_COPY };
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	if (copy->width == 0)
		return cudaSuccess;
	copy->waited = waited;
	work.copy = *copy;
	TRY_CUDA(work_submit(s, &work));
	if (waited)
		memory_host_turn();
	return cudaSuccess;
}

static cudaError_t to_symbol(const void *shadow, const void *from, size_t bytes, size_t offset,
			     enum cudaMemcpyKind kind, cudaStream_t stream, bool waited)
{
	struct copy_work copy;
	char *place;

	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice
	    && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	TRY_CUDA(part(shadow, offset, bytes, &place));
	TRY_CUDA(copy_linear(place, from, bytes, kind, &copy));
	return submit(&copy, stream, waited);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return API(to_symbol(symbol, src, count, offset, kind, NULL, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
				    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return API(to_symbol(symbol, src, count, offset, kind, stream, false));
}

static cudaError_t from_symbol(void *to, const void *shadow, size_t bytes, size_t offset,
			       enum cudaMemcpyKind kind, cudaStream_t stream, bool waited)
{
	struct copy_work copy;
	char *place;

	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice
	    && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	TRY_CUDA(part(shadow, offset, bytes, &place));
	TRY_CUDA(copy_linear(to, place, bytes, kind, &copy));
	return submit(&copy, stream, waited);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
				 enum cudaMemcpyKind kind)
{
	return API(from_symbol(dst, symbol, count, offset, kind, NULL, true));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return API(from_symbol(dst, symbol, count, offset, kind, stream, false));
}

static cudaError_t symbol_address(void **out, const void *shadow)
{
	struct runtime_device *d;
	struct allocation *a;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(runtime_symbol(shadow, &a));
	*out = (void *)(uintptr_t)a->address;
	return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
	return API(symbol_address(devPtr, symbol));
}

static cudaError_t symbol_size(size_t *out, const void *shadow)
{
	struct runtime_device *d;
	struct allocation *a;

	TRY_CUDA(runtime_live(&d));
	if (!out)
		return cudaErrorInvalidValue;
	TRY_CUDA(runtime_symbol(shadow, &a));
	*out = a->bytes;
	return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	return API(symbol_size(size, symbol));
}
