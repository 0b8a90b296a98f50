/* check_find.h - reporting findings. Private to the checker. */
#ifndef CHECK_FIND_H
#define CHECK_FIND_H

#include "sim/check/finding.h"
#include "sim/exec/symbol.h"

#define MAX_FINDINGS 1000               /* cap on distinct findings */

struct check_finding {
	struct check_report report;
	uint64_t count;
	struct check_launch launch;
	const char *kernel;             /* NULL: not of a launch */
	uint64_t seed;                  /* of a further order that shows it; 0: none */
	struct symbol lines[2];
	bool resolved;
	uintptr_t *words;               /* uninit: addresses of words not explained by a race */
	size_t word_count;
	bool more_words;                /* not all words are kept, or an access was too wide */
	uint32_t buffer;
	uint64_t offset;
	char region[48];
};

/* Adds a finding, or increments the count of the one with the same class and sites. */
void check_report(struct check *, const struct check_report *);
/* A race explains the uninit read of this word at pc. */
void check_excuse(struct check *, uintptr_t pc, uintptr_t word);
void check_find_free(struct check *);

/* For findings that come from elsewhere (check_again.c). A new one, not filled; NULL: there are too
 * many. */
struct check_finding *check_add_finding(struct check *);
/* Calls the observer for a new finding of this class. */
void check_observe(enum finding_class);
bool check_is_lint(enum finding_class);
/* Whether two reports have the same class and sites. */
bool check_same_report(const struct check_report *, const struct check_report *);
/* Whether every unwritten word that an uninit finding read races with a write: the finding of that
 * race is enough. */
bool check_explained(const struct check_finding *);

#endif
