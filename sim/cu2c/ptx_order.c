/* ptx_order.c - which PTX instructions order what threads do; see ptx_table.h. */
#include "config.h"

#include "sim/cu2c/ptx_table.h"

#include <string.h>

static bool contains(const char *text, int length, const char *const *list)
{
	for (; *list; list++)
		if (memmem(text, (size_t)length, *list, strlen(*list)))
			return true;
	return false;
}

/* Whether the operands from `at`, of which the barrier's number is the first or the second, name
 * another barrier than 0, or only some threads of the block. */
static bool is_numbered(const char *at, const char *end, bool second)
{
	const char *comma = second ? memchr(at, ',', (size_t)(end - at)) : NULL;

	at = comma ? comma + 1 : at;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return !(end - at >= 2 && *at == '0' && strchr(second ? "," : " ;\\\n\"", at[1]));
}

/* bar.sync 0 is __syncthreads(). */
static bool has_numbered_barrier(const char *text, int length)
{
	const char *end = text + length, *at = text, *blank;

	while ((at = memmem(at, (size_t)(end - at), "bar", 3))) {
		blank = at + strcspn(at, " \t;");
		if (blank < end && (memmem(at, (size_t)(blank - at), ".arrive", 7)
				    || ((memmem(at, (size_t)(blank - at), ".sync", 5)
					 || memmem(at, (size_t)(blank - at), ".red.", 5))
					&& is_numbered(blank, end, memmem(at, (size_t)(blank - at),
									  ".red.", 5)))))
			return true;
		at += 3;
	}
	return false;
}

bool ptx_orders_some(const char *text, int length)
{
	static const char *const list[] = {
		"membar", "fence", "mbarrier", "bar.warp", ".acquire", ".release", ".acq_rel", NULL
	};

	return contains(text, length, list) || has_numbered_barrier(text, length);
}

bool ptx_orders_seen(const char *text, int length)
{
	static const char *const list[] = { "atom", "red.", ".volatile", ".relaxed", NULL };

	return ptx_orders_some(text, length) || contains(text, length, list);
}
