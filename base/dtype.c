/* dtype.c - names and sizes of the element types, from the list in dtype.h. */
#include "base/dtype.h"

#include <string.h>

static const struct {
	const char *name;
	size_t bytes;
} dtypes[DTYPE_COUNT] = {
#define X(name, text, bytes, npy) [DTYPE_##name] = { text, bytes },
	DTYPE_LIST(X)
#undef X
};

const char *dtype_name(enum dtype type)
{
	return dtypes[type].name;
}

size_t dtype_bytes(enum dtype type)
{
	return dtypes[type].bytes;
}

int dtype_from_name(const char *name, enum dtype *out)
{
	for (int i = 0; i < DTYPE_COUNT; i++) {
		if (strcmp(name, dtypes[i].name) == 0) {
			*out = (enum dtype)i;
			return 1;
		}
	}
	return 0;
}
