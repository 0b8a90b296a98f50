/* gpu_code.c - finds kernels and device variables in a fatbin; see gpu_code.h.
 *
 * The PTX in a fatbin declares them as text:
 *     .visible .entry _Z1kPf(
 *     .global .align 4 .b8 table[16];
 * A kernel that is static, or in a namespace without a name, has a mangled name of the compiler's
 * own. So names are compared as C++ shows them, without what marks them as local to a file.
 */
#include "config.h"

#include "tui/launch/gpu_code.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"

#define FATBIN_LIMIT ((size_t)1 << 30)

struct name {
	char *symbol, *shown;           /* in the fatbin; as compared */
};

struct names {
	struct name *at;
	size_t count;
};

struct gpu_code {
	char *image;
	unsigned long bytes;
	struct names kernels, variables;
};

/* --- names --- */

/* __cxa_demangle() of the C++ library, and the free() of the C library that it uses. */
struct demangler {
	char *(*demangle)(const char *, char *, size_t *, int *);
	void (*free)(void *);
};

/* Loaded into a namespace of its own: a program whose C++ library is linked statically shares
 * symbols with any other copy in its namespace, and crashes in its first output. */
static const struct demangler *demangler(void)
{
	static struct demangler found;
	void *library = found.demangle ? NULL
		: dlmopen(LM_ID_NEWLM, "libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *demangle = library ? dlsym(library, "__cxa_demangle") : NULL;
	void *release = demangle ? dlsym(library, "free") : NULL;

	if (release) {
		memcpy(&found.demangle, &demangle, sizeof found.demangle);
		memcpy(&found.free, &release, sizeof found.free);
	}
	return found.demangle ? &found : NULL;
}

static char *demangled(const char *symbol)
{
	/* "i" alone would be taken for a type. */
	const struct demangler *d = strncmp(symbol, "_Z", 2) == 0 ? demangler() : NULL;
	char *text = d ? d->demangle(symbol, NULL, NULL, NULL) : NULL;
	char *copy = xstrdup(text ? text : symbol);

	if (text)
		d->free(text);
	return copy;
}

/* Removes each `from`, and what follows it up to and with `to`. */
static void cut_out(char *text, const char *from, const char *to)
{
	for (char *at = text; (at = strstr(at, from)); ) {
		char *end = strstr(at + strlen(from), to);

		if (!end)
			return;
		end += strlen(to);
		memmove(at, end, strlen(end) + 1);
	}
}

/* "main" with its parameters, which the system's compiler knows as ft_main(), and nvcc without. */
static void rename_main(char *text)
{
	for (char *at = text; (at = strstr(at, "ft_main(")); at += 4) {
		char *end = strchr(at, ')');

		if (!end)
			return;
		memmove(at, at + 3, 4);
		memmove(at + 4, end + 1, strlen(end + 1) + 1);
	}
}

static char *comparable(const char *symbol)
{
	char *text = demangled(symbol);

	cut_out(text, "_INTERNAL_", "::");
	cut_out(text, "(anonymous namespace)", "::");
	rename_main(text);
	return text;
}

/* --- the PTX --- */

static void add_name(struct names *names, const char *from, size_t length)
{
	names->at = xreallocarray(names->at, names->count + 1, sizeof *names->at);
	names->at[names->count].symbol = xasprintf("%.*s", (int)length, from);
	names->at[names->count].shown = comparable(names->at[names->count].symbol);
	names->count++;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void add_kernels(struct gpu_code *g)
{
	static const char word[] = ".entry ";
	const char *at = g->image, *end = g->image + g->bytes;

	while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1))) {
		const char *from = at += sizeof word - 1;

		while (at < end && in_name(*at))
			at++;
		if (at > from && at < end && *at == '(')
			add_name(&g->kernels, from, (size_t)(at - from));
	}
}

/* The name is the last word before the size, the value, or the end. */
static void add_variables(struct gpu_code *g, const char *space)
{
	const char *at = g->image, *end = g->image + g->bytes;

	while ((at = memmem(at, (size_t)(end - at), space, strlen(space)))) {
		const char *stop = at += strlen(space), *from;

		while (stop < end && *stop && !strchr("[=;\n", *stop))
			stop++;
		if (stop == end || *stop == '\n' || *stop == '\0')
			continue;
		while (stop > at && stop[-1] == ' ')
			stop--;
		for (from = stop; from > at && in_name(from[-1]); )
			from--;
		if (from < stop)
			add_name(&g->variables, from, (size_t)(stop - from));
		at = stop;
	}
}

enum status gpu_code_read(const char *path, struct gpu_code **out)
{
	struct gpu_code *g = *out = xcalloc(1, sizeof *g);
	size_t bytes;

	TRY(file_read(path, FATBIN_LIMIT, &g->image, &bytes));
	g->bytes = bytes;
	if (!memmem(g->image, bytes, ".version ", 9))
		return fail(STATUS_INTERNAL, "%s: nvcc made no PTX that this program can read",
			    path);
	add_kernels(g);
	add_variables(g, "\n.global .");
	add_variables(g, "\n.const .");
	add_variables(g, "\n.visible .global .");
	add_variables(g, "\n.visible .const .");
	return STATUS_OK;
}

const void *gpu_code_image(const struct gpu_code *g)
{
	return g->image;
}

const unsigned long *gpu_code_bytes(const struct gpu_code *g)
{
	return &g->bytes;
}

/* --- looking up --- */

/* "k<float>" of "void k<float>(float*)": types of parameters may have other names in the headers of
 * the simulator. */
static size_t own_part(const char *shown, const char **from)
{
	int depth = 0;
	const char *at = shown;

	*from = shown;
	for (; *at && !(*at == '(' && depth == 0); at++) {
		depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
		if (*at == ' ' && depth == 0)
			*from = at + 1;
	}
	return (size_t)(at - *from);
}

static bool same_part(const char *a, const char *b)
{
	const char *from[2];
	size_t length = own_part(a, &from[0]);

	return length == own_part(b, &from[1]) && strncmp(from[0], from[1], length) == 0;
}

static const char *find(const struct names *names, const char *shown)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->at[i].shown, shown) == 0)
			return names->at[i].symbol;
	return NULL;
}

/* If no other kernel has that name. */
static const char *find_part(const struct names *names, const char *shown)
{
	const char *found = NULL;

	for (size_t i = 0; i < names->count; i++) {
		if (!same_part(names->at[i].shown, shown))
			continue;
		if (found)
			return NULL;
		found = names->at[i].symbol;
	}
	return found;
}

const char *gpu_code_kernel(const struct gpu_code *g, const char *symbol)
{
	char *shown;
	const char *found;

	for (size_t i = 0; i < g->kernels.count; i++)
		if (strcmp(g->kernels.at[i].symbol, symbol) == 0)
			return g->kernels.at[i].symbol;
	shown = comparable(symbol);
	found = find(&g->kernels, shown);
	if (!found)
		found = find_part(&g->kernels, shown);
	free(shown);
	return found;
}

/* Variables of several files with one name are told apart by "@FILE": not in the source. */
const char *gpu_code_variable(const struct gpu_code *g, const char *name)
{
	const char *file = strchr(name, '@');
	char *plain = file ? xasprintf("%.*s", (int)(file - name), name) : xstrdup(name);
	const char *found = find(&g->variables, plain);

	free(plain);
	return found;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->at[i].symbol);
		free(names->at[i].shown);
	}
	free(names->at);
}

void gpu_code_free(struct gpu_code *g)
{
	if (!g)
		return;
	free_names(&g->kernels);
	free_names(&g->variables);
	free(g->image);
	free(g);
}
