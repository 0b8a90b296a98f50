/* prune.h - leaves out the bodies of header functions that nothing in a rewritten file names.
 *
 * Headers have thousands of inline functions and templates, and the compiler parses them all: most
 * of the time in which a small kernel compiles. Without a body a function is still declared, so the
 * text means the same, as long as nothing calls it. Used by rewrite.c.
 */
#ifndef PRUNE_H
#define PRUNE_H

#include <stdio.h>

#include "sim/cu2c/unit.h"

struct prune {
	const struct unit *unit;
	/* [function_count] Where its name, and its body, are in the text; -1: nowhere. */
	long *name, *begin, *end;
	int next;               /* the function whose body comes next */
};

/* Functions that can be left out are those with `droppable`. */
void prune_begin(struct prune *, const struct unit *);
/* Before the token `at` is written to the stream, and after it. */
void prune_before(struct prune *, int at, FILE *);
void prune_after(struct prune *, int at, FILE *);
/* What is left of the rewritten text, with as many lines; the caller frees it. Frees `text`. */
char *prune_text(struct prune *, char *text, size_t bytes);
void prune_end(struct prune *);

#endif
