/* viewer_keys.c - the table of keys: action, when valid, and help text; see viewer_keys.h.
 *
 * Lower case goes forward, upper case back. Actions are defined in viewer_move.c,
 * viewer_step_finding.c and so on.
 */
#include "config.h"

#include "tui/viewer/viewer_keys.h"

#include <curses.h>

#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_play.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/viewer/viewer_work.h"

#define CTRL(letter) ((letter) - '@')
#define GROUP(name) { 0, ALWAYS, viewer_help, NULL, name }

const struct viewer_key viewer_keys[] = {
	GROUP("play a step as it happened"),
	{ '.', ON_SCREEN, viewer_play, ".", "play the step, or pause" },
	{ ',', ON_SCREEN, viewer_play_back, ",", "play it backwards, or pause" },
	{ '<', ON_SCREEN, viewer_slower, "< >", "slower, faster" },
	{ '>', ON_SCREEN, viewer_faster, "", NULL },
	{ 's', ON_STEP, viewer_next_frame, "s S", "next, previous frame" },
	{ 'S', ON_STEP, viewer_previous_frame, "", NULL },
	GROUP("see another step, head or layer"),
	{ 'd', ON_SCREEN, viewer_next_step, "d D", "next, previous decode step (token)" },
	{ 'D', ON_SCREEN, viewer_previous_step, "", NULL },
	{ 'h', ON_SCREEN, viewer_previous_head, "h l", "previous, next head" },
	{ 'l', ON_SCREEN, viewer_next_head, "", NULL },
	{ 'z', ON_SCREEN, viewer_next_layer, "z Z", "next, previous layer" },
	{ 'Z', ON_SCREEN, viewer_previous_layer, "", NULL },
	{ 'a', OFF_MEMORY, viewer_next_slot, "a A",
	  "next, previous slot of a batch, or tile of queries" },
	{ 'A', OFF_MEMORY, viewer_previous_slot, "", NULL },
	GROUP("move on the screen"),
	{ 'j', ALWAYS, viewer_next_row, "j down", "next row; after the last, the next place" },
	{ TERM_CODE(KEY_DOWN), ALWAYS, viewer_next_row, "", NULL },
	{ 'k', ALWAYS, viewer_previous_row, "k up", "previous row" },
	{ TERM_CODE(KEY_UP), ALWAYS, viewer_previous_row, "", NULL },
	{ TERM_CODE(KEY_HOME), ALWAYS, viewer_first_row, "home end",
	  "first, last row of the screen" },
	{ TERM_CODE(KEY_END), ALWAYS, viewer_last_row, "", NULL },
	{ ' ', ALWAYS, viewer_page_down, "space",
	  "scroll down a page, like pgdn and ctrl-F; ctrl-D half a page" },
	{ TERM_CODE(KEY_NPAGE), ALWAYS, viewer_page_down, "", NULL },
	{ CTRL('F'), ALWAYS, viewer_page_down, "", NULL },
	{ CTRL('D'), ALWAYS, viewer_half_down, "", NULL },
	{ TERM_CODE(KEY_PPAGE), ALWAYS, viewer_page_up, "pgup",
	  "scroll up a page, like ctrl-B; ctrl-U half a page" },
	{ CTRL('B'), ALWAYS, viewer_page_up, "", NULL },
	{ CTRL('U'), ALWAYS, viewer_half_up, "", NULL },
	{ TERM_CODE(KEY_LEFT), ALWAYS, viewer_left, "left right", "scroll sideways" },
	{ TERM_CODE(KEY_RIGHT), ALWAYS, viewer_right, "", NULL },
	{ TERM_CODE(KEY_MOUSE), ALWAYS, viewer_mouse, "mouse",
	  "click a tab or a row; the wheel scrolls; shift and drag selects text" },
	{ '\r', ALWAYS, viewer_deeper, "enter", "open what the row is about" },
	{ '\n', ALWAYS, viewer_deeper, "", NULL },
	{ TERM_CODE(KEY_ENTER), ALWAYS, viewer_deeper, "", NULL },
	GROUP("walk through the run"),
	{ 'f', ON_SCREEN, viewer_next_launch, "f F", "next, previous launch" },
	{ 'F', ON_SCREEN, viewer_previous_launch, "", NULL },
	{ 'o', ON_SCREEN, viewer_next_op, "o O", "next, previous operation" },
	{ 'O', ON_SCREEN, viewer_previous_op, "", NULL },
	{ ')', ON_SCREEN, viewer_next_block, ") (", "next, previous block; b is the same as )" },
	{ 'b', ON_SCREEN, viewer_next_block, "", NULL },
	{ '(', ON_SCREEN, viewer_previous_block, "", NULL },
	{ 't', ON_SCREEN, viewer_next_tile, "t T", "next, previous tile of the online softmax" },
	{ 'T', ON_SCREEN, viewer_previous_tile, "", NULL },
	{ 's', OFF_STEP, viewer_next_point, "s S", "next, previous named point" },
	{ 'S', OFF_STEP, viewer_previous_point, "", NULL },
	{ 'a', ON_MEMORY, viewer_next_request, "a A", "next, previous request of a warp" },
	{ 'A', ON_MEMORY, viewer_previous_request, "", NULL },
	{ 'g', ALWAYS, viewer_first, "g G", "first, last place of the run" },
	{ 'G', ALWAYS, viewer_last, "", NULL },
	{ '*', ON_SCREEN, viewer_toggle_break, "*",
	  "set or remove a break at this line, place or kernel" },
	{ 'B', ON_SCREEN, viewer_breaks, "B", "list breakpoints" },
	{ 'c', ON_SCREEN, viewer_fenced_next, "c C",
	  "run forward, back to a breakpoint; :fence sets a range" },
	{ 'C', ON_SCREEN, viewer_fenced_previous, "", NULL },
	GROUP("compare two runs"),
	{ ']', WITH_TWO, viewer_next_difference, "] [",
	  "next, previous difference: launch; on Diff, element" },
	{ '[', WITH_TWO, viewer_previous_difference, "", NULL },
	{ 'v', WITH_TWO, viewer_split, "v", "show both runs, or one" },
	{ '\t', WITH_TWO, viewer_swap, "tab", "swap the two runs" },
	GROUP("find out"),
	{ 'w', ON_SCREEN, viewer_who_wrote, "w",
	  "who wrote this element, the launch's inputs, or on KV the rows" },
	{ 'r', ON_SCREEN, viewer_who_reads, "r",
	  "who reads this element, or the launch's outputs" },
	{ 'e', ON_SCREEN, viewer_next_finding, "e E", "next, previous finding" },
	{ 'E', ON_SCREEN, viewer_previous_finding, "", NULL },
	{ '/', ALWAYS, viewer_search, "/", "search the screen, then the run; wraps around" },
	{ 'n', ALWAYS, viewer_search_next, "n N", "next, previous match" },
	{ 'N', ALWAYS, viewer_search_previous, "", NULL },
	{ ';', ON_SCREEN, viewer_sql, ";", "SQL on the trace" },
	GROUP("remember places"),
	{ 'y', ON_SCREEN, viewer_show_address, "y", "the command that returns to this place" },
	{ 'm', ON_SCREEN, viewer_set_mark, "m x", "mark this place as x, a to z" },
	{ '\'', ON_SCREEN, viewer_go_to_mark, "' x", "jump to mark x; '' jumps back" },
	{ 'H', ON_SCREEN, viewer_visited, "H", "places visited" },
	{ ':', ALWAYS, viewer_command, ":",
	  "an address, or save-display FILE, break, breaks, fence, q" },
	GROUP("change what is shown"),
	{ '+', ALWAYS, viewer_all, "+", "show what was left out, or less again; in a list, more" },
	{ 'W', ON_SCREEN, viewer_what_if, "W", "what if: the reduction in other orders, or not" },
	{ 'x', ON_SCREEN, viewer_number, "x", "numbers in decimal, all digits, hex, bits" },
	{ 'u', ON_SCREEN, viewer_distance, "u", "distances in ulp, absolute, relative" },
	{ 'L', ON_SCREEN, viewer_scale, "L", "charts on a linear or logarithmic scale" },
	{ '~', ALWAYS, viewer_glyphs, "~", "other glyphs: ASCII, UTF-8, shades" },
	{ CTRL('L'), ALWAYS, viewer_redraw, "ctrl-L", "paint again" },
	GROUP("leave"),
	{ 'q', ALWAYS, viewer_back, "q", "back; on the first screen, quit" },
	{ TERM_CODE(KEY_BACKSPACE), ALWAYS, viewer_back, "", NULL },
	{ 27, ALWAYS, viewer_escape, "esc", "close a list, or go back; never quits" },
	{ 'Q', ALWAYS, viewer_quit, "Q", "quit" },
	{ '?', ALWAYS, viewer_help, "? F1", "the keys that are valid now" },
	{ TERM_CODE(KEY_F(1)), ALWAYS, viewer_help, "", NULL },
	{ 0, ALWAYS, NULL, NULL, NULL }
};

