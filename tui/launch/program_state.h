/* program_state.h - a program that is compiled: for program.c, program_pass.c and
 * program_link.c, which compile it, and program_load.c, which loads it.
 */
#ifndef PROGRAM_STATE_H
#define PROGRAM_STATE_H

#include "tui/launch/program.h"
#include "tui/launch/programs.h"

/* Of a source or a preprocessed text, in bytes. */
#define SOURCE_LIMIT ((size_t)64 << 20)

struct name_list;

struct program {
	struct compiler compiler, nvcc; /* the latter for a GPU only */
	char *directory, *include, *stubs;
	struct program_code *code;
	int file_count;
	char ***points;                 /* of each file: names of its points; NULL: it has none */
	/* Of each file: device code of others launches kernels of it; kernels of others that its
	 * device code launches. */
	bool *launched;
	struct name_list *far;
	char *host;                     /* the path of the host's shared object */
	const char *main_file;          /* the first one */
};

/* "host3.o" in its folder; the caller frees it. */
char *program_temporary(const struct program *, const char *pass, int number, const char *suffix);

enum program_kind { KIND_CUDA, KIND_CPP, KIND_C, KIND_UNKNOWN };
enum program_kind program_kind(const char *file);       /* by its suffix */

/* --- program_pass.c --- */

/* -std, in *owned, which the caller frees after the compiler has run; with GNU's extensions also if
 * the standard is named without. */
void program_add_standard(const struct program_source *, bool extensions, struct arg_list *,
			  char **owned);
/* Those of all files, and of the one with this number. */
void program_add_flags(const struct program_source *, int number, struct arg_list *);
/* Makes the object of a .cu file, for the host or the device. */
enum status program_build_pass(struct program *, const struct program_source *, const char *file,
			       bool host, int number);

/* --- program_link.c --- */

/* Compiles a .cu file with nvcc. */
enum status program_build_gpu(const struct program *, const struct program_source *, int number);
enum status program_link_device(struct program *, const struct program_source *, const char *file,
				int number);
/* The same where device code of the file launches these kernels of others. */
enum status program_link_far(struct program *, const struct program_source *, const char *file,
			     int number, const struct name_list *kernels);
/* The host's objects, which need those of the device. */
enum status program_link_host(struct program *, const struct program_source *);

#endif
