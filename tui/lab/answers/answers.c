/* answers.c - one function for each question, which sees the rows of a trace one by one; see
 * answers.h. labs/00-read-a-trace/README.md has the questions. */
#include "tui/lab/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/store/store.h"

#define TOLERANCE 1e-3                  /* relative, of what is not an integer */
#define HEADS 8                         /* of the sample model */
#define BEFORE 10                       /* of who-wrote: positions before the newest key */

struct fold {
	sqlite3_stmt *row;
	int64_t last;                   /* step of the run */
	int64_t chunk;                  /* keys */
	int64_t newest;                 /* position in the cache */
	double best;
	bool found;
	struct answer *out;
};

static int64_t integer(const struct fold *f, int column)
{
	return sqlite3_column_int64(f->row, column);
}

static bool is(const struct fold *f, int column, const char *text)
{
	const char *value = (const char *)sqlite3_column_text(f->row, column);

	return value && strcmp(value, text) == 0;
}

/* Whether the first columns are the last step, and a layer. */
static bool last_of(const struct fold *f, int64_t layer)
{
	return integer(f, 0) == f->last && integer(f, 1) == layer;
}

static void take(struct fold *f, double value)
{
	f->out->value = value;
	f->found = true;
}

static void at_block(struct fold *f, int64_t launch, int64_t block)
{
	snprintf(f->out->at, sizeof f->out->at, "L%lld.b%lld", (long long)launch,
		 (long long)block);
}

static void at_step(struct fold *f, int64_t step)
{
	snprintf(f->out->at, sizeof f->out->at, "s%lld", (long long)step);
}

#define LAUNCHES "SELECT step, layer, kernel, launch FROM v_launch"
#define PARTIALS "SELECT l.step, l.layer, p.launch, p.head, p.chunk, p.empty, p.share " \
	"FROM v_partial p JOIN v_launch l USING (run, launch)"
#define MERGES "SELECT l.step, l.layer, r.launch, r.head, r.chunk, r.factor, r.sum " \
	"FROM v_reduce r JOIN v_launch l USING (run, launch) ORDER BY r.launch, r.sequence"

static void count_launches(struct fold *f)
{
	if (is(f, 2, "flash_decode_chunk"))
		take(f, f->out->value + 1);
	at_step(f, 0);
}

static void find_reduce(struct fold *f)
{
	if (last_of(f, 2) && is(f, 2, "flash_decode_reduce"))
		take(f, (double)integer(f, 3));
	at_step(f, f->last);
}

static void count_empty(struct fold *f)
{
	if (integer(f, 0) != 1 || integer(f, 1) != 2)
		return;
	if (!f->found)
		at_block(f, integer(f, 2), 0);
	take(f, f->out->value + (double)(integer(f, 5) != 0));
}

static void find_writer(struct fold *f)
{
	if (!is(f, 0, "v") || integer(f, 1) != 3 || integer(f, 2) != 1)
		return;
	if (integer(f, 3) == f->newest - BEFORE)
		take(f, (double)integer(f, 4));
	if (integer(f, 3) == f->newest)
		snprintf(f->out->at, sizeof f->out->at, "L%lld", (long long)integer(f, 4));
}

static void find_share(struct fold *f)
{
	if (!last_of(f, 0) || integer(f, 3) != 3)
		return;
	if (!f->found || sqlite3_column_double(f->row, 6) > f->best) {
		f->best = sqlite3_column_double(f->row, 6);
		take(f, (double)integer(f, 4));
		at_block(f, integer(f, 2), 3);
	}
}

static void find_factor(struct fold *f)
{
	if (!last_of(f, 1) || integer(f, 3) != 5 || integer(f, 4) != 0)
		return;
	take(f, sqlite3_column_double(f->row, 5));
	at_block(f, integer(f, 2), 5);
}

