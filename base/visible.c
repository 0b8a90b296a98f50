/* visible.c - control characters as visible escapes; see visible.h. */
#include "base/visible.h"

#include <stdbool.h>
#include <string.h>

#include "base/xalloc.h"

/* Bytes of the UTF-8 character at `text`; 0 if it is not one: cut off, too long for its value, a
 * surrogate, or beyond U+10FFFF. Never reads past the NUL. */
static size_t utf8_bytes(const unsigned char *text)
{
	static const unsigned first[] = { 0, 0x80, 0x800, 0x10000 };
	size_t count = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3
		: *text < 0xf5 ? 4 : 0;
	unsigned value = count > 1 ? *text & (0xffu >> (count + 1)) : *text;

	for (size_t i = 1; i < count; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3f);
	}
	return count && value >= first[count - 1] && value <= 0x10ffff
		&& (value < 0xd800 || value > 0xdfff) ? count : 0;
}

static bool is_c1(const unsigned char *text)
{
	return text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f;
}

size_t visible_next(const char *text, char out[VISIBLE_BYTES])
{
	const unsigned char *from = (const unsigned char *)text;
	size_t count = utf8_bytes(from);

	if (*from == '\n' || *from == '\t') {
		snprintf(out, VISIBLE_BYTES, *from == '\n' ? "\\n" : "\\t");
	} else if (count == 0 || *from < ' ' || *from == 0x7f) {
		snprintf(out, VISIBLE_BYTES, "\\x%02x", *from);
		count = 1;
	} else if (is_c1(from)) {
		snprintf(out, VISIBLE_BYTES, "\\u%04x", from[1]);
	} else {
		memcpy(out, text, count);
		out[count] = '\0';
	}
	return count;
}

char *visible_text(const char *text)
{
	/* A byte grows to four at most, the two of a C1 control to six. */
	char *out = xmalloc(4 * strlen(text) + VISIBLE_BYTES), *to = out;

	while (*text) {
		text += visible_next(text, to);
		to += strlen(to);
	}
	*to = '\0';
	return out;
}

void visible_copy(char *out, size_t size, const char *text)
{
	char next[VISIBLE_BYTES];
	size_t used = 0;

	while (*text) {
		text += visible_next(text, next);
		if (used + strlen(next) >= size)
			break;
		memcpy(out + used, next, strlen(next));
		used += strlen(next);
	}
	out[used] = '\0';
}

void visible_print(FILE *out, const char *text)
{
	char next[VISIBLE_BYTES];

	while (*text) {
		if (*text == '\n' || *text == '\t') {
			putc(*text++, out);
			continue;
		}
		text += visible_next(text, next);
		fputs(next, out);
	}
}

void visible_print_json(FILE *out, const char *json)
{
	for (; *json; json++) {
		const unsigned char *at = (const unsigned char *)json;

		if (!is_c1(at) && *at != 0x7f) {
			putc(*json, out);
			continue;
		}
		fprintf(out, "\\u%04x", *at == 0x7f ? 0x7f : at[1]);
		json += *at != 0x7f;
	}
}

size_t visible_columns(const char *text, size_t bytes)
{
	size_t columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}
