/* parameters.h - the parameters of a kernel, with their types as text. Serves the tables of
 * kernels and whoever has to tell kernels of one name apart. */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* The parts of one parameter's declaration. */
struct parameter {
	int from, name, end;            /* tokens */
	char *type;                     /* "const float *"; an array as the pointer it is; owned */
};

/* The parameters of a function; free with parameters_free(). COMPILE for one without a name, and
 * then there is nothing to free. */
enum status parameters_read(const struct unit *, const struct function *, struct parameter **list,
			    int *count);
void parameters_free(struct parameter *, int count);

#endif
