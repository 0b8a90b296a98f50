/* kernel_choice.c - finds the kernel of a user's file that --kernel names; see kernel_choice.h. */
#include "sim/cu2c/kernel_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/kernel_address.h"
#include "sim/cu2c/parameters.h"

struct token kernel_choice_name(const char *kernel)
{
	size_t length = strcspn(kernel, "<(");
	struct token t = { .kind = TOKEN_IDENTIFIER };

	while (length > 0 && kernel[length - 1] == ' ')
		length--;
	t.text = kernel;
	for (size_t i = 0; i < length; i++)
		if (kernel[i] == ':')
			t.text = &kernel[i + 1];
	t.length = (int)(&kernel[length] - t.text);
	return t;
}

bool kernel_choice_is_template(const struct unit *u, const struct function *f)
{
	static const char *const ends[] = { ";", "}", NULL };

	for (int i = f->name; i >= 0 && !token_among(token_at(u, i), ends); i--)
		if (token_is(token_at(u, i), "template"))
			return true;
	return false;
}

/* "k(const float *, int) at line 7", with `separator` in front. */
static void describe_kernel(const struct unit *u, const struct function *f, const char *separator,
			    FILE *out)
{
	const struct token *name = token_at(u, f->name);
	struct parameter *list;
	int count;

	fprintf(out, "%s%.*s(", separator, name->length, name->text);
	if (parameters_read(u, f, &list, &count) == STATUS_OK) {
		for (int i = 0; i < count; i++)
			fprintf(out, "%s%s", i ? ", " : "", list[i].type);
		parameters_free(list, count);
	}
	fprintf(out, ") at line %d", name->line);
}

static bool is_candidate(const struct unit *u, const struct function *f, const struct token *name)
{
	return f->kernel && f->body >= 0 && (!name || token_same(token_at(u, f->name), name));
}

/* Fails with USAGE and lists the candidates: the kernels of that name, or all kernels. */
static enum status choose_one(const struct unit *u, const char *kernel, const struct token *name)
{
	char *names = NULL;
	const char *separator = "";
	size_t size;
	FILE *list = xcheck(open_memstream(&names, &size));
	enum status status;

	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];
		const struct token *own = token_at(u, f->name);

		if (!is_candidate(u, f, name))
			continue;
		if (name)
			describe_kernel(u, f, separator, list);
		else
			fprintf(list, "%s%.*s", separator, own->length, own->text);
		separator = name ? "; " : ", ";
	}
	fclose(list);
	status = name ? fail(STATUS_USAGE,
			     "--kernel %s: %.*s has several kernels of that name; add the "
			     "parameter types, as in 'k(float *, int)': %s", kernel,
			     u->tokens.file_length, u->tokens.file, names)
		: fail(STATUS_USAGE, "--kernel %s: %.*s has no such kernel (%s%s)", kernel,
		       u->tokens.file_length, u->tokens.file, *names ? "it has " : "it has none",
		       names);
	free(names);
	return status;
}

/* Whether the kernel's parameter types are `types`, such as "(float *, int)", ignoring blanks. For
 * a template only the number of types must match. */
static bool has_types(const struct unit *u, const struct function *f, const char *types)
{
	struct parameter *list;
	int count, commas = 0;
	bool same;

	if (parameters_read(u, f, &list, &count) != STATUS_OK)
		return false;
	for (const char *p = types; *p; p++)
		commas += *p == ',';
	same = count == 0 ? strspn(types, "() ") == strlen(types) : count == commas + 1;
	for (int i = 0; i < count && same && !kernel_choice_is_template(u, f); i++) {
		const char *want = list[i].type;

		for (types += strspn(types, "(, "); *want && same; want++, types++) {
			want += strspn(want, " ");
			types += strspn(types, " ");
			same = *want == *types;
		}
		types += strspn(types, " ");
		same &= *types == ',' || *types == ')';
	}
	parameters_free(list, count);
	return same;
}

enum status kernel_choice_find(const struct unit *u, const char *kernel,
			       const struct function **out)
{
	const struct token name = kernel_choice_name(kernel);
	const char *types = kernel_address_types(kernel);
	int named = 0, found = 0;

	*out = NULL;
	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];
		bool fits;

		if (!is_candidate(u, f, &name))
			continue;
		named++;
		fits = !types || has_types(u, f, types);
		found += fits;
		*out = fits ? f : *out;
	}
	/* Several matches may be specialisations of one template, with the same parameter names. */
	if (found == 1 || (found > 1 && strchr(kernel, '<') && !types))
		return STATUS_OK;
	return choose_one(u, kernel, named ? &name : NULL);
}
