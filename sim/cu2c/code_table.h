/* code_table.h - writes the tables that let the simulator call the kernels of a rewritten file. */
#ifndef CODE_TABLE_H
#define CODE_TABLE_H

#include <stdio.h>

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* For each kernel K: ft_run_K, ft_params_K, ft_functions_K and ft_code_K_VARIANT
 * (kernels/kernel_table.h). COMPILE for a parameter without a name. */
enum status code_table_write(const struct unit *, const char *variant, FILE *out);

/* The same for the one kernel of a user's file that `kernel` names; see rewrite_user() in
 * sim/cu2c/rewrite.h. */
enum status code_table_write_one(const struct unit *, const char *variant, const char *kernel,
				 FILE *out);

/* Writes the sizes after the '(' of a __cluster_dims__ as a struct dim3; open < 0: it has none. */
void code_table_cluster(const struct unit *, int open, FILE *out);

/* Whether the file uses a fence, __syncwarp() with an explicit mask, or the barrier of a cluster;
 * whether it uses these, or atomics or volatile accesses, also without a fence. */
bool code_table_orders_some(const struct unit *);
bool code_table_orders_seen(const struct unit *);

#endif
