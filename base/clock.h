/* clock.h - the time of a monotonic clock, for durations and deadlines. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

int64_t clock_ns(void);
int64_t clock_ms(void);

#endif