/* Rows come in the order of the merge: the last sum is that of all chunks. */
static void find_total(struct fold *f)
{
	if (!last_of(f, 3) || integer(f, 3) != 7)
		return;
	take(f, sqlite3_column_double(f->row, 6));
	at_block(f, integer(f, 2), 7);
}

/* Grid (heads, sequences, chunks) with one sequence; a lane has one key, as no chunk has more than
 * 32. */
static void find_key(struct fold *f)
{
	int64_t block = integer(f, 3);
	double score = sqlite3_column_double(f->row, 5);

	if (!last_of(f, 0) || block % HEADS != 0 || (f->found && score <= f->best))
		return;
	f->best = score;
	take(f, (double)(block / HEADS * f->chunk + integer(f, 4)));
	at_block(f, integer(f, 2), 0);
}

static const struct {
	const char *name;
	bool exact;
	const char *screen, *sql;
	void (*fold)(struct fold *);
} questions[] = {
	{ "launches", true, "summary", LAUNCHES, count_launches },
	{ "last-reduce", true, "time", LAUNCHES, find_reduce },
	{ "empty-blocks", true, "chunks", PARTIALS, count_empty },
	{ "who-wrote", true, "kv", "SELECT tensor, layer, kv_head, position, launch FROM v_kv",
	  find_writer },
	{ "largest-share", true, "step", PARTIALS, find_share },
	{ "factor", false, "step", MERGES, find_factor },
	{ "total", false, "reduce", MERGES, find_total },
	{ "top-key", true, "step", "SELECT l.step, l.layer, p.launch, p.block, p.lane, p.v0 "
	  "FROM v_point p JOIN v_launch l USING (run, launch) "
	  "WHERE p.name = 'score' AND l.kernel = 'flash_decode_chunk'", find_key },
};

static enum status each_row(struct store *store, const char *sql, void (*fold)(struct fold *),
			    struct fold *f)
{
	int code = sqlite3_prepare_v2(store_db(store), sql, -1, &f->row, NULL);

	if (code == SQLITE_OK)
		while ((code = sqlite3_step(f->row)) == SQLITE_ROW)
			fold(f);
	sqlite3_finalize(f->row);
	return code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

static void read_facts(struct fold *f)
{
	f->last = integer(f, 0);
	f->chunk = integer(f, 1);
	f->newest = integer(f, 2);
}

static enum status find_in(struct store *store, const char *question, struct answer *out)
{
	struct fold f = { .out = out };
	size_t i = 0, count = sizeof questions / sizeof questions[0];

	while (i < count && strcmp(questions[i].name, question) != 0)
		i++;
	if (i == count)
		return fail(STATUS_INTERNAL, "there is no question %s", question);
	out->exact = questions[i].exact;
	out->screen = questions[i].screen;
	TRY(each_row(store, "SELECT (SELECT max(step) FROM v_step), chunk, "
		     "(SELECT max(position) FROM v_kv) FROM v_model", read_facts, &f));
	TRY(each_row(store, questions[i].sql, questions[i].fold, &f));
	return f.found ? STATUS_OK
		: fail(STATUS_INTERNAL, "the trace has no answer to %s", question);
}

enum status answer_find(const char *trace, const char *question, struct answer *out)
{
	struct store *store;
	struct error_record error;
	enum status status;

	*out = (struct answer){ 0 };
	TRY(store_open(trace, &store));
	status = find_in(store, question, out);
	error_save(&error);
	store_close(store);
	error_restore(&error);
	return status == STATUS_OK ? STATUS_OK : fail_context(STATUS_INTERNAL, "answers");
}

bool answer_read(const struct answer *a, const char *text, double *out)
{
	char *end;

	if (a->exact && *text == 'L')
		text++;
	*out = strtod(text, &end);
	return end != text && end[strspn(end, " \t")] == '\0' && isfinite(*out);
}

bool answer_matches(const struct answer *a, const char *text)
{
	double value;

	return answer_read(a, text, &value)
		&& fabs(value - a->value) <= (a->exact ? 0 : TOLERANCE * fabs(a->value));
}
