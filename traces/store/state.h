/* state.h - what device memory held after an operation, as far as a trace records it.
 *
 * Applies a run's operations in the order issued: uploads, downloads, fills, copies, rows scattered
 * into KV caches, and what launches wrote where it was recorded. Bytes that were written but not
 * recorded are marked as unknown. Nothing is computed: `flashtwin replay` does that.
 */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/status.h"

struct sparse;
struct store;

struct state_buffer {
	uint32_t id;
	char *name;
	enum dtype dtype;
	int rank;
	int64_t *shape;                 /* [rank]; the product is `elements` */
	size_t elements, bytes;
	struct sparse *content;         /* sparse_read() reads it; NULL: no byte is known */
	bool freed;
};

struct state;

/* Starts before the run's first operation. The store must outlive the state. */
enum status state_open(struct store *, int64_t run, struct state **out);
/* Applies the operations up to and including `op`, which must not decrease. IO or DAMAGED from the
 * trace. */
enum status state_advance(struct state *, int64_t op);
void state_close(struct state *);

/* In the order they were allocated; owned by the state and valid until it advances. */
size_t state_count(const struct state *);
const struct state_buffer *state_buffer(const struct state *, size_t number);
/* The buffer with that id, or NULL. */
const struct state_buffer *state_find(const struct state *, uint32_t id);
/* Whether all of it, some of it or nothing is known. */
enum state_known { STATE_NOTHING, STATE_PARTLY, STATE_ALL };
enum state_known state_known(const struct state_buffer *);

#endif
