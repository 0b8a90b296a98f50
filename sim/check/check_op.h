/* check_op.h - the operations that a checked device was asked for. Private to the checker. */
#ifndef CHECK_OP_H
#define CHECK_OP_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/* The launches whose bytes are not known yet are found in shadow memory, and compared. */
void check_ops_collect(struct check *);
/* A launch begins or has ended as part of the operation that runs, if one does. */
void check_op_launched(struct check *, bool ended);
/* The first segment of those launches; UINT32_MAX: there are none. */
uint32_t check_ops_needed(const struct check *);
void check_ops_free(struct check *);

#endif
