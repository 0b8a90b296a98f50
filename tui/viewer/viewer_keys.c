/* viewer_keys.c - which key does what, when, and what help says of it.
 *
 * Lower case goes forward, upper case back. Actions lie in viewer_move.c, viewer_step_finding.c
 * and so on.
 */
#include "config.h"

#include <curses.h>
#include <string.h>

#include "tui/viewer/viewer_internal.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/views/view_list.h"

const struct viewer_screen viewer_screens[] = {
	{ '1', "Time", &view_time, WALK_OP },
	{ '2', "KV", &view_kv, WALK_LAUNCH },
	{ '3', "Chunks", &view_chunks, WALK_BLOCK },
	{ '4', "Reduce", &view_reduce, WALK_BLOCK },
	{ '5', "Diff", &view_diff, WALK_LAUNCH },
	{ '6', "Source", &view_source, WALK_POINT },
	{ '7', "Finds", &view_findings, WALK_LAUNCH },
	{ '8', "Text", &view_attention, WALK_STEP },
	{ '9', "Points", &view_points, WALK_POINT },
	{ '0', "Launch", &view_launch, WALK_LAUNCH },
	{ 'i', "Info", &view_summary, WALK_STEP },
	{ 0, NULL, NULL, WALK_OP }
};

const struct viewer_screen *viewer_screen_of(const struct view *view)
{
	for (int i = 0; viewer_screens[i].view; i++)
		if (viewer_screens[i].view == view)
			return &viewer_screens[i];
	return &viewer_screens[0];
}

enum when { ALWAYS, ON_SCREEN, WITH_TWO };

struct key {
	int key;
	enum when when;
	enum status (*act)(struct viewer *, int key);
	const char *name, *help;        /* help NULL: another spelling of the key before */
};

static const struct key keys[] = {
	{ 'j', ALWAYS, viewer_next_row, "j down", "next row; behind the last, on by one" },
	{ TERM_CODE(KEY_DOWN), ALWAYS, viewer_next_row, "", NULL },
	{ 'k', ALWAYS, viewer_previous_row, "k up", "previous row" },
	{ TERM_CODE(KEY_UP), ALWAYS, viewer_previous_row, "", NULL },
	{ '\r', ALWAYS, viewer_deeper, "enter", "open what the row is about" },
	{ '\n', ALWAYS, viewer_deeper, "", NULL },
	{ TERM_CODE(KEY_ENTER), ALWAYS, viewer_deeper, "", NULL },
	{ 'q', ALWAYS, viewer_back, "q", "back, and from the first screen out" },
	{ 27, ALWAYS, viewer_back, "", NULL },
	{ TERM_CODE(KEY_BACKSPACE), ALWAYS, viewer_back, "", NULL },
	{ 'Q', ALWAYS, viewer_quit, "Q", "quit" },
	{ 'h', ON_SCREEN, viewer_previous_head, "h", "previous head; in the text, previous layer" },
	{ 'l', ON_SCREEN, viewer_next_head, "l", "next head; in the text, next layer" },
	{ 'd', ON_SCREEN, viewer_next_step, "d D", "next, previous decode step (token)" },
	{ 'D', ON_SCREEN, viewer_previous_step, "", NULL },
	{ 'o', ON_SCREEN, viewer_next_op, "o O", "next, previous operation" },
	{ 'O', ON_SCREEN, viewer_previous_op, "", NULL },
	{ 'f', ON_SCREEN, viewer_next_launch, "f F", "next, previous launch" },
	{ 'F', ON_SCREEN, viewer_previous_launch, "", NULL },
	{ ')', ON_SCREEN, viewer_next_block, ") (", "next, previous block; b is ) too" },
	{ 'b', ON_SCREEN, viewer_next_block, "", NULL },
	{ '(', ON_SCREEN, viewer_previous_block, "", NULL },
	{ 't', ON_SCREEN, viewer_next_tile, "t T", "next, previous tile of the online softmax" },
	{ 'T', ON_SCREEN, viewer_previous_tile, "", NULL },
	{ 's', ON_SCREEN, viewer_next_point, "s S", "next, previous named point" },
	{ 'S', ON_SCREEN, viewer_previous_point, "", NULL },
	{ 'g', ALWAYS, viewer_first, "g G", "first, last place of the run" },
	{ 'G', ALWAYS, viewer_last, "", NULL },
	{ TERM_CODE(KEY_NPAGE), ALWAYS, viewer_page_down, "pgdn pgup", "scroll" },
	{ TERM_CODE(KEY_PPAGE), ALWAYS, viewer_page_up, "", NULL },
	{ TERM_CODE(KEY_HOME), ALWAYS, viewer_first, "", NULL },
	{ TERM_CODE(KEY_END), ALWAYS, viewer_last, "", NULL },
	{ TERM_CODE(KEY_LEFT), ALWAYS, viewer_left, "left right", "scroll sideways" },
	{ TERM_CODE(KEY_RIGHT), ALWAYS, viewer_right, "", NULL },
	{ TERM_CODE(KEY_MOUSE), ALWAYS, viewer_mouse, "mouse",
	  "with --mouse: click a tab or a row; the wheel scrolls" },
	{ ']', WITH_TWO, viewer_next_difference, "] [", "next, previous difference: launch; on Diff, element" },
	{ '[', WITH_TWO, viewer_previous_difference, "", NULL },
	{ 'v', WITH_TWO, viewer_split, "v", "show both runs, or one" },
	{ '\t', WITH_TWO, viewer_swap, "tab", "swap the two runs" },
	{ 'e', ON_SCREEN, viewer_next_finding, "e E", "next, previous finding" },
	{ 'E', ON_SCREEN, viewer_previous_finding, "", NULL },
	{ ' ', ON_SCREEN, viewer_toggle_break, "space", "break at this line, place or kernel, or no more" },
	{ 'B', ON_SCREEN, viewer_breaks, "B", "list breakpoints" },
	{ 'c', ON_SCREEN, viewer_fenced_on, "c C", "on, back to a breakpoint; :fence bounds it" },
	{ 'C', ON_SCREEN, viewer_fenced_back, "", NULL },
	{ 'w', ON_SCREEN, viewer_who_wrote, "w", "who wrote this element, what the launch was given, or on KV the rows" },
	{ 'r', ON_SCREEN, viewer_who_reads, "r", "who reads this element, or what the launch wrote" },
	{ 'm', ON_SCREEN, viewer_set_mark, "m x", "mark this place as x, a to z" },
	{ '\'', ON_SCREEN, viewer_go_to_mark, "' x", "jump to mark x; '' back" },
	{ 'H', ON_SCREEN, viewer_visited, "H", "places visited" },
	{ 'y', ON_SCREEN, viewer_show_address, "y", "the command that comes back here" },
	{ '/', ALWAYS, viewer_search, "/", "search the screen, then the run behind it, and round" },
	{ 'n', ALWAYS, viewer_search_next, "n N", "next, previous match" },
	{ 'N', ALWAYS, viewer_search_previous, "", NULL },
	{ ':', ALWAYS, viewer_command, ":",
	  "command: at ADDR, save-display FILE, break, breaks, fence, q" },
	{ ';', ON_SCREEN, viewer_sql, ";", "SQL on the trace" },
	{ 'x', ON_SCREEN, viewer_number, "x", "numbers in decimal, hex, bits" },
	{ 'u', ON_SCREEN, viewer_distance, "u", "distances in ulp, absolute, relative" },
	{ 'L', ON_SCREEN, viewer_scale, "L", "charts by a linear scale, by logarithms" },
	{ '~', ALWAYS, viewer_glyphs, "~", "other glyphs: ASCII, UTF-8, shades" },
	{ 'L' - '@', ALWAYS, viewer_redraw, "ctrl-L", "paint again" },
	{ '?', ALWAYS, viewer_help, "?", "the keys that are valid now" },
};

