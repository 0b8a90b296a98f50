/* numbers.c - numbers of objects that the caller holds by pointer; see numbers.h. */
#include "engine/record/numbers.h"

#include <stddef.h>

#include "base/xalloc.h"

void numbers_add(struct numbers *numbers, const void *object)
{
	numbers->items = xreallocarray(numbers->items, (size_t)numbers->count + 1,
				       sizeof *numbers->items);
	numbers->items[numbers->count++] = object;
}

void numbers_remove(struct numbers *numbers, const void *object)
{
	int number = numbers_find(numbers, object);

	if (number)
		numbers->items[number - 1] = NULL;
}

int numbers_find(const struct numbers *numbers, const void *object)
{
	for (int i = 0; object && i < numbers->count; i++)
		if (numbers->items[i] == object)
			return i + 1;
	return 0;
}
