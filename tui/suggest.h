/* suggest.h - what a mistyped word was probably meant to be: "did you mean". */
#ifndef SUGGEST_H
#define SUGGEST_H

/* The nearest name so far. Begin with { .word = ... }; `nearest` stays NULL when none is near. */
struct suggestion {
	const char *word;               /* as typed */
	const char *nearest;
	int distance;
};

/* Keeps `name` when it is nearer than all before. */
void suggestion_try(struct suggestion *, const char *name);

#endif
