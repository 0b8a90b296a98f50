/* imports.h - what a kernel's object may contain: known symbols, and no code of its own at load
 * time. */
#ifndef IMPORTS_H
#define IMPORTS_H

#include <stdbool.h>

#include "base/status.h"

/* Checks a compiled object before it is linked. It may use the functions that are listed in
 * sim/cuda/runtime.exports and runtime.imports, and nothing else; the only code that may run when
 * it is loaded is C++'s own initialisation, which records shared variables. `file` is the user's;
 * `preprocessed` is the path of its preprocessed text, where the line that uses a symbol is found.
 * COMPILE with "FILE:LINE: ", or with "FILE: " if the line is unknown; IO or INTERNAL if a file
 * cannot be read. */
enum status imports_check(const char *object, const char *file, const char *preprocessed);

/* Reads both lists from the folder of flashtwin's headers; the caller frees the text. */
enum status imports_read_lists(char **out);
bool imports_listed(const char *lists, const char *name);
/* Fails with COMPILE, as imports_check() does for this symbol. */
enum status imports_refuse(const char *file, const char *preprocessed, const char *symbol);

#endif
