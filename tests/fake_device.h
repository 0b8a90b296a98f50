/* fake_device.h - for tests: a fake device that logs the calls it gets.
 *
 * It keeps its buffers in host memory and runs no kernels. Allocations and launches can be made to
 * fail. Used by test_engine.c and test_path_calls.c.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include "tests/support.h"

#include <stdint.h>

#include "engine/device.h"

#define MAX_NOTES 64
#define POISON_BYTE 0xa5

struct fake {
	struct device base;
	char notes[MAX_NOTES][64];      /* "upload q", "launch kv_scatter 2,1,1" */
	int note_count;
	int launches_until_failure;     /* -1: none fails */
	int allocs_until_failure;       /* the same; after a failure, freeing fails too */
	struct dim3 grid, block, cluster;       /* of the last launch */
	uint32_t buffers;
	size_t shared_bytes;            /* limit of a block */
};

static void note(struct device *device, const char *what, const char *name)
{
	struct fake *fake = (struct fake *)device;

	ck_assert_int_lt(fake->note_count, MAX_NOTES);
	snprintf(fake->notes[fake->note_count++], sizeof fake->notes[0], "%s %s", what, name);
}

/* A buffer and its memory. */
struct fake_buffer {
	struct buffer base;
	unsigned char *bytes;
};

static unsigned char *bytes_of(const struct buffer *buffer)
{
	return ((const struct fake_buffer *)buffer)->bytes;
}

static enum status fake_alloc(struct device *device, const struct buffer_spec *spec,
			      struct buffer **out)
{
	struct fake *fake = (struct fake *)device;
	struct fake_buffer *buffer;
	size_t bytes = dtype_bytes(spec->dtype);

	if (fake->allocs_until_failure == 0)
		return fail_device(2, "out of memory for %s", spec->name);
	if (fake->allocs_until_failure > 0)
		fake->allocs_until_failure--;
	buffer = calloc(1, sizeof *buffer);
	ck_assert_ptr_nonnull(buffer);
	for (int i = 0; i < spec->rank; i++)
		bytes *= (size_t)spec->shape[i];
	buffer->base.device = device;
	buffer->base.id = ++fake->buffers;
	snprintf(buffer->base.name, sizeof buffer->base.name, "%s", spec->name);
	buffer->base.bytes = bytes;
	buffer->bytes = malloc(bytes + 1);
	memset(buffer->bytes, POISON_BYTE, bytes);
	*out = &buffer->base;
	return STATUS_OK;
}

static enum status fake_free(struct device *device, struct buffer *buffer)
{
	if (!buffer)
		return STATUS_OK;
	note(device, "free", buffer->name);
	free(bytes_of(buffer));
	free(buffer);
	if (((struct fake *)device)->allocs_until_failure == 0)
		return fail(STATUS_IO, "cannot free");
	return STATUS_OK;
}

static enum status fake_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			       uint64_t offset, const void *source, size_t bytes)
{
	(void)stream;
	note(device, "upload", buffer->name);
	memcpy(bytes_of(buffer) + offset, source, bytes);
	return STATUS_OK;
}

static enum status fake_download(struct device *device, struct stream *stream,
				 const struct buffer *buffer, uint64_t offset, void *destination,
				 size_t bytes)
{
	(void)stream;
	note(device, "download", buffer->name);
	memcpy(destination, bytes_of(buffer) + offset, bytes);
	return STATUS_OK;
}

static enum status fake_copy(struct device *device, struct stream *stream, struct buffer *to,
			     uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			     size_t bytes)
{
	(void)stream;
	note(device, "copy", to->name);
	memcpy(bytes_of(to) + to_offset, bytes_of(from) + from_offset, bytes);
	return STATUS_OK;
}

static enum status fake_launch(struct device *device, const struct launch *launch)
{
	struct fake *fake = (struct fake *)device;
	char what[64];

	if (fake->launches_until_failure == 0)
		return fail_device(700, "%s (700)", cuda_error_name(700));
	if (fake->launches_until_failure > 0)
		fake->launches_until_failure--;
	fake->grid = launch->grid;
	fake->block = launch->block;
	fake->cluster = launch->cluster;
	snprintf(what, sizeof what, "%s %u,%u,%u", launch->kernel->name, launch->grid.x,
		 launch->grid.y, launch->grid.z);
	note(device, "launch", what);
	return STATUS_OK;
}

static enum status fake_info(struct device *device, struct device_info *out)
{
	*out = (struct device_info){
		.name = "fake", .shared_per_block_optin = ((struct fake *)device)->shared_bytes,
	};
	return STATUS_OK;
}

static const struct device_ops fake_ops = {
	.name = "fake",
	.info = fake_info,
	.alloc = fake_alloc,
	.free = fake_free,
	.upload = fake_upload,
	.download = fake_download,
	.copy = fake_copy,
	.launch = fake_launch,
};

static inline struct fake fake_open(void)
{
	return (struct fake){
		.base.ops = &fake_ops, .launches_until_failure = -1, .allocs_until_failure = -1,
		.shared_bytes = 100 << 10,
	};
}

#endif
