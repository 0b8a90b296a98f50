/* programs.h - finds compilers, builds their command lines, and runs them.
 *
 * Used for kernels that are compiled at run time, and by `info`, which lists the compilers. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>

#include "base/status.h"

struct sandbox;

#define MAX_LIST_ARGS 128

/* A command line. The arguments are not owned and must outlive it; those past the limit are
 * dropped. */
struct arg_list {
	const char *at[MAX_LIST_ARGS + 1];  /* NULL-terminated */
	int count;
};

void arg_list_add(struct arg_list *, const char *arg);
void arg_list_add_all(struct arg_list *, const char *const *list);   /* NULL-terminated */
/* Splits `text`, which is modified, at spaces. */
void arg_list_split(struct arg_list *, char *text);

struct compiler {
	struct arg_list args;           /* a program and arguments, as in CXX="ccache g++" */
	bool cplusplus;
	char *text;                     /* owned: `args` point into it */
};

/* Finds the compiler for the simulator: $CXX, c++ or g++. An empty $CXX means a C compiler: $CC, cc
 * or gcc. USAGE if there is none. Call compiler_free() only after success. */
enum status compiler_find_sim(struct compiler *);
/* Finds $NVCC, or nvcc in PATH or /usr/local/cuda/bin. USAGE if there is none. */
enum status compiler_find_cuda(struct compiler *);
/* The path of the compiler's program, and its arguments; the caller frees it. */
char *compiler_show(const struct compiler *);
void compiler_free(struct compiler *);

/* Makes the compiler's files visible in the sandbox. */
void compiler_show_in(const struct compiler *, struct sandbox *);

/* The path of a program: `name` if it has a slash, else a file in $PATH; NULL if it cannot be run.
 * The caller frees it. */
char *program_find(const char *name);
/* Runs a compiler in the sandbox, which is started first. COMPILE, naming `file` and the program,
 * if it fails; USAGE if it cannot be run; the errors of sandbox_start() and supervise(). */
enum status program_run(const struct arg_list *, const char *file, struct sandbox *);
/* The same, with its standard error in a new file `errors`. */
enum status program_run_into(const struct arg_list *, const char *file, struct sandbox *,
			     const char *errors);

#endif
