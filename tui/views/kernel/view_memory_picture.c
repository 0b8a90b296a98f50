/* view_memory_picture.c - where a request's bytes are: a row for each 128-byte line of global
 * memory, or for each pass over the banks of shared memory.
 *
 * A character stands for a word of 4 bytes and names the lane that accesses it.
 */
#include "tui/views/kernel/view_memory.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define WORDS (REQUEST_LINE / REQUEST_WORD)
#define MAX_ROWS (2 * REQUEST_LANES)
#define SEVERAL '*'                     /* lanes that access the same word */
#define WASTED '.'                      /* moved, and not accessed */

static enum status take_name(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)c;
	snprintf(state, 48, "%.47s", view_text(row, 0));
	return STATUS_OK;
}

enum status memory_buffer(const struct view_context *c, uint64_t address, char *name, size_t size)
{
	char found[48] = "device memory";

	TRY(VIEW_ROWS(c, take_name, found, "SELECT name FROM v_buffer WHERE run = ?1"
		      " AND buffer = ?2", c->run, (int64_t)(address >> MEMORY_BUFFER)));
	snprintf(name, size, "%s", found);
	return STATUS_OK;
}

/* --- one row of words --- */

struct words {
	char mark[WORDS];
	uint32_t lanes;                 /* that access one of them */
};

static void mark_lane(struct words *w, uint64_t word, unsigned lane)
{
	char *mark = &w->mark[word % WORDS];

	*mark = *mark == ' ' || *mark == WASTED ? memory_digit(lane) : SEVERAL;
	w->lanes |= 1u << lane;
}

static void put_words(const struct view_context *c, const struct words *w)
{
	view_styled(c, STYLE_FRAME, "|");
	for (int i = 0; i < WORDS; ) {
		enum view_style style = w->mark[i] == WASTED ? STYLE_WRONG
			: w->mark[i] == ' ' ? STYLE_PLAIN : STYLE_STRONG;
		int past = i + 1;

		while (past < WORDS && past % 8 && (w->mark[past] == WASTED)
		       == (w->mark[i] == WASTED) && (w->mark[past] == ' ') == (w->mark[i] == ' '))
			past++;
		view_styled(c, style, "%.*s", past - i, w->mark + i);
		if (past % 8 == 0)
			view_styled(c, STYLE_FRAME, "|");
		i = past;
	}
}

/* "lane 7", "lanes 0 to 7", "4 lanes" */
static void put_lanes(const struct view_context *c, const struct memory_request *r, uint32_t lanes)
{
	int first = __builtin_ctz(lanes), count = __builtin_popcount(lanes);

	if (count == 1)
		view_print(c, " %s %d\n", memory_lane(r), first);
	else if (lanes >> first == (uint32_t)((1ull << count) - 1))
		view_print(c, " %ss %d to %d\n", memory_lane(r), first, first + count - 1);
	else
		view_print(c, " %d %ss\n", count, memory_lane(r));
}

/* --- global memory --- */

static void mark_line(const struct memory_request *r, uint64_t line, struct words *w)
{
	memset(w->mark, ' ', sizeof w->mark);
	w->lanes = 0;
	for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t first = r->address[lane] / REQUEST_SECTOR;
		uint64_t last = (r->address[lane] + r->bytes[lane] - 1) / REQUEST_SECTOR;

		for (uint64_t s = first; s <= last; s++)
			if (s / 4 == line)
				memset(w->mark + s % 4 * 8, WASTED, 8);
	}
	for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t last = (r->address[lane] + r->bytes[lane] - 1) / REQUEST_WORD;

		for (uint64_t word = r->address[lane] / REQUEST_WORD; word <= last; word++)
			if (word / WORDS == line)
				mark_lane(w, word, lane);
	}
}

/* How many rows to print of these; a single row takes no more space than to say that it is left
 * out. */
static int64_t limit_of(const struct view_context *c, unsigned rows)
{
	int64_t limit = c->lines == 0 ? MAX_ROWS : c->lines / 4 > 4 ? c->lines / 4 : 4;

	return rows == limit + 1 ? rows : limit;
}

