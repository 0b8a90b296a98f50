/* user_text.h - refuses text that would hide parts of a user's file from the rewriter or the
 * checker. */
#ifndef USER_TEXT_H
#define USER_TEXT_H

#include <stdbool.h>

#include "base/status.h"

struct kernel_source;

/* Whether a user's file pretends to be a preprocessed one: a line `# 1 "file" 3` would declare
 * what follows to be a system header, which the rewriter trusts. COMPILE with "FILE:LINE: ". */
enum status user_text_markers(const char *file, const char *text);
/* Names that users may not use, in preprocessed text outside of system headers: those of the
 * compiler's initialisation, and with --check attributes that switch off instrumentation. COMPILE
 * with "FILE:LINE: ". */
enum status user_text_refuse(const char *preprocessed, bool checked);
/* For --check: whether a user's file declares itself a system header. The same error. */
enum status user_text_own(const char *file, const char *text);
/* Where `name` occurs in preprocessed text outside of system headers and strings, best where it is
 * called: "FILE:LINE", which the caller frees; NULL if nowhere. */
char *user_text_find(const char *preprocessed, const char *name);
bool user_text_has(const char *preprocessed, const char *name);
/* Whether rewritten text calls the simulator's clock: clock(), clock64() and registers of PTX. */
bool user_text_reads_clock(const char *rewritten);
/* As user_text_find(), but only on this line of a file. */
char *user_text_find_at(const char *preprocessed, const char *name, int line);

/* Where volatile accesses may rely on the threads of a warp running in lockstep: "FILE:LINE" of the
 * first one, if the sources have shared memory, but no fence, atomic or __syncwarp(). The caller
 * frees it; NULL: nowhere. `sources` ends with a file of NULL. */
char *user_text_lockstep(const char *preprocessed, const struct kernel_source *sources);
/* Warns of the place that user_text_lockstep() found; NULL: does nothing. */
void user_text_warn_lockstep(const char *command, const char *where);

#endif
