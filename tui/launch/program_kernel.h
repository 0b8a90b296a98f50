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
	const struct kernel_source *sources;
	const struct kernel_shared *const *records;     /* of its static shared variables */
	size_t record_count;
};

struct program_kernel *program_kernel_new(const struct program_kernel_source *);
/* Gives it the name "NAME#number", because another kernel of the program has its name: one of
 * another namespace or file, or for another lambda. */
void program_kernel_number(struct program_kernel *, size_t number);
const struct kernel *program_kernel_of(const struct program_kernel *);
void program_kernel_free(struct program_kernel *);

#endif
