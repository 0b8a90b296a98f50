/* program_reach.h - what the kernels of a device object can reach: by sections and relocations. */
#ifndef PROGRAM_REACH_H
#define PROGRAM_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A list of strings, each owned. */
struct name_list {
	char **at;
	size_t count;
};

void name_list_add(struct name_list *, const char *name);       /* once */
bool name_list_has(const struct name_list *, const char *name);
void name_list_free(struct name_list *);

/* A kernel: its function, and the symbols that it reaches. */
struct reached {
	char *function;                 /* mangled */
	struct name_list records;       /* of its static shared variables */
	struct name_list variables;     /* of the device, that may be written */
	struct name_list undefined;
	bool refused;                   /* set by program_code.c */
};

/* Lists the kernels of a relocatable object; free *list and what it has with reached_free().
 * *valid is false if it is no such object. IO. */
enum status reached_list(const char *object, struct reached **list, size_t *count, bool *valid);
void reached_free(struct reached *list, size_t count);

/* Adds the names of functions of the object that others of it refer to, and of those that it does
 * not define. */
enum status reached_functions(const char *object, struct name_list *out, bool *valid);

/* The symbol of the entry of the kernel with this mangled name; the caller frees it. */
char *reached_entry(const char *function);

#endif
