/* cmd_sql.c - `flashtwin sql`: SELECTs on the views of a trace, and its logical dump.
 *
 * Any SQLite program can run them; this one also has functions for stored bytes (data, f32) and
 * cannot write: the file is opened read-only, and only reading is authorized.
 * tui/views/sql_print.c formats the rows.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "traces/store/dump.h"
#include "traces/store/sql_functions.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/views/sql_print.h"

struct sql_options {
	const char *trace, *sql;        /* sql NULL: read from stdin */
	enum sql_format format;
	enum option_id named;           /* the format, as an option; OPTION_COUNT: none yet */
	bool dump;
};

/* The formats are mutually exclusive. */
static enum status take_format(struct sql_options *options, const struct option_value *v,
			       enum sql_format format)
{
	if (options->named != OPTION_COUNT && options->named != v->id)
		return fail(STATUS_USAGE, "--%s and --%s are mutually exclusive",
			    option_table[options->named].name, option_table[v->id].name);
	options->named = v->id;
	options->format = format;
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct sql_options *options = context;

	switch (v->id) {
	case OPTION_TABLE: return take_format(options, v, SQL_TABLE);
	case OPTION_SQL_PLAIN: return take_format(options, v, SQL_PLAIN);
	case OPTION_CSV: return take_format(options, v, SQL_CSV);
	case OPTION_SQL_JSON: return take_format(options, v, SQL_JSON);
	default: options->dump = true;
	}
	return STATUS_OK;
}

/* Whether an argument is a trace, not a query: a file that exists, or a name that ends in .twin. */
static bool names_trace(const char *text)
{
	size_t length = strlen(text), end = strlen(".twin");

	return access(text, F_OK) == 0
		|| (length >= end && strcmp(text + length - end, ".twin") == 0);
}

static enum status parse_options(int argc, char **argv, struct sql_options *options)
{
	const char *traces[1];
	int rest, given;

	options->format = isatty(STDOUT_FILENO) ? SQL_TABLE : SQL_PLAIN;
	options->named = OPTION_COUNT;
	TRY(options_parse(COMMAND_SQL, argc, argv, take_option, options, &rest));
	/* One argument alone may be the query. */
	given = argc - rest == 1 && !options->dump && !names_trace(argv[rest]) ? 0 : argc > rest;
	TRY(last_run_traces(rest + given, argv, rest, 1, traces, NULL));
	options->trace = traces[0];
	rest += given;
	if (rest < argc && !options->dump)
		options->sql = argv[rest++];
	return option_none_left(argc, argv, rest);
}

/* --- running --- */

static int authorize(void *context, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	static const char *const pragmas[] = {
		"application_id", "table_info", "table_list", "table_xinfo", "user_version",
	};

	(void)context, (void)c, (void)d;
	if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE)
		return SQLITE_OK;
	if (action == SQLITE_FUNCTION)
		return strcmp(b, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	if (action == SQLITE_PRAGMA)
		for (size_t i = 0; i < sizeof pragmas / sizeof pragmas[0]; i++)
			if (strcmp(a, pragmas[i]) == 0)
				return SQLITE_OK;
	return SQLITE_DENY;
}

static enum status sql_failed(sqlite3 *db)
{
	if (sqlite3_errcode(db) == SQLITE_AUTH)
		return fail(STATUS_USAGE, "a trace is read-only: SELECT statements only");
	return fail(sqlite3_errcode(db) == SQLITE_CORRUPT ? STATUS_DAMAGED : STATUS_USAGE, "%s",
		    sqlite3_errmsg(db));
}

static enum status run_statements(sqlite3 *db, const char *sql, enum sql_format format)
{
	while (*sql) {
		enum status status = STATUS_OK;
		sqlite3_stmt *rows;

		if (sqlite3_prepare_v2(db, sql, -1, &rows, &sql) != SQLITE_OK)
			return sql_failed(db);
		/* NULL for a comment or an empty statement. */
		if (rows)
			status = sql_print(rows, format, stdout);
		sqlite3_finalize(rows);
		TRY(status);
	}
	return STATUS_OK;
}

/* All of stdin; the caller frees. */
static enum status read_stdin(char **out)
{
	size_t count = 0, capacity = 4096;
	char *text = xmalloc(capacity);
	size_t got;

	while ((got = fread(text + count, 1, capacity - count - 1, stdin)) > 0) {
		count += got;
		if (capacity - count == 1)
			text = xrealloc(text, capacity *= 2);
	}
	text[count] = '\0';
	*out = text;
	return ferror(stdin) ? fail(STATUS_IO, "stdin: cannot read: %s", strerror(errno))
			     : STATUS_OK;
}

static enum status run_sql(struct store *store, const char *sql, enum sql_format format)
{
	TRY(sql_functions_register(store));
	sqlite3_set_authorizer(store_db(store), authorize, NULL);
	return run_statements(store_db(store), sql, format);
}

static enum status run_on(struct store *store, const struct sql_options *options, const char *sql)
{
	enum status status = options->dump ? dump_logical(store, stdout)
					   : run_sql(store, sql, options->format);

	return ferror(stdout) ? command_stdout_failed() : status;
}

static enum status sql_run(int argc, char **argv)
{
	struct sql_options options = { 0 };
	enum status status = STATUS_OK;
	struct store *store;
	char *text = NULL;

	TRY(parse_options(argc, argv, &options));
	/* Before the trace is opened: waiting for input must not block a run that writes to it. */
	if (!options.sql && !options.dump)
		status = read_stdin(&text);
	if (status == STATUS_OK)
		status = store_open(options.trace, &store);
	if (status == STATUS_OK) {
		status = run_on(store, &options, text ? text : options.sql);
		store_close(store);
	}
	free(text);
	return status;
}

const struct command cmd_sql = {
	.summary = "run SELECTs on the views of a trace",
	.usage =
"usage: flashtwin sql [TRACE.twin] \"SELECT ...\" [--table|--plain|--csv|--json]\n"
"       flashtwin sql [TRACE.twin] [--table|--plain|--csv|--json] <FILE.sql\n"
"       flashtwin sql [TRACE.twin] --dump\n"
"\n"
"Runs SELECT statements on a trace, or else on the last run, read-only. An argument alone is the\n"
"trace if it is a file or ends in .twin, and else the statements. The views v_run, v_op,\n"
"v_launch, v_node, v_arg, v_pointer, v_buffer, v_digest, v_kv, v_softmax, v_partial, v_reduce,\n"
"v_point, v_request, v_access, v_access_line, v_line, v_finding, v_counter, v_hit, v_diff,\n"
"v_step, v_token, v_model, v_attention and v_source are the stable interface. In addition to\n"
"SQLite's own functions:\n"
"\n"
"  data(id)           stored bytes, by the number in a column data, acc_data or q_data\n"
"  f32(bytes, i)      element i of an array of f32; NULL for a NaN\n"
"  f32_bits(bytes, i) its bit pattern\n"
"  f32_text(bits)     a bit pattern as text\n\n",
	.examples =
"  flashtwin sql \"SELECT step, byte FROM v_token\"\n"
"  flashtwin sql demo.twin \"SELECT kernel, count(*) FROM v_launch GROUP BY kernel\"\n"
"  flashtwin sql demo.twin \"SELECT head, chunk, max FROM v_partial WHERE launch = 2\"\n"
"  flashtwin sql demo.twin \"SELECT f32(data(data), 0) FROM v_digest WHERE launch = 3\"\n"
"  flashtwin sql demo.twin --dump | sha256sum\n",
	.run = sql_run,
};
