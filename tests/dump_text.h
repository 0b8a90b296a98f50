/* dump_text.h - for tests: a whole trace as text, to compare it with another one. */
#ifndef TESTS_DUMP_TEXT_H
#define TESTS_DUMP_TEXT_H

#include "tests/support.h"

#include <stdio.h>

#include "traces/store/dump.h"

/* The caller frees it. */
static inline char *dump_of(struct store *store)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	OK(dump_logical(store, out));
	fclose(out);
	return text;
}

#endif
