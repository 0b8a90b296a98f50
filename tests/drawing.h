/* drawing.h - for tests of views: a screen drawn at an address, as `view --plain` prints it. */
#ifndef TESTS_DRAWING_H
#define TESTS_DRAWING_H

#include "tests/support.h"

#include "tui/views/view_list.h"

/* Draws the screen at address `at`, or "" for no address; the run is 1 unless the address names
 * one. The caller frees *text. */
static inline enum status draw_screen(struct view_context c, const char *screen, const char *at,
				      char **text)
{
	enum status status;
	size_t size;
	FILE *file = open_memstream(text, &size);

	ck_assert_ptr_nonnull(file);
	c.at = address_none;
	c.listed = view_table;
	if (*at)
		OK(address_parse("--at", at, &c.at));
	c.run = c.at.run > 0 ? c.at.run : 1;
	c.out = display_create(file, &c.at);
	status = view_find(screen)->draw(&c);
	display_finish(c.out);
	display_free(c.out);
	ck_assert_int_eq(fclose(file), 0);
	return status;
}

#endif
