/* sheet.c - reads answer sheets; see sheet.h. */
#include "tui/lab/answers/sheet.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/output.h"
#include "base/visible.h"
#include "base/xalloc.h"

#define MAX_SHEET ((size_t)64 << 10)
#define STUDENT "student ="

struct reading {
	const struct lab *lab;
	const char *file;
	struct sheet *sheet;
	int line, question;             /* question -1: none yet */
	char *end;                      /* of the value that the next line may continue; or NULL */
};

static enum status wrong(const struct reading *r, const char *what, const char *got)
{
	char *shown = visible_text(got);
	enum status status = fail(STATUS_COMPILE, "%s:%d: expected %s, got %s", r->file, r->line,
				  what, shown);

	free(shown);
	return status;
}

/* Without spaces at both ends; changes the text. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

static enum status read_section(struct reading *r, char *line)
{
	char *name = line + 1, *end = strchr(name, ']');

	if (end)
		*end = '\0';
	for (int i = 0; end && i < r->lab->family_count; i++)
		if (strcmp(r->lab->families[i].name, name) == 0) {
			r->question = i;
			return STATUS_OK;
		}
	return wrong(r, "the name of a question in brackets", name);
}

static enum status read_value(struct reading *r, char *line)
{
	char *equals = strchr(line, '='), *key = line, *value;
	const char **to = NULL;

	if (!equals)
		return wrong(r, "a line like \"answer = 12\"", line);
	*equals = '\0';
	key = trim(key);
	value = trim(equals + 1);
	if (strcmp(key, "student") == 0 && r->question < 0)
		to = &r->sheet->student;
	else if (strcmp(key, "answer") == 0 && r->question >= 0)
		to = &r->sheet->answers[r->question];
	else if (strcmp(key, "query") == 0 && r->question >= 0)
		to = &r->sheet->queries[r->question];
	else
		return wrong(r, "answer or query in the section of a question", key);
	if (**to)
		return wrong(r, "one answer and one query for each question", key);
	*to = value;
	r->end = value + strlen(value);
	return STATUS_OK;
}

static enum status read_line(struct reading *r, char *line)
{
	char *text;

	if (*line == '#')
		return STATUS_OK;
	if ((*line == ' ' || *line == '\t') && r->end) {
		text = trim(line);
		if (!*text)
			return STATUS_OK;
		*r->end++ = ' ';
		memmove(r->end, text, strlen(text) + 1);
		r->end += strlen(r->end);
		return STATUS_OK;
	}
	text = trim(line);
	if (!*text)
		return STATUS_OK;
	r->end = NULL;
	return *text == '[' ? read_section(r, text) : read_value(r, text);
}

enum status sheet_read(const struct lab *lab, const char *file, struct sheet *out)
{
	struct reading r = { .lab = lab, .file = file, .sheet = out, .question = -1 };
	size_t bytes;
	char *next;

	*out = (struct sheet){ .student = "" };
	TRY(file_read(file, MAX_SHEET, &out->text, &bytes));
	if (strlen(out->text) != bytes)
		return fail(STATUS_COMPILE, "%s: expected a text", file);
	out->answers = xcalloc((size_t)lab->family_count + 1, sizeof *out->answers);
	out->queries = xcalloc((size_t)lab->family_count + 1, sizeof *out->queries);
	for (int i = 0; i < lab->family_count; i++)
		out->answers[i] = out->queries[i] = "";
	next = out->text;
	while (next) {
		char *line = next;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		r.line++;
		TRY(read_line(&r, line));
	}
	return STATUS_OK;
}

void sheet_free(struct sheet *s)
{
	free(s->text);
	free(s->answers);
	free(s->queries);
	*s = (struct sheet){ 0 };
}

enum status sheet_sign(const char *file, const char *student)
{
	struct output output;
	enum status status;
	size_t bytes;
	char *text, *at;

	if (strpbrk(student, "\r\n"))
		return fail(STATUS_USAGE, "--student: expected one line");
	TRY(file_read(file, MAX_SHEET, &text, &bytes));
	at = strstr(text, "\n" STUDENT);
	status = at ? output_open(file, &output)
		: fail(STATUS_INTERNAL, "%s has no line \"" STUDENT "\"", file);
	if (status == STATUS_OK) {
		at += strlen("\n" STUDENT);
		fprintf(output.file, "%.*s %s%s", (int)(at - text), text, student, at);
		status = output_commit(&output);
	}
	free(text);
	return status;
}
