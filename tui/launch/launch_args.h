/* launch_args.h - the arguments of `flashtwin launch`: NAME=SPEC, matched with a kernel's
 * parameters. */
#ifndef LAUNCH_ARGS_H
#define LAUNCH_ARGS_H

#include <stdbool.h>

#include "base/npy.h"
#include "engine/device.h"

struct launch_arg {
	char *name;                     /* of the parameter; owned */
	const char *spec;               /* as given, behind the '=' */
	bool is_array, reads, writes;
	struct arg value;               /* scalars, with their kind; a null pointer */
	const char *small;              /* the type of a scalar that has no kind, else NULL */
	unsigned char bytes[8];         /* its value */
	const char *path;               /* arrays: the file, in what was given or in `owned` */
	char *owned;
	struct npy array;               /* dtype and shape; data of what is read */
	struct buffer *buffer;          /* on the device of the run; not owned */
	void *result;                   /* what the first run left in an output; owned */
};

struct launch_args {
	struct launch_arg items[MAX_ARGS];
	int count;
};

/* Takes one --arg and reads its input file. USAGE for what is no NAME=SPEC, a value out of range, a
 * name given twice; the errors of npy_read(). */
enum status launch_args_add(struct launch_args *, const char *text);
/* Brings the arguments into the order of the kernel's parameters. USAGE, naming the parameter,
 * its type and what was given, for one that is missing, unknown or of another type. */
enum status launch_args_match(struct launch_args *, const struct kernel *);
void launch_args_free(struct launch_args *);

#endif
