/* format_junit.c - JUnit XML, as Ant's schema describes it; see formats.h.
 *
 * A suite for each part, and one for compiling. Times are 0, because grading never looks at them.
 * labs/formats/junit.xml is a sample.
 */
#include "tui/lab/result/formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/lab/result/items.h"

/* U+FFFE and U+FFFF are not characters of XML; other control characters do not occur in results. */
static bool is_noncharacter(const char *text)
{
	return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

static void print_xml(FILE *out, const char *text, bool attribute)
{
	for (; *text; text++) {
		if (is_noncharacter(text)) {
			fputs("\xef\xbf\xbd", out);
			text += 2;
		} else if (*text == '&') {
			fputs("&amp;", out);
		} else if (*text == '<') {
			fputs("&lt;", out);
		} else if (*text == '>') {
			fputs("&gt;", out);
		} else if (*text == '"') {
			fputs("&quot;", out);
		} else if (attribute && (*text == '\n' || *text == '\t')) {
			putc(' ', out);
		} else {
			putc(*text, out);
		}
	}
}

static void print_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	print_xml(out, value, true);
	putc('"', out);
}

static const char *suite_name(enum lab_part part)
{
	return part == PART_COUNT ? "compile" : lab_part_names[part];
}

static void print_test(FILE *out, const struct lab_result *r, const struct result_item *item)
{
	char *reason = result_item_reason(item);

	fprintf(out, "    <testcase");
	print_attribute(out, "name", item->name);
	fprintf(out, " classname=\"flashtwin.lab%02d.%s\" time=\"0\"", r->lab->number,
		suite_name(item->part));
	if (item->skipped) {
		fprintf(out, "><skipped/></testcase>\n");
	} else if (item->passed) {
		fprintf(out, "/>\n");
	} else {
		fprintf(out, "><failure");
		print_attribute(out, "message", reason);
		fprintf(out, " type=\"%s\">", suite_name(item->part));
		print_xml(out, item->text, false);
		fprintf(out, "</failure></testcase>\n");
	}
	free(reason);
}

/* Summaries are left out where the cases themselves follow. */
static bool in_suite(const struct result_items *items, int i, enum lab_part part)
{
	return items->list[i].part == part && !result_items_detailed(items, &items->list[i]);
}

static void print_suite(FILE *out, const struct lab_result *r, const struct result_items *items,
			enum lab_part part, int *id)
{
	int tests = 0, failures = 0, skipped = 0;
	char now[FORMAT_TIME];

	for (int i = 0; i < items->count; i++) {
		if (!in_suite(items, i, part))
			continue;
		tests++;
		skipped += items->list[i].skipped;
		failures += !items->list[i].passed && !items->list[i].skipped;
	}
	if (tests == 0)
		return;
	format_time(now, "");
	fprintf(out, "  <testsuite name=\"%s\" package=\"flashtwin.lab%02d\" id=\"%d\""
		" timestamp=\"%s\" hostname=\"localhost\" tests=\"%d\" failures=\"%d\" errors=\"0\""
		" skipped=\"%d\" time=\"0\">\n    <properties/>\n", suite_name(part),
		r->lab->number, (*id)++, now, tests, failures, skipped);
	for (int i = 0; i < items->count; i++)
		if (in_suite(items, i, part))
			print_test(out, r, &items->list[i]);
	fprintf(out, "    <system-out/>\n    <system-err/>\n  </testsuite>\n");
}

void format_junit(FILE *out, const struct lab_result *r)
{
	struct result_items items;
	int id = 0;

	result_items_make(r, &items);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	print_suite(out, r, &items, PART_COUNT, &id);
	for (int part = 0; part < PART_COUNT; part++)
		print_suite(out, r, &items, (enum lab_part)part, &id);
	fprintf(out, "</testsuites>\n");
	result_items_free(&items);
}
