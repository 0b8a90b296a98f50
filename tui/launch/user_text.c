/* user_text.c - looks for words in a user's text, line by line; see user_text.h. */
#include "config.h"

#include "tui/launch/user_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "kernels/kernel_table.h"

/* --- files as written --- */

/* The first character that is not a blank, a comment or a line splice. */
static const char *skip_blank(const char *p)
{
	for (;;) {
		if (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v') {
			p++;
		} else if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
			p += p[1] == '\n' ? 2 : 3;
		} else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			p = end ? end + 2 : p + strlen(p);
		} else {
			return p;
		}
	}
}

static const char *next_line(const char *p)
{
	p = strchr(p, '\n');
	return p ? p + 1 : NULL;
}

/* After the '#' of a directive: `12 ...`, or `line ...` with a quote in the name. */
static bool is_marker(const char *p)
{
	p = skip_blank(p);
	if (isdigit((unsigned char)*p))
		return true;
	if (strncmp(p, "line", 4) != 0)
		return false;
	for (; *p && *p != '\n'; p++)
		if (p[0] == '\\')
			return true;
	return false;
}

enum status user_text_markers(const char *file, const char *text)
{
	int line = 1;

	for (const char *p = text; p; p = next_line(p), line++) {
		const char *hash = skip_blank(p);

		if (hash[0] == '%' && hash[1] == ':')
			hash++;
		else if (hash[0] != '#')
			continue;
		if (is_marker(hash + 1))
			return fail(STATUS_COMPILE, "%s:%d: line markers of a preprocessed file "
				    "are not allowed: use #line with a plain name", file, line);
	}
	return STATUS_OK;
}

enum status user_text_own(const char *file, const char *text)
{
	int line = 1;

	for (const char *p = text, *end; p; p = end, line++) {
		const char *found = strstr(p, "system_header");

		end = next_line(p);
		if (!found)
			return STATUS_OK;
		if (!end || found < end)
			return fail(STATUS_COMPILE, "%s:%d: system_header would hide this file "
				    "from the checker: not allowed with --check", file, line);
	}
	return STATUS_OK;
}

/* --- preprocessed text --- */

struct place {
	const char *file;               /* not NUL-terminated */
	int file_length, line;
	bool system;
};

/* Reads `# 12 "file" 1 3`. False if this line is no marker. */
static bool read_marker(const char *line, size_t length, struct place *place)
{
	const char *open = memchr(line, '"', length), *close;

	if (length < 2 || line[0] != '#' || line[1] != ' ' || !isdigit((unsigned char)line[2])
	    || !open)
		return false;
	close = memrchr(line, '"', length);
	place->line = atoi(line + 2) - 1;
	place->file = open + 1;
	place->file_length = (int)(close > open ? close - open - 1 : 0);
	place->system = memchr(close, '3', length - (size_t)(close - line)) != NULL;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* Whether `at` lies in a string, by the quotes before it on the line. */
static bool quoted(const char *line, const char *at)
{
	char quote = '\0';

	for (const char *p = line; p < at; p++)
		if (*p == '\\' && p + 1 < at)
			p++;
		else if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? '\0' : *p;
	return quote != '\0';
}

/* The word in the line that starts with `prefix`, or is it if `whole`; NULL if there is none. */
static const char *find_word(const char *line, size_t length, const char *prefix, bool whole)
{
	size_t size = strlen(prefix);

	for (const char *p = line; (p = memmem(p, length - (size_t)(p - line), prefix, size)); p++)
		if ((p == line || !is_word(p[-1])) && (!whole || !is_word(p[size]))
		    && !quoted(line, p))
			return p;
	return NULL;
}

/* Calls fn for each line outside of system headers until it returns false. */
static void each_line(const char *text, bool (*fn)(const struct place *, const char *line,
						   size_t length, void *), void *context)
{
	struct place place = { 0 };

	for (const char *end; *text; text = end + 1) {
		end = strchr(text, '\n');
		if (!end)
			return;         /* the preprocessor ends every line */
		if (!read_marker(text, (size_t)(end - text), &place)) {
			place.line++;
			if (!place.system && !fn(&place, text, (size_t)(end - text), context))
				return;
		}
	}
}

/* gcc accepts each attribute with underscores around it too; clang's are among them. */
static const struct refused {
	const char *name;
	bool only_checked;              /* with --check */
	const char *why;
} refused[] = {
#define SWITCHES_OFF "this attribute would switch off the checker: not allowed with --check"
	{ "no_sanitize", true, SWITCHES_OFF },
	{ "no_instrument_function", true, SWITCHES_OFF },
	{ "no_address_safety_analysis", true, SWITCHES_OFF },
	{ "no_profile_instrument_function", true, SWITCHES_OFF },
	{ "disable_sanitizer_instrumentation", true, SWITCHES_OFF },
#undef SWITCHES_OFF
	{ "builtin_mem", true, "the checker does not see it: use memcpy, memmove or memset" },
	{ "builtin_st", true, "the checker does not see it: not allowed with --check" },
	{ "_GLOBAL__sub_I_", false, "the compiler's name for initialisation" },
	{ "_sub_I_", false, "the compiler's name for initialisation" },
};

struct check {
	bool checked;
	enum status status;
};

/* Underscores may come before the name. */
static bool contains(const char *line, size_t length, const char *name)
{
	size_t size = strlen(name);

	for (const char *p = line; (p = memmem(p, length - (size_t)(p - line), name, size)); p++) {
		const char *start = p;

		while (start > line && start[-1] == '_')
			start--;
		if ((start == line || !is_word(start[-1])) && !quoted(line, p))
			return true;
	}
	return false;
}

static bool check_line(const struct place *place, const char *line, size_t length, void *context)
{
	struct check *check = context;

	if (!memchr(line, '_', length))
		return true;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		if ((refused[i].only_checked && !check->checked)
		    || !contains(line, length, refused[i].name))
			continue;
		check->status = fail(STATUS_COMPILE, "%.*s:%d: %s: %s", place->file_length,
				     place->file, place->line, refused[i].name, refused[i].why);
		return false;
	}
	return true;
}

