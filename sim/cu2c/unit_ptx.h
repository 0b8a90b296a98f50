/* unit_ptx.h - replaces asm statements of device code, which are PTX; private to the rewriter. */
#ifndef UNIT_PTX_H
#define UNIT_PTX_H

#include "sim/cu2c/unit.h"

/* If an asm statement begins at `at`: its '(', else -1. */
int unit_asm_open(const struct unit *, int at);
/* Replaces the asm statement with its '(' at `open`. What the simulator does not support becomes a
 * call of a function that is defined nowhere, whose name says what it is
 * (tui/launch/imports.c). */
void unit_replace_ptx(struct unit *, int at, int open);
/* Whether an asm statement of the user's text orders threads, or lets them see an order; see
 * struct sim_code. */
bool unit_ptx_orders_some(const struct unit *);
bool unit_ptx_orders_seen(const struct unit *);

#endif
