/* bench_self.h - runs flashtwin itself, as another process. */
#ifndef BENCH_SELF_H
#define BENCH_SELF_H

#include "base/status.h"

/* Runs it to its end, discards what it prints on stdout, and gives seconds; an error if its exit
 * code is above `worst`. arguments: as for main(), with NULL after the last. */
enum status bench_self_ends(const char *const *arguments, int worst, double *wall, double *cpu);

#endif
