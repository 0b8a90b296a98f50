/* kernel_list.h - lists the kernels and device variables of a user's preprocessed file.
 *
 * Used by `flashtwin launch --list`.
 */
#ifndef KERNEL_LIST_H
#define KERNEL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct listed_name {
	char *name, *type;
};

struct listed_kernel {
	char *name;                     /* with its namespaces */
	int line;
	bool is_template;
	struct listed_name *params;
	int param_count;
};

/* What is passed is valid during the call only. */
struct kernel_list_visitor {
	void *context;
	void (*kernel)(void *context, const struct listed_kernel *);
	void (*variable)(void *context, const struct listed_name *);
};

/* text: as for rewrite_user(). Kernels come first, in file order. COMPILE as for unit_read(). */
enum status kernel_list_read(const char *file, const char *text, size_t bytes, bool cplusplus,
			     const struct kernel_list_visitor *);

#endif
