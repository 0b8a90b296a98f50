/* export.h - what an export format is, and what the formats share.
 *
 * A format turns a trace, or one place of it, into one file for other programs. One file per
 * format, its struct last; cmd_export.c opens the traces and the output. Formats read traces
 * alone: no engine, no GPU. Text in traces may be any bytes; what goes out is UTF-8.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "tui/views/view.h"

struct export_job {
	struct store *store, *other;    /* the second NULL when one trace was given */
	const char *name, *other_name;  /* of the files, without directories */
	const struct view *screen;      /* NULL: none was asked for */
	struct address at;              /* address_none: the whole trace */
	int64_t first_step, last_step;  /* --steps; -1: none were named */
	FILE *out;
};

struct export_format {
	const char *name;               /* of --as */
	bool binary;                    /* nothing to show on a terminal */
	bool screens;                   /* takes --screen */
	bool pairs;                     /* takes a second trace */
	bool steps;                     /* takes --steps */
	/* Writes to job->out; an error of the stream itself is the caller's to see. USAGE when the
	 * trace has nothing at the address; IO or DAMAGED from the trace. */
	enum status (*write)(const struct export_job *);
};

extern const struct export_format export_svg, export_html, export_json, export_perfetto, export_npz;

/* --- what is exported --- */

/* Runs, operations, launches and steps in these ranges, both ends included. Those of a whole trace
 * begin at -1, so that coalesce(op, -1) holds what belongs to no operation too. */
struct export_scope {
	int64_t first_run, last_run;
	int64_t first_op, last_op;
	int64_t first_launch, last_launch;
	int64_t first_step, last_step;
};

/* What the address of the job names. USAGE when the trace does not have it. */
enum status export_scope_find(const struct export_job *, struct export_scope *);

/* The screen of the job, or the one that `view` shows at its address. */
const struct view *export_screen(const struct export_job *);
/* Its lines; with a second trace both sides, one after the other. *out is the caller's to free,
 * also after an error. */
enum status export_draw(const struct export_job *, const struct view *, int64_t *run,
			struct display **out);

/* --- text --- */

extern const char *const export_style_names[STYLE_COUNT];       /* "plain", "title", ... */

/* A copy that is UTF-8 and that XML and JSON take: what is not, and controls, become '?'. */
char *export_text(const char *text);
json_t *export_json_text(const char *text);
/* Such a copy, or part of one, in XML or HTML. */
void export_markup(FILE *, const char *text, size_t bytes);
/* Characters in such a copy. */
size_t export_columns(const char *text, size_t bytes);

#endif
