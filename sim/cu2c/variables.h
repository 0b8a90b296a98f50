/* variables.h - the __device__ and __constant__ variables outside functions of a user's file.
 *
 * Leaves out those that no other text can name or change: members, templates, constants, and those
 * that are only declared. Used by unit_read.c, code_table.c and kernel_list.c.
 */
#ifndef VARIABLES_H
#define VARIABLES_H

#include <stdio.h>

#include "sim/cu2c/unit.h"

/* Notes the variables that the tokens [start, end) declare; `end` is a ';'. */
void variables_note(struct unit *, int start, int end);
/* "a::c": a declaration's name with the namespaces around it. The caller frees it. */
char *variables_qualified(const struct unit *, int name);
/* "float [4]"; the caller frees it. */
char *variables_type(const struct unit *, const struct unit_variable *);
/* Writes `const struct kernel_variable *const ft_user_variables`, for the loader. */
void variables_write(const struct unit *, FILE *);
/* Writes an expression of C that gives base/dtype.h's name for the type of `expression`, or for
 * what it points to, or 0. */
void variables_write_element(const char *expression, FILE *);

#endif
