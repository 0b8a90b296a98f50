/* program_kernel.h - a kernel of a program, as devices see it: made from its entry. */
#ifndef PROGRAM_KERNEL_H
#define PROGRAM_KERNEL_H

#include "kernels/kernel_table.h"

struct program_kernel;

/* All of it must outlive the kernel, except for the list of records. */
struct program_kernel_source {
	const struct kernel_entry *entry;
	const char *function;                   /* mangled */
	const char *file;
	struct kernel_source *sources;          /* the kernel takes the list over */
	const struct kernel_shared *const *records;     /* of its static shared variables */
	size_t record_count;
	const char *constants, *constants_end;  /* of its file: as in struct sim_code */
	size_t constant_bytes;
	const char *const *points;              /* names of its file's points; NULL: none */
	const struct gpu_code *gpu;             /* of its file; NULL: none */
	struct kernel_variable *variables;      /* that it may access; the kernel takes it over */
};

struct program_kernel *program_kernel_new(const struct program_kernel_source *);
const struct kernel *program_kernel_of(const struct program_kernel *);
/* Whether it has this name, with or without what the following two add. */
bool program_kernel_is(const struct program_kernel *, const char *name);
/* Whether their parameters have the same types, as in the source. */
bool program_kernel_same_types(const struct program_kernel *, const struct program_kernel *);
/* Make its name longer: "k(float *)", then "k(float *)#2". */
void program_kernel_add_types(struct program_kernel *);
void program_kernel_number(struct program_kernel *, size_t number);
void program_kernel_free(struct program_kernel *);

#endif
