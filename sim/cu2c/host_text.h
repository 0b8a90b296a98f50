/* host_text.h - removes host code from a user's file, for nvcc. */
#ifndef HOST_TEXT_H
#define HOST_TEXT_H

#include <stddef.h>

#include "base/status.h"

/* The text of `file` before the preprocessor, with blanks in place of what rewrite_user() removes
 * from its preprocessed text. Lines of directives stay. The caller frees *out. Errors as there. */
enum status host_text_remove(const char *file, const char *preprocessed, size_t bytes,
			     const char *source, char **out);

#endif
