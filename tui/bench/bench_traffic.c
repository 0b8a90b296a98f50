/* bench_traffic.c - counts what a step moves between host and device, and the blocks it launches.
 *
 * Nothing here depends on a clock, so the figures are the same on a GPU and on the simulator, which
 * runs the same operations. Bytes are counted as they pass through the device's table.
 */
#include "config.h"

#include "tui/bench/bench_seeds.h"

/* TinyLlama's layers and width, as in the claim. The path `cached` has no grouped heads. */
enum { LAYERS = 22, HEADS = 32, HEAD_DIM = 64 };
/* Of the claim about blocks. */
enum { BLOCK_HEADS = 28, BLOCK_KV_HEADS = 4, BLOCK_KEYS = 1024, BLOCK_CHUNK = 128 };

const int traffic_keys[TRAFFIC_LENGTHS] = { 32, 183, 366 };

struct tap {
	struct device_ops ops;          /* must be first; the device's own, but for these */
	const struct device_ops *real;
	struct seeds_traffic *traffic;
};

static struct tap *tap_of(struct device *device)
{
	return (struct tap *)device->ops;
}

static enum status tap_upload(struct device *device, struct stream *stream, struct buffer *buffer,
			      uint64_t offset, const void *source, size_t bytes)
{
	struct tap *tap = tap_of(device);

	tap->traffic->up += (double)bytes;
	return tap->real->upload(device, stream, buffer, offset, source, bytes);
}

static enum status tap_upload_async(struct device *device, struct stream *stream,
				    struct buffer *buffer, uint64_t offset, const void *source,
				    size_t bytes)
{
	struct tap *tap = tap_of(device);

	tap->traffic->up += (double)bytes;
	return tap->real->upload_async(device, stream, buffer, offset, source, bytes);
}

static enum status tap_upload_pointers(struct device *device, struct stream *stream,
				       struct buffer *buffer, uint64_t offset,
				       const struct pointer_entry *entries, size_t count)
{
	struct tap *tap = tap_of(device);

	tap->traffic->up += (double)(count * sizeof(uint64_t));
	return tap->real->upload_pointers(device, stream, buffer, offset, entries, count);
}

static enum status tap_download(struct device *device, struct stream *stream,
				const struct buffer *buffer, uint64_t offset, void *destination,
				size_t bytes)
{
	struct tap *tap = tap_of(device);

	tap->traffic->down += (double)bytes;
	return tap->real->download(device, stream, buffer, offset, destination, bytes);
}

static enum status tap_download_async(struct device *device, struct stream *stream,
				      const struct buffer *buffer, uint64_t offset,
				      void *destination, size_t bytes)
{
	struct tap *tap = tap_of(device);

	tap->traffic->down += (double)bytes;
	return tap->real->download_async(device, stream, buffer, offset, destination, bytes);
}

static enum status tap_copy(struct device *device, struct stream *stream, struct buffer *to,
			    uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			    size_t bytes)
{
	struct tap *tap = tap_of(device);

	tap->traffic->inside += (double)bytes;
	return tap->real->copy(device, stream, to, to_offset, from, from_offset, bytes);
}

/* Adds what one step moves to `traffic`. */
static enum status count_step(struct rig *rig, struct attention *a, struct seeds_traffic *traffic)
{
	struct tap tap = {
		.ops = *rig->device->ops, .real = rig->device->ops, .traffic = traffic,
	};
	enum status status;

	tap.ops.upload = tap_upload;
	tap.ops.upload_async = tap_upload_async;
	tap.ops.upload_pointers = tap_upload_pointers;
	tap.ops.download = tap_download;
	tap.ops.download_async = tap_download_async;
	tap.ops.copy = tap_copy;
	rig->device->ops = &tap.ops;
	status = step_run(rig, a);
	rig->device->ops = tap.real;
	return status;
}

/* One layer is run, because all move the same. */
static enum status measure_path(struct rig *rig, const char *path, int keys,
				struct seeds_traffic *out)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = HEADS, .kv_heads = HEADS, .head_dim = HEAD_DIM,
		.max_len = keys, .chunk = BLOCK_CHUNK, .scale = attention_scale(HEAD_DIM),
	};
	struct attention *attention;
	enum status status;

	*out = (struct seeds_traffic){ 0 };
	TRY(attention_create(path_find(path), rig->device, &shape, &attention));
	status = step_prepare(rig, attention, keys);
	if (status == STATUS_OK)
		status = count_step(rig, attention, out);
	attention_destroy(attention);
	out->up *= LAYERS;
	out->down *= LAYERS;
	out->inside *= LAYERS;
	return status;
}

static enum status count_blocks(struct rig *rig, const char *path, int head_dim, double *blocks)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = BLOCK_HEADS, .kv_heads = BLOCK_KV_HEADS,
		.head_dim = head_dim, .max_len = BLOCK_KEYS, .chunk = BLOCK_CHUNK,
		.scale = attention_scale(head_dim),
	};
	struct attention *attention;
	struct launches list;
	enum status status;

	TRY(attention_create(path_find(path), rig->device, &shape, &attention));
	status = launches_of_step(rig, attention, BLOCK_KEYS,
				  1u << ROLE_ATTENTION | 1u << ROLE_CHUNK, &list);
	*blocks = 0;
	for (int i = 0; i < list.count; i++)
		*blocks += (double)list.items[i].grid.x * list.items[i].grid.y
			* list.items[i].grid.z;
	launches_free(&list);
	attention_destroy(attention);
	return status;
}

enum status seeds_measure_traffic(struct rig *rig, struct seeds_results *r)
{
	static const char *const moves[2] = { [SLOW] = "cached", [FAST] = "incremental" };
	static const char *const grids[2] = { [SLOW] = "incremental", [FAST] = "flash-decoding" };

	for (int way = SLOW; way <= FAST; way++) {
		for (int i = 0; i < TRAFFIC_LENGTHS; i++)
			TRY(measure_path(rig, moves[way], traffic_keys[i], &r->traffic[way][i]));
		TRY(count_blocks(rig, grids[way], r->sizes->head_dim, &r->blocks[way]));
	}
	return STATUS_OK;
}
