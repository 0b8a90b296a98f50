/* recorded_flags.h - which of a trace's recorded flags a compiler may get.
 *
 * A trace may come from anywhere, and flags make a compiler run programs (-wrapper, -fplugin) and
 * write files (-MF). Used to compile the kernel of a recorded `launch` again.
 */
#ifndef RECORDED_FLAGS_H
#define RECORDED_FLAGS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"

struct recorded_flags {
	char **list;                    /* NULL-terminated, for the compilers */
	int count;
};

/* Takes -D and -U with a macro, --std from a fixed list, -I with a folder of the stored sources.
 * These were written to `directory`, and lost the beginning `folder`, in which the .cu file was;
 * the folders of -I change in the same way. `cuda`: nvcc gets the flags too, which passes them
 * through a shell. DAMAGED, naming the flag, for any other. Free *out after a failure too. */
enum status recorded_flags_take(const json_t *flags, const char *folder, const char *directory,
				bool cuda, struct recorded_flags *out);
void recorded_flags_free(struct recorded_flags *);

/* Whether a file name stays inside the folder that it is relative to. */
bool recorded_name_inside(const char *name);
/* Whether a text means nothing to a shell, even in double quotes. */
bool recorded_name_plain(const char *name);

#endif
