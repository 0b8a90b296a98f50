/* user_macros.c - macros of -D as lines of a header; see user_macros.h. */
#include "config.h"

#include "tui/launch/user_macros.h"

#include <string.h>

#include "tui/launch/programs.h"

static size_t identifier(const char *text)
{
	return *text >= '0' && *text <= '9' ? 0
		: strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
}

bool user_macro_valid(const char *text)
{
	size_t name = identifier(text);

	if (name && text[name] == '(')
		name += strcspn(text + name, ")") + 1;
	return name && name <= strlen(text) && (text[name] == '\0' || text[name] == '=');
}

enum status user_macro_check(const char *text)
{
	if (user_macro_valid(text))
		return STATUS_OK;
	return fail(STATUS_USAGE, "-D %s: expected NAME or NAME=VALUE", text);
}

static void write_macro(FILE *out, char letter, const char *macro)
{
	size_t name = strcspn(macro, "=");

	if (letter == 'U')
		fprintf(out, "#undef %s\n", macro);
	else
		fprintf(out, "#define %.*s %s\n", (int)name, macro,
			macro[name] ? macro + name + 1 : "1");
}

static bool concerns_library(const char *macro)
{
	return *macro == '_' || strcmp(macro, "NDEBUG") == 0 || strncmp(macro, "NDEBUG=", 7) == 0;
}

void user_macros_take(const char *const *flags, FILE *header, struct arg_list *rest)
{
	for (; *flags; flags++) {
		const char *flag = *flags;
		bool macro = flag[0] == '-' && (flag[1] == 'D' || flag[1] == 'U');
		const char *value = macro && !flag[2] ? flags[1] : flag + 2;

		if (!macro || !value || concerns_library(value)) {
			arg_list_add(rest, flag);
			continue;
		}
		write_macro(header, flag[1], value);
		flags += value == flags[1];
	}
}
