/* program_parts.h - the parts of a loaded program: only the files of program_code.c include it.
 *
 * program_symbols.c reads symbols of shared objects, program_variables.c finds device variables,
 * program_far.c kernels that other files launch, program_code.c the rest.
 */
#ifndef PROGRAM_PARTS_H
#define PROGRAM_PARTS_H

#include "engine/runtime/runtime.h"
#include "kernels/kernel_table.h"
#include "tui/launch/object.h"
#include "tui/launch/program_reach.h"

/* A symbol of a shared object that is a function or a variable. */
struct place {
	const char *name;
	uint64_t value, bytes;
	bool global;                    /* host code refers to it: a __managed__ variable */
};

/* A shared object: its symbols, by value. */
struct loaded {
	char *path;
	struct object object;
	struct place *functions, *variables;
	size_t function_count, variable_count;
	uint64_t constants, constants_end;      /* the section of __constant__ variables; 0, 0 */
	size_t constant_bytes;          /* of the variables */
	bool based;
	uintptr_t base;                 /* where it is loaded, if `based` */
};

/* The device object of one file. */
struct unit_code {
	char *file, *preprocessed;
	char *lockstep;                 /* user_text_lockstep(); NULL: nowhere */
	int number;
	struct kernel_source *sources;  /* the file, the user's headers, and the end */
	int source_count;
	const char *const *points;      /* NULL: none */
	struct gpu_code *gpu;           /* NULL: none */
	struct loaded shared;
	struct reached *kernels;
	size_t kernel_count;
	struct kernel_variable *variables;      /* that its kernels reach */
	size_t variable_count;
	struct kernel_variable **unreached;     /* others that host code names */
	size_t unreached_count;
};

struct program_code {
	struct loaded host;
	bool any;                       /* there is no host code: every kernel may be launched */
	struct unit_code *units;
	size_t unit_count;
	struct name_list used;          /* functions that host code refers to */
	struct program_kernel **kernels;        /* NULL: one that cannot be launched */
	size_t kernel_count;
	struct kernel_variable *variables;      /* of all units; ends with a name of NULL */
	struct runtime_program runtime;
	struct kernel_set set;
};

/* --- symbols of a shared object (program_symbols.c) --- */

/* COMPILE if it has none. */
enum status program_symbols_read(struct loaded *);
void program_symbols_free(struct loaded *);
/* Where the object is loaded: also while dlopen() still runs its initialisers. */
bool program_symbols_base(struct loaded *);
/* The place that contains the address; NULL if none does. */
const struct place *program_place_at(struct loaded *, const struct place *list, size_t count,
				     const void *address);
/* The variable with this symbol; NULL if there is none. */
const struct place *program_variable_place(const struct loaded *, const char *symbol);

/* --- device variables (program_variables.c) --- */

/* Finds the variables that kernels of the unit reach. */
void program_variables_list(struct unit_code *);
/* Then: gives those of all units names of their own, and lists them together. */
void program_variables_join(struct program_code *);
/* The variables of its unit that the kernel reaches; the caller frees the list. */
struct kernel_variable *program_variables_of(const struct unit_code *, const struct reached *);
/* For struct runtime_program, and struct kernel_set: of a program_code. */
const struct kernel_variable *program_variables_shadowed(void *context, const void *shadow);
const struct kernel_variable *program_variables_named(void *context, const char *name);
void program_variables_free(struct unit_code *);

/* --- kernels that device code of other files launches (program_far.c) --- */

/* A kernel, and the file that it is of. */
struct far {
	const struct unit_code *unit;   /* NULL: none */
	const struct reached *kernel;
};

/* The kernel itself, and those of other files that it leads to. */
struct far_list {
	struct far *at;
	size_t count;
};

/* The kernel with this symbol, which `from` refers to and does not define. */
struct far program_far_find(const struct program_code *, const struct unit_code *from,
			    const char *symbol);
/* Adds the kernel, and recursively those that it leads to. The caller frees list->at. */
void program_far_add(const struct program_code *, struct far_list *list, struct far);
/* Says in the unit's loaded object where kernels of other files are. */
void program_far_ready(const struct program_code *, const struct unit_code *);

#endif
