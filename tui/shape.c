/* shape.c - reads and writes shapes of decode attention; see shape.h. */
#include "config.h"

#include "tui/shape.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { CHUNK = 128, LONG_LIST = 4 };
#define MAX_KEYS (INT_MAX - MAX_CHUNK)
#define GRAMMAR "expected SEQUENCES,HEADS/KV_HEADS,HEAD_SIZE,KEYS, such as 1,32/8,128,32K or " \
	"3,32/8,128,500+2x64K"

/* --- reading --- */

/* Reads digits at *at, and moves it behind them; false for none, 0, or a number above `max`. */
static bool read_number(const char **at, int64_t max, int64_t *out)
{
	int64_t number = 0;
	const char *from = *at;

	while (**at >= '0' && **at <= '9') {
		number = number * 10 + (*(*at)++ - '0');
		if (number > max)
			return false;
	}
	*out = number;
	return *at > from && number > 0;
}

static bool read_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool read_sizes(const char **at, struct shape *s)
{
	int64_t sequences, heads, kv_heads, head_dim;

	if (!read_number(at, INT_MAX, &sequences) || !read_char(at, ',')
	    || !read_number(at, INT_MAX, &heads) || !read_char(at, '/')
	    || !read_number(at, INT_MAX, &kv_heads) || !read_char(at, ',')
	    || !read_number(at, INT_MAX, &head_dim) || !read_char(at, ','))
		return false;
	s->sequences = (int)sequences;
	s->heads = (int)heads;
	s->kv_heads = (int)kv_heads;
	s->head_dim = (int)head_dim;
	return true;
}

/* "64K", or "2x64K"; *counted: it has a count. */
static bool read_run(const char **at, struct shape_run *run, bool *counted)
{
	int64_t count = 1, keys;

	if (!read_number(at, MAX_KEYS, &keys))
		return false;
	*counted = read_char(at, 'x');
	if (*counted) {
		count = keys;
		if (!read_number(at, MAX_KEYS, &keys))
			return false;
	}
	if (read_char(at, 'K'))
		keys *= 1 << 10;
	else if (read_char(at, 'M'))
		keys *= 1 << 20;
	*run = (struct shape_run){ (int)count, (int)keys };
	return keys <= MAX_KEYS;
}

static void add_run(struct shape *s, struct shape_run run)
{
	struct shape_run *last = s->run_count > 0 ? &s->runs[s->run_count - 1] : NULL;

	if (last && last->keys == run.keys && last->count <= INT_MAX - run.count) {
		last->count += run.count;
		return;
	}
	s->runs = xreallocarray(s->runs, s->run_count + 1, sizeof *s->runs);
	s->runs[s->run_count++] = run;
}

static bool read_runs(const char **at, struct shape *s)
{
	struct shape_run run;
	bool counted, list = false;

	do {
		if (!read_run(at, &run, &counted))
			return false;
		if (!counted && !list && **at == '\0')
			run.count = s->sequences;
		add_run(s, run);
		list = true;
	} while (read_char(at, '+'));
	return **at == '\0';
}

static int64_t count_sequences(const struct shape *s)
{
	int64_t count = 0;

	for (size_t i = 0; i < s->run_count; i++)
		count += s->runs[i].count;
	return count;
}

enum status shape_parse(const char *who, const char *text, struct shape *out)
{
	struct shape s = { 0 };
	const char *at = text;
	enum status status = STATUS_OK;

	if (!read_sizes(&at, &s) || !read_runs(&at, &s))
		status = fail(STATUS_USAGE, "%s: '%s' is not a shape: " GRAMMAR, who, text);
	else if (count_sequences(&s) != s.sequences)
		status = fail(STATUS_USAGE, "%s: '%s' has %d sequences, but lengths of %" PRId64,
			      who, text, s.sequences, count_sequences(&s));
	else if (s.heads % s.kv_heads != 0)
		status = fail(STATUS_USAGE, "%s: '%s': %d query heads are not a multiple of %d KV "
			      "heads", who, text, s.heads, s.kv_heads);
	if (status != STATUS_OK)
		shape_free(&s);
	else
		*out = s;
	return status;
}

void shape_free(struct shape *s)
{
	free(s->runs);
	*s = (struct shape){ 0 };
}

/* --- writing --- */

static void put_keys(FILE *out, int keys)
{
	if (keys % (1 << 20) == 0)
		fprintf(out, "%dM", keys >> 20);
	else if (keys % (1 << 10) == 0)
		fprintf(out, "%dK", keys >> 10);
	else
		fprintf(out, "%d", keys);
}

static void put_runs(FILE *out, const struct shape *s)
{
	for (size_t i = 0; i < s->run_count; i++) {
		if (i > 0)
			putc('+', out);
		if (s->run_count > 1 && s->runs[i].count > 1)
			fprintf(out, "%dx", s->runs[i].count);
		put_keys(out, s->runs[i].keys);
	}
}

static void put_range(FILE *out, const struct shape *s)
{
	int least = s->runs[0].keys;

	for (size_t i = 1; i < s->run_count; i++)
		if (s->runs[i].keys < least)
			least = s->runs[i].keys;
	put_keys(out, least);
	fputs("..", out);
	put_keys(out, shape_max_keys(s));
}

static char *shape_write(const struct shape *s, bool brief)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = xcheck(open_memstream(&text, &size));

	fprintf(out, "%d,%d/%d,%d,", s->sequences, s->heads, s->kv_heads, s->head_dim);
	if (brief && s->run_count > LONG_LIST)
		put_range(out, s);
	else
		put_runs(out, s);
	fclose(out);
	return xcheck(text);
}

char *shape_text(const struct shape *s)
{
	return shape_write(s, false);
}

char *shape_label(const struct shape *s)
{
	return shape_write(s, true);
}

/* --- sizes --- */

int *shape_lengths(const struct shape *s)
{
	int *lengths = xcalloc((size_t)s->sequences, sizeof *lengths);
	size_t used = 0;

	for (size_t i = 0; i < s->run_count; i++)
		for (int j = 0; j < s->runs[i].count; j++)
			lengths[used++] = s->runs[i].keys;
	return lengths;
}

int shape_max_keys(const struct shape *s)
{
	int most = 0;

	for (size_t i = 0; i < s->run_count; i++)
		if (s->runs[i].keys > most)
			most = s->runs[i].keys;
	return most;
}

int shape_min_keys(const struct shape *shape)
{
	int min = INT_MAX;

	for (size_t i = 0; i < shape->run_count; i++)
		if (shape->runs[i].keys < min)
			min = shape->runs[i].keys;
	return min;
}

int64_t shape_total_keys(const struct shape *s)
{
	int64_t keys = 0;

	for (size_t i = 0; i < s->run_count; i++)
		keys += (int64_t)s->runs[i].count * s->runs[i].keys;
	return keys;
}

double shape_bytes(const struct shape *s, size_t element)
{
	return 2.0 * (double)shape_total_keys(s) * s->kv_heads * s->head_dim * (double)element;
}

struct attention_shape shape_attention(const struct shape *s)
{
	return (struct attention_shape){
		.layers = 1, .slots = s->sequences, .heads = s->heads, .kv_heads = s->kv_heads,
		.head_dim = s->head_dim, .max_len = shape_max_keys(s), .chunk = CHUNK,
		.scale = attention_scale(s->head_dim), .rung = -1, .kv_dtype = s->kv_dtype,
		.queries = s->queries,
	};
}
