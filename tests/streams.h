/* streams.h - for tests of streams and graphs: streams, events and small buffers on any device.
 *
 * Tests run on the simulator with many seeds, and on a GPU if there is one; their loop index
 * selects the device.
 */
#ifndef TESTS_STREAMS_H
#define TESTS_STREAMS_H

#include "tests/support.h"

#include <stdint.h>

#include "engine/device.h"
#include "tests/copy_launch.h"
#include "tests/gpu.h"
#include "tests/words.h"

enum { WORDS = 8, SEEDS = 32 };

#define POISON DEVICE_POISON

/* Streams s, events e and buffers b of one device; every word of every buffer is poison. */
struct scene {
	struct device *device;
	struct stream *s[4];
	struct event *e[4];
	struct buffer *b[4];
};

static inline struct scene scene_on(struct device *device)
{
	const struct buffer_spec spec = {
		.name = "words", .dtype = DTYPE_I32, .rank = 1, .shape = { WORDS },
	};
	struct scene scene = { .device = device };

	for (int i = 0; i < 4; i++) {
		OK(device_stream_create(device, &scene.s[i]));
		OK(device_event_create(device, &scene.e[i]));
		OK(device_alloc(device, &spec, &scene.b[i]));
	}
	return scene;
}

static inline struct scene scene_open_jobs(const char *name, uint64_t seed, int jobs)
{
	const struct device_options options = { .seed = seed, .jobs = jobs, .poison = true };
	struct device *device;

	OK(device_open(name, &options, &device));
	return scene_on(device);
}

static inline struct scene scene_open(const char *name, uint64_t seed)
{
	return scene_open_jobs(name, seed, 1);
}

/* The number of seeds to try on a device of test_devices; they have no effect on a GPU. */
static inline int seeds_of(int i)
{
	return i ? 1 : SEEDS;
}

#define FILL(scene, stream, buffer, value) \
	OK(device_fill((scene).device, stream, buffer, 0, value, WORDS))
#define COPY(scene, stream, to, from) \
	OK(device_copy((scene).device, stream, to, 0, from, 0, 4 * WORDS))

/* Returns the first word of the buffer after all work of the stream (NULL: the default stream). All
 * words of the buffer must be equal. */
static inline uint32_t word_of(const struct scene *scene, struct stream *stream,
			       const struct buffer *buffer)
{
	uint32_t words[WORDS];

	OK(device_download(scene->device, stream, buffer, 0, words, sizeof words));
	for (int i = 1; i < WORDS; i++)
		ck_assert_uint_eq(words[i], words[0]);
	return words[0];
}

/* Like word_of(), but after all work of the device. */
static inline uint32_t final_word(const struct scene *scene, const struct buffer *buffer)
{
	OK(device_sync(scene->device, NULL));
	return word_of(scene, NULL, buffer);
}

/* A launch that faults: it stores through a null pointer. */
static inline const struct launch *bad_launch(struct copy_launch *c, struct stream *stream)
{
	c->args[0] = ARG_BUFFER(NULL);
	c->args[1] = ARG_I32(4);
	c->launch = (struct launch){
		.kernel = word_kernel("fail_store"), .grid = { 3 }, .block = { 32 },
		.stream = stream, .args = c->args, .arg_count = 2, .layer = -1,
	};
	return &c->launch;
}

/* Runs its body with a new scene for each seed. */
#define EACH_SCENE(t, name, first, count) \
	for (int seed = first; seed < (first) + (count); seed++) \
		for (struct scene t = scene_open(name, (uint64_t)seed); t.device; \
		     device_close(t.device), t.device = NULL)
/* EACH_SEED: on the device that the loop index selects. EACH_RANDOM_SEED: on the simulator, without
 * seed 0, which runs all work at the call. */
#define EACH_SEED(t) EACH_SCENE(t, test_devices[_i], 0, seeds_of(_i))
#define EACH_RANDOM_SEED(t) EACH_SCENE(t, "sim", 1, SEEDS)

/* How often the values 1, 2 and poison were seen. */
struct seen {
	int first, second, none;
};

static inline void see(struct seen *seen, uint32_t value)
{
	seen->first += value == 1;
	seen->second += value == 2;
	seen->none += value == POISON;
	ck_assert_msg(value == 1 || value == 2 || value == POISON, "0x%08x", value);
}

/* --- graphs --- */

static inline struct graph *end_capture(struct scene *t, struct stream *stream)
{
	struct graph *graph;

	OK(device_capture_end(t->device, stream, &graph));
	return graph;
}

static inline struct graph_exec *exec_of(struct scene *t, struct graph *graph)
{
	struct graph_exec *exec;

	OK(device_graph_instantiate(t->device, graph, &exec));
	return exec;
}

static inline void begin_capture(struct scene *t, int stream)
{
	OK(device_capture_begin(t->device, t->s[stream], CAPTURE_GLOBAL));
}

#endif
