/* log_at.c - parses the windows of --log-at.
 *
 * Grammar: WINDOW[,WINDOW]..., WINDOW = ADDR[..ADDR], ADDR = s<step>, L<launch> or
 * L<launch>.b<block>. All windows have the same unit, ascend and are disjoint, since a run passes
 * through them once. Used by the recorder and diff.
 */
#include "traces/store/log_at.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

struct address {
	char unit;
	int64_t number, block;          /* block -1: none */
};

static bool parse_number(const char **at, char letter, int64_t *number)
{
	char *end;

	if (**at != letter || !isdigit((unsigned char)(*at)[1]))
		return false;
	errno = 0;
	*number = strtoll(*at + 1, &end, 10);
	*at = end;
	return errno == 0;
}

/* Reads "s12", "L12" or "L12.b3" and advances *at; false if there is no address. */
static bool parse_address(const char **at, struct address *out)
{
	out->unit = **at == 's' ? 's' : 'L';
	out->block = -1;
	if (!parse_number(at, out->unit, &out->number))
		return false;
	if (out->unit != 'L' || strncmp(*at, ".b", 2) != 0)
		return true;
	++*at;
	return parse_number(at, 'b', &out->block);
}

/* Reads one window and the comma after it. */
static bool parse_window(const char **at, struct address *first, struct address *last)
{
	if (!parse_address(at, first))
		return false;
	*last = *first;
	if (!strncmp(*at, "..", 2)) {
		*at += 2;
		if (!parse_address(at, last) || last->unit != first->unit
		    || (last->block < 0) != (first->block < 0))
			return false;
	}
	if (**at == ',')
		return *++*at != '\0';
	return **at == '\0';
}

/* Whether the window begins after the last one. */
static bool follows(const struct log_at *log_at, const struct address *first)
{
	const struct log_window *last;

	if (log_at->count == 0)
		return true;
	last = &log_at->windows[log_at->count - 1];
	if (first->number > last->last)
		return true;
	return log_at->blocks && first->number == last->last
		&& first->block > log_at->blocks[log_at->count - 1].last;
}

static enum status add_window(const char *text, struct log_at *out, const struct address *first,
			      const struct address *last, const char *begin)
{
	size_t count = (size_t)out->count + 1;
	bool blocks = first->block >= 0;

	if (out->unit && out->unit != first->unit)
		return fail(STATUS_USAGE, "--log-at %s: steps and launches cannot be mixed", text);
	if (out->unit && blocks != (out->blocks != NULL))
		return fail(STATUS_USAGE, "--log-at %s: windows with and without blocks cannot be"
			    " mixed", text);
	if (blocks && first->number != last->number)
		return fail(STATUS_USAGE, "--log-at %s: expected blocks of one launch, got '%.*s'",
			    text, (int)strcspn(begin, ","), begin);
	if (first->number > last->number || first->block > last->block || !follows(out, first))
		return fail(STATUS_USAGE, "--log-at %s: windows must ascend, but '%.*s' does not",
			    text, (int)strcspn(begin, ","), begin);
	out->unit = first->unit;
	out->windows = xreallocarray(out->windows, count, sizeof *out->windows);
	out->windows[out->count] = (struct log_window){ first->number, last->number };
	if (blocks) {
		out->blocks = xreallocarray(out->blocks, count, sizeof *out->blocks);
		out->blocks[out->count] = (struct block_range){ first->block, last->block };
	}
	out->count++;
	return STATUS_OK;
}

static enum status parse_all(const char *text, struct log_at *out)
{
	for (const char *at = text; *at; ) {
		const char *begin = at;
		struct address first, last;

		if (!parse_window(&at, &first, &last))
			return fail(STATUS_USAGE, "--log-at %s: expected a window such as s0..s63 "
				    "(steps), L0..L9 (launches) or L4.b0..L4.b7 (blocks), got "
				    "'%s'", text, begin);
		TRY(add_window(text, out, &first, &last, begin));
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

int log_at_blocks(const struct log_at *log_at, int64_t launch, const struct block_range **out)
{
	int first = 0, count = 0;

	*out = NULL;
	if (!log_at->blocks)
		return 0;
	while (first < log_at->count && log_at->windows[first].first != launch)
		first++;
	while (first + count < log_at->count && log_at->windows[first + count].first == launch)
		count++;
	*out = log_at->blocks + first;
	return count;
}

bool log_at_keeps(const struct row_op *op)
{
	switch (op->kind) {
	case OP_ALLOC:
	case OP_VARIABLE:
	case OP_HEAP:
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
	free(log_at->blocks);
	*log_at = (struct log_at){ 0 };
}
