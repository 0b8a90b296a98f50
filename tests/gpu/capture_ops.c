/* capture_ops.c - every device operation, to be tried during a capture.
 *
 * Each is one call with the objects of a scene. Sequences of several operations are in
 * capture_sequences.c. Used by capture_table.c.
 */
#include "config.h"

#include "tests/gpu/capture_ops.h"

#include "tests/words.h"

#define BYTES (SCENE_WORDS * sizeof(uint32_t))

const struct launch *scene_launch(struct copy_launch *c, struct buffer *from, struct buffer *to,
				  struct stream *stream)
{
	return copy_launch(c, from, to, SCENE_WORDS, stream);
}

/* --- memory --- */

static enum status try_alloc(struct scene *s)
{
	const struct buffer_spec spec = {
		.name = "new", .dtype = DTYPE_F32, .rank = 1, .shape = { 1 << 20 },
	};
	struct buffer *buffer;

	return device_alloc(s->device, &spec, &buffer);
}

static enum status try_free(struct scene *s)
{
	return device_free(s->device, s->spare);
}

static enum status try_upload(struct scene *s)
{
	return device_upload(s->device, s->stream, s->target, 0, s->host, BYTES);
}

static enum status try_upload_pointers(struct scene *s)
{
	const struct pointer_entry entry = { s->source, 0 };

	return device_upload_pointers(s->device, s->stream, s->target, 0, &entry, 1);
}

static enum status try_upload_async(struct scene *s)
{
	return device_upload_async(s->device, s->stream, s->target, 0, s->host, BYTES);
}

static enum status try_download(struct scene *s)
{
	return device_download(s->device, s->stream, s->source, 0, s->host_out, BYTES);
}

static enum status try_download_async(struct scene *s)
{
	return device_download_async(s->device, s->stream, s->source, 0, s->host_out, BYTES);
}

static enum status try_copy(struct scene *s)
{
	return device_copy(s->device, s->stream, s->target, 0, s->source, 0, BYTES);
}

static enum status try_fill(struct scene *s)
{
	return device_fill(s->device, s->stream, s->target, 0, 0x55555555, SCENE_WORDS);
}

/* --- launches --- */

enum status scene_launch_on(struct scene *s, struct stream *stream)
{
	struct copy_launch l;

	return device_launch(s->device, scene_launch(&l, s->source, s->target, stream));
}

static enum status try_launch(struct scene *s)
{
	return scene_launch_on(s, s->stream);
}

/* The kernels of tests are not among those loaded before a capture. */
static enum status try_launch_unloaded(struct scene *s)
{
	const struct arg out = ARG_BUFFER(s->target);
	const struct launch launch = {
		.kernel = word_kernel("word_indices"), .grid = { 1, 1, 1 },
		.block = { SCENE_WORDS, 1, 1 }, .args = &out, .arg_count = 1, .stream = s->stream,
		.layer = -1,
	};

	return device_launch(s->device, &launch);
}

static enum status try_launch_attribute(struct scene *s)
{
	const struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 64 << 10 };
	struct copy_launch l;

	scene_launch(&l, s->source, s->target, s->stream);
	l.launch.shared_bytes = 64 << 10;
	l.launch.attributes = &attribute;
	l.launch.attribute_count = 1;
	return device_launch(s->device, &l.launch);
}

static enum status try_launch_refused(struct scene *s)
{
	struct copy_launch l;

	scene_launch(&l, s->source, s->target, s->stream);
	l.launch.grid.z = 65536;
	return device_launch(s->device, &l.launch);
}

static enum status try_last_launch_us(struct scene *s)
{
	if (device_last_launch_us(s->device) < 0.0)
		return STATUS_OK;
	return fail(STATUS_DIFFERS, "a captured launch has a time");
}

static enum status try_set_points(struct scene *s)
{
	return device_set_points(s->device, s->spare, s->counts, 1);
}

/* --- streams and events --- */

static enum status try_sync(struct scene *s)
{
	return device_sync(s->device, s->stream);
}

static enum status try_sync_device(struct scene *s)
{
	return device_sync(s->device, NULL);
}

static enum status try_stream_create(struct scene *s)
{
	struct stream *stream;

	return device_stream_create(s->device, &stream);
}

enum status scene_destroy_other(struct scene *s)
{
	TRY(device_stream_destroy(s->device, s->other));
	s->other = NULL;
	return STATUS_OK;
}

static enum status try_stream_destroy(struct scene *s)
{
	if (s->stream == s->other)
		return scene_destroy_other(s);
	TRY(device_stream_destroy(s->device, s->origin));
	s->origin = NULL;
	return STATUS_OK;
}

static enum status try_event_create(struct scene *s)
{
	struct event *event;

	return device_event_create(s->device, &event);
}

static enum status try_event_destroy(struct scene *s)
{
	return device_event_destroy(s->device, s->before[0]);
}

static enum status try_event_record(struct scene *s)
{
	return device_event_record(s->device, s->fresh, s->stream);
}

