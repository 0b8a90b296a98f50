/* check_op.h - the operations issued to a checked device. Private to the checker. */
#ifndef CHECK_OP_H
#define CHECK_OP_H

#include <stdbool.h>
#include <stdint.h>

struct check;
struct check_op;
struct touched_list;

/* Collects the bytes of launches from shadow memory where that was not done, and compares them. */
void check_ops_collect(struct check *);
/* A launch begins, or has ended, as part of the running operation (if any). */
void check_op_launched(struct check *, bool ended);
/* The first segment of the launches not yet collected; UINT32_MAX if there are none. */
uint32_t check_ops_needed(const struct check *);
void check_ops_free(struct check *);

struct check_op *check_op_at(const struct check *, uint64_t op);
/* Adds bytes to the end of a list. */
void check_touch(struct touched_list *, uintptr_t from, uintptr_t to, uint64_t record);

#endif
