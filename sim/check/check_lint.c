/* check_lint.c - the lints that kernels have of their own: reads of what means nothing.
 *
 * Which bytes those are the kernel's entry in the table knows (kernels/kernel_lint.h); shadow memory
 * knows who read them. Right after a launch, while its records are the last ones.
 */
#include "config.h"

#include "sim/check/check_lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_find.h"
#include "sim/check/check_region.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_state.h"

/* The bytes behind a pointer parameter in its buffer, at *at; 0: it points into none. */
static size_t bytes_behind(const struct check *check, int param, uintptr_t *at)
{
	const struct check_region *region;

	memcpy(at, check->launch.args[param], sizeof *at);
	region = check_region_at(check, *at);
	if (!region || region->kind != REGION_BUFFER || region->freed || *at < region->at
	    || *at - region->at > region->bytes)
		return 0;
	return region->bytes - (*at - region->at);
}

static bool is_behind(const struct check *check, int param, uint64_t offset, uint64_t bytes,
		      uintptr_t *at)
{
	uint64_t room = bytes_behind(check, param, at);

	*at += offset;
	return offset <= room && bytes <= room - offset;
}

static bool read_behind(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	uintptr_t at;

	if (!is_behind(context, param, offset, bytes, &at))
		return false;
	memcpy(out, (const void *)at, bytes);
	return true;
}

/* Who read the word in this launch, 0: nobody. */
static uint64_t reader_of(const struct check *check, uintptr_t address)
{
	const struct check_hot *hot = &check->hot;
	size_t word = (address - hot->base) >> 2;
	uint64_t last = hot->cell[word].reader;

	if (last >> 32 >= hot->first)
		return last;
	return hot->reader[word] >> 32 >= hot->first ? hot->reader[word] : 0;
}

static void tell_readers(void *context, int param, uint64_t offset, uint64_t bytes,
			 const char *detail)
{
	struct check *check = context;
	struct check_report report = {
		.class = CLASS_OF_KERNELS + check->launch.lint->class, .other = NO_SIDE, .bytes = 4,
	};
	uintptr_t at;

	if (!is_behind(check, param, offset, bytes, &at))
		return;
	snprintf(report.detail, sizeof report.detail, "%s", detail);
	for (uintptr_t end = at + bytes; at < end; at += 4) {
		uint64_t record = reader_of(check, at);

		if (!record)
			continue;
		check_side_of_record(check, record, false, &report.side);
		report.address = at;
		check_report(check, &report);
	}
}

/* As extents and lints of kernels know an argument. */
static struct kernel_value value_of(const struct check *check, int param)
{
	const void *arg = check->launch.args[param];
	struct kernel_value value = { 0 };
	uintptr_t at;
	float narrow;

	switch (check->launch.code->params[param].kind) {
	case PARAM_I32:
		value.i = *(const int32_t *)arg;
		break;
	case PARAM_U32:
		value.i = *(const uint32_t *)arg;
		break;
	case PARAM_I64:
	case PARAM_U64:
		memcpy(&value.i, arg, sizeof value.i);
		break;
	case PARAM_F32:
		memcpy(&narrow, arg, sizeof narrow);
		value.f = (double)narrow;
		break;
	case PARAM_F64:
		memcpy(&value.f, arg, sizeof value.f);
		break;
	case PARAM_POINTER:
		value.i = (int64_t)bytes_behind(check, param, &at);
		break;
	case PARAM_BLOB:
		break;
	}
	return value;
}

void check_lints(struct check *check)
{
	const struct check_launch *launch = &check->launch;
	struct kernel_call call = {
		.grid = launch->grid, .block = launch->block, .read = read_behind, .context = check,
	};
	struct kernel_value *values;

	if (!launch->lint)
		return;
	values = xcalloc((size_t)launch->code->param_count + 1, sizeof *values);
	for (int i = 0; i < launch->code->param_count; i++)
		values[i] = value_of(check, i);
	call.values = values;
	launch->lint->judge(&call, tell_readers, check);
	free(values);
}
