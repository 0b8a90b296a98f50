/* slide.h - a picture of a step for slides: shapes and text of an SVG of 1280 x 720.
 *
 * slide.c has the shapes; slide_step.c, slide_chunks.c, slide_reduce.c, slide_text.c,
 * slide_time.c and slide_memory.c draw one picture each, and export_slide.c chooses among them.
 * Looks are attributes, because office programs ignore CSS, and fonts are lists that every system
 * has one of. Text stays text. Used by export_svg.c.
 */
#ifndef SLIDE_H
#define SLIDE_H

#include "tui/export/export.h"
#include "tui/views/step/step.h"

enum { SLIDE_WIDTH = 1280, SLIDE_HEIGHT = 720, SLIDE_LEFT = 40, SLIDE_RIGHT = 1240 };

#define SLIDE_INK "#1d2433"
#define SLIDE_QUIET "#5b6474"
#define SLIDE_FAINT "#eef1f5"
#define SLIDE_EDGE "#d5dae2"
#define SLIDE_BLUE "#2f6fc8"
#define SLIDE_DEEP "#174a94"
#define SLIDE_NEW "#d9480f"             /* written in this step; differs from the other run */

struct slide {
	FILE *out;
	struct view_context *context;
	struct step_memory *memory;     /* the step; for a picture of two runs, of both */
	const struct step *step;        /* shown */
	const struct step *other;       /* to compare with, or NULL */
	/* Of an animated picture; 0: everything stands still. */
	double seconds;                 /* that a frame lasts */
	int64_t frames;
};

/* --- shapes; `look` is more attributes, or "" --- */

void slide_rect(const struct slide *, double x, double y, double width, double height,
		double radius, const char *look);
void slide_line(const struct slide *, double x1, double y1, double x2, double y2,
		const char *look);
/* A band from (x1, y1) to (x2, y2), which are its middles, as thick as `thickness`. */
void slide_ribbon(const struct slide *, double x1, double y1, double x2, double y2,
		  double thickness, const char *look);
void slide_text(const struct slide *, double x, double y, const char *look, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The same in a font of fixed width. */
void slide_mono(const struct slide *, double x, double y, const char *look, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The title of the picture and a line below it; names of columns. */
void slide_title(const struct slide *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void slide_note(const struct slide *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void slide_heading(const struct slide *, double x, double y, const char *text);

/* --- heat --- */

/* The colour of a weight from 0 to 1, on a logarithmic scale from 0.1 %; *light: text on it must be
 * light. */
const char *slide_heat(double weight, bool *light, char colour[8]);
/* The scale of the colours, with its ends named; next to it, the mark of keys that are written in
 * this step, if there are some. */
void slide_heat_legend(const struct slide *, double x, double y);
void slide_fresh_legend(const struct slide *, double x, double y);
/* A key: its byte on the colour of its weight (NaN: unknown). The tooltip has the values. */
struct slide_key {
	int64_t number;
	int byte;                       /* 0: unknown */
	double weight;
	const float *score;             /* NULL: unknown */
	bool fresh;                     /* written in this step */
	bool lit;                       /* differs from the other run */
};
void slide_key(const struct slide *, double x, double y, double width, double height,
	       const struct slide_key *);
/* The key as its step has it. */
struct slide_key slide_key_of(const struct slide *, const struct step_chunk *, int64_t key);
/* "slot 1, " of a step with several slots, or "". */
const char *slide_slot(const struct step *, char text[48]);
/* A byte as a character of UTF-8: a sign for the end of a line, '?' if it is not printable. */
const char *slide_byte(int byte, char text[8]);

/* --- values --- */

/* "-0.0682960"; with `bits`, "-0.06829598 (0xbd8bdeb7)". */
const char *slide_number(float, char text[48]);
const char *slide_bits(float, char text[64]);
/* Values below each other: all have as many digits after the point as leave six of the largest
 * one; a value that would be all zeros has an exponent. Begin with { 0 }, add every value, then
 * format them; at a right edge, their points are below each other. */
struct slide_column {
	double largest;
	bool negative;                  /* one of them is */
};
void slide_column_add(struct slide_column *, float);
const char *slide_cell(const struct slide_column *, float, char text[48]);
/* The characters of the longest value. */
int slide_column_width(const struct slide_column *);
/* " fill=..." that lights a value which differs from the other run's, or "". */
const char *slide_lit(const struct slide *, float value, const float *other);
/* The chunk with that number of the other run, or NULL. */
const struct step_chunk *slide_other(const struct slide *, const struct step_chunk *);

/* --- frames: what is drawn in between appears with a frame of the play --- */

void slide_appear(const struct slide *, enum step_frame_kind, int64_t chunk, int64_t tile);
/* Visible only while that frame is shown. */
void slide_flash(const struct slide *, int64_t frame);
void slide_appeared(const struct slide *);

/* --- pictures --- */

enum status slide_step_draw(struct slide *), slide_chunks_draw(struct slide *),
	slide_reduce_draw(struct slide *), slide_text_draw(struct slide *),
	slide_time_draw(struct slide *), slide_memory_draw(struct slide *);

/* Writes the picture of a screen, or with `play` the animated one of a step. *drawn is false if the
 * screen has no picture, or the trace has nothing for one: nothing was written then. */
enum status slide_write(const struct export_job *, const struct view *, bool play, bool *drawn);

#endif
