/* programs.h - other programs, which are compilers: their command lines, where they are, and
 * running them. Serves kernels that are compiled at run time. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "base/status.h"

#define MAX_WORDS 128

/* A command line. The words are not owned and must stay; those past the limit are left out. */
struct words {
	const char *at[MAX_WORDS + 1];  /* NULL-terminated */
	int count;
};

void words_add(struct words *, const char *word);
void words_add_list(struct words *, const char *const *list);   /* NULL-terminated */
/* Splits `text`, which is changed, at its blanks. */
void words_add_text(struct words *, char *text);

/* The first of $VARIABLE and the names that can be run, else NULL. The variable, when set,
 * decides. */
const char *program_find(const char *variable, const char *const *names);
/* COMPILE, naming `file` and the program, when that finds fault; USAGE when it cannot be run,
 * INTERRUPTED when it was. */
enum status program_run(const struct words *, const char *file);

#endif