/* Stopped work may end with any status; the screen is drawn anyway. */
static void perform(struct viewer *v, enum status (*act)(struct viewer *, int), int key)
{
	enum status status = act(v, key);

	if (v->work.stopped) {
		error_clear();
		if (status != STATUS_OK || !*v->message)
			viewer_say(v, "stopped");
		viewer_work_resume(v);
	} else if (status != STATUS_OK) {
		viewer_show_error(v);
	}
}

void viewer_key(struct viewer *v, int key)
{
	enum status (*act)(struct viewer *, int) = NULL;

	for (int i = 0; viewer_screens[i].view; i++)
		if (viewer_screens[i].key == key)
			act = viewer_screen;
	for (size_t i = 0; viewer_keys[i].act && !act; i++)
		if (viewer_keys[i].key && viewer_keys[i].key == key
		    && viewer_key_valid(v, &viewer_keys[i]))
			act = viewer_keys[i].act;
	v->message[0] = '\0';
	if (!viewer_play_key(v, key))
		viewer_play_leave(v);
	if (act)
		perform(v, act, key);
	else
		viewer_say(v, "this key does nothing here: ? lists the valid keys");
}

bool viewer_key_on_rows(int key)
{
	static enum status (*const on_rows[])(struct viewer *, int) = {
		viewer_next_row, viewer_previous_row, viewer_first_row, viewer_last_row,
		viewer_page_down, viewer_page_up, viewer_half_down, viewer_half_up, viewer_mouse,
		viewer_search, viewer_search_next, viewer_search_previous,
	};

	for (const struct viewer_key *k = viewer_keys; k->act; k++)
		for (size_t i = 0; k->key == key && i < sizeof on_rows / sizeof on_rows[0]; i++)
			if (k->act == on_rows[i])
				return true;
	return false;
}

int viewer_key_number(size_t number)
{
	size_t screens = 0;

	while (viewer_screens[screens].view)
		screens++;
	if (number < screens)
		return viewer_screens[number].key;
	number -= screens;
	for (const struct viewer_key *k = viewer_keys; k->act; k++)
		if (k->key && number-- == 0)
			return k->key;
	return 0;
}
