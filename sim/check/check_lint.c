/* check_lint.c - lints specific to one kernel: reads of bytes that have no meaning.
 *
 * The kernel's table entry says which bytes those are (kernels/kernel_lint.h); shadow memory says
 * who read them. Runs right after a launch, while its records are the latest.
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

/* Bytes from a pointer parameter's address, *at, to the end of its buffer; 0 if it points to
 * none. */
static size_t bytes_from(const struct check *check, int param, uintptr_t *at)
{
	const struct check_region *region;

	memcpy(at, check->launch.args[param], sizeof *at);
	region = check_region_at(check, *at);
	if (!region || region->kind != REGION_BUFFER || region->freed || *at < region->at
	    || *at - region->at > region->bytes)
		return 0;
	return region->bytes - (*at - region->at);
}

static bool in_parameter(const struct check *check, int param, uint64_t offset, uint64_t bytes,
			 uintptr_t *at)
{
	uint64_t left = bytes_from(check, param, at);

	*at += offset;
	return offset <= left && bytes <= left - offset;
}

static bool read_parameter(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	uintptr_t at;

	if (!in_parameter(context, param, offset, bytes, &at))
		return false;
	memcpy(out, (const void *)at, bytes);
	return true;
}

/* The record of a read of the word in this launch; 0: it was not read. */
static uint64_t reader_of(const struct check *check, uintptr_t address)
{
	const struct check_hot *hot = &check->hot;
	size_t word = (address - hot->base) >> 2;
	uint64_t last = hot->cell[word].reader;

	if (last >> 32 >= hot->first)
		return last;
	return hot->reader[word] >> 32 >= hot->first ? hot->reader[word] : 0;
}

static void report_readers(void *context, int param, uint64_t offset, uint64_t bytes,
			 const char *detail)
{
	struct check *check = context;
	struct check_report report = {
		.class = CLASS_OF_KERNELS + check->launch.lint->class, .other = NO_SIDE, .bytes = 4,
	};
	uintptr_t at;

	if (!in_parameter(check, param, offset, bytes, &at))
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

/* An argument in the form that a kernel's extents and lints use. */
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
		value.i = (int64_t)bytes_from(check, param, &at);
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
		.grid = launch->grid, .block = launch->block, .read = read_parameter,
		.context = check,
	};
	struct kernel_value *values;

	if (!launch->lint)
		return;
	values = xcalloc((size_t)launch->code->param_count + 1, sizeof *values);
	for (int i = 0; i < launch->code->param_count; i++)
		values[i] = value_of(check, i);
	call.values = values;
	launch->lint->judge(&call, report_readers, check);
	free(values);
}
