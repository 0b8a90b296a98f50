/* option_table.c - the rows of tui/option_list.h as a table; see option_table.h. */
#include "tui/option_table.h"

#include <stddef.h>
#include <string.h>

#include "engine/attention/attention.h"
#include "sim/check/finding.h"
#include "tui/orders.h"
#include "tui/run.h"

#define MAX_JOBS 1024
#define MAX_SHARED (1 << 20)            /* bytes */
#define MAX_SLOTS 65535

/* What a row says of its value. */
#define VALUE_NONE .kind = KIND_NONE
#define VALUE_TEXT(what) .kind = KIND_TEXT, .argument = (what)
#define VALUE_FILE(what) .kind = KIND_FILE, .argument = (what)
#define VALUE_DIRECTORY(what) .kind = KIND_DIRECTORY, .argument = (what)
#define VALUE_INTEGER(what, from, to) \
	.kind = KIND_INTEGER, .argument = (what), .min = (from), .max = (to)
#define VALUE_UNSIGNED(what) .kind = KIND_UNSIGNED, .argument = (what)
#define VALUE_FLOAT(what) .kind = KIND_FLOAT, .argument = (what)
#define VALUE_NAME(what, list) .kind = KIND_NAME, .argument = (what), .names = list
#define VALUE_ONE_OF(list) .kind = KIND_NAME, .names = list
#define VALUE_OPTIONAL_NAME(list) VALUE_ONE_OF(list), .optional = true
#define VALUE_LIST(what, list) .kind = KIND_LIST, .argument = (what), .names = list

const struct option_row option_table[OPTION_COUNT] = {
#define OPTION(id, who, heading, short_name, long_name, value, text) \
	[OPTION_##id] = { \
		.name = long_name, .letter = short_name, .commands = who, \
		.group = GROUP_##heading, value, .help = text, \
	},
#include "tui/option_list.h"
#undef OPTION
};

const char *const command_names[COMMAND_COUNT] = {
#define X(id, name) #name,
	COMMAND_LIST(X)
#undef X
};

const char *option_name_next(const char **at, int *length)
{
	const char *name = *at + strspn(*at, " ");

	*length = (int)strcspn(name, " ");
	*at = name + *length;
	return *length ? name : NULL;
}
