/* format_tap.c - the Test Anything Protocol, version 13; see formats.h.
 *
 * Descriptions are escaped as version 14 says, and diagnostics are YAML that both can read.
 * labs/formats/tap.tap is a sample.
 */
#include "tui/lab/result/formats.h"

#include "tui/lab/result/items.h"

/* A number sign would begin a directive. */
static void print_description(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '#' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

/* A JSON string is a double-quoted scalar of YAML. */
static void print_diagnostics(FILE *out, const struct result_item *item)
{
	fprintf(out, "  ---\n");
	if (item->max > 0)
		fprintf(out, "  points: \"%.9g of %.9g\"\n", item->points, item->max);
	fprintf(out, "  message: ");
	format_print_json(out, json_string(item->text), JSON_ENCODE_ANY);
	fprintf(out, "  ...\n");
}

static void print_point(FILE *out, const struct result_item *item, int number)
{
	fprintf(out, "%sok %d - ", item->passed || item->skipped ? "" : "not ", number);
	print_description(out, item->name);
	fprintf(out, "%s\n", item->skipped ? " # SKIP needs the instructor's secret" : "");
	if (!item->passed && !item->skipped)
		print_diagnostics(out, item);
}

void format_tap(FILE *out, const struct lab_result *r)
{
	struct result_items items;
	int number = 0;

	result_items_make(r, &items);
	fprintf(out, "TAP version 13\n");
	for (int i = 0; i < items.count; i++)
		if (!result_items_detailed(&items, &items.list[i]))
			print_point(out, &items.list[i], ++number);
	fprintf(out, "1..%d\n# %.9g of %.9g points\n", number, r->points, r->max);
	result_items_free(&items);
}
