/* capture_ops.h - the objects with which capture_table.c tries each operation, and the list of
 * operations. */
#ifndef CAPTURE_OPS_H
#define CAPTURE_OPS_H

#include <stdbool.h>

#include "tests/copy_launch.h"

enum { SCENE_WORDS = 16 };

/* The state in which an operation runs: an active capture on `origin` with one launch in it (rows
 * to cache), a second stream that is not captured, and one object of every kind. Operations with an
 * effect copy `source` or `host` into `target`, or `source` into `host_out`. */
struct scene {
	const char *device_name;
	enum capture_mode mode;
	struct device *device, *second; /* second: made by an operation, or NULL */
	struct stream *stream;          /* the stream that a streamed operation uses */
	struct stream *origin, *other;  /* NULL once destroyed */
	struct buffer *rows, *cache, *source, *target, *counts, *spare;
	struct event *fresh;            /* never recorded */
	struct event *before[2];        /* recorded before the capture: on origin, on other */
	struct graph *graph;            /* one launch, source to target */
	struct graph_exec *exec;        /* of graph */
	struct graph *captured;         /* the captured graph; NULL: none yet */
	uint32_t host[SCENE_WORDS], host_out[SCENE_WORDS];
};

/* A copy of SCENE_WORDS words. */
const struct launch *scene_launch(struct copy_launch *, struct buffer *from, struct buffer *to,
				  struct stream *);

enum status scene_launch_on(struct scene *, struct stream *);    /* source to target */
enum status scene_destroy_other(struct scene *);

struct operation {
	const char *name;
	bool streamed;                  /* tried on the captured stream and on the other one */
	enum status (*call)(struct scene *);
};
/* Both end with a NULL name. Sequences are tried once per mode. */
extern const struct operation operations[], sequences[];

#endif
