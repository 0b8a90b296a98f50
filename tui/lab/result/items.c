/* items.c - makes the items of a result; see items.h. */
#include "config.h"

#include "tui/lab/result/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/result/formats.h"

/* An item's text while it is written. */
struct writing {
	FILE *out;
	char *text;
	size_t size;
	json_t *explained;              /* reasons that were printed */
};

static void begin(struct writing *w)
{
	*w = (struct writing){ .explained = json_object() };
	w->out = xcheck(open_memstream(&w->text, &w->size));
}

static char *end(struct writing *w)
{
	fclose(w->out);
	json_decref(w->explained);
	return xcheck(w->text);
}

static struct result_item *add(struct result_items *items, enum item_kind kind, enum lab_part part,
			       char *name)
{
	struct result_item *item;

	items->list = xreallocarray(items->list, (size_t)items->count + 1, sizeof *items->list);
	item = &items->list[items->count++];
	*item = (struct result_item){ .kind = kind, .part = part, .name = name };
	return item;
}

/* --- texts --- */

static void print_line(struct writing *w, const char *label, const char *text)
{
	if (*text)
		fprintf(w->out, "%s %s\n", label, text);
}

/* What a kernel printed must not look like other lines. */
static void print_printed(struct writing *w, const char *text)
{
	if (*text)
		fprintf(w->out, "printed:\n");
	while (*text) {
		int length = (int)strcspn(text, "\n");

		fprintf(w->out, "  | %.*s\n", length, text);
		text += length + (text[length] == '\n');
	}
}

/* A failure without values; nothing if another one had the same reason. */
static void print_reason(struct writing *w, const json_t *failure)
{
	const char *why = failure_text(failure, "why");

	if (json_object_get(w->explained, why))
		return;
	json_object_set_new(w->explained, why, json_true());
	print_line(w, "what:", failure_text(failure, "kind"));
	print_line(w, "why: ", why);
	print_line(w, "next:", failure_text(failure, "next"));
}

static void print_failure(struct writing *w, const json_t *failure)
{
	const char *what = failure_text(failure, "what");

	print_line(w, "what:", *what ? what : failure_text(failure, "kind"));
	print_line(w, "why: ", failure_text(failure, "why"));
	print_line(w, "next:", failure_text(failure, "next"));
	print_line(w, "view:", failure_text(failure, "view"));
}

static void print_reasons(struct writing *w, const struct case_result *c)
{
	for (size_t i = 0; i < json_array_size(c->failures); i++)
		print_reason(w, json_array_get(c->failures, i));
}

static char *text_of_case(const struct case_result *c)
{
	struct writing w;

	begin(&w);
	for (size_t i = 0; i < json_array_size(c->failures); i++)
		print_failure(&w, json_array_get(c->failures, i));
	if (json_array_size(c->failures) > 0) {
		print_line(&w, "sizes:", c->sizes);
		print_printed(&w, c->printed);
	}
	return end(&w);
}

/* --- items --- */

static void add_compile(struct result_items *items, const struct lab_result *r)
{
	struct result_item *item = add(items, ITEM_COMPILE, PART_COUNT, xstrdup("compiles"));

	item->passed = r->compiled;
	item->text = xstrdup(r->compiled || !r->messages ? "" : r->messages);
}

static struct result_item *add_case(struct result_items *items, const struct case_result *c)
{
	enum item_kind kind = c->part == PART_PUBLIC ? ITEM_CASE : ITEM_DETAIL;
	struct result_item *item = add(items, kind, c->part,
				       xasprintf("%s: %s", lab_part_names[c->part], c->title));

	item->passed = c->passed;
	item->text = text_of_case(c);
	return item;
}

static void add_public(struct result_items *items, const struct lab_result *r)
{
	const struct part_result *p = &r->parts[PART_PUBLIC];

	for (int i = 0; i < r->case_count; i++) {
		struct result_item *item;

		if (r->cases[i].part != PART_PUBLIC)
			continue;
		item = add_case(items, &r->cases[i]);
		item->max = p->max / p->count;
		item->points = item->passed ? item->max : 0;
	}
}

static bool same_family(const struct case_result *a, const struct case_result *b)
{
	return a == b || (a->part == b->part && a->family && a->family == b->family);
}

