/* program_state.h - a program that is compiled: for program.c, which compiles it, and
 * program_load.c, which loads it.
 */
#ifndef PROGRAM_STATE_H
#define PROGRAM_STATE_H

#include "tui/launch/program.h"
#include "tui/launch/programs.h"

struct program {
	struct compiler compiler, nvcc; /* the latter for a GPU only */
	char *directory, *include, *stubs;
	struct program_code *code;
	int file_count;
	char ***points;                 /* of each file: names of its points; NULL: it has none */
	char *host;                     /* the path of the host's shared object */
	const char *main_file;          /* the first one */
};

/* "host3.o" in its folder; the caller frees it. */
char *program_temporary(const struct program *, const char *pass, int number, const char *suffix);

#endif
