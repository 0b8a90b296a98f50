/* viewer_ask.c - reads a line that the user types, and runs commands and SQL. */
#include "config.h"

#include "tui/viewer/viewer_ask.h"

#include <ctype.h>
#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/xalloc.h"
#include "traces/store/sql_functions.h"
#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_break.h"
#include "tui/viewer/viewer_draw.h"
#include "tui/viewer/viewer_fence.h"
#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/kernel/view_exists.h"
#include "tui/views/sql_print.h"

#define SQL_ROWS "500"

typedef enum status command_fn(struct viewer *, const char *rest);
static command_fn command_at, command_save, command_break, command_breaks, command_fence,
	command_help, command_quit;

static const struct {
	const char *name;
	command_fn *act;
} commands[] = {
	{ "at", command_at }, { "save-display", command_save }, { "break", command_break },
	{ "breaks", command_breaks }, { "fence", command_fence }, { "help", command_help },
	{ "q", command_quit }, { "quit", command_quit },
};
#define COMMANDS ((int)(sizeof commands / sizeof commands[0]))

/* --- a line --- */

static bool edit(wchar_t text[VIEWER_INPUT / 4], int *length, int key)
{
	if (key == TERM_CODE(KEY_BACKSPACE) || key == 127 || key == '\b') {
		if (*length == 0)
			return false;
		--*length;
	} else if (key == 'U' - '@') {
		*length = 0;
	} else if (key >= ' ' && key < TERM_CODE(0) && iswprint((wint_t)key)
		   && *length < VIEWER_INPUT / 4 - 1) {
		text[(*length)++] = (wchar_t)key;
	}
	text[*length] = 0;
	return true;
}

/* Tab: completes to the longest common prefix of the commands that begin with the text. */
static void complete(wchar_t text[VIEWER_INPUT / 4], int *length)
{
	char typed[32] = "", common[32] = "";
	int found = 0, same;

	/* Conversion stops at a character that does not fit, without writing a NUL. */
	if (wcschr(text, L' ') || wcstombs(typed, text, sizeof typed - 1) == (size_t)-1)
		return;
	for (int i = 0; i < COMMANDS; i++) {
		if (strncmp(commands[i].name, typed, strlen(typed)) != 0)
			continue;
		if (found++ == 0)
			snprintf(common, sizeof common, "%s", commands[i].name);
		for (same = 0; common[same] && common[same] == commands[i].name[same]; same++)
			;
		common[same] = '\0';
	}
	if (found == 0)
		return;
	*length = (int)mbstowcs(text, common, sizeof(common));
	if (found == 1)
		wcscpy(text + (*length)++, L" ");
}

bool viewer_ask(struct viewer *v, const char *prompt, char text[VIEWER_INPUT])
{
	wchar_t typed[VIEWER_INPUT / 4] = L"";
	int length = 0, key;

	for (;;) {
		viewer_paint_prompt(v, prompt, typed);
		key = viewer_wait_key(v);
		if (key == '\r' || key == '\n' || key == TERM_CODE(KEY_ENTER))
			break;
		if (key == 27 || key == TERM_INTERRUPTED || key == TERM_LOST)
			return false;
		if (key == TERM_RESIZED)
			viewer_draw(v);
		else if (key == '\t' && *prompt == ':')
			complete(typed, &length);
		else if (!edit(typed, &length, key))
			return false;
	}
	/* A character has at most four bytes, so it fits. */
	return wcstombs(text, typed, VIEWER_INPUT) != (size_t)-1 && length > 0;
}

/* --- commands --- */

/* Checks that a place to go to exists. */
static enum status check_address(const struct viewer *v, const struct address *at)
{
	struct view_context c = viewer_context(v, 0);
	int64_t runs;

	TRY(store_run_count(c.store, &runs));
	if (at->run > runs || at->run == 0)
		return fail(STATUS_USAGE, "no run r%lld", (long long)at->run);
	if (at->run > 0)
		c.run = at->run;
	c.at = *at;
	return view_check_address(&c);
}

static enum status command_at(struct viewer *v, const char *text)
{
	struct address at;

	TRY(address_parse(":at", text, &at));
	TRY(check_address(v, &at));
	/* For a run alone, goes to the same place in it. */
	if (at.launch < 0 && at.op < 0 && at.step < 0) {
		int64_t run = at.run;

		at = v->here.at;
		at.run = run;
	}
	viewer_jump(v, v->here.view, &at);
	return STATUS_OK;
}

static enum status command_save(struct viewer *v, const char *path)
{
	FILE *file;

	if (!*path)
		return fail(STATUS_USAGE, "usage: :save-display FILE");
	file = fopen(path, "wx");
	if (!file)
		return fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
	display_write(viewer_searched(v), file);
	if (fclose(file) != 0)
		return fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
	viewer_say(v, "saved as %s", path);
	return STATUS_OK;
}

static enum status command_break(struct viewer *v, const char *place)
{
	if (*place)
		return viewer_break(v, place);
	viewer_say(v, ":break KERNEL, FILE:LINE or ADDR sets or removes a breakpoint");
	return STATUS_OK;
}

