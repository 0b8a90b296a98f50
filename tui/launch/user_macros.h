/* user_macros.h - macros of -D that must not reach flashtwin's own headers, such as -D N=64. */
#ifndef USER_MACROS_H
#define USER_MACROS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct arg_list;

/* Whether a text is what -D takes: NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE. */
bool user_macro_valid(const char *text);
/* USAGE, naming -D and the text, if it is not. */
enum status user_macro_check(const char *text);

/* Writes -D and -U of the flags as lines of a header that is to be included after flashtwin's, and
 * adds all other flags to `rest`, as well as macros that concern the C library: NDEBUG, and names
 * that begin with '_'. */
void user_macros_take(const char *const *flags, FILE *header, struct arg_list *rest);

#endif
