/* compile_folder.h - the folder of the files that tui/launch/compile_cache.h keeps.
 *
 * Private to compile_cache.c. */
#ifndef COMPILE_FOLDER_H
#define COMPILE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* The folder, made if it does not exist; false if nothing can or shall be kept. The caller frees
 * it. */
bool compile_folder_find(char **out);
/* Removes the files that were used longest ago, until all others have at most `bytes` together. */
void compile_folder_trim(int64_t bytes);

#endif
