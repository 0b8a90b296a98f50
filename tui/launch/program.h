/* program.h - compiles and loads a whole CUDA program: its host code and its kernels.
 *
 * The system's C++ compiler compiles each .cu file twice (sim/cuda/program.h); files of C and C++
 * are host code. The program runs in this process: all its host code is one shared object, and the
 * kernels of each .cu file are another.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

#include "base/status.h"

struct name_change;
struct program;
struct runtime_program;
struct sandbox;

struct program_source {
	const char *const *files;       /* .cu, .cpp, .cc, .cxx, .c; NULL-terminated */
	const char *const *flags;       /* -I, -D and the like for all compilations */
	/* More flags of each file, in their order; NULL: none. */
	const char *const *const *file_flags;
	const char *const *libraries;   /* -l, -L; both NULL-terminated */
	const char *standard;           /* "c++17"; NULL: the default */
	struct sandbox *sandbox;        /* its scratch folder has what is made */
	bool check, steps;              /* kernels call the checker; count steps */
	bool cuda;                      /* kernels are compiled for a GPU too */
	int capability;                 /* with cuda: as for nvcc.h */
	bool points;                    /* kernels record the POINTs in their files */
	const struct name_change *changes;      /* of file names that are shown; NULL: none */
};

/* USAGE unless it names a standard of C++ that compilers know: c++17, gnu++20. */
enum status program_check_standard(const char *option, const char *name);
/* Whether the name ends like one of a file that can be part of a program. */
bool program_has_kind(const char *file);
/* Compiles and links. COMPILE, after the compiler's lines on standard error, if a file is rejected,
 * or for a kernel that uses what a kernel cannot use; USAGE if there is no compiler or a file is of
 * no known kind; IO for files. Call program_free() on *out after a failure too. */
enum status program_build(const struct program_source *, struct program **out);
/* The same without host code, for replays: kernels are found by name only, and those that use what
 * kernels cannot use are left out. */
enum status program_build_kernels(const struct program_source *, struct program **out);
/* Compiles the first file, and returns its text and those of the user's headers that it includes;
 * the caller frees all of them, and *list. */
struct program_text {
	char *file, *text;
};
enum status program_compile_one(const struct program_source *, struct program_text **list,
				int *count);
/* Loads what program_build_kernels() made, and registers its kernels until program_free(). */
enum status program_load_kernels(struct program *);
/* Where the program may rely on warps in lockstep (user_text.h); NULL: nowhere. */
const char *program_lockstep(const struct program *);
/* Reads the symbols, by which kernels and variables are found. *out belongs to the program. */
enum status program_load(struct program *, const struct runtime_program **out);
/* Loads the host code, whose static constructors run, and the kernels. */
enum status program_enter(struct program *, int (**out)(int argc, char **argv, char **variables));
/* What was loaded stays loaded, because the program's exit handlers are in it. */
void program_free(struct program *);

#endif
