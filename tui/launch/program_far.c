/* program_far.c - kernels that device code of another file launches; see program_parts.h.
 *
 * The other file's object does not define such a kernel: it calls a function of the same symbol
 * that jumps to where a slot says (program_link.c). What a kernel can use is then what all kernels
 * that it leads to can use, in all files.
 */
#include "config.h"

#include "tui/launch/program_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/launch/program_parts.h"

/* The symbol becomes part of assembler text. */
static bool is_plain(const char *symbol)
{
	return symbol[strspn(symbol, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "0123456789_")] == '\0';
}

struct far program_far_find(const struct program_code *c, const struct unit_code *from,
			   const char *symbol)
{
	for (size_t i = 0; i < c->unit_count; i++)
		for (size_t k = 0; k < c->units[i].kernel_count && &c->units[i] != from; k++)
			if (strcmp(c->units[i].kernels[k].function, symbol) == 0
			    && is_plain(symbol))
				return (struct far){ &c->units[i], &c->units[i].kernels[k] };
	return (struct far){ 0 };
}

void program_code_far(struct program_code *c, int number, struct name_list *kernels,
		      bool *launched)
{
	for (size_t i = 0; i < c->unit_count; i++) {
		const struct unit_code *u = &c->units[i];

		for (size_t k = 0; k < u->kernel_count && u->number == number; k++)
			for (size_t n = 0; n < u->kernels[k].undefined.count; n++) {
				const char *symbol = u->kernels[k].undefined.at[n];
				struct far far = program_far_find(c, u, symbol);

				if (!far.unit)
					continue;
				launched[far.unit->number] = true;
				name_list_add(kernels, symbol);
				name_list_add(&c->used, symbol);
			}
	}
}

void program_far_add(const struct program_code *c, struct far_list *list, struct far far)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].kernel == far.kernel)
			return;
	list->at = xreallocarray(list->at, list->count + 1, sizeof *list->at);
	list->at[list->count++] = far;
	for (size_t i = 0; i < far.kernel->undefined.count; i++) {
		struct far next = program_far_find(c, far.unit, far.kernel->undefined.at[i]);

		if (next.unit)
			program_far_add(c, list, next);
	}
}

static const struct place *function_place(const struct loaded *l, const char *symbol)
{
	for (size_t i = 0; i < l->function_count; i++)
		if (strcmp(l->functions[i].name, symbol) == 0)
			return &l->functions[i];
	return NULL;
}

void program_far_ready(const struct program_code *c, const struct unit_code *u)
{
	const size_t length = strlen(PROGRAM_FAR_SLOT);

	for (size_t i = 0; i < u->shared.variable_count; i++) {
		const struct place *slot = &u->shared.variables[i], *p;
		struct far far;

		if (strncmp(slot->name, PROGRAM_FAR_SLOT, length) != 0)
			continue;
		far = program_far_find(c, u, slot->name + length);
		p = far.unit ? function_place(&far.unit->shared, slot->name + length) : NULL;
		if (p && slot->bytes == sizeof(uintptr_t))
			*(uintptr_t *)(u->shared.base + slot->value)
				= far.unit->shared.base + p->value;
	}
}
