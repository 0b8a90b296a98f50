/* program_variables.c - the device variables of a program; see program_parts.h.
 *
 * Those that kernels reach are known from the beginning. Others are added when host code names one.
 */
#include "config.h"

#include "tui/launch/program_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/launch/gpu_code.h"

/* --- names --- */

/* "a::x" of "_ZN1a1xE" or "_ZL1x", without namespaces that have no name; other names, as of
 * templates, stay. The caller frees it. */
static char *readable(const char *symbol)
{
	static const char unnamed[] = "_GLOBAL__N";
	bool nested = strncmp(symbol, "_ZN", 3) == 0;
	const char *at = symbol + (nested ? 3 : 2);
	char *text = xstrdup("");

	if (!nested && strncmp(symbol, "_Z", 2) != 0)
		goto unchanged;
	while (*at && *at != 'E') {
		const char *from = at + (*at == 'L');
		char *end, *longer;
		unsigned long length = strtoul(from, &end, 10);

		if (end == from || length == 0 || length > strlen(end))
			goto unchanged;
		at = end + length;
		if (strncmp(end, unnamed, sizeof unnamed - 1) == 0)
			continue;
		longer = xasprintf("%s%s%.*s", text, *text ? "::" : "", (int)length, end);
		free(text);
		text = longer;
	}
	if (*text && (nested ? strcmp(at, "E") == 0 : *at == '\0'))
		return text;
unchanged:
	free(text);
	return xstrdup(symbol);
}

/* --- variables that kernels reach --- */

static struct kernel_variable describe(const struct unit_code *u, const struct place *p)
{
	struct kernel_variable v = {
		.name = readable(p->name), .address = (void *)(u->shared.base + p->value),
		.bytes = p->bytes, .managed = p->global,
	};

	if (u->gpu) {
		v.fatbin = gpu_code_image(u->gpu);
		v.fatbin_symbol = gpu_code_variable(u->gpu, v.name);
	}
	return v;
}

static void add_variable(struct unit_code *u, const struct place *p)
{
	void *address = (void *)(u->shared.base + p->value);

	for (size_t i = 0; i < u->variable_count; i++)
		if (u->variables[i].address == address)
			return;
	u->variables = xreallocarray(u->variables, u->variable_count + 1, sizeof *u->variables);
	u->variables[u->variable_count++] = describe(u, p);
}

void program_variables_list(struct unit_code *u)
{
	for (size_t i = 0; i < u->kernel_count; i++)
		for (size_t k = 0; k < u->kernels[i].variables.count; k++) {
			const char *symbol = u->kernels[i].variables.at[k];
			const struct place *p = program_variable_place(&u->shared, symbol);

			if (p)
				add_variable(u, p);
		}
}

static bool has_variable(const struct program_code *c, const struct unit_code *but,
			 const char *name)
{
	for (size_t i = 0; i < c->unit_count; i++)
		for (size_t k = 0; &c->units[i] != but && k < c->units[i].variable_count; k++)
			if (strcmp(c->units[i].variables[k].name, name) == 0)
				return true;
	return false;
}

/* Static variables of several files may have one name. Those of the first keep it. */
static void name_apart(struct program_code *c)
{
	for (size_t i = c->unit_count; i-- > 1; )
		for (size_t k = 0; k < c->units[i].variable_count; k++) {
			struct kernel_variable *v = &c->units[i].variables[k];
			char *name;

			if (!has_variable(c, &c->units[i], v->name))
				continue;
			name = xasprintf("%s@%s", v->name, c->units[i].file);
			free((char *)(uintptr_t)v->name);
			v->name = name;
		}
}

void program_variables_join(struct program_code *c)
{
	size_t count = 0;

	name_apart(c);
	for (size_t i = 0; i < c->unit_count; i++)
		count += c->units[i].variable_count;
	c->variables = xcalloc(count + 1, sizeof *c->variables);
	count = 0;
	for (size_t i = 0; i < c->unit_count; i++)
		for (size_t k = 0; k < c->units[i].variable_count; k++)
			c->variables[count++] = c->units[i].variables[k];
}

/* --- those that the host or a trace names --- */

/* One that no kernel reaches, but host code names: it is added now. */
static const struct kernel_variable *add_unreached(struct unit_code *u, const struct place *p)
{
	struct kernel_variable *v = xcalloc(1, sizeof *v);

	*v = describe(u, p);
	u->unreached = xreallocarray(u->unreached, u->unreached_count + 1, sizeof *u->unreached);
	return u->unreached[u->unreached_count++] = v;
}

static const struct kernel_variable *variable_at(struct unit_code *u, const struct place *p)
{
	void *address = (void *)(u->shared.base + p->value);

	for (size_t i = 0; i < u->variable_count; i++)
		if (u->variables[i].address == address)
			return &u->variables[i];
	for (size_t i = 0; i < u->unreached_count; i++)
		if (u->unreached[i]->address == address)
			return u->unreached[i];
	return add_unreached(u, p);
}

/* A __managed__ variable is in the device's code, and has no shadow. */
static const struct kernel_variable *managed_at(struct program_code *c, const void *address)
{
	for (size_t i = 0; i < c->unit_count; i++) {
		struct loaded *l = &c->units[i].shared;
		const struct place *found = program_place_at(l, l->variables, l->variable_count,
							     address);

		if (found)
			return variable_at(&c->units[i], found);
	}
	return NULL;
}

const struct kernel_variable *program_variables_shadowed(void *context, const void *shadow)
{
	struct program_code *c = context;
	const struct place *p = program_place_at(&c->host, c->host.variables,
						 c->host.variable_count, shadow);

	for (size_t i = 0; p && i < c->unit_count; i++) {
		struct loaded *l = &c->units[i].shared;
		const struct place *found = program_variable_place(l, p->name);

		if (found && program_symbols_base(l))
			return variable_at(&c->units[i], found);
	}
	return p ? NULL : managed_at(c, shadow);
}

/* Also one that only host code names, as far as it is known: of a trace. */
const struct kernel_variable *program_variables_named(void *context, const char *name)
{
	struct program_code *c = context;

	for (size_t i = 0; i < c->unit_count; i++) {
		struct unit_code *u = &c->units[i];

		for (size_t k = 0; k < u->variable_count; k++)
			if (strcmp(u->variables[k].name, name) == 0)
				return &u->variables[k];
	}
	for (size_t i = 0; i < c->unit_count; i++) {
		struct unit_code *u = &c->units[i];

		for (size_t k = 0; k < u->shared.variable_count; k++) {
			char *own = readable(u->shared.variables[k].name);
			bool same = strcmp(own, name) == 0;

			free(own);
			if (same)
				return variable_at(u, &u->shared.variables[k]);
		}
	}
	return NULL;
}

struct kernel_variable *program_variables_of(const struct unit_code *u, const struct reached *r)
{
	struct kernel_variable *list = xcalloc(r->variables.count + 1, sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < u->variable_count; i++)
		for (size_t k = 0; k < r->variables.count; k++) {
			const struct place *p = program_variable_place(&u->shared,
								       r->variables.at[k]);

			if (p && u->variables[i].address == (void *)(u->shared.base + p->value))
				list[count++] = u->variables[i];
		}
	return list;
}

void program_variables_free(struct unit_code *u)
{
	for (size_t k = 0; k < u->variable_count; k++)
		free((char *)(uintptr_t)u->variables[k].name);
	for (size_t k = 0; k < u->unreached_count; k++) {
		free((char *)(uintptr_t)u->unreached[k]->name);
		free(u->unreached[k]);
	}
	free(u->variables);
	free(u->unreached);
}
