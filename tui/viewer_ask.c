/* viewer_ask.c - what is typed in: commands, SQL, searches. */
#include "config.h"

#include "tui/viewer_internal.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "traces/sql_functions.h"
#include "traces/xalloc.h"
#include "tui/sql_print.h"

#define SQL_ROWS "500"

/* --- a line --- */

static bool edit(wchar_t text[VIEWER_WORDS / 4], int *length, int key)
{
	if (key == TERM_CODE(KEY_BACKSPACE) || key == 127 || key == '\b') {
		if (*length == 0)
			return false;
		--*length;
	} else if (key == 'U' - '@') {
		*length = 0;
	} else if (key >= ' ' && key < TERM_CODE(0) && iswprint((wint_t)key)
		   && *length < VIEWER_WORDS / 4 - 1) {
		text[(*length)++] = (wchar_t)key;
	}
	text[*length] = 0;
	return true;
}

bool viewer_ask(struct viewer *v, const char *prompt, char text[VIEWER_WORDS])
{
	wchar_t typed[VIEWER_WORDS / 4] = L"";
	int length = 0, key;

	for (;;) {
		viewer_paint_prompt(v, prompt, typed);
		key = term_key();
		if (key == '\r' || key == '\n' || key == TERM_CODE(KEY_ENTER))
			break;
		if (key == 27 || key == TERM_INTERRUPTED)
			return false;
		if (key == TERM_LOST) {
			v->quit = true;
			return false;
		}
		if (key == TERM_RESIZED)
			viewer_draw(v);
		else if (!edit(typed, &length, key))
			return false;
	}
	/* What the line asks for begins now. */
	viewer_watch_begin(v);
	/* At most four bytes a character, so it fits. */
	return wcstombs(text, typed, VIEWER_WORDS) != (size_t)-1 && length > 0;
}

/* --- search --- */

static const struct display *searched(const struct viewer *v)
{
	return v->list ? v->list : v->side[0].display;
}

static void show_match(struct viewer *v, long line)
{
	const struct display *d = searched(v);
	struct address at = display_line(d, (size_t)line)->at;

	if (v->list) {
		v->list_row = v->list_row >= 0 ? line : -1;
		v->list_top = line;
	} else if (!address_equal(&at, &address_none)) {
		at.run = v->here.at.run;
		viewer_go(v, &at);
	} else {
		v->top = line;
	}
	v->match = line;
}

/* A kernel of that name further on, when no line of the screen says it. */
static enum status search_launches(struct viewer *v, int direction, bool *found)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(store_db(c.store), direction > 0
		? "SELECT launch FROM v_launch WHERE run = ?1 AND launch > ?2"
		  " AND instr(kernel, ?3) ORDER BY launch LIMIT 1"
		: "SELECT launch FROM v_launch WHERE run = ?1 AND launch < ?2"
		  " AND instr(kernel, ?3) ORDER BY launch DESC LIMIT 1", -1, &row, NULL);

	*found = false;
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 1, c.run);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(row, 2, at.launch);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(row, 3, v->search, -1, SQLITE_STATIC);
	if (code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
		at = address_none;
		at.launch = sqlite3_column_int64(row, 0);
		*found = true;
	}
	sqlite3_finalize(row);
	if (*found)
		viewer_go(v, &at);
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(c.store);
}

static enum status find_text(struct viewer *v, int direction)
{
	const struct display *d = searched(v);
	long row = v->list ? v->list_row : display_row(d, &v->here.at);
	long from = row >= 0 ? row : v->match;
	bool found = false;

	if (!*v->search) {
		viewer_say(v, "nothing was searched for yet: / asks");
		return STATUS_OK;
	}
	for (long i = from + direction; i >= 0 && i < (long)display_count(d); i += direction)
		if (strstr(display_line(d, (size_t)i)->text, v->search)) {
			show_match(v, i);
			return STATUS_OK;
		}
	if (!v->list)
		TRY(search_launches(v, direction, &found));
	if (!found)
		viewer_say(v, "'%s' is not found %s this place", v->search,
			   direction > 0 ? "behind" : "before");
	return STATUS_OK;
}

enum status viewer_search(struct viewer *v, int key)
{
	(void)key;
	v->match = -1;
	return viewer_ask(v, "/", v->search) ? find_text(v, 1) : STATUS_OK;
}

enum status viewer_search_next(struct viewer *v, int key)
{
	(void)key;
	return find_text(v, 1);
}