static enum status draw_global(const struct view_context *c, const struct memory_request *r,
			       bool headed, bool legend)
{
	uint64_t line[MAX_ROWS];
	unsigned count = request_find_units(r->address, r->bytes, r->lanes, REQUEST_LINE, line);

	if (headed)
		view_styled(c, STYLE_HEADING, "  %-24s %s\n", "line of 128 bytes",
			    " sector 0 sector 1 sector 2 sector 3");
	for (unsigned i = 0; i < count && view_fits(c, i, limit_of(c, count)); i++) {
		struct words words;
		char name[48], label[80];

		mark_line(r, line[i], &words);
		TRY(memory_buffer(c, line[i] * REQUEST_LINE, name, sizeof name));
		snprintf(label, sizeof label, "%.14s+%" PRId64, name,
			 MEMORY_OFFSET(line[i] * REQUEST_LINE));
		view_print(c, "  %-24.24s ", label);
		put_words(c, &words);
		put_lanes(c, r, words.lanes);
	}
	view_more(c, count, limit_of(c, count));
	if (legend)
		view_styled(c, STYLE_NOTE, "  a word of 4 bytes: 0 to v its %s, * several "
			    "%ss, . moved but not accessed\n", memory_lane(r), memory_lane(r));
	return STATUS_OK;
}

/* --- shared memory --- */

struct passes {
	struct words rows[MAX_ROWS];
	uint64_t word[MAX_ROWS][WORDS]; /* that the bank reads in this pass */
	unsigned count;
};

/* The pass in which a group accesses a word: that which has it, or the first with a free bank. */
static unsigned pass_of(struct passes *p, unsigned first, uint64_t word)
{
	unsigned bank = word % REQUEST_BANKS, pass = first;

	while (pass < p->count && p->rows[pass].mark[bank] != ' ' && p->word[pass][bank] != word)
		pass++;
	if (pass == p->count && p->count < MAX_ROWS) {
		memset(p->rows[pass].mark, ' ', WORDS);
		p->rows[pass].lanes = 0;
		p->count++;
	}
	return pass < MAX_ROWS ? pass : MAX_ROWS - 1;
}

static void find_passes(const struct memory_request *r, struct passes *p)
{
	unsigned group = request_group(r->address, r->bytes, r->lanes, r->load), first = 0;

	p->count = 0;
	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		uint64_t last = (r->address[lane] + r->bytes[lane] - 1) / REQUEST_WORD;

		if (lane % group == 0)
			first = p->count;
		if (!(r->lanes >> lane & 1))
			continue;
		for (uint64_t w = r->address[lane] / REQUEST_WORD; w <= last; w++) {
			unsigned pass = pass_of(p, first, w);

			mark_lane(&p->rows[pass], w, lane);
			p->word[pass][w % REQUEST_BANKS] = w;
		}
	}
}

static enum status draw_shared(const struct view_context *c, const struct memory_request *r)
{
	struct passes passes;
	int64_t limit;

	find_passes(r, &passes);
	limit = limit_of(c, passes.count);
	view_styled(c, STYLE_HEADING, "  %-24s %s\n", "pass over the banks",
		    " bank 0   bank 8   bank 16  bank 24");
	for (unsigned i = 0; i < passes.count && view_fits(c, i, limit); i++) {
		view_print(c, "  %-24u ", i + 1);
		put_words(c, &passes.rows[i]);
		put_lanes(c, r, passes.rows[i].lanes);
	}
	view_more(c, passes.count, limit);
	view_styled(c, STYLE_NOTE,
		    "  a bank's word of 4 bytes: 0 to v its %s, * several %ss\n",
		    memory_lane(r), memory_lane(r));
	return STATUS_OK;
}

enum status memory_draw_picture(const struct view_context *c, const struct memory_request *r,
				bool headed, bool legend)
{
	return r->shared ? draw_shared(c, r) : draw_global(c, r, headed, legend);
}

/* --- in a line of text --- */

/* Whether an earlier lane accesses the same word. */
static bool is_shared_word(const struct memory_request *r, unsigned lane)
{
	for (unsigned i = 0; i < lane; i++)
		if (r->lanes >> i & 1 && r->address[i] / REQUEST_WORD
		    == r->address[lane] / REQUEST_WORD)
			return true;
	return false;
}

void memory_pattern(const struct memory_request *r, char out[REQUEST_LANES + 1])
{
	uint64_t line[MAX_ROWS];
	unsigned count = request_find_units(r->address, r->bytes, r->lanes, REQUEST_LINE, line);

	for (unsigned lane = 0; lane < REQUEST_LANES; lane++) {
		unsigned at = 0;

		while (at < count && line[at] != r->address[lane] / REQUEST_LINE)
			at++;
		if (r->shared)
			at = r->address[lane] / REQUEST_WORD % REQUEST_BANKS;
		out[lane] = !(r->lanes >> lane & 1) ? '-'
			: r->shared && is_shared_word(r, lane) ? '=' : memory_digit(at);
	}
	out[REQUEST_LANES] = '\0';
}