enum status user_text_refuse(const char *preprocessed, bool checked)
{
	struct check check = { .checked = checked, .status = STATUS_OK };

	each_line(preprocessed, check_line, &check);
	return check.status;
}

struct search {
	const char *name;
	int line;                       /* the only one to look at, or 0 */
	char *builtin;                  /* "__builtin_NAME" */
	char *where;
};

static bool search_line(const struct place *place, const char *line, size_t length, void *context)
{
	struct search *search = context;
	const char *found = find_word(line, length, search->name, true);
	size_t after = strlen(search->name);

	if (search->line && place->line != search->line)
		return true;
	if (!found) {
		found = find_word(line, length, search->builtin, true);
		after = strlen(search->builtin);
	}
	if (!found)
		return true;
	while (found[after] == ' ' || found[after] == '\t')
		after++;
	/* A declaration or an address counts only if there is no call. */
	if (search->where && found[after] != '(')
		return true;
	free(search->where);
	search->where = xasprintf("%.*s:%d", place->file_length, place->file, place->line);
	return found[after] != '(';
}

char *user_text_find_at(const char *preprocessed, const char *name, int line)
{
	struct search search = {
		.name = name, .line = line, .builtin = xasprintf("__builtin_%s", name),
	};

	each_line(preprocessed, search_line, &search);
	free(search.builtin);
	return search.where;
}

char *user_text_find(const char *preprocessed, const char *name)
{
	return user_text_find_at(preprocessed, name, 0);
}

bool user_text_has(const char *preprocessed, const char *name)
{
	char *where = user_text_find(preprocessed, name);

	free(where);
	return where != NULL;
}

/* Calls come from macros of a system header, and so from no line of the user's; the function's
 * declaration names its parameters. */
bool user_text_reads_clock(const char *rewritten)
{
	return strstr(rewritten, "ft_clock()") != NULL;
}

/* --- volatile instead of __syncwarp() --- */

static bool find_volatile(const struct place *place, const char *line, size_t length, void *context)
{
	char **where = context;

	if (!find_word(line, length, "volatile", true) || memmem(line, length, "asm", 3))
		return true;
	*where = xasprintf("%.*s:%d", place->file_length, place->file, place->line);
	return false;
}

static bool any_has(const struct kernel_source *sources, const char *word)
{
	for (; sources->file; sources++)
		if (strstr(sources->text, word))
			return true;
	return false;
}

char *user_text_lockstep(const char *preprocessed, const struct kernel_source *sources)
{
	static const char *const orders[] = { "__syncwarp", "__threadfence", "atomic", NULL };
	char *where = NULL;

	if (!any_has(sources, "__shared__"))
		return NULL;
	for (int i = 0; orders[i]; i++)
		if (any_has(sources, orders[i]))
			return NULL;
	each_line(preprocessed, find_volatile, &where);
	return where;
}

void user_text_warn_lockstep(const char *command, const char *where)
{
	if (where)
		fprintf(stderr, "flashtwin %s: %s: volatile without __syncwarp(): the threads of a"
			" warp need not run in lockstep, and do not here; --check finds what is not"
			" ordered\n", command, where);
}