enum status viewer_search_previous(struct viewer *v, int key)
{
	(void)key;
	return find_text(v, -1);
}

/* --- commands --- */

/* Of a place to go to: that it is there. */
static enum status check_address(const struct viewer *v, const struct address *at)
{
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	int64_t runs, known = 1;
	bool found;

	TRY(store_run_count(c.store, &runs));
	if (at->run > runs || at->run == 0)
		return fail(STATUS_USAGE, "there is no run r%lld", (long long)at->run);
	if (at->run > 0)
		c.run = at->run;
	c.at = *at;
	if (at->launch >= 0)
		TRY(view_place_find(&c, "v_launch", &place, &found));
	if (at->step >= 0)
		TRY(VIEW_NUMBER(&c, 0, &known, "SELECT 1 FROM v_step WHERE run = ?1 AND step = ?2"
				" LIMIT 1", c.run, at->step));
	if (at->op >= 0)
		TRY(VIEW_NUMBER(&c, 0, &known, "SELECT 1 FROM v_op WHERE run = ?1 AND op = ?2",
				c.run, at->op));
	return known ? STATUS_OK : fail(STATUS_USAGE, "run %lld has no such place",
					(long long)c.run);
}

static enum status command_at(struct viewer *v, const char *text)
{
	struct address at;

	TRY(address_parse(":at", text, &at));
	TRY(check_address(v, &at));
	/* A run alone: the same place there. */
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
		return fail(STATUS_USAGE, ":save-display needs a file");
	file = fopen(path, "wx");
	if (!file)
		return fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
	display_write(searched(v), file);
	if (fclose(file) != 0)
		return fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
	viewer_say(v, "saved as %s", path);
	return STATUS_OK;
}

static enum status command_break(struct viewer *v, const char *kernel)
{
	if (*kernel)
		viewer_break(v, kernel);
	else
		viewer_say(v, ":break KERNEL sets a breakpoint, and again takes it away");
	return STATUS_OK;
}

static enum status command_breaks(struct viewer *v, const char *rest)
{
	(void)rest;
	return viewer_breaks(v, 'B');
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

static const struct {
	const char *name;
	enum status (*act)(struct viewer *, const char *rest);
} commands[] = {
	{ "at", command_at }, { "save-display", command_save }, { "break", command_break },
	{ "breaks", command_breaks }, { "help", command_help }, { "q", command_quit },
	{ "quit", command_quit },
};

enum status viewer_command(struct viewer *v, int key)
{
	char text[VIEWER_WORDS] = "";
	char *rest;

	(void)key;
	if (!viewer_ask(v, ":", text))
		return STATUS_OK;
	rest = text + strcspn(text, " ");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " ");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, text) == 0)
			return commands[i].act(v, rest);
	return fail(STATUS_USAGE, ":%s: there are :at ADDR, :save-display FILE, :break KERNEL,"
		    " :breaks, :help and :q", text);
}

/* --- the command that comes back --- */

/* A word as a shell takes it; quoted where it must be. Freed by the caller. */
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
			to = stpcpy(to, "'\\'");     /* and the quote itself opens again */
		*to++ = *text;
	}
	strcpy(to, "'");
	return word;
}

static char *trace_words(const struct viewer *v)
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

/* In one line where it fits, else as a list, broken as shells allow it. */
enum status viewer_show_address(struct viewer *v, int key)
{
	char at[ADDRESS_TEXT], looks[VIEW_LOOKS_OPTIONS], *traces = trace_words(v), *place;
	struct display *d;

	(void)key;
	address_format(&v->here.at, at);
	view_looks_options(&v->looks, looks);
	place = xasprintf("--at '%s' --screen %s%s", at, v->here.view->name, looks);
	if (strlen("flashtwin view   ") + strlen(traces) + strlen(place) < (size_t)COLS) {
		viewer_say(v, "flashtwin view %s %s", traces, place);
	} else {
		d = display_create(NULL, &address_none);
		display_text(d, "flashtwin view \\\n  ");
		display_text(d, traces);
		display_text(d, " \\\n  ");
		display_text(d, place);
		viewer_show_list(v, " the command that comes back here ", d);
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
	char sql[VIEWER_WORDS] = "", *text = NULL;
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
		viewer_show_list(v, " the first " SQL_ROWS " rows at most ", d);
	}
	free(text);
	return status;
}
