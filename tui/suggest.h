/* suggest.h - the name that a mistyped word was probably meant to be, for "did you mean". */
#ifndef SUGGEST_H
#define SUGGEST_H

/* The nearest name so far. Start with { .word = ... }; `nearest` stays NULL if no name is close. */
struct suggestion {
	const char *word;               /* as typed */
	const char *nearest;
	int distance;
};

/* Keeps `name` if it is nearer than all names before. */
void suggestion_try(struct suggestion *, const char *name);

#endif
