/* state.h - what device memory held after an operation, as far as a trace tells.
 *
 * Follows a run's operations in the order issued: bytes that came from the host or went there,
 * fills, copies, rows scattered into KV caches, and what launches wrote where it was kept. What was
 * written without being kept is not known, and said so byte by byte. Nothing is computed:
 * `flashtwin replay` does that.
 */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/status.h"

struct store;

struct state_buffer {
	uint32_t id;
	char *name;
	enum dtype dtype;
	int rank;
	int64_t *shape;                 /* rank numbers, whose product is `elements` */
	size_t elements, bytes;
	unsigned char *data;            /* NULL: nothing of it is known */
	unsigned char *known;           /* of each byte 1 or 0; bytes not known are 0xff */
	bool freed;
};

struct state;

/* Before the run's first operation. The store must outlive it. */
enum status state_open(struct store *, int64_t run, struct state **out);
/* Does the operations up to and with `op`, which never goes back. IO or DAMAGED from the trace. */
enum status state_advance(struct state *, int64_t op);
void state_close(struct state *);

/* In the order they were allocated; owned by the state and good until it advances. */
size_t state_count(const struct state *);
const struct state_buffer *state_buffer(const struct state *, size_t number);
/* The one of that id; NULL: there is none. */
const struct state_buffer *state_find(const struct state *, uint32_t id);
/* Whether all of it, some of it or nothing is known. */
enum state_known { STATE_NOTHING, STATE_PARTLY, STATE_ALL };
enum state_known state_known(const struct state_buffer *);

#endif
