/* prune.c - finds which header functions a rewritten text can call; see prune.h.
 *
 * A function is needed if its name stands anywhere but where such functions declare it: outside
 * the bodies that can be left out, in text that the rewriter inserted too, or in the body of a
 * function that is needed. Names are compared alone, without their namespaces and types, so
 * overloads stay or go together.
 */
#include "config.h"

#include "sim/cu2c/prune.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/name_index.h"

struct search {
	struct prune *prune;
	struct name_index names;
	const char *text;
	bool *needed;                   /* [function_count] */
	int *queue, queued, done;       /* functions whose bodies are still to be read */
};

void prune_begin(struct prune *p, const struct unit *u)
{
	*p = (struct prune){ .unit = u };
	p->name = xcalloc((size_t)u->function_count + 1, sizeof *p->name);
	p->begin = xcalloc((size_t)u->function_count + 1, sizeof *p->begin);
	p->end = xcalloc((size_t)u->function_count + 1, sizeof *p->end);
	for (int i = 0; i < u->function_count; i++)
		p->name[i] = p->begin[i] = p->end[i] = -1;
}

void prune_end(struct prune *p)
{
	free(p->name);
	free(p->begin);
	free(p->end);
}

/* The '}' of a function's body. */
static int last_of(const struct unit *u, int function)
{
	return token_at(u, u->functions[function].body)->match;
}

void prune_before(struct prune *p, int at, FILE *out)
{
	const struct unit *u = p->unit;

	while (p->next < u->function_count
	       && (!u->functions[p->next].droppable || last_of(u, p->next) < at))
		p->next++;
	if (p->next < u->function_count && u->functions[p->next].name == at)
		p->name[p->next] = ftell(out) + token_at(u, at)->space_length;
	if (p->next < u->function_count && u->functions[p->next].body == at)
		p->begin[p->next] = ftell(out);
}

void prune_after(struct prune *p, int at, FILE *out)
{
	const struct unit *u = p->unit;

	if (p->next < u->function_count && p->begin[p->next] >= 0
	    && last_of(u, p->next) == at)
		p->end[p->next++] = ftell(out);
}

/* --- names --- */

/* All functions of a name are needed or none is, so the first one tells. */
static void need(struct search *s, const struct token *name)
{
	int i = name_index_first(&s->names, name);

	if (i < 0 || s->needed[i])
		return;
	for (; i >= 0; i = name_index_next(&s->names, i)) {
		s->needed[i] = true;
		if (s->prune->end[i] >= 0)
			s->queue[s->queued++] = i;
	}
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* The names in [from, end), but the one that is declared at `declared`. */
static void need_all(struct search *s, long from, long end, long declared)
{
	const char *at = s->text + from, *last = s->text + end;

	while (at < last) {
		const char *begin = at;

		if (!is_letter(*at)) {
			at++;
			continue;
		}
		while (at < last && is_letter(*at))
			at++;
		if (!isdigit((unsigned char)*begin) && begin != s->text + declared)
			need(s, &(struct token){ .text = begin, .length = (int)(at - begin) });
	}
}

/* Names that C++ looks up where they are not written: of a for over a range, of [a, b] = c. */
static void need_unwritten(struct search *s)
{
	static const char *const names[] = { "begin", "end", "get" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		need(s, &(struct token){ .text = names[i], .length = (int)strlen(names[i]) });
}

static void find_needed(struct search *s, size_t bytes)
{
	const struct prune *p = s->prune;
	long from = 0;

	for (int i = 0; i < p->unit->function_count; i++)
		if (p->end[i] >= 0) {
			need_all(s, from, p->begin[i], p->name[i]);
			from = p->end[i];
		}
	need_all(s, from, (long)bytes, -1);
	need_unwritten(s);
	while (s->done < s->queued) {
		int i = s->queue[s->done++];

		need_all(s, p->begin[i], p->end[i], -1);
	}
}

/* --- text --- */

/* In the place of a body: its ends of lines and line markers. */
static void write_lines(const char *at, const char *end, FILE *out)
{
	putc(';', out);
	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		const char *next;

		putc('\n', out);
		at++;
		next = memchr(at, '\n', (size_t)(end - at));
		if (next && at[0] == '#' && at[1] == ' ' && isdigit((unsigned char)at[2]))
			fwrite(at, 1, (size_t)(next - at), out);
	}
}

static char *write_text(const struct search *s, size_t bytes)
{
	const struct prune *p = s->prune;
	char *left = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&left, &size));
	long from = 0;

	for (int i = 0; i < p->unit->function_count; i++)
		if (p->end[i] >= 0 && !s->needed[i]) {
			fwrite(s->text + from, 1, (size_t)(p->begin[i] - from), out);
			write_lines(s->text + p->begin[i], s->text + p->end[i], out);
			from = p->end[i];
		}
	fwrite(s->text + from, 1, bytes - (size_t)from, out);
	if (fclose(out) != 0)
		abort();
	return xcheck(left);
}

static bool has_bodies(const struct prune *p)
{
	for (int i = 0; i < p->unit->function_count; i++)
		if (p->end[i] >= 0)
			return true;
	return false;
}

char *prune_text(struct prune *p, char *text, size_t bytes)
{
	struct search s = { .prune = p, .text = text };
	size_t count = (size_t)p->unit->function_count + 1;
	char *left;

	if (!has_bodies(p))
		return text;
	s.needed = xcalloc(count, sizeof *s.needed);
	s.queue = xcalloc(count, sizeof *s.queue);
	name_index_begin(&s.names, p->unit);
	find_needed(&s, bytes);
	left = write_text(&s, bytes);
	name_index_end(&s.names);
	free(s.needed);
	free(s.queue);
	free(text);
	return left;
}
