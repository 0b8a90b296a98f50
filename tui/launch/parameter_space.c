/* parameter_space.c - counts the bytes of a kernel's parameters; see parameter_space.h. */
#include "config.h"

#include "tui/launch/parameter_space.h"

#include <stddef.h>

#include "kernels/kernel_table.h"

enum status parameter_space_check(const struct sim_code *code)
{
	size_t bytes = 0;

	for (int i = 0; i < code->param_count; i++) {
		const struct kernel_param *p = &code->params[i];
		size_t alignment = p->alignment ? p->alignment : 1;

		bytes = (bytes + alignment - 1) / alignment * alignment + p->bytes;
	}
	if (bytes <= PARAMETER_SPACE)
		return STATUS_OK;
	return fail(STATUS_COMPILE, "%s: the parameters of %s have %zu bytes; the maximum is %d",
		    code->file, code->name, bytes, PARAMETER_SPACE);
}
