/* kernel_choice.h - finds the kernel of a user's file that an expression names.
 *
 * The expression is a name, "k". In C++ it may also be "a::k<float, 64>" or, if several kernels
 * have one name, "k(float *, int)". sim/cu2c/kernel_address.h makes an address of it. Used by
 * code_table.c.
 */
#ifndef KERNEL_CHOICE_H
#define KERNEL_CHOICE_H

#include <stdbool.h>

#include "base/status.h"
#include "sim/cu2c/unit.h"

/* USAGE, with a list of kernels, if no kernel or more than one matches. */
enum status kernel_choice_find(const struct unit *, const char *kernel,
			       const struct function **out);
/* The plain name in `kernel`: "k" in "a::k<float, 64>(float *)". The token points into `kernel`. */
struct token kernel_choice_name(const char *kernel);
bool kernel_choice_is_template(const struct unit *, const struct function *);

#endif