/* The secret cases of the family of case `first`. */
static void add_family(struct result_items *items, const struct lab_result *r, int first)
{
	const struct part_result *p = &r->parts[PART_SECRET];
	const struct case_result *c = &r->cases[first];
	struct result_item *item = add(items, ITEM_SECRET, PART_SECRET,
				       xasprintf("secret: %s", c->family ? c->family->name
						 : c->title));
	struct writing w;
	int passed = 0, count = 0;

	begin(&w);
	for (int i = first; i < r->case_count; i++)
		if (same_family(c, &r->cases[i])) {
			passed += r->cases[i].passed;
			count++;
			print_reasons(&w, &r->cases[i]);
		}
	fprintf(w.out, "%d of %d cases pass\n", passed, count);
	item->text = end(&w);
	item->passed = passed == count;
	item->max = p->max * count / p->count;
	item->points = p->max * passed / p->count;
	for (int i = first; i < r->case_count && !r->redacted; i++)
		if (same_family(c, &r->cases[i]))
			add_case(items, &r->cases[i]);
}

static void add_secret(struct result_items *items, const struct lab_result *r)
{
	for (int i = 0; i < r->case_count; i++) {
		bool first = r->cases[i].part == PART_SECRET;

		for (int k = 0; k < i && first; k++)
			first = !same_family(&r->cases[k], &r->cases[i]);
		if (first)
			add_family(items, r, i);
	}
}

static enum failure_by cause_of(enum lab_part part)
{
	return part == PART_CHECKER ? BY_CHECKER : part == PART_STRUCTURE ? BY_STRUCTURE : BY_COUNT;
}

/* A part that has no items of its own. */
static void add_part(struct result_items *items, const struct lab_result *r, enum lab_part part)
{
	static const char *const units[PART_COUNT] = {
		"cases pass", "cases pass", "cases pass without findings", "limits hold"
	};
	const struct part_result *p = &r->parts[part];
	struct result_item *item = add(items, ITEM_PART, part, xstrdup(lab_part_names[part]));
	char *share = format_share(p, units[part]);
	struct writing w;

	begin(&w);
	for (int i = 0; i < r->case_count; i++)
		for (size_t k = 0; k < json_array_size(r->cases[i].failures); k++) {
			const json_t *failure = json_array_get(r->cases[i].failures, k);

			if (failure_by(failure) == cause_of(part))
				print_reason(&w, failure);
		}
	if (!p->graded)
		fprintf(w.out, "not graded: needs the instructor's secret\n");
	else if (!r->compiled)
		fprintf(w.out, "no points: the file does not compile\n");
	else
		fprintf(w.out, "%s\n", share);
	item->text = end(&w);
	item->skipped = !p->graded;
	item->passed = p->graded && p->count > 0 && p->passed == p->count;
	item->points = p->graded ? p->points : 0;
	item->max = p->graded ? p->max : 0;
	free(share);
}

void result_items_make(const struct lab_result *r, struct result_items *items)
{
	*items = (struct result_items){ 0 };
	add_compile(items, r);
	for (int part = 0; part < PART_COUNT; part++) {
		const struct part_result *p = &r->parts[part];
		int before = items->count;

		if (p->max <= 0)
			continue;
		if (part == PART_PUBLIC && p->graded)
			add_public(items, r);
		else if (part == PART_SECRET && p->graded)
			add_secret(items, r);
		if (items->count == before)
			add_part(items, r, (enum lab_part)part);
	}
}

void result_items_free(struct result_items *items)
{
	for (int i = 0; i < items->count; i++) {
		free(items->list[i].name);
		free(items->list[i].text);
	}
	free(items->list);
	*items = (struct result_items){ 0 };
}

bool result_items_detailed(const struct result_items *items, const struct result_item *item)
{
	return item->kind == ITEM_SECRET && item + 1 < items->list + items->count
		&& item[1].kind == ITEM_DETAIL;
}

char *result_item_reason(const struct result_item *item)
{
	const char *text = strncmp(item->text, "what: ", 6) == 0 ? item->text + 6 : item->text;

	return xasprintf("%.*s", (int)strcspn(text, "\n"), text);
}
