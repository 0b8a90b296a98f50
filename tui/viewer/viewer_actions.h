/* viewer_actions.h - the actions of keys, defined in viewer_move.c, viewer_step_finding.c etc. */
#ifndef VIEWER_ACTIONS_H
#define VIEWER_ACTIONS_H

#include "tui/viewer/viewer_state.h"

#define VIEWER_ACTION_LIST(X) \
	X(next_row) X(previous_row) X(next_head) X(previous_head) X(next_layer) \
	X(previous_layer) X(next_slot) X(previous_slot) X(left) X(right) \
	X(page_down) X(page_up) X(half_down) X(half_up) X(first_row) X(last_row) X(escape) \
	X(play) X(play_back) X(next_frame) X(previous_frame) X(slower) X(faster) \
	X(first) X(last) X(deeper) X(back) X(quit) \
	X(next_step) X(previous_step) X(next_op) X(previous_op) \
	X(next_launch) X(previous_launch) X(next_block) X(previous_block) \
	X(next_tile) X(previous_tile) X(next_point) X(previous_point) \
	X(next_request) X(previous_request) \
	X(next_break) X(previous_break) X(toggle_break) X(next_finding) X(previous_finding) \
	X(next_difference) X(previous_difference) X(who_wrote) X(who_reads) \
	X(set_mark) X(go_to_mark) X(visited) X(search) X(search_next) X(search_previous) \
	X(command) X(sql) X(help) X(split) X(swap) X(show_address) X(redraw) \
	X(glyphs) X(number) X(distance) X(scale) X(breaks) X(mouse) \
	X(all) X(what_if) X(fenced_next) X(fenced_previous)

#define X(name) enum status viewer_##name(struct viewer *, int key);
VIEWER_ACTION_LIST(X)
#undef X
enum status viewer_screen(struct viewer *, int key);    /* the number keys */

#endif
