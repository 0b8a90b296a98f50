/* kernel_address.c - a kernel's expression, as in --kernel, as an address; see kernel_address.h. */
#include "sim/cu2c/kernel_address.h"

#include <stddef.h>
#include <string.h>

#include "base/xalloc.h"

const char *kernel_address_types(const char *kernel)
{
	size_t length = strlen(kernel);
	int depth = 0;

	if (length == 0 || kernel[length - 1] != ')')
		return NULL;
	for (const char *p = kernel + length - 1; p >= kernel; p--) {
		depth += (*p == ')') - (*p == '(');
		if (depth == 0)
			return p;
	}
	return NULL;
}

char *kernel_address_expression(const char *kernel)
{
	const char *types = kernel_address_types(kernel);
	/* From the outside, where no header's using-directive adds functions of that name. */
	const char *scope = strncmp(kernel, "::", 2) == 0 ? "" : "::";

	if (!types)
		return xasprintf("ft_kernel_pointer(&%s%s)", scope, kernel);
	return xasprintf("static_cast<void (*)%s>(&%s%.*s)", types, scope, (int)(types - kernel),
			 kernel);
}
