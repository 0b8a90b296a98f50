/* suggest.c - finds the name nearest to a mistyped one, by Levenshtein's distance.
 *
 * Serves main.c for commands and options.c for options; what is said about it is theirs.
 */
#include "tui/suggest.h"

#include <stddef.h>
#include <string.h>

#define LONGEST 31                      /* name */
#define FARTHEST 2                      /* that still counts as mistyped */

static int smallest(int a, int b, int c)
{
	int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Insertions, removals and replacements from a to b, a name. */
static int edit_distance(const char *a, const char *b)
{
	int row[LONGEST + 1];
	int length = (int)strlen(b);

	if (length > LONGEST)
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

	if (distance > FARTHEST || (s->nearest != NULL && distance >= s->distance))
		return;
	s->nearest = name;
	s->distance = distance;
}
