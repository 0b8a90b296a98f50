/* check_op.h - the operations issued to a checked device. Private to the checker. */
#ifndef CHECK_OP_H
#define CHECK_OP_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/* Collects the bytes of launches from shadow memory where that was not done, and compares them. */
void check_ops_collect(struct check *);
/* A launch begins, or has ended, as part of the running operation (if any). */
void check_op_launched(struct check *, bool ended);
/* The first segment of the launches not yet collected; UINT32_MAX if there are none. */
uint32_t check_ops_needed(const struct check *);
void check_ops_free(struct check *);

#endif
