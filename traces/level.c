/* level.c - names of levels, as traces, options and messages spell them; see level.h. */
#include "traces/level.h"

#include <string.h>

static const char *const level_names[LEVEL_COUNT] = {
#define X(name, text) [LEVEL_##name] = text,
	LEVEL_LIST(X)
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