static bool valid(const struct viewer *v, enum when when)
{
	switch (when) {
	case ALWAYS: return true;
	case ON_SCREEN: return !v->list;
	case WITH_TWO: return !v->list && v->side[1].store;
	}
	return false;
}

/* Work that was stopped may end with any status; the screen is drawn all the same. */
static void perform(struct viewer *v, enum status (*act)(struct viewer *, int), int key)
{
	enum status status = act(v, key);

	if (v->work.stopped) {
		error_clear();
		if (status != STATUS_OK || !*v->message)
			viewer_say(v, "stopped");
		viewer_work_resume(v);
	} else if (status != STATUS_OK) {
		viewer_complain(v);
	}
}

void viewer_key(struct viewer *v, int key)
{
	enum status (*act)(struct viewer *, int) = NULL;

	for (int i = 0; viewer_screens[i].view; i++)
		if (viewer_screens[i].key == key)
			act = viewer_screen;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !act; i++)
		if (keys[i].key == key && valid(v, keys[i].when))
			act = keys[i].act;
	v->message[0] = '\0';
	if (act)
		perform(v, act, key);
	else
		viewer_say(v, "this key does nothing here: ? lists those that do");
}

int viewer_key_number(size_t number)
{
	size_t screens = 0;

	while (viewer_screens[screens].view)
		screens++;
	if (number < screens)
		return viewer_screens[number].key;
	number -= screens;
	return number < sizeof(keys) / sizeof(keys[0]) ? keys[number].key : 0;
}

const char *viewer_key_name(int key, char room[32])
{
	if (key > ' ' && key < 127)
		snprintf(room, 32, "%c", key);
	else if (key > 0 && key <= ' ')
		snprintf(room, 32, "%s", key == ' ' ? "space" : unctrl((chtype)key));
	else
		snprintf(room, 32, "%s", keyname(key - TERM_CODE(0)));
	return room;
}

void viewer_keys_list(const struct viewer *v, struct display *d)
{
	char line[120];

	for (int i = 0; viewer_screens[i].view; i++) {
		snprintf(line, sizeof(line), "  %-12c  %s: %s\n", viewer_screens[i].key,
			 viewer_screens[i].tab, viewer_screens[i].view->summary);
		display_text(d, line);
	}
	display_text(d, "\n");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!keys[i].help || !valid(v, keys[i].when))
			continue;
		snprintf(line, sizeof(line), "  %-12s  %s\n", keys[i].name, keys[i].help);
		display_text(d, line);
	}
}

const char *viewer_keys_hint(const struct viewer *v)
{
	if (v->list)
		return "j/k row  enter go there  / find  ? keys  q close";
	if (v->split || (v->here.view == &view_diff && v->side[1].store))
		return "]/[ difference  d/D step  f/F launch  v one  tab swap  ? keys  q back"
		       "  )/( block  s/S point";
	/* What 80 columns leave out comes last. */
	return "d/D step  f/F launch  )/( block  s/S point  enter open  ? keys  q back"
	       "  w who wrote  ; sql  / find";
}
