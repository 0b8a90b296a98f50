/* diff_report.c - collects the differences of two runs; see diff_report.h.
 *
 * Keeps the first differences of each pass, and sorts them into the order of the run at the end.
 */
#include "traces/diff/diff_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/diff/diff_varying.h"

/* --- collecting --- */

bool diff_varies(struct diff *d, const struct diff_place *place, const char *name, int64_t index)
{
	if (d->options.leave_out
	    && diff_varying_has(d->options.leave_out, place->address, name, index))
		return true;
	if (d->options.collect)
		diff_varying_add(d->options.collect, place->address, name, index);
	return false;
}

void diff_add(struct diff *d, const struct diff_place *place, const struct diff_item *item)
{
	if (diff_varies(d, place, item->what, -1))
		d->report->varying++;
	else
		diff_add_known(d, place, item);
}

void diff_add_known(struct diff *d, const struct diff_place *place, const struct diff_item *item)
{
	struct diff_found *found;

	d->report->differences++;
	if (d->pass_count[place->pass]++ >= d->options.keep)
		return;
	d->found = xreallocarray(d->found, (size_t)d->found_count + 1, sizeof *d->found);
	found = &d->found[d->found_count++];
	*found = (struct diff_found){ .item = *item, .op = place->op, .pass = place->pass };
	memcpy(found->item.address, place->address, sizeof found->item.address);
}

void diff_missing(struct diff *d, const struct diff_place *place, const char *what, int side)
{
	struct diff_item item = { .ulp = -1 };

	snprintf(item.what, sizeof item.what, "%.60s is missing in %c", what, side ? 'A' : 'B');
	diff_add(d, place, &item);
}

void diff_note(struct diff *d, const char *format, ...)
{
	char line[256], *notes = d->report->notes;
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	d->report->notes = notes ? xasprintf("%s\n%s", notes, line) : xstrdup(line);
	free(notes);
}

const struct diff_buffer *diff_buffer(const struct diff *d, uint32_t id)
{
	static const struct diff_buffer unknown = { "unknown buffer", DTYPE_U8 };

	return id < d->buffer_count ? &d->buffers[id] : &unknown;
}

/* --- the order of the run --- */

static int compare_found(const void *left, const void *right)
{
	const struct diff_found *a = left, *b = right;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return (a->pass > b->pass) - (a->pass < b->pass);
}

/* Stable, so that differences of one operation and pass stay in the order they were found. */
static void sort_found(struct diff *d)
{
	for (int i = 1; i < d->found_count; i++) {
		struct diff_found found = d->found[i];
		int at = i;

		while (at > 0 && compare_found(&d->found[at - 1], &found) > 0) {
			d->found[at] = d->found[at - 1];
			at--;
		}
		d->found[at] = found;
	}
}

void diff_report_found(struct diff *d)
{
	struct diff_report *report = d->report;
	int count = d->found_count < d->options.keep ? d->found_count : d->options.keep;

	sort_found(d);
	report->items = xcalloc((size_t)count, sizeof *report->items);
	for (int i = 0; i < count; i++)
		report->items[i] = d->found[i].item;
	report->item_count = count;
}
