/* shared.c - static shared memory: finds a kernel's __shared__ variables and assigns their offsets.
 *
 * The rewriter puts a record of every variable into the section "ft_shared"; a build that was
 * loaded at run time lists its own. A kernel owns the variables of its own function and of every
 * function it can reach within its build.
 */
#include "config.h"

#include "sim/exec/shared.h"

#include <string.h>

extern struct kernel_shared __start_ft_shared[] __attribute__((weak));
extern struct kernel_shared __stop_ft_shared[] __attribute__((weak));

static bool reaches(const struct sim_code *code, const struct kernel_shared *variable)
{
	if (strcmp(code->unit, variable->unit) != 0)
		return false;
	for (const char *const *name = code->functions; *name; name++)
		if (strcmp(*name, variable->function) == 0)
			return true;
	return false;
}

static size_t list(const struct sim_code *code, struct kernel_shared **first)
{
	if (code->shared)
		return code->shared(code, first);
	*first = __start_ft_shared;
	return *first ? (size_t)(__stop_ft_shared - __start_ft_shared) : 0;
}

size_t shared_place(const struct sim_code *code, bool store)
{
	struct kernel_shared *first;
	size_t count = list(code, &first), end = 0;

	for (struct kernel_shared *v = first; v < first + count; v++) {
		if (!reaches(code, v))
			continue;
		end = (end + v->alignment - 1) / v->alignment * v->alignment;
		if (store)
			*v->offset = end;
		end += v->bytes;
	}
	return end;
}

const struct kernel_shared *shared_at(const struct sim_code *code, size_t offset)
{
	struct kernel_shared *first;
	size_t count = list(code, &first);

	for (const struct kernel_shared *v = first; v < first + count; v++)
		if (reaches(code, v) && offset >= *v->offset && offset - *v->offset < v->bytes)
			return v;
	return NULL;
}
