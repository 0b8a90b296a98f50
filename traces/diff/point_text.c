/* point_text.c - points that one run has and the other cannot have; see point_text.h.
 *
 * Texts are read when the first point without a counterpart is found: usually never.
 */
#include "traces/diff/point_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/column.h"
#include "traces/store/store.h"

#define SIDES 2

struct answer {
	int side;
	char *name, *kernel;
	bool lacks;
};

struct point_text {
	struct store *store[SIDES];
	int64_t run[SIDES];
	int64_t launch;                 /* the last one asked for, */
	struct answer *answers;         /* and what is known of it */
	int count;
};

/* --- the text of a kernel --- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of the comment, string or character that begins at `at`; `at` if there is none. */
static const char *skip_quoted(const char *at)
{
	const char *end;

	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (*at != '"' && *at != '\'')
		return at;
	for (end = at + 1; *end && *end != *at && *end != '\n'; end++)
		if (*end == '\\' && end[1])
			end++;
	return *end == *at ? end + 1 : end;
}

/* Whether `at`, the beginning of a word, is POINT(name. */
static bool is_point(const char *at, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(at, "POINT", 5) != 0)
		return false;
	at += 5;
	at += strspn(at, " \t\n\r");
	if (*at++ != '(')
		return false;
	at += strspn(at, " \t\n\r");
	return strncmp(at, name, length) == 0 && !is_word(at[length]);
}

int point_text_count(const char *text, const char *name)
{
	int count = 0;

	while (*text) {
		const char *end = skip_quoted(text);

		if (end != text) {
			text = end;
		} else if (is_word(*text)) {
			count += is_point(text, name);
			while (is_word(*text))
				text++;
		} else {
			text++;
		}
	}
	return count;
}

/* --- queries --- */

static enum status prepare(const struct point_text *t, int side, const char *sql, int64_t launch,
			   const char *text, sqlite3_stmt **out)
{
	if (sqlite3_prepare_v2(store_db(t->store[side]), sql, -1, out, NULL) != SQLITE_OK
	    || sqlite3_bind_int64(*out, 1, t->run[side]) != SQLITE_OK
	    || sqlite3_bind_int64(*out, 2, launch) != SQLITE_OK
	    || (text && sqlite3_bind_text(*out, 3, text, -1, SQLITE_STATIC) != SQLITE_OK))
		return store_read_failed(t->store[side]);
	return STATUS_OK;
}

/* Sets *places to how many places of the kernel's text publish the name, -1 if the trace has no
 * text; *kernel becomes the name of the kernel, which the caller frees, or NULL. */
static enum status count_places(const struct point_text *t, int side, int64_t launch,
				const char *name, int *places, char **kernel)
{
	sqlite3_stmt *rows = NULL;
	enum status status = prepare(t, side, "SELECT l.kernel, s.source FROM v_launch l"
				     " JOIN v_source s ON s.run = l.run AND s.kernel = l.kernel"
				     " WHERE l.run = ?1 AND l.launch = ?2", launch, NULL, &rows);
	int code = SQLITE_DONE;

	*places = -1;
	*kernel = NULL;
	while (status == STATUS_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		if (!*kernel)
			*kernel = xstrdup(column_text(rows, 0));
		*places = (*places < 0 ? 0 : *places)
			+ point_text_count(column_text(rows, 1), name);
	}
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(t->store[side]);
	sqlite3_finalize(rows);
	return status;
}

static enum status has_point(const struct point_text *t, int side, int64_t launch,
			     const char *name, bool *has)
{
	sqlite3_stmt *rows = NULL;
	enum status status = prepare(t, side, "SELECT 1 FROM t_point p JOIN t_point_name n"
				     " USING (name) WHERE p.run = ?1 AND p.launch = ?2"
				     " AND n.content = ?3 LIMIT 1", launch, name, &rows);
	int code = SQLITE_DONE;

	if (status == STATUS_OK)
		code = sqlite3_step(rows);
	*has = code == SQLITE_ROW;
	if (status == STATUS_OK && code != SQLITE_ROW && code != SQLITE_DONE)
		status = store_read_failed(t->store[side]);
	sqlite3_finalize(rows);
	return status;
}

/* --- interface --- */

struct point_text *point_text_new(struct store *const store[2], const int64_t run[2])
{
	struct point_text *t = xcalloc(1, sizeof *t);

	for (int i = 0; i < SIDES; i++) {
		t->store[i] = store[i];
		t->run[i] = run[i];
	}
	return t;
}

static void forget(struct point_text *t)
{
	for (int i = 0; i < t->count; i++) {
		free(t->answers[i].name);
		free(t->answers[i].kernel);
	}
	t->count = 0;
}

void point_text_free(struct point_text *t)
{
	if (!t)
		return;
	forget(t);
	free(t->answers);
	free(t);
}

static enum status decide(struct point_text *t, int64_t launch, struct answer *answer)
{
	char *kernel = NULL;
	int own, other;
	bool has = true;

	TRY(count_places(t, answer->side, launch, answer->name, &own, &answer->kernel));
	TRY(count_places(t, !answer->side, launch, answer->name, &other, &kernel));
	free(kernel);
	if (own >= 0 && other > own)
		TRY(has_point(t, answer->side, launch, answer->name, &has));
	answer->lacks = !has;
	return STATUS_OK;
}

static const struct answer *find(const struct point_text *t, int side, const char *name)
{
	for (int i = 0; i < t->count; i++)
		if (t->answers[i].side == side && !strcmp(t->answers[i].name, name))
			return &t->answers[i];
	return NULL;
}

enum status point_text_lacks(struct point_text *t, int side, int64_t launch, const char *name,
			     bool *lacks, const char **kernel)
{
	const struct answer *answer;

	if (t->launch != launch)
		forget(t);
	t->launch = launch;
	answer = find(t, side, name);
	if (!answer) {
		t->answers = xreallocarray(t->answers, (size_t)t->count + 1, sizeof *t->answers);
		t->answers[t->count] = (struct answer){ .side = side, .name = xstrdup(name) };
		answer = &t->answers[t->count++];
		TRY(decide(t, launch, &t->answers[t->count - 1]));
	}
	*lacks = answer->lacks;
	*kernel = answer->kernel ? answer->kernel : "";
	return STATUS_OK;
}
