/* answers.h - the right answers to the questions about a trace, computed without the SQL that a
 * student would write. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <stdbool.h>

#include "base/status.h"

struct answer {
	double value;
	bool exact;                     /* an integer; else a number within a tolerance */
	const char *screen;             /* of the viewer, that shows it */
	char at[48];                    /* the address to open it at */
};

/* The answer to the question of this name. INTERNAL if there is no such question, or the trace does
 * not hold an answer. */
enum status answer_find(const char *trace, const char *question, struct answer *out);

/* The number that a text is, which may have the letter of an address before it if it is an integer:
 * L12. False if it is none. */
bool answer_read(const struct answer *, const char *text, double *out);
/* Whether a text is the answer. */
bool answer_matches(const struct answer *, const char *text);

#endif
