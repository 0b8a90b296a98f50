/* numbers.h - numbers of objects that the caller holds by pointer: streams and events.
 *
 * 1, 2, ... in order of creation, never reused. Used by the recorder.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

struct numbers {
	const void **items;             /* NULL: destroyed */
	int count;
};

void numbers_add(struct numbers *, const void *object);
void numbers_remove(struct numbers *, const void *object);
int numbers_find(const struct numbers *, const void *object);           /* 0 for NULL */

#endif
