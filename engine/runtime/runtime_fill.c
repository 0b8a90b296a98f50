/* runtime_fill.c - memsets: whole words are a device's fill, bytes at the edges small uploads. */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- checks --- */

cudaError_t fill_check(const struct fill_work *f)
{
	size_t bytes = f->width * f->element;
	const struct allocation *a;

	if (f->width == 0 || f->height == 0 || f->depth == 0)
		return cudaSuccess;
	a = address_find(f->to);
	if (!a || (f->height > 1 && bytes > f->pitch) || bytes / f->element != f->width)
		return cudaErrorInvalidValue;
	if ((f->depth - 1) * f->slice + (f->height - 1) * f->pitch + bytes
	    > a->bytes - ((uint64_t)(uintptr_t)f->to - a->address))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

/* Memory without a buffer is the host's to fill. */
bool fill_is_hosted(const struct fill_work *f)
{
	const struct allocation *a = address_find(f->to);

	return a && !a->buffer;
}

/* --- filling --- */

/* The value as the four bytes of an aligned word. */
static uint32_t word_of(const struct fill_work *f)
{
	return f->element == 4 ? f->value : f->element == 2 ? (f->value & 0xffff) * 0x10001u
		: (f->value & 0xff) * 0x01010101u;
}

/* Memory with these bytes that stays valid: a captured upload reads it later. */
static const unsigned char *lasting(uint32_t word)
{
	static struct pattern {
		struct pattern *next;
		uint32_t word;
	} *patterns;
	struct pattern *p = patterns;

	while (p && p->word != word)
		p = p->next;
	if (!p) {
		p = xcalloc(1, sizeof *p);
		p->word = word;
		p->next = patterns;
		patterns = p;
	}
	return (const unsigned char *)&p->word;
}

/* Bytes that fill no whole word. Elements are aligned to their size. */
static enum status fill_edge(struct runtime_device *d, struct stream *stream,
			     const struct allocation *a, uint64_t offset, size_t bytes,
			     uint32_t word)
{
	if (bytes == 0)
		return STATUS_OK;
	return device_upload_async(d->device, stream, a->buffer, offset,
				   lasting(word) + offset % 4, bytes);
}

static enum status fill_row(struct runtime_device *d, struct stream *stream,
			    const struct allocation *a, uint64_t offset, size_t bytes,
			    uint32_t word)
{
	size_t head = (4 - offset % 4) % 4, words;

	head = head < bytes ? head : bytes;
	words = (bytes - head) / 4;
	TRY(fill_edge(d, stream, a, offset, head, word));
	if (words)
		TRY(device_fill(d->device, stream, a->buffer, offset + head, word, words));
	return fill_edge(d, stream, a, offset + head + 4 * words, bytes - head - 4 * words, word);
}

static void host_row(char *to, size_t bytes, uint32_t word)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(word >> 8 * ((uintptr_t)(to + i) % 4));
}

static enum status fill_any_row(struct runtime_device *d, struct stream *stream,
				struct allocation *a, char *to, size_t bytes, uint32_t word)
{
	if (a->buffer)
		return fill_row(d, stream, a, (uint64_t)(uintptr_t)to - a->address, bytes, word);
	host_row(to, bytes, word);
	return STATUS_OK;
}

cudaError_t fill_run(struct runtime_device *d, struct stream *stream, const struct fill_work *work)
{
	struct fill_work f = *work;
	size_t bytes = f.width * f.element;
	struct allocation *a = address_find(f.to);
	struct runtime_device *on;

	if (f.width == 0 || f.height == 0 || f.depth == 0)
		return cudaSuccess;
	TRY_CUDA(fill_check(&f));
	if (!a->buffer)
		TRY_DEVICE(d, device_sync(d->device, stream));
	on = a->buffer ? a->device : d;
	if (f.pitch == bytes && f.depth == 1) {
		bytes *= f.height;
		f.height = 1;
	}
	for (size_t z = 0; z < f.depth; z++)
		for (size_t y = 0; y < f.height; y++)
			TRY_DEVICE(on, fill_any_row(on, on == d ? stream : NULL, a,
						    f.to + z * f.slice + y * f.pitch, bytes,
						    word_of(&f)));
	return cudaSuccess;
}

/* --- calls --- */

static cudaError_t fill(struct fill_work f, cudaStream_t stream)
{
	struct work work = { .kind = WORK_FILL, .fill = f };
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(stream, &s));
	TRY_CUDA(fill_check(&f));
	if (f.width == 0 || f.height == 0 || f.depth == 0)
		return cudaSuccess;
	return work_submit(s, &work);
}

static struct fill_work bytes_of(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return (struct fill_work){
		.to = to, .pitch = pitch, .slice = pitch * height, .value = (unsigned)value,
		.element = 1, .width = width, .height = height, .depth = 1,
	};
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
	return API(fill(bytes_of(devPtr, count, value, count, 1), NULL));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
	return API(fill(bytes_of(devPtr, count, value, count, 1), stream));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
	return API(fill(bytes_of(devPtr, pitch, value, width, height), NULL));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	return API(fill(bytes_of(devPtr, pitch, value, width, height), stream));
}

static struct fill_work box(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
	struct fill_work f = bytes_of(p.ptr, p.pitch, value, extent.width, extent.height);

	f.slice = p.pitch * p.ysize;
	f.depth = extent.depth;
	return f;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
	return API(fill(box(pitchedDevPtr, value, extent), NULL));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent, cudaStream_t stream)
{
	return API(fill(box(pitchedDevPtr, value, extent), stream));
}
