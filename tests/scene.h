/* scene.h - a device under the checker, with streams, an event and buffers, for host programs.
 *
 * Used by test_check_streams.c, test_check_launches.c and test_check_operations.c.
 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "tests/support.h"

#include "engine/device.h"

enum { WORDS = 8, BYTES = 4 * WORDS, SEEDS = 6 };

/* Streams s, event e and buffers b of one checked device; all buffers are written. */
struct scene {
	struct device *device;
	struct stream *s[2];
	struct event *e;
	struct buffer *b[4];
	uint32_t host[WORDS];
	int32_t position;
};

static inline struct scene scene_open(uint64_t seed)
{
	const struct device_options options = { .seed = seed, .check = true };
	const struct buffer_spec spec = {
		.name = "row", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};
	struct scene scene = { 0 };

	OK(device_open("sim", &options, &scene.device));
	for (int i = 0; i < 2; i++)
		OK(device_stream_create(scene.device, &scene.s[i]));
	OK(device_event_create(scene.device, &scene.e));
	for (int i = 0; i < 4; i++) {
		OK(device_alloc(scene.device, &spec, &scene.b[i]));
		OK(device_upload(scene.device, NULL, scene.b[i], 0, scene.host, BYTES));
	}
	return scene;
}

/* A launch of a kernel that reads b[from] and writes b[to]. */
static inline struct launch row_launch(struct scene *scene, struct stream *stream, int to, int from,
				struct arg *args)
{
	const struct arg all[] = {
		ARG_BUFFER(scene->b[from]), ARG_BUFFER(scene->b[to]), ARG_I32(WORDS), ARG_I32(1),
		ARG_LIVE_I32(&scene->position),
	};

	memcpy(args, all, sizeof all);
	return (struct launch){
		.kernel = kernel_find("kv_scatter"), .grid = { 1 }, .block = { WORDS },
		.stream = stream, .args = args, .arg_count = 5, .layer = -1,
	};
}

static inline void kernel(struct scene *scene, struct stream *stream, int to, int from)
{
	struct arg args[5];
	struct launch launch = row_launch(scene, stream, to, from, args);

	OK(device_launch(scene->device, &launch));
}

static inline void wait_for(struct scene *scene, struct stream *waits, struct stream *recorded)
{
	OK(device_event_record(scene->device, scene->e, recorded));
	OK(device_event_wait(scene->device, waits, scene->e));
}

/* Ends the capture on the first stream and launches its graph. */
static inline void captured(struct scene *c, struct graph_exec **exec)
{
	struct graph *graph;

	OK(device_capture_end(c->device, c->s[0], &graph));
	OK(device_graph_instantiate(c->device, graph, exec));
	OK(device_graph_launch(c->device, *exec, c->s[0]));
}

#endif
