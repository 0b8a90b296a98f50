/* diff_varying.c - places whose values vary from run to run; see diff_varying.h. */
#include "traces/diff/diff_varying.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/digest.h"

static uint64_t place_of(const char *address, const char *name, int64_t index)
{
	struct digest_state *digest = digest_begin(DTYPE_U8);

	/* Names come from a trace, and have any length. */
	digest_add(digest, address, strlen(address) + 1);
	digest_add(digest, name, strlen(name) + 1);
	digest_add(digest, &index, sizeof index);
	return digest_end(digest);
}

void diff_varying_add(struct diff_varying *v, const char *address, const char *name, int64_t index)
{
	if (v->count == v->capacity) {
		v->capacity = v->capacity ? 2 * v->capacity : 256;
		v->places = xreallocarray(v->places, v->capacity, sizeof *v->places);
	}
	v->places[v->count++] = place_of(address, name, index);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

void diff_varying_sort(struct diff_varying *v)
{
	if (v->count)
		qsort(v->places, v->count, sizeof *v->places, compare);
}

bool diff_varying_has(const struct diff_varying *v, const char *address, const char *name,
		      int64_t index)
{
	uint64_t place = place_of(address, name, index);

	return v->count && bsearch(&place, v->places, v->count, sizeof place, compare);
}

void diff_varying_free(struct diff_varying *v)
{
	free(v->places);
	*v = (struct diff_varying){ 0 };
}