static enum status try_event_wait(struct scene *s)
{
	return device_event_wait(s->device, s->stream, s->fresh);
}

static enum status try_event_wait_before(struct scene *s)
{
	return device_event_wait(s->device, s->stream, s->before[1]);
}

static enum status try_event_wait_before_origin(struct scene *s)
{
	return device_event_wait(s->device, s->stream, s->before[0]);
}

static enum status try_event_sync(struct scene *s)
{
	return device_event_sync(s->device, s->before[0]);
}

static enum status try_event_sync_fresh(struct scene *s)
{
	return device_event_sync(s->device, s->fresh);
}

static enum status try_event_elapsed(struct scene *s)
{
	double us;

	return device_event_elapsed(s->device, s->before[0], s->before[1], &us);
}

static enum status try_event_elapsed_fresh(struct scene *s)
{
	double us;

	return device_event_elapsed(s->device, s->before[0], s->fresh, &us);
}

/* --- capture and graphs --- */

static enum status try_capture_begin(struct scene *s)
{
	return device_capture_begin(s->device, s->stream, s->mode);
}

static enum status try_capture_end(struct scene *s)
{
	return device_capture_end(s->device, s->stream, &s->captured);
}

static enum status try_capture_state(struct scene *s)
{
	enum capture_state state;

	return device_capture_state(s->device, s->stream, &state);
}

static enum status try_graph_create(struct scene *s)
{
	struct graph *graph;

	return device_graph_create(s->device, &graph);
}

static enum status try_graph_add_launch(struct scene *s)
{
	struct copy_launch l;
	int node;

	return device_graph_add_launch(s->device, s->graph,
				       scene_launch(&l, s->rows, s->spare, NULL), NULL, 0, &node);
}

static enum status try_graph_add_copy(struct scene *s)
{
	int node;

	return device_graph_add_copy(s->device, s->graph, s->spare, 0, s->source, 0, BYTES, NULL, 0,
				     &node);
}

static enum status try_graph_instantiate(struct scene *s)
{
	struct graph_exec *exec;

	return device_graph_instantiate(s->device, s->graph, &exec);
}

static enum status try_graph_launch(struct scene *s)
{
	return device_graph_launch(s->device, s->exec, s->stream);
}

static enum status try_graph_destroy(struct scene *s)
{
	return device_graph_destroy(s->device, s->graph);
}

static enum status try_graph_exec_destroy(struct scene *s)
{
	return device_graph_exec_destroy(s->device, s->exec);
}

static enum status try_open(struct scene *s)
{
	return device_open(s->device_name, NULL, &s->second);
}

const struct operation operations[] = {
	{ "alloc", .call = try_alloc },
	{ "free", .call = try_free },
	{ "upload", true, .call = try_upload },
	{ "upload_pointers", true, .call = try_upload_pointers },
	{ "upload_async", true, .call = try_upload_async },
	{ "download", true, .call = try_download },
	{ "download_async", true, .call = try_download_async },
	{ "copy", true, .call = try_copy },
	{ "fill", true, .call = try_fill },
	{ "launch", true, .call = try_launch },
	{ "launch_unloaded", true, .call = try_launch_unloaded },
	{ "launch_attribute", true, .call = try_launch_attribute },
	{ "launch_refused", true, .call = try_launch_refused },
	{ "last_launch_us", .call = try_last_launch_us },
	{ "set_points", .call = try_set_points },
	{ "sync", true, .call = try_sync },
	{ "sync_device", .call = try_sync_device },
	{ "stream_create", .call = try_stream_create },
	{ "stream_destroy", true, .call = try_stream_destroy },
	{ "event_create", .call = try_event_create },
	{ "event_destroy", .call = try_event_destroy },
	{ "event_record", true, .call = try_event_record },
	{ "event_wait", true, .call = try_event_wait },
	{ "event_wait_before", true, .call = try_event_wait_before },
	{ "event_wait_before_origin", true, .call = try_event_wait_before_origin },
	{ "event_sync", .call = try_event_sync },
	{ "event_sync_fresh", .call = try_event_sync_fresh },
	{ "event_elapsed", .call = try_event_elapsed },
	{ "event_elapsed_fresh", .call = try_event_elapsed_fresh },
	{ "capture_begin", true, .call = try_capture_begin },
	{ "capture_end", true, .call = try_capture_end },
	{ "capture_state", true, .call = try_capture_state },
	{ "graph_create", .call = try_graph_create },
	{ "graph_add_launch", .call = try_graph_add_launch },
	{ "graph_add_copy", .call = try_graph_add_copy },
	{ "graph_instantiate", .call = try_graph_instantiate },
	{ "graph_launch", true, .call = try_graph_launch },
	{ "graph_destroy", .call = try_graph_destroy },
	{ "graph_exec_destroy", .call = try_graph_exec_destroy },
	{ "open", .call = try_open },
	{ .name = NULL },
};
