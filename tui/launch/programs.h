/* programs.h - compilers: which ones there are, their command lines, and running them.
 *
 * Used by kernels that are compiled at run time, and by `info`, which names the compilers. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>

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

struct compiler {
	struct words words;             /* a program, and arguments such as those of CXX="ccache g++" */
	bool cplusplus;
	char *text;                     /* owned: the words are in it */
};

/* What compiles for the simulator: $CXX, c++ or g++. An empty $CXX stands for a C compiler: $CC, cc
 * or gcc. USAGE when there is none. compiler_free() is for success only. */
enum status compiler_find_sim(struct compiler *);
/* $NVCC, or nvcc from PATH or /usr/local/cuda/bin. USAGE when there is none. */
enum status compiler_find_cuda(struct compiler *);
/* The path of the compiler's program, and its arguments; the caller frees it. */
char *compiler_show(const struct compiler *);
void compiler_free(struct compiler *);

/* COMPILE, naming `file` and the program, when that finds fault; USAGE when it cannot be run,
 * INTERRUPTED when it was. */
enum status program_run(const struct words *, const char *file);

#endif
