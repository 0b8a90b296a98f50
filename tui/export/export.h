/* export.h - the interface of an export format, and functions shared by the formats.
 *
 * A format writes a trace, or one place of it, as one file for other programs. Each has a source
 * file that ends with its struct; cmd_export.c opens the traces and the output. Formats need only
 * traces, no engine or GPU. Text in traces may be any bytes; the output is UTF-8.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "tui/views/view.h"

struct export_job {
	struct store *store, *other;    /* other: NULL when one trace was given */
	const char *name, *other_name;  /* of the files, without directories */
	const struct view *screen;      /* NULL: no --screen */
	struct address at;              /* address_none: the whole trace */
	int64_t first_step, last_step;  /* --steps; -1: not given */
	bool play;                      /* --play: a step frame by frame */
	struct view_recompute *recompute;       /* of what the trace lacks, or NULL */
	FILE *out;
};

struct export_format {
	const char *name;               /* argument of --as */
	bool binary;                    /* not suitable for a terminal */
	bool screens;                   /* takes --screen */
	bool pairs;                     /* takes a second trace */
	bool steps;                     /* takes --steps */
	bool plays;                     /* takes --play */
	/* Writes to job->out; the caller checks the stream for errors. USAGE when the trace has
	 * nothing at the address; IO or DAMAGED from the trace. */
	enum status (*write)(const struct export_job *);
};

extern const struct export_format export_svg, export_png, export_html, export_json,
	export_perfetto, export_npz;

/* --- what is exported --- */

/* Runs, operations, launches and steps in these ranges, both ends included. Those of a whole trace
 * begin at -1, so that coalesce(op, -1) includes rows without an operation. */
struct export_scope {
	int64_t first_run, last_run;
	int64_t first_op, last_op;
	int64_t first_launch, last_launch;
	int64_t first_step, last_step;
};

/* The ranges of the job's address. USAGE when the trace does not have it. */
enum status export_scope_find(const struct export_job *, struct export_scope *);

/* The screen of the job, or a default for its address. */
const struct view *export_screen(const struct export_job *);
/* Draws the screen's lines; with a second trace, both sides one after the other. The caller frees
 * *out, also after an error. */
enum status export_draw(const struct export_job *, const struct view *, int64_t *run,
			struct display **out);

/* --- text --- */

extern const char *const export_style_names[STYLE_COUNT];       /* "plain", "title", ... */

/* A copy that is valid UTF-8, XML and JSON text: invalid bytes and controls become '?'. */
char *export_text(const char *text);
json_t *export_json_text(const char *text);
/* Writes such a copy, or part of one, escaped for XML or HTML. */
void export_markup(FILE *, const char *text, size_t bytes);

#endif
