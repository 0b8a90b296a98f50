/* check_bounds.c - the handlers that compilers call before an access outside a known object, or at
 * a misaligned address, in checked kernels.
 *
 * They belong to -fsanitize=bounds, alignment and object-size. sim/cuda/runtime.h gives them names
 * of our own, so that they do not replace those of a sanitizer that this program is built with.
 * Each ends the launch: the memory after an array on a thread's stack is not known, and a
 * processor may also trap. Called on fibers.
 */
#include "config.h"

#include <stdio.h>

#include "sim/check/check_find.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_state.h"
#include "sim/cuda/runtime.h"
#include "sim/exec/worker.h"

/* Handlers are part of the program, so its thread-local variables have fixed offsets. */
extern __thread const struct ft_thread_view *ft_self __attribute__((tls_model("local-exec")));

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* The same layout as in the run-time interface of GCC and Clang. */
struct source_location {
	const char *file;
	uint32_t line, column;
};
struct type_descriptor {
	uint16_t kind, info;
	char name[];
};
struct out_of_bounds {
	struct source_location location;
	const struct type_descriptor *array, *index;
};
struct type_mismatch {
	struct source_location location;
	const struct type_descriptor *type;
	uint8_t log_alignment;          /* 0: for object-size */
	uint8_t kind;
};

static bool is_checked(void)
{
	return lane_current() && check_hot.span;
}

/* Reports, and ends the launch with the error code. */
static void report(struct check_report *r, int code)
{
	check_report(check_hot.check, r);
	worker_abort_at(worker_self, code, r->side.pc, r->detail);
}

/* The value of an index, signed or not; it is passed by value if it fits in a word. */
static long long index_value(const struct type_descriptor *type, uintptr_t value)
{
	unsigned bits = 1u << (type->info >> 1);

	if (bits > 64)
		return 0;
	if (!(type->info & 1))
		return (long long)value;
	return (long long)(value << (64 - bits)) >> (64 - bits);
}

void ft_out_of_bounds(void *context, void *index)
{
	const struct out_of_bounds *data = context;
	struct check_report r = { .class = CLASS_OOB, .other = NO_SIDE };

	if (!is_checked())
		return;
	check_side_of_lane(lane_current(), CALLER, "access", &r.side);
	snprintf(r.detail, sizeof r.detail, "index %lld of an array %s",
		 index_value(data->index, (uintptr_t)index), data->array->name);
	report(&r, 700);
}

/* A misaligned address is as wrong without the checker (tui/launch/user_kernel.c); also that of a
 * member whose own alignment would do. */
void ft_type_mismatch(void *context, void *pointer)
{
	static const char *const kinds[] = { "read", "write" };
	const struct type_mismatch *data = context;
	uintptr_t address = (uintptr_t)pointer, size = (uintptr_t)1 << data->log_alignment;
	bool misaligned = address & (size - 1);
	struct check_report r = { .class = misaligned ? CLASS_MISALIGNED : CLASS_OOB,
				  .other = NO_SIDE };

	if (!is_checked())
		return;
	check_side_of_lane(lane_current(), CALLER, data->kind < 2 ? kinds[data->kind] : "access",
			   &r.side);
	if (misaligned)
		snprintf(r.detail, sizeof r.detail,
			 "%s at an address that is %u past a multiple of %zu", data->type->name,
			 (unsigned)(address & (size - 1)), (size_t)size);
	else
		snprintf(r.detail, sizeof r.detail,
			 "%s outside of the variable that the pointer was made from",
			 data->type->name);
	report(&r, misaligned ? 716 : 700);
}
