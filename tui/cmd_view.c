/* cmd_view.c - `flashtwin view`: shows a trace as plain text, or interactively on a terminal.
 *
 * Chooses the views and opens the traces; each view has a file tui/views/view_*.c, the interactive
 * viewer is tui/viewer/viewer.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/store/store_index.h"
#include "tui/command.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/view_replay.h"
#include "tui/viewer/viewer.h"
#include "tui/views/address.h"
#include "tui/views/kernel/view_exists.h"
#include "tui/views/step/step.h"
#include "tui/views/view_list.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"

struct view_command {
	const char *paths[2];           /* the second is NULL if one was given */
	const struct view *screen;      /* NULL: chosen by the address */
	struct address at;
	struct view_format looks;
	bool plain, all, ascii, no_color, no_mouse, play;
	bool no_replay, trust;
};

static enum status take_option(void *context, const struct option_value *v)
{
	struct view_command *view = context;

	switch (v->id) {
	case OPTION_PLAIN: view->plain = true; break;
	case OPTION_AT: return address_parse("--at", v->text, &view->at);
	case OPTION_SCREEN: view->screen = view_find(v->text); break;
	case OPTION_ALL: view->all = true; break;
	case OPTION_ASCII: view->ascii = true; break;
	case OPTION_NO_COLOR: view->no_color = true; break;
	case OPTION_MOUSE: view->no_mouse = false; break;
	case OPTION_NO_MOUSE: view->no_mouse = true; break;
	case OPTION_PLAY: view->play = true; break;
	case OPTION_NO_REPLAY: view->no_replay = true; break;
	case OPTION_TRUST: view->trust = true; break;
	case OPTION_NUMBER: view->looks.number = v->choice; break;
	case OPTION_DISTANCE: view->looks.distance = v->choice; break;
	case OPTION_CHART_SCALE: view->looks.scale = v->choice; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status parse(struct view_command *view, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_VIEW, argc, argv, take_option, view, &rest));
	TRY(last_run_traces(argc, argv, rest, 2, view->paths, NULL));
	if (view->no_replay && view->trust)
		return fail(STATUS_USAGE, "--no-replay and --trust are mutually exclusive");
	view->plain = view->plain || !isatty(STDOUT_FILENO);
	return STATUS_OK;
}

/* A whole trace: every view that needs no address, and the differences if there is another run. */
static enum status draw_whole(const struct view_context *c)
{
	static const struct view *const parts[] = {
		&view_summary, &view_time, &view_kv, &view_chunks, &view_reduce
	};
	int64_t runs;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		TRY(parts[i]->draw(c));
	TRY(store_run_count(c->store, &runs));
	return c->other || runs > 1 ? view_diff.draw(c) : STATUS_OK;
}

/* One place or one screen, in both traces. */
static enum status draw_part(const struct view_context *c, const struct view *part)
{
	struct view_context second = *c;

	TRY(part->draw(c));
	if (!c->other || part == &view_diff || part == &view_step)
		return STATUS_OK;
	view_title(c, "The same in %s", store_path(c->other));
	second.store = c->other;
	second.other = NULL;
	TRY(view_choose_run(&second));
	return part->draw(&second);
}

static enum status draw(const struct view_command *view, struct view_context *c)
{
	TRY(view_choose_run(c));
	TRY(view_check_address(c));
	if (view->play)
		return step_play(c);
	if (view->screen)
		return draw_part(c, view->screen);
	if (view->at.launch >= 0)
		return draw_part(c, &view_launch);
	return view->at.step >= 0 || view->at.op >= 0 ? draw_part(c, &view_time) : draw_whole(c);
}

static view_replay_fn *replay_of(const struct view_command *view)
{
	return view->no_replay ? NULL : view_replay_here;
}

static enum status draw_plain(struct view_command *view, struct store *store, struct store *other)
{
	struct view_context c = {
		.out = display_create(stdout, &view->at), .store = store, .other = other,
		.at = view->at, .listed = view_table, .all = view->all, .looks = view->looks,
		.recompute = view_recompute_create(replay_of(view), &view->trust),
	};
	enum status status = draw(view, &c);

	display_finish(c.out);
	display_free(c.out);
	view_recompute_free(c.recompute);
	return status;
}

/* The environment variable NO_COLOR counts unless it is empty: no-color.org. */
static bool wants_color(const struct view_command *view)
{
	const char *no_color = getenv("NO_COLOR");

	return !view->no_color && !(no_color && *no_color);
}

static enum status view_by_keys(struct view_command *view, struct store *store,
				struct store *other)
{
	struct view_context c = { .store = store, .at = view->at };
	struct viewer_options options = {
		.store = store, .other = other, .at = view->at,
		.view = view->screen, .looks = view->looks, .ascii = view->ascii,
		.color = wants_color(view), .mouse = !view->no_mouse, .play = view->play,
		.replay = replay_of(view), .replay_context = &view->trust,
	};

	TRY(view_choose_run(&c));
	options.run = c.run;
	return viewer_run(&options);
}

static enum status open_and_draw(struct view_command *view)
{
	struct store *store, *other = NULL;
	enum status status;

	TRY(store_open(view->paths[0], &store));
	status = view->paths[1] ? store_open(view->paths[1], &other) : STATUS_OK;
	if (status == STATUS_OK)
		status = store_index_views(store);
	if (status == STATUS_OK && other)
		status = store_index_views(other);
	if (status == STATUS_OK)
		status = view->plain ? draw_plain(view, store, other)
			: view_by_keys(view, store, other);
	store_close(other);
	store_close(store);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct view_command view = { .at = address_none };

	TRY(parse(&view, argc, argv));
	return open_and_draw(&view);
}

const struct command cmd_view = {
	.summary = "show a trace: launches, KV cache, chunks, reductions, differences",
	.usage =
	"usage: flashtwin view [T.twin [T2.twin]] [--at ADDR] [--screen NAME] [--plain [--all]]\n"
	"                      [OPTION...]\n\n"
	"Shows what a trace holds, by keys on a terminal (? lists them) or as text. With a second\n"
	"trace, or a second run in the file, keeps the two in step. Without a trace, shows the\n"
	"last run of decode, attend, launch or run without -o. doc/tour.md is a guided tour\n"
	"of flash decoding, screen by screen, along one trace.\n\n",
	.examples =
	"  flashtwin view                             the last run, by keys\n"
	"  flashtwin view t.twin                      from the first step on, by keys\n"
	"  flashtwin view a.twin b.twin --at L14      the same launch in both\n"
	"  flashtwin view t.twin --plain              summary, first and last step and so on\n"
	"  flashtwin view t.twin --plain --at s4      the operations of step 4\n"
	"  flashtwin view t.twin --plain --at L14     everything known of launch 14\n"
	"  flashtwin view t.twin --plain --at L14.b3  one chunk: its tiles and scores\n"
	"  flashtwin view \"$(flashtwin info --sample demo.twin)\"\n",
	.run = run,
};
