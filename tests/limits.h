/* limits.h - how long a test waits: seconds times $FLASHTWIN_SLOW, for a slow or busy machine. */
#ifndef TESTS_LIMITS_H
#define TESTS_LIMITS_H

#include <stdlib.h>

/* Rounded up; a FLASHTWIN_SLOW that is missing or not a positive number counts as 1. */
static inline unsigned limit_seconds(unsigned seconds)
{
	const char *text = getenv("FLASHTWIN_SLOW");
	double slow = text ? strtod(text, NULL) : 1, scaled;

	scaled = seconds * (slow > 0 ? slow : 1);
	return (unsigned)scaled + (scaled > (unsigned)scaled);
}

#endif
