/* suggest.c - finds the name nearest to a mistyped one, by Levenshtein distance.
 *
 * Callers write the message. Used for commands, options and values.
 */
#include "tui/suggest.h"

#include <stddef.h>
#include <string.h>

#define MAX_NAME 31
#define MAX_DISTANCE 2                  /* beyond it a name is not suggested */

static int smallest(int a, int b, int c)
{
	int min = a < b ? a : b;

	return min < c ? min : c;
}

/* The number of insertions, deletions and replacements that turn a into b, a name. */
static int edit_distance(const char *a, const char *b)
{
	int row[MAX_NAME + 1];
	int length = (int)strlen(b);

	if (length > MAX_NAME)
		return length;
	for (int j = 0; j <= length; j++)
		row[j] = j;
	for (int i = 0; a[i] != '\0'; i++) {
		int diagonal = row[0];

		row[0] = i + 1;
		for (int j = 1; j <= length; j++) {
			int above = row[j];

			row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

void suggestion_try(struct suggestion *s, const char *name)
{
	int distance = edit_distance(s->word, name);

	if (distance > MAX_DISTANCE || distance >= (int)strlen(name)
	    || (s->nearest && distance >= s->distance))
		return;
	s->nearest = name;
	s->distance = distance;
}
