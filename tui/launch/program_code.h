/* program_code.h - finds a program's kernels and device variables by their symbols. */
#ifndef PROGRAM_CODE_H
#define PROGRAM_CODE_H

#include <stdbool.h>

#include "base/status.h"

struct kernel_variable;
struct name_change;
struct name_list;
struct program_code;
struct runtime_program;
struct sandbox;

/* host: the path that the host's shared object will have; NULL: there is none, and kernels are
 * found by name only. */
struct program_code *program_code_new(const char *host);
/* The compilation of a .cu file: paths that program_code_add() copies. */
struct program_unit {
	const char *file;               /* as the user named it */
	const char *preprocessed;       /* for the host, where names are as the user wrote them */
	const char *object, *shared;    /* the device's object, before and after linking */
	const char *fatbin;             /* nvcc's; NULL: none */
	struct sandbox *sandbox;        /* where it was compiled */
	const struct name_change *changes;      /* of names that are shown; NULL: none */
	const char *const *points;      /* names of its points, not copied; NULL: none */
	int number;                     /* of the file, for program_code_far() */
};

/* "ft_far_K" has the address of kernel K in the object of a file that launches it in device code,
 * and does not define it. */
#define PROGRAM_FAR_SLOT "ft_far_"

/* Adds its kernels and the texts of its sources. COMPILE if the object is not one that can be read;
 * IO. */
enum status program_code_add(struct program_code *, const struct program_unit *);
/* Notes which kernels this host object refers to. */
enum status program_code_add_host(struct program_code *, const char *object);
/* When all were added: the kernels of other files that kernels of file `number` launch. Sets
 * launched[n] for each file n that has some. */
void program_code_far(struct program_code *, int number, struct name_list *kernels,
		      bool *launched);
/* COMPILE if a kernel that is launched can reach a function of the host, or one that the simulator
 * does not have. */
enum status program_code_check(const struct program_code *);
/* Reads the symbols of the linked objects. */
enum status program_code_load(struct program_code *);
/* When the objects of the device are loaded: describes all kernels and device variables, which
 * kernel_find() and kernel_find_variable() then give by name. */
enum status program_code_ready(struct program_code *);
/* The variables that kernels reach; ends with a name of NULL. */
const struct kernel_variable *program_code_variables(const struct program_code *);
/* user_text_lockstep() of the first file that has a place; NULL: none has. */
const char *program_code_lockstep(const struct program_code *);
const struct runtime_program *program_code_runtime(struct program_code *);
void program_code_free(struct program_code *);

#endif
