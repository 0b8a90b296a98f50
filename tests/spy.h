/* spy.h - for tests: a device whose operations are counted and can be made to fail.
 *
 * Replaces the operation table of an open device with a copy whose entries count calls and forward
 * them; supports one device at a time. The digest of all buffers shows whether a call wrote
 * anything. Used by tests/rig.h and the test_host_*.c programs.
 */
#ifndef TESTS_SPY_H
#define TESTS_SPY_H

#include "tests/support.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/device.h"

enum { SPY_BUFFERS = 256, SPY_FAILURE = 719 };

static struct {
	const struct device_ops *real;
	struct device_ops table;
	struct device *device;
	struct buffer *buffers[SPY_BUFFERS];
	int buffer_count;
	int allocs, launches, graph_launches, uploads, downloads, copies, fills, syncs;
	int fail_at;                    /* N: the Nth launch from now fails; 0: none */
	struct stream *stream;          /* of the last launch */
	int stream_switches;            /* launches on another stream than the launch before */
	int waits_between;              /* syncs and downloads between two launches */
	int waits_since;                /* syncs and downloads since the last launch */
} spy;

static inline enum status spy_alloc(struct device *device, const struct buffer_spec *spec,
				    struct buffer **out)
{
	spy.allocs++;
	TRY(spy.real->alloc(device, spec, out));
	ck_assert_int_lt(spy.buffer_count, SPY_BUFFERS);
	spy.buffers[spy.buffer_count++] = *out;
	return STATUS_OK;
}

static inline enum status spy_free(struct device *device, struct buffer *buffer)
{
	int i = 0;

	if (!buffer)
		return spy.real->free(device, buffer);
	while (i < spy.buffer_count && spy.buffers[i] != buffer)
		i++;
	ck_assert_int_lt(i, spy.buffer_count);
	for (spy.buffer_count--; i < spy.buffer_count; i++)
		spy.buffers[i] = spy.buffers[i + 1];
	return spy.real->free(device, buffer);
}

static inline enum status spy_upload(struct device *device, struct stream *stream,
				     struct buffer *buffer, uint64_t offset, const void *source,
				     size_t bytes)
{
	spy.uploads++;
	return spy.real->upload(device, stream, buffer, offset, source, bytes);
}

static inline enum status spy_download(struct device *device, struct stream *stream,
				       const struct buffer *buffer, uint64_t offset,
				       void *destination, size_t bytes)
{
	spy.downloads++;
	spy.waits_since++;
	return spy.real->download(device, stream, buffer, offset, destination, bytes);
}

static inline enum status spy_copy(struct device *device, struct stream *stream, struct buffer *to,
				   uint64_t to_offset, const struct buffer *from,
				   uint64_t from_offset, size_t bytes)
{
	spy.copies++;
	return spy.real->copy(device, stream, to, to_offset, from, from_offset, bytes);
}

static inline enum status spy_fill(struct device *device, struct stream *stream,
				   struct buffer *buffer, uint64_t offset, uint32_t pattern,
				   size_t words)
{
	spy.fills++;
	return spy.real->fill(device, stream, buffer, offset, pattern, words);
}

static inline enum status spy_may_fail(void)
{
	if (spy.fail_at > 0 && --spy.fail_at == 0)
		return fail_device(SPY_FAILURE, "injected failure");
	return STATUS_OK;
}

static inline enum status spy_launch(struct device *device, const struct launch *launch)
{
	spy.stream_switches += spy.launches > 0 && launch->stream != spy.stream;
	spy.waits_between += spy.launches > 0 ? spy.waits_since : 0;
	spy.waits_since = 0;
	spy.stream = launch->stream;
	spy.launches++;
	TRY(spy_may_fail());
	return spy.real->launch(device, launch);
}

static inline enum status spy_graph_launch(struct device *device, struct graph_exec *exec,
					   struct stream *stream)
{
	spy.graph_launches++;
	TRY(spy_may_fail());
	return spy.real->graph_launch(device, exec, stream);
}

static inline enum status spy_sync(struct device *device, struct stream *stream)
{
	spy.syncs++;
	spy.waits_since++;
	return spy.real->sync(device, stream);
}

/* Call before anything is allocated on the device; close the device as usual. */
static inline void spy_on(struct device *device)
{
	memset(&spy, 0, sizeof spy);
	spy.device = device;
	spy.real = device->ops;
	spy.table = *device->ops;
	spy.table.alloc = spy_alloc;
	spy.table.free = spy_free;
	spy.table.upload = spy_upload;
	spy.table.download = spy_download;
	spy.table.copy = spy_copy;
	spy.table.fill = spy_fill;
	spy.table.launch = spy_launch;
	spy.table.graph_launch = spy_graph_launch;
	spy.table.sync = spy_sync;
	device->ops = &spy.table;
}

/* Resets all counts to 0. */
static inline void spy_reset(void)
{
	spy.allocs = spy.launches = spy.graph_launches = spy.uploads = spy.downloads = 0;
	spy.copies = spy.fills = spy.syncs = spy.fail_at = 0;
	spy.stream_switches = spy.waits_between = spy.waits_since = 0;
}

static inline void spy_check_untouched(const char *what)
{
	ck_assert_msg(!spy.allocs && !spy.launches && !spy.graph_launches && !spy.uploads
		      && !spy.copies && !spy.fills, "%s reached the device: %d allocations, %d "
		      "launches, %d graph launches, %d uploads, %d copies, %d fills", what,
		      spy.allocs, spy.launches, spy.graph_launches, spy.uploads, spy.copies,
		      spy.fills);
}

/* Returns NULL if there is no buffer of that name. */
static inline struct buffer *spy_buffer(const char *name)
{
	for (int i = 0; i < spy.buffer_count; i++)
		if (!strcmp(spy.buffers[i]->name, name))
			return spy.buffers[i];
	return NULL;
}

/* FNV-1a over the bytes of every buffer; does not change the counts. */
static inline uint64_t spy_digest(void)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 0; i < spy.buffer_count; i++) {
		const struct buffer *buffer = spy.buffers[i];
		unsigned char *bytes = malloc(buffer->bytes + 1);

		ck_assert_ptr_nonnull(bytes);
		if (buffer->bytes > 0)
			OK(spy.real->download(spy.device, NULL, buffer, 0, bytes, buffer->bytes));
		for (size_t b = 0; b < buffer->bytes; b++)
			hash = (hash ^ bytes[b]) * 0x100000001b3u;
		free(bytes);
	}
	return hash;
}

#endif
