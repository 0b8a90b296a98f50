/* export_book.c - stores each line once, and screens as lists of lines; see export_book.h. */
#include "tui/export/export_book.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "tui/export/export.h"

/* A growing text. */
struct text {
	FILE *file;
	char *bytes;
	size_t count;
};

struct book {
	struct hash_map known;          /* from lines to their number + 1 */
	struct text lines, screens;     /* JSON, without the brackets around it */
	int64_t line_count, screen_count;
};

static void open_text(struct text *t)
{
	t->file = xcheck(open_memstream(&t->bytes, &t->count));
}

static void close_text(struct text *t)
{
	fclose(t->file);
	free(t->bytes);
}

struct book *book_create(void)
{
	struct book *b = xcalloc(1, sizeof *b);

	open_text(&b->lines);
	open_text(&b->screens);
	return b;
}

void book_free(struct book *b)
{
	if (!b)
		return;
	hash_map_free(&b->known);
	close_text(&b->lines);
	close_text(&b->screens);
	free(b);
}

/* --- lines --- */

/* The line as text for the page; see book_write_lines(). The caller frees it. */
static char *encode_line(const struct display_line *line)
{
	char at[ADDRESS_TEXT], *text = export_text(line->text), *encoded = NULL;
	struct text out = { 0 };

	address_format(&line->at, at);
	if (!*text || (line->span_count == 0 && !*at))
		return text;
	open_text(&out);
	fprintf(out.file, "%s\t", text);
	for (size_t i = 0; i < line->span_count; i++)
		fprintf(out.file, "%s%zu.%d", i ? "," : "",
			visible_columns(text, line->spans[i].from), (int)line->spans[i].style);
	if (*at)
		fprintf(out.file, "\t%s", at);
	fclose(out.file);
	encoded = xcheck(out.bytes);
	free(text);
	return encoded;
}

static void write_json_string(FILE *out, const char *encoded)
{
	json_t *value = json_string(encoded);

	json_dumpf(value, out, JSON_ENCODE_ANY);
	json_decref(value);
}

static int64_t line_number(struct book *b, const struct display_line *line)
{
	char *encoded = encode_line(line);
	XXH128_hash_t key = XXH3_128bits(encoded, strlen(encoded));
	int64_t number = hash_map_find(&b->known, key);

	if (number == 0) {
		number = ++b->line_count;
		hash_map_add(&b->known, key, number);
		fputs(number > 1 ? ",\n" : "\n", b->lines.file);
		write_json_string(b->lines.file, encoded);
	}
	free(encoded);
	return number - 1;
}

/* --- screens --- */

int64_t book_add(struct book *b, struct display *d)
{
	FILE *out = b->screens.file;
	int64_t first = 0, count = 0;
	bool begun = false;

	display_mark(d, &address_none);
	fputs(b->screen_count ? ",\n[" : "\n[", out);
	for (size_t i = 0; i < display_count(d); i++) {
		int64_t number = line_number(b, display_line(d, i));

		if (count > 0 && number == first + count) {
			count++;
			continue;
		}
		if (count > 0)
			fprintf(out, "%s%lld,%lld", begun ? "," : "", (long long)first,
				(long long)count);
		begun |= count > 0;
		first = number;
		count = 1;
	}
	if (count > 0)
		fprintf(out, "%s%lld,%lld", begun ? "," : "", (long long)first, (long long)count);
	fputs("]", out);
	return b->screen_count++;
}

static void write_array(const struct text *t, FILE *out)
{
	fputs("[", out);
	fflush(t->file);
	fwrite(t->bytes, 1, t->count, out);
	fputs("\n]", out);
}

void book_write_lines(const struct book *b, FILE *out)
{
	write_array(&b->lines, out);
}

void book_write_screens(const struct book *b, FILE *out)
{
	write_array(&b->screens, out);
}