static enum status command_breaks(struct viewer *v, const char *rest)
{
	(void)rest;
	return viewer_breaks(v, 'B');
}

static enum status command_fence(struct viewer *v, const char *range)
{
	return viewer_fence(v, range);
}

static enum status command_quit(struct viewer *v, const char *rest)
{
	(void)rest;
	v->quit = true;
	return STATUS_OK;
}

static enum status command_help(struct viewer *v, const char *rest)
{
	(void)rest;
	return viewer_help(v, '?');
}

/* Whether the text begins as an address does, and as no command does: "L12", "s4", "op 7". */
static bool begins_address(const char *text)
{
	if (strncmp(text, "op", 2) == 0)
		return isdigit((unsigned char)text[2]) || text[2] == ' ';
	return strchr("Lrs", text[0]) && isdigit((unsigned char)text[1]);
}

enum status viewer_command(struct viewer *v, int key)
{
	char text[VIEWER_INPUT] = "";
	char *rest;

	(void)key;
	if (!viewer_ask(v, ":", text))
		return STATUS_OK;
	if (begins_address(text))
		return command_at(v, text);
	rest = text + strcspn(text, " ");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " ");
	for (int i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, text) == 0)
			return commands[i].act(v, rest);
	return fail(STATUS_USAGE, ":%s: unknown command: expected an address,"
		    " :save-display FILE, :break KERNEL, :breaks, :fence A..B, :help or :q", text);
}

/* --- the command that returns to this place --- */

/* The text as one shell word, quoted where necessary. The caller frees it. */
static char *shell_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,=@%";
	char *word, *to;

	if (*text && text[strspn(text, plain)] == '\0')
		return xstrdup(text);
	word = to = xmalloc(4 * strlen(text) + 3);
	*to++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			to = stpcpy(to, "'\\'");     /* the quote itself reopens the quoting */
		*to++ = *text;
	}
	strcpy(to, "'");
	return word;
}

static char *trace_args(const struct viewer *v)
{
	const struct store *second = v->side[1].store;
	char *one = shell_word(store_shown_path(v->side[0].store)), *two, *both;

	if (!second || second == v->side[0].store)
		return one;
	two = shell_word(store_shown_path(second));
	both = xasprintf("%s %s", one, two);
	free(one);
	free(two);
	return both;
}

/* On one line where it fits, else as a list with shell line continuations. */
enum status viewer_show_address(struct viewer *v, int key)
{
	char at[ADDRESS_TEXT], looks[VIEW_FORMAT_OPTIONS], *traces = trace_args(v), *place;
	struct display *d;

	(void)key;
	address_format(&v->here.at, at);
	view_format_options(&v->looks, looks);
	place = xasprintf("--at '%s' --screen %s%s", at, v->here.view->name, looks);
	if (strlen("flashtwin view   ") + strlen(traces) + strlen(place) < (size_t)COLS) {
		viewer_say(v, "flashtwin view %s %s", traces, place);
	} else {
		d = display_create(NULL, &address_none);
		display_text(d, "flashtwin view \\\n  ");
		display_text(d, traces);
		display_text(d, " \\\n  ");
		display_text(d, place);
		viewer_show_list(v, " the command that returns to this place ", d);
	}
	free(traces);
	free(place);
	return STATUS_OK;
}

/* --- SQL --- */

static enum status print_rows(sqlite3 *db, const char *sql, FILE *out)
{
	char *whole = xasprintf("SELECT * FROM (%s) LIMIT " SQL_ROWS, sql);
	sqlite3_stmt *rows = NULL;
	enum status status = STATUS_OK;

	if (sqlite3_prepare_v2(db, whole, -1, &rows, NULL) != SQLITE_OK)
		status = fail(STATUS_USAGE, "SQL: %s", sqlite3_errmsg(db));
	else
		status = sql_print(rows, SQL_TABLE, out);
	sqlite3_finalize(rows);
	free(whole);
	return status;
}

enum status viewer_sql(struct viewer *v, int key)
{
	sqlite3 *db = store_db(v->side[0].store);
	char sql[VIEWER_INPUT] = "", *text = NULL;
	struct display *d;
	enum status status;
	size_t bytes;
	FILE *file;

	(void)key;
	if (!viewer_ask(v, ";", sql))
		return STATUS_OK;
	TRY(sql_functions_register(v->side[0].store));
	file = open_memstream(&text, &bytes);
	if (!file)
		return fail(STATUS_INTERNAL, "out of memory for an answer");
	status = print_rows(db, sql, file);
	if (fclose(file) != 0 && status == STATUS_OK)
		status = fail(STATUS_INTERNAL, "out of memory for an answer");
	if (status == STATUS_OK) {
		d = display_create(NULL, &address_none);
		display_text(d, text);
		viewer_show_list(v, " at most the first " SQL_ROWS " rows ", d);
	}
	free(text);
	return status;
}
