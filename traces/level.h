/* level.h - how much of a run is recorded. */
#ifndef LEVEL_H
#define LEVEL_H

#include <stdbool.h>

/* X(name, text). Order is fixed: it is stored. Each level holds all of the lower ones. */
#define LEVEL_LIST(X) \
	X(LAUNCH, "launch") X(PARTIALS, "partials") X(POINTS, "points") X(ACCESS, "access")
enum log_level {
#define X(name, text) LEVEL_##name,
	LEVEL_LIST(X)
#undef X
	LEVEL_COUNT
};

const char *log_level_name(enum log_level);     /* "partials"; "unknown" for what is none */
bool log_level_from_name(const char *name, enum log_level *out);        /* true when there is one */

#endif
