/* format_text.c - a result for people; see formats.h. */
#include "tui/lab/result/formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/case/failure.h"

#define WIDTH 100
#define INDENT 8

char *format_share(const struct part_result *p, const char *what)
{
	return xasprintf("%d of %d %s", p->passed, p->count, what);
}

/* Further lines are indented like the first, also those that a kernel printed, so that they do not
 * look like lines of the result. */
void format_wrapped(FILE *out, int indent, const char *label, const char *text)
{
	int start = indent + (int)strlen(label), column = start;

	fprintf(out, "%*s%s", indent, "", label);
	while (*text && strcmp(text, "\n") != 0) {
		int length = (int)strcspn(text, " \n");

		if (*text == '\n' || (column > start && column + 1 + length > WIDTH)) {
			fprintf(out, "\n%*s", start, "");
			column = start;
			text += *text == '\n';
			continue;
		}
		if (column > start) {
			putc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", length, text);
		column += length;
		text += length + strspn(text + length, " ");
	}
	putc('\n', out);
}

/* Whether an earlier failure of the part has the same reason, which is not printed again. */
static bool explained(const struct lab_result *r, const struct case_result *c, size_t which)
{
	const char *why = failure_text(json_array_get(c->failures, which), "why");

	for (const struct case_result *e = r->cases; e <= c; e++) {
		size_t count = e == c ? which : json_array_size(e->failures);

		for (size_t i = 0; i < count && e->part == c->part; i++)
			if (strcmp(failure_text(json_array_get(e->failures, i), "why"), why) == 0)
				return true;
	}
	return false;
}

static void print_failure(FILE *out, const struct lab_result *r, const struct case_result *c,
			  size_t which)
{
	const json_t *failure = json_array_get(c->failures, which);
	const json_t *after = json_array_get(c->failures, which + 1);
	const char *what = failure_text(failure, "what"), *view = failure_text(failure, "view");

	format_wrapped(out, INDENT, "what: ", *what ? what : failure_text(failure, "kind"));
	if (!explained(r, c, which)) {
		format_wrapped(out, INDENT, "why:  ", failure_text(failure, "why"));
		format_wrapped(out, INDENT, "next: ", failure_text(failure, "next"));
	}
	if (*view && (!after || strcmp(failure_text(after, "view"), view) != 0))
		fprintf(out, "%*sview: %s\n", INDENT, "", view);
}

static void print_case(FILE *out, const struct lab_result *r, const struct case_result *c)
{
	fprintf(out, "  %s  %s%s%s\n", c->passed ? "LOOK" : "FAIL", c->title,
		*c->sizes ? ": " : "", c->sizes);
	for (size_t i = 0; i < json_array_size(c->failures); i++)
		print_failure(out, r, c, i);
	if (*c->printed)
		format_wrapped(out, INDENT, "printed: ", c->printed);
}

/* A long result ends far below its beginning. */
static void print_first(FILE *out, const struct lab_result *r)
{
	int i = 0, count = 0;

	for (int k = r->case_count - 1; k >= 0; k--)
		if (r->cases[k].part == PART_PUBLIC && json_array_size(r->cases[k].failures) > 0) {
			i = k;
			count++;
		}
	if (count > 1)
		fprintf(out, "begin with %s, the first of %d cases that lost points\n",
			r->cases[i].title, count);
}

/* The secret cases of a family as one, if the result has nothing about each. */
static void print_family(FILE *out, const struct lab_result *r, const struct case_result *c)
{
	int passed = 0, count = 0;

	for (const struct case_result *e = r->cases; e < r->cases + r->case_count; e++)
		if (e->part == c->part && e->family == c->family) {
			passed += e->passed;
			count++;
		}
	fprintf(out, "  %s  %s: %d of %d cases pass\n", passed < count ? "FAIL" : "LOOK",
		c->family->name, passed, count);
	for (const struct case_result *e = c; e < r->cases + r->case_count; e++)
		for (size_t i = 0; i < json_array_size(e->failures); i++)
			if (e->part == c->part && e->family == c->family && !explained(r, e, i))
				print_failure(out, r, e, i);
}

/* The first of its family in the part that lost something. */
static bool is_first(const struct lab_result *r, const struct case_result *c)
{
	for (const struct case_result *e = r->cases; e < c; e++)
		if (e->part == c->part && e->family == c->family
		    && json_array_size(e->failures) > 0)
			return false;
	return true;
}

static void print_cases(FILE *out, const struct lab_result *r, enum lab_part part)
{
	for (int i = 0; i < r->case_count; i++) {
		const struct case_result *c = &r->cases[i];

		if (c->part != part || json_array_size(c->failures) == 0)
			continue;
		if (*c->sizes || !c->family)
			print_case(out, r, c);
		else if (is_first(r, c))
			print_family(out, r, c);
	}
}

static void print_part(FILE *out, const struct lab_result *r, enum lab_part part)
{
	static const char *const units[PART_COUNT] = {
		"cases pass", "cases pass", "cases pass without findings", "limits hold"
	};
	const struct part_result *p = &r->parts[part];
	char *share = format_share(p, units[part]);

	if (p->max <= 0) {
		free(share);
		return;
	}
	if (p->graded)
		fprintf(out, "%-10s %5.1f of %g  %s\n", lab_part_names[part], p->points, p->max,
			p->count > 0 ? share : "no case could run");
	else
		fprintf(out, "%-10s not graded: needs your instructor's --secret\n",
			lab_part_names[part]);
	free(share);
	if (part <= PART_SECRET && r->compiled)
		print_cases(out, r, part);
}

void format_text(FILE *out, const struct lab_result *r)
{
	fprintf(out, "lab %d, %s: %s\n", r->lab->number, r->lab->title, r->file);
	if (r->student)
		fprintf(out, "student    %s\n", r->student);
	if (!r->compiled) {
		bool kernel = strcmp(r->lab->kind, "kernel") == 0;

		fprintf(out, "  FAIL  it %s\n", kernel ? "does not compile" : "cannot be graded");
		format_wrapped(out, 8, "why:  ", r->refused ? r->refused
			      : kernel ? "the compiler rejects the file, or it lacks the kernel"
			      : "the file is not as the handout describes");
		if (!r->refused)
			format_wrapped(out, 8, "next: ", "begin with the first message:");
		fprintf(out, "%s\n", r->messages ? r->messages : "");
	}
	for (int i = 0; i < PART_COUNT; i++)
		print_part(out, r, (enum lab_part)i);
	if (r->notes)
		fputs(r->notes, out);
	fprintf(out, "%-10s %5.1f of %g\n", "total", r->points, r->max);
	if (lab_result_passed(r))
		return;
	print_first(out, r);
	fprintf(out, "stuck? flashtwin lab hint %d\n", r->lab->number);
}
