/* visible.h - text that is safe to show: control characters as visible escapes.
 *
 * Names and texts of a trace may come from anywhere; a terminal must not obey what they contain.
 * C0 controls and DEL become \x1b, the C1 controls U+0080 to U+009F become \u009b, and bytes that
 * are not UTF-8 become \x9b, because a terminal may read them as C1. Backslashes stay as they are.
 * Used for error lines and by everything that prints text of a trace for reading.
 */
#ifndef VISIBLE_H
#define VISIBLE_H

#include <stddef.h>
#include <stdio.h>

#define VISIBLE_BYTES 7                 /* the longest escape, "\u009b", and its NUL */

/* Writes the first character of `text`, which must not be empty, or its escape. Returns how many
 * bytes of `text` that was. */
size_t visible_next(const char *text, char out[VISIBLE_BYTES]);

/* The whole text; \n and \t are written with these letters. The caller frees it. */
char *visible_text(const char *text);
/* The same, cut to `size` bytes with the NUL, but never within a character. */
void visible_copy(char *out, size_t size, const char *text);
/* The columns of so many bytes of UTF-8: its characters. */
size_t visible_columns(const char *text, size_t bytes);
/* Prints text whose line breaks and tabs are layout: they stay. */
void visible_print(FILE *, const char *text);
/* Prints JSON as it is, except that U+007F to U+009F in its strings become \u escapes, as JSON
 * requires of C0 already. */
void visible_print_json(FILE *, const char *json);

#endif
