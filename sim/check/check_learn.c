/* check_learn.c - lists of what a thread knows of each synchronization variable; see check_learn.h.
 *
 * Lists are closed: who knows a release also knows what its thread knew then. So chains of flags of
 * any length need no search. Used by check_order.c.
 */
#include "config.h"

#include "sim/check/check_learn.h"

#include <string.h>

#include "sim/check/check_order.h"

/* In a longer chain every release would copy more than that. */
#define MAX_LEARNED 1024

/* The position of the variable, or where it belongs. */
static size_t position(const struct learned_list *list, size_t variable)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->at[middle].variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void widen(struct check *check, struct learned_list *list)
{
	size_t capacity = 2 * list->capacity + 4;
	struct learned *wider = check_alloc(check, capacity * sizeof *wider);

	if (list->count)
		memcpy(wider, list->at, list->count * sizeof *wider);
	list->at = wider;
	list->capacity = capacity;
}

void learn(struct check *check, struct learned_list *list, size_t variable, size_t count)
{
	size_t at = position(list, variable);

	if (at < list->count && list->at[at].variable == variable) {
		if (list->at[at].count < count)
			list->at[at].count = count;
		return;
	}
	if (list->all || list->count == MAX_LEARNED) {
		list->all = true;
		return;
	}
	if (list->count == list->capacity)
		widen(check, list);
	memmove(&list->at[at + 1], &list->at[at], (list->count - at) * sizeof *list->at);
	list->at[at] = (struct learned){ variable, count };
	list->count++;
}

void learn_all(struct check *check, struct learned_list *list, const struct learned_list *more)
{
	list->all |= more->all;
	for (size_t i = 0; i < more->count; i++)
		learn(check, list, more->at[i].variable, more->at[i].count);
}

struct learned_list learned_copy(struct check *check, const struct learned_list *list)
{
	struct learned_list copy = *list;

	copy.capacity = list->count;
	copy.at = list->count ? check_alloc(check, list->count * sizeof *copy.at) : NULL;
	if (list->count)
		memcpy(copy.at, list->at, list->count * sizeof *copy.at);
	return copy;
}

void learned_clear(struct learned_list *list)
{
	list->count = 0;
	list->all = false;
}
