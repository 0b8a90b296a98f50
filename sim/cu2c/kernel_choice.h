/* kernel_choice.h - finds the kernel of a user's file that an expression names: "k", in C++ also
 * "a::k<float, 64>" and, where several have one name, "k(float *, int)". Serves the tables of
 * kernels; the expression as an address is sim/cu2c/kernel_address.h's. */
#ifndef KERNEL_CHOICE_H
#define KERNEL_CHOICE_H

#include <stdbool.h>

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* USAGE when no kernel is meant or more than one, with those there are. */
enum status kernel_choice_find(const struct unit *, const char *kernel, const struct function **out);
/* The plain name in "a::k<float, 64>(float *)", as a token of `kernel`'s text. */
struct token kernel_choice_name(const char *kernel);
bool kernel_choice_is_template(const struct unit *, const struct function *);

#endif
