/* log_at.c - parses the windows of --log-at.
 *
 * Grammar: WINDOW[,WINDOW]..., WINDOW = ADDR[..ADDR], ADDR = s<step> or L<launch>. All windows have
 * the same unit, ascend and are disjoint, since a run passes through them once. Used by the
 * recorder and diff.
 */
#include "traces/store/log_at.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

/* Reads "s12" or "L12" and advances *at; false if there is no address. */
static bool parse_address(const char **at, char *unit, int64_t *number)
{
	char *end;

	if (**at != 's' && **at != 'L')
		return false;
	if (!isdigit((unsigned char)(*at)[1]))
		return false;
	errno = 0;
	*unit = **at;
	*number = strtoll(*at + 1, &end, 10);
	*at = end;
	return errno == 0;
}

/* Reads one window and the comma after it. */
static bool parse_window(const char **at, char *unit, struct log_window *window)
{
	char last_unit;

	if (!parse_address(at, unit, &window->first))
		return false;
	window->last = window->first;
	if (!strncmp(*at, "..", 2)) {
		*at += 2;
		if (!parse_address(at, &last_unit, &window->last) || last_unit != *unit)
			return false;
	}
	if (**at == ',')
		return *++*at != '\0';
	return **at == '\0';
}

static enum status parse_all(const char *text, struct log_at *out)
{
	for (const char *at = text; *at; ) {
		const char *begin = at;
		struct log_window window;
		char unit;

		if (!parse_window(&at, &unit, &window))
			return fail(STATUS_USAGE, "--log-at %s: expected a window such as s0..s63 "
				    "(steps) or L0..L9 (launches), got '%s'", text, begin);
		if (out->unit && out->unit != unit)
			return fail(STATUS_USAGE, "--log-at %s: steps and launches cannot be mixed",
				    text);
		if (window.first > window.last
		    || (out->count && window.first <= out->windows[out->count - 1].last))
			return fail(STATUS_USAGE, "--log-at %s: windows must ascend, but %c%" PRId64
				    "..%c%" PRId64 " does not", text, unit, window.first, unit,
				    window.last);
		out->unit = unit;
		out->windows = xreallocarray(out->windows, (size_t)out->count + 1, sizeof window);
		out->windows[out->count++] = window;
	}
	if (!out->unit)
		return fail(STATUS_USAGE, "--log-at: expected a window, for example s0..s63");
	return STATUS_OK;
}

enum status log_at_parse(const char *text, struct log_at *out)
{
	enum status status;

	*out = (struct log_at){ 0 };
	if (!text)
		return STATUS_OK;
	status = parse_all(text, out);
	if (status != STATUS_OK)
		log_at_free(out);
	return status;
}

bool log_at_holds(const struct log_at *log_at, int64_t number)
{
	if (!log_at->unit)
		return true;
	for (int i = 0; i < log_at->count; i++)
		if (number >= log_at->windows[i].first && number <= log_at->windows[i].last)
			return true;
	return false;
}

bool log_at_keeps(const struct row_op *op)
{
	switch (op->kind) {
	case OP_ALLOC:
	case OP_VARIABLE:
	case OP_FREE:
	case OP_STREAM_CREATE:
	case OP_STREAM_DESTROY:
	case OP_EVENT_CREATE:
	case OP_EVENT_DESTROY:
	case OP_CAPTURE_BEGIN:
	case OP_CAPTURE_END:
	case OP_CAPTURE_RELAX:
	case OP_GRAPH_CREATE:
	case OP_GRAPH_NODE:
	case OP_GRAPH_INSTANTIATE:
	case OP_GRAPH_DESTROY:
	case OP_GRAPH_EXEC_DESTROY:
		return true;
	case OP_EVENT_RECORD:
	case OP_EVENT_WAIT:
		return op->node != NULL;        /* part of a capture */
	default:
		return false;
	}
}

void log_at_free(struct log_at *log_at)
{
	free(log_at->windows);
	*log_at = (struct log_at){ 0 };
}
