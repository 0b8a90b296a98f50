/* items.h - a result as a list of items with a name, points and a text, for the formats of course
 * systems and of test harnesses.
 *
 * The texts of summaries have no values, so that they may be shown at once. Details of secret cases
 * are in the list only if the result was not redacted.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include <stdbool.h>

#include "tui/lab/result/result.h"

enum item_kind {
	ITEM_COMPILE,                   /* whether the file compiles; without points */
	ITEM_CASE,                      /* a public case */
	ITEM_SECRET,                    /* the secret cases of a family together */
	ITEM_DETAIL,                    /* one of them, with values; without points */
	ITEM_PART                       /* a part as a whole */
};

struct result_item {
	enum item_kind kind;
	enum lab_part part;             /* PART_COUNT: none */
	char *name;                     /* "public: late-maximum 1" */
	bool passed, skipped;           /* skipped: the part was not graded */
	double points, max;             /* both 0 for items without points */
	char *text;                     /* lines; why points are missing, or "" */
};

struct result_items {
	struct result_item *list;
	int count;
};

void result_items_make(const struct lab_result *, struct result_items *);
void result_items_free(struct result_items *);
/* Whether the items after a summary say the same case by case. */
bool result_items_detailed(const struct result_items *, const struct result_item *);
/* The first line of an item's text, without its label; the caller frees it. */
char *result_item_reason(const struct result_item *);

#endif
