/* copy_launch.h - for tests: a launch that copies 4-byte words from one buffer to another.
 *
 * It runs kv_scatter with one head, max_len 1 and position 0.
 */
#ifndef TESTS_COPY_LAUNCH_H
#define TESTS_COPY_LAUNCH_H

#include "engine/device.h"

struct copy_launch {
	struct arg args[5];             /* 1 is the destination, 4 the position */
	struct launch launch;
};

/* `words` is at most the number of threads that a block can have. */
static inline const struct launch *copy_launch(struct copy_launch *c, struct buffer *from,
					       struct buffer *to, int words, struct stream *stream)
{
	*c = (struct copy_launch){
		.args = { ARG_BUFFER(from), ARG_BUFFER(to), ARG_I32(words), ARG_I32(1),
			  ARG_I32(0) },
		.launch = { .kernel = kernel_find("kv_scatter"), .grid = { 1, 1, 1 },
			    .block = { (unsigned)words, 1, 1 }, .args = c->args, .arg_count = 5,
			    .stream = stream, .layer = -1 },
	};
	return &c->launch;
}

#endif
