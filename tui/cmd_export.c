/* cmd_export.c - `flashtwin export`: a trace, or a place in it, as a file for other programs.
 *
 * Chooses the format, opens the traces and the output; the formats are in tui/export/export_*.c.
 * The output file appears complete or not at all.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "traces/store/store_index.h"
#include "tui/command.h"
#include "tui/export/export.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/view_replay.h"
#include "tui/views/view_list.h"
#include "tui/views/view_recompute.h"

static const struct export_format *const formats[] = {
	&export_svg, &export_png, &export_html, &export_json, &export_perfetto, &export_npz, NULL
};

struct export_command {
	const char *paths[2];           /* the second is NULL if one was given */
	const char *out;                /* NULL: standard output */
	const struct export_format *format;
	struct export_job job;
	bool force, no_replay, trust;
};

/* --- options --- */

static const struct export_format *find_format(const char *name)
{
	int i = 0;

	while (strcmp(formats[i]->name, name) != 0)
		i++;
	return formats[i];
}

/* "4" or "4-9". */
static enum status take_steps(struct export_command *x, const char *text)
{
	char first[32];
	size_t length = strcspn(text, "-");

	snprintf(first, sizeof first, "%.*s", (int)length, text);
	TRY(option_integer("--steps", first, 0, INT64_MAX, &x->job.first_step));
	x->job.last_step = x->job.first_step;
	if (text[length])
		TRY(option_integer("--steps", text + length + 1, 0, INT64_MAX, &x->job.last_step));
	if (x->job.last_step < x->job.first_step)
		return fail(STATUS_USAGE, "--steps %s: the last step comes before the first", text);
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct export_command *x = context;

	switch (v->id) {
	case OPTION_FORMAT: x->format = find_format(v->text); break;
	case OPTION_EXPORT_AT: return address_parse("--at", v->text, &x->job.at);
	case OPTION_SCREEN: x->job.screen = view_find(v->text); break;
	case OPTION_EXPORT_PLAY: x->job.play = true; break;
	case OPTION_EXPORT_STEPS: return take_steps(x, v->text);
	case OPTION_EXPORT_FORCE: x->force = true; break;
	case OPTION_NO_REPLAY: x->no_replay = true; break;
	case OPTION_TRUST: x->trust = true; break;
	case OPTION_EXPORT_OUT: x->out = v->text; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status check_options(const struct export_command *x)
{
	if (!x->format)
		return fail(STATUS_USAGE,
			    "--as FORMAT is missing: svg, png, html, json, perfetto or npz");
	if (x->job.screen && !x->format->screens)
		return fail(STATUS_USAGE, "--screen %s: %s is about no screen",
			    x->job.screen->name, x->format->name);
	if (x->job.play && !x->format->plays)
		return fail(STATUS_USAGE, "--play cannot be used with --as %s", x->format->name);
	if (x->job.play && x->job.screen && x->job.screen != &view_step)
		return fail(STATUS_USAGE, "--play is of the screen step, not %s",
			    x->job.screen->name);
	if (x->job.first_step >= 0 && !x->format->steps)
		return fail(STATUS_USAGE, "--steps: %s takes --at s%" PRId64, x->format->name,
			    x->job.first_step);
	if (x->no_replay && x->trust)
		return fail(STATUS_USAGE, "--no-replay and --trust are mutually exclusive");
	if (x->paths[1] && !x->format->pairs)
		return fail(STATUS_USAGE, "%s: %s is made of one trace", x->paths[1],
			    x->format->name);
	return STATUS_OK;
}

static enum status parse(struct export_command *x, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_EXPORT, argc, argv, take_option, x, &rest));
	TRY(last_run_traces(argc, argv, rest, 2, x->paths, NULL));
	return check_options(x);
}

/* --- output --- */

static enum status write_stdout(struct export_command *x)
{
	enum status status;

	if (x->format->binary && isatty(STDOUT_FILENO))
		return fail(STATUS_USAGE, "%s is not for terminals: -o FILE", x->format->name);
	x->job.out = stdout;
	status = x->format->write(&x->job);
	return ferror(stdout) ? command_stdout_failed() : status;
}

/* The output must not be one of the traces, even with --force. */
static enum status check_out(const struct export_command *x)
{
	struct stat st;

	for (int i = 0; i < 2; i++)
		if (x->paths[i] && output_is(x->out, x->paths[i]))
			return fail(STATUS_USAGE, "-o %s is the trace that is exported", x->out);
	if (!x->force && lstat(x->out, &st) == 0 && S_ISREG(st.st_mode))
		return fail(STATUS_USAGE, "-o %s: file exists; --force replaces it",
			    x->out);
	return output_check(x->out);
}

static enum status write_file(struct export_command *x)
{
	struct output output;
	struct error_record why;
	enum status status;

	TRY(check_out(x));
	TRY(output_open(x->out, &output));
	x->job.out = output.file;
	status = x->format->write(&x->job);
	if (status == STATUS_OK)
		return output_commit(&output);
	if (ferror(output.file))
		fail_context(status, "%s", x->out);
	error_save(&why);
	output_discard(&output);
	error_restore(&why);
	return status;
}

/* --- traces --- */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum status open_trace(const char *path, struct store **out, const char **name)
{
	TRY(store_open(path, out));
	*name = file_name(path);
	return store_index_views(*out);
}

static enum status export(struct export_command *x)
{
	enum status status = open_trace(x->paths[0], &x->job.store, &x->job.name);

	if (!x->no_replay)
		x->job.recompute = view_recompute_create(view_replay_here, &x->trust);

	if (status == STATUS_OK && x->paths[1])
		status = open_trace(x->paths[1], &x->job.other, &x->job.other_name);
	if (status == STATUS_OK)
		status = x->out ? write_file(x) : write_stdout(x);
	view_recompute_free(x->job.recompute);
	store_close(x->job.other);
	store_close(x->job.store);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct export_command x = {
		.job = { .at = address_none, .first_step = -1, .last_step = -1 }
	};

	TRY(parse(&x, argc, argv));
	return export(&x);
}

const struct command cmd_export = {
	.summary = "a trace, or a place of it, as SVG, PNG, HTML, JSON, Perfetto or npz",
	.usage =
"usage: flashtwin export [T.twin [T2.twin]] --as FORMAT [--screen NAME] [--at ADDR]\n"
"                        [--steps A[-B]] [--play] [-o FILE] [--force]\n"
"\n"
"Writes what a trace, or else the last run, holds for other programs, to standard output\n"
"without -o.\n\n",
	.examples =
"  flashtwin export t.twin --as svg --screen chunks --at L14.b3 -o chunks.svg\n"
"  flashtwin export t.twin --as svg --play --at L14 -o step.svg\n"
"  flashtwin export t.twin --as html -o t.html\n"
"  flashtwin export t.twin --as json | jq '.launches | length'\n"
"  flashtwin export t.twin --as perfetto -o t.json\n"
"  flashtwin export t.twin --as npz --at L14 -o t.npz\n",
	.run = run,
};
