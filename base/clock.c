/* clock.c - the time of a monotonic clock; see clock.h. */
#include "base/clock.h"

#include <time.h>

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}
