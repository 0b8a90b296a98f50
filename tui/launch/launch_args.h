/* launch_args.h - reads the arguments of `flashtwin launch`: NAME=SPEC, matched with a kernel's
 * parameters. */
#ifndef LAUNCH_ARGS_H
#define LAUNCH_ARGS_H

#include <stdbool.h>

#include "base/npy.h"
#include "engine/device.h"

struct launch_arg {
	char *name;                     /* of the parameter; owned */
	const char *spec;               /* as given, after the '=' */
	bool is_array, reads, writes;
	struct arg value;               /* scalars, with their kind; a null pointer */
	const char *small;              /* type of a scalar without a PARAM_ kind, else NULL */
	unsigned char bytes[8];         /* its value */
	const char *path;               /* arrays: the file, part of `spec` or `owned` */
	char *owned;
	struct npy array;               /* dtype and shape; data if it is read */
	const struct kernel_variable *variable; /* that it sets; NULL: it is a parameter's */
	struct buffer *buffer;          /* on the device of the run; not owned */
	void *result;                   /* an output's bytes after the first run; shared memory */
	size_t result_bytes;            /* 0: none */
};

#define MAX_LAUNCH_ARGS (4 * MAX_ARGS)

struct launch_args {
	struct launch_arg items[MAX_LAUNCH_ARGS];
	int count;
	int param_count;                /* of launch_args_match(): these come first */
};

/* Adds one --arg and reads its input file. USAGE if it is not NAME=SPEC, for a value out of range
 * or a name given twice; the errors of npy_read(). */
enum status launch_args_add(struct launch_args *, const char *text);
/* Sorts the arguments into the order of the kernel's parameters; those of device variables follow.
 * USAGE, naming the parameter, its type and what was given, if one is unknown or of the wrong type;
 * all that are missing are named together. */
enum status launch_args_match(struct launch_args *, const struct kernel *);
/* Makes memory for the outputs that child processes share with this one. An output for which there
 * is none has no result_bytes. */
void launch_args_share(struct launch_args *);
/* The type of an argument that is a number. */
enum dtype launch_arg_dtype(const struct launch_arg *);
void launch_args_free(struct launch_args *);

#endif
