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
	struct buffer *buffer;          /* on the device of the run; not owned */
	void *result;                   /* an output's bytes after the first run; shared memory */
	size_t result_bytes;            /* 0: none */
};

struct launch_args {
	struct launch_arg items[MAX_ARGS];
	int count;
};

/* Adds one --arg and reads its input file. USAGE if it is not NAME=SPEC, for a value out of range
 * or a name given twice; the errors of npy_read(). */
enum status launch_args_add(struct launch_args *, const char *text);
/* Sorts the arguments into the order of the kernel's parameters. USAGE, naming the parameter, its
 * type and what was given, if one is missing, unknown or of the wrong type. */
enum status launch_args_match(struct launch_args *, const struct kernel *);
/* Makes memory for the outputs that child processes share with this one. An output for which there
 * is none has no result_bytes. */
void launch_args_share(struct launch_args *);
void launch_args_free(struct launch_args *);

#endif
