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
#include "tui/options.h"
#include "tui/views/view_list.h"

static const struct export_format *const formats[] = {
	&export_svg, &export_html, &export_json, &export_perfetto, &export_npz, NULL
};

struct export_command {
	const char *paths[2];           /* the second is NULL if one was given */
	const char *out;                /* NULL: standard output */
	const struct export_format *format;
	struct export_job job;
	bool force;
};

/* --- options --- */

static enum status take_format(struct export_command *x, const char *name)
{
	for (int i = 0; formats[i]; i++)
		if (strcmp(formats[i]->name, name) == 0) {
			x->format = formats[i];
			return STATUS_OK;
		}
	return fail(STATUS_USAGE, "--as %s: there are svg, html, json, perfetto and npz", name);
}

/* "4" or "4-9". */
static enum status take_steps(struct export_command *x, const char *text)
{
	char first[32];
	size_t length = strcspn(text, "-");

	snprintf(first, sizeof(first), "%.*s", (int)length, text);
	TRY(option_integer("--steps", first, 0, INT64_MAX, &x->job.first_step));
	x->job.last_step = x->job.first_step;
	if (text[length])
		TRY(option_integer("--steps", text + length + 1, 0, INT64_MAX, &x->job.last_step));
	if (x->job.last_step < x->job.first_step)
		return fail(STATUS_USAGE, "--steps %s: the last step comes before the first", text);
	return STATUS_OK;
}

enum { AS = 1, AT, SCREEN, STEPS, FORCE };

static enum status take_option(struct export_command *x, int c, const char *value)
{
	switch (c) {
	case AS: return take_format(x, value);
	case AT: return address_parse("--at", value, &x->job.at);
	case SCREEN: return view_parse("--screen", value, &x->job.screen);
	case STEPS: return take_steps(x, value);
	case FORCE: x->force = true; break;
	case 'o': x->out = value; break;
	}
	return STATUS_OK;
}

static enum status check_options(const struct export_command *x)
{
	if (!x->format)
		return fail(STATUS_USAGE, "--as is needed: svg, html, json, perfetto or npz");
	if (x->job.screen && !x->format->screens)
		return fail(STATUS_USAGE, "--screen %s: %s is about no screen",
			    x->job.screen->name, x->format->name);
	if (x->job.first_step >= 0 && !x->format->steps)
		return fail(STATUS_USAGE, "--steps: %s takes --at s%" PRId64, x->format->name,
			    x->job.first_step);
	if (x->paths[1] && !x->format->pairs)
		return fail(STATUS_USAGE, "%s: %s is made of one trace", x->paths[1],
			    x->format->name);
	return STATUS_OK;
}

static enum status parse(struct export_command *x, int argc, char **argv)
{
	static const struct option known[] = {
		{ "as", required_argument, NULL, AS }, { "at", required_argument, NULL, AT },
		{ "screen", required_argument, NULL, SCREEN },
		{ "steps", required_argument, NULL, STEPS },
		{ "force", no_argument, NULL, FORCE }, { NULL, 0, NULL, 0 }
	};
	int c;

	TRY(option_next(argc, argv, "o:", known, &c));
	while (c != -1) {
		TRY(take_option(x, c, optarg));
		TRY(option_next(argc, argv, "o:", known, &c));
	}
	if (argc - optind < 1 || argc - optind > 2)
		return fail(STATUS_USAGE, "one trace or two are needed, %d were given",
			    argc - optind);
	x->paths[0] = argv[optind];
	x->paths[1] = argc - optind == 2 ? argv[optind + 1] : NULL;
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
		return fail(STATUS_USAGE, "-o %s: it is there already: --force replaces it",
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

	if (status == STATUS_OK && x->paths[1])
		status = open_trace(x->paths[1], &x->job.other, &x->job.other_name);
	if (status == STATUS_OK)
		status = x->out ? write_file(x) : write_stdout(x);
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
	.name = "export",
	.summary = "a trace, or a place of it, as SVG, HTML, JSON, Perfetto or npz",
	.help =
"usage: flashtwin export T.twin [T2.twin] --as FORMAT [--screen NAME] [--at ADDR] [--steps A-B]\n"
"                        [-o FILE] [--force]\n"
"\n"
"Writes what a trace holds for other programs, to standard output without -o.\n"
"\n"
"  --as svg       one screen at one address, as a picture for slides\n"
"  --as html      a page that steps through the decode in a browser, by the viewer's keys;\n"
"                 #L12.b3 in its URL is an address\n"
"  --as json      all rows of the trace, or with --at those of a place; with --screen or --at\n"
"                 the lines of a screen too\n"
"  --as perfetto  the timeline as Chrome-trace JSON, for ui.perfetto.dev\n"
"  --as npz       tensors for NumPy: device memory after an operation, its launch's arguments,\n"
"                 chunk partials; without --at after the last launch\n"
"\n"
"  --screen NAME  summary, time, launch, kv, chunks, reduce, points, counters, source,\n"
"                 attention, diff or findings; without it the one that fits the address\n"
"  --at ADDR      a launch (L12), a block of it (L12.b3), a step (s4), an operation ('op 9')\n"
"  --steps A-B    of html: only these steps\n"
"  -o FILE        a file that is there already is refused without --force\n"
"\n"
"Examples:\n"
"  flashtwin export t.twin --as svg --screen chunks --at L14.b3 -o chunks.svg\n"
"  flashtwin export t.twin --as html -o t.html\n"
"  flashtwin export t.twin --as json | jq '.launches | length'\n"
"  flashtwin export t.twin --as perfetto -o t.json\n"
"  flashtwin export t.twin --as npz --at L14 -o t.npz\n",
	.run = run,
};
