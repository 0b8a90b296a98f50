/* level.h - how much of a run is recorded. */
#ifndef LEVEL_H
#define LEVEL_H

#include <stdbool.h>

/* X(name, text). Traces store the order: it must not change. Each level includes the lower ones. */
#define LEVEL_LIST(X) \
	X(LAUNCH, "launch") X(PARTIALS, "partials") X(POINTS, "points") X(ACCESS, "access")
enum log_level {
#define X(name, text) LEVEL_##name,
	LEVEL_LIST(X)
#undef X
	LEVEL_COUNT
};

const char *log_level_name(enum log_level);     /* "partials"; "unknown" if invalid */
bool log_level_from_name(const char *name, enum log_level *out);        /* false if unknown */

#endif
