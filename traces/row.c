/* row.c - names of what events are made of, as traces, options and messages spell them.
 *
 * From the X-macros of row.h, so that a name is written once. Serves the store, diff and the
 * commands.
 */
#include "traces/row.h"

#include <string.h>

static const char *const level_names[LEVEL_COUNT] = {
#define X(name, text) [LEVEL_##name] = text,
	LEVEL_LIST(X)
#undef X
};

static const char *const op_names[OP_COUNT] = {
#define X(name, text) [OP_##name] = text,
	OP_LIST(X)
#undef X
};

const char *log_level_name(enum log_level level)
{
	return (unsigned)level < LEVEL_COUNT ? level_names[level] : "unknown";
}

bool log_level_from_name(const char *name, enum log_level *out)
{
	for (int i = 0; i < LEVEL_COUNT; i++) {
		if (strcmp(name, level_names[i]) == 0) {
			*out = (enum log_level)i;
			return true;
		}
	}
	return false;
}

const char *op_kind_name(enum op_kind kind)
{
	return (unsigned)kind < OP_COUNT ? op_names[kind] : "unknown";
}
