/* parameters.h - the parameters of a kernel, with their types as text.
 *
 * Used by the tables of kernels (code_table.c) and to distinguish kernels of one name
 * (kernel_choice.c). */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include <stdio.h>

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* The parts of one parameter's declaration. */
struct parameter {
	int from, name, end;            /* tokens */
	char *type;                     /* "const float *"; a pointer for an array; owned */
	bool pack;                      /* A... a, in a whole program */
};

/* Reads the parameters of a function; free them with parameters_free(). COMPILE if one has no name,
 * and nothing to be freed; in a whole program its name is -1. */
enum status parameters_read(const struct unit *, const struct function *, struct parameter **list,
			    int *count);
/* Appends a token to a type, with a space where C's usual style has one; *last: the last character
 * so far, 0 in the beginning. */
void parameters_append(FILE *, const struct token *, char *last);
void parameters_free(struct parameter *, int count);

#endif
