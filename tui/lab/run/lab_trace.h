/* lab_trace.h - records the trace that the questions of a lab are about: one for each student. */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include "tui/lab/case/lab.h"

/* Decodes on the simulator with a prompt, a number of bytes and a chunk that `seed` chooses from
 * "trace" of the lab's "questions", and records named points to a new file. The same seed gives the
 * same trace. INTERNAL if lab.json is wrong or the decode fails; INTERRUPTED. */
enum status lab_trace_make(const struct lab *, uint64_t seed, const char *path);

#endif
