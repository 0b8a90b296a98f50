/* export_slide.c - chooses and frames the picture of a screen for slides; see slide.h.
 *
 * At a launch that a screen shows nothing of, draws the nearest one that it does, as the viewer
 * does. With a second trace or run, both pictures stand one below the other.
 */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <string.h>

#include "tui/viewer/viewer_walk.h"
#include "tui/views/kernel/view_memory.h"
#include "tui/views/view_list.h"
#include "tui/views/view_query.h"

#define FRAME_SECONDS 0.8
#define NEAREST "flashtwin export: %s is the nearest place with something for this screen\n"

typedef enum status draw_fn(struct slide *);

static draw_fn *picture_of(const struct view *screen)
{
	return screen == &view_step ? slide_step_draw : screen == &view_chunks ? slide_chunks_draw
		: screen == &view_reduce ? slide_reduce_draw
		: screen == &view_attention ? slide_text_draw
		: screen == &view_time ? slide_time_draw
		: screen == &view_memory ? slide_memory_draw : NULL;
}

/* Reads the step of the address, or that of the nearest launch that attends. */
static enum status read_step(struct view_context *c, struct step_memory *memory, bool *found)
{
	char at[ADDRESS_TEXT];
	bool moved;

	TRY(step_memory_read(c, memory, found));
	if ((*found && memory->step.live > 0) || c->at.launch < 0)
		return STATUS_OK;
	TRY(walk_to_rows(c, "w_attends", &c->at, &moved));
	if (!moved)
		return STATUS_OK;
	address_format(&c->at, at);
	fprintf(stderr, NEAREST, at);
	return step_memory_read(c, memory, found);
}

/* Whether level access recorded a request of the address, or of the nearest launch. */
static enum status find_request(struct view_context *c, bool *found)
{
	struct memory_request request;
	struct view_place place;
	char at[ADDRESS_TEXT];
	bool moved;

	TRY(memory_shown(c, &place, &request, found));
	if (*found || c->at.launch < 0)
		return STATUS_OK;
	TRY(walk_to_rows(c, "w_access_line", &c->at, &moved));
	if (!moved)
		return STATUS_OK;
	c->at.block = c->at.warp = c->at.lane = c->at.access = -1;
	address_format(&c->at, at);
	fprintf(stderr, NEAREST, at);
	return memory_shown(c, &place, &request, found);
}

/* Below each picture: which trace and place it is of. */
static void put_source(const struct slide *s, const struct export_job *job, bool second)
{
	char at[ADDRESS_TEXT];

	address_format(&s->context->at, at);
	slide_text(s, SLIDE_RIGHT, SLIDE_HEIGHT - 31, "text-anchor=\"end\" font-size=\"13\""
		   " fill=\"" SLIDE_QUIET "\"", "%s%s%s%s%s",
		   second && job->other ? job->other_name : job->name,
		   second && !job->other ? ", the other run" : "", *at ? " at " : "", at,
		   s->step && s->step->recomputed.how == RECOMPUTED_OK
		   ? "; recomputed on the simulator" : "");
}

static void begin(FILE *out, const struct export_job *job, const struct view *screen, int pictures)
{
	char *name = export_text(job->name);

	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\""
		" height=\"%d\" viewBox=\"0 0 %d %d\" font-size=\"15\" fill=\"" SLIDE_INK "\""
		" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""
		">\n<title>", SLIDE_WIDTH, pictures * SLIDE_HEIGHT, SLIDE_WIDTH,
		pictures * SLIDE_HEIGHT);
	export_markup(out, name, strlen(name));
	fprintf(out, " | %s</title>\n<desc>", screen->name);
	export_markup(out, screen->summary, strlen(screen->summary));
	fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	free(name);
}

static enum status draw(struct slide *s, const struct export_job *job, const struct view *screen)
{
	bool pair = s->memory->has_second && job->other;

	begin(job->out, job, screen, pair ? 2 : 1);
	s->step = &s->memory->step;
	s->other = pair ? &s->memory->second : NULL;
	TRY(picture_of(screen)(s));
	put_source(s, job, false);
	if (pair) {
		struct view_context second;
		bool found;

		TRY(view_second(s->context, &second, &found));
		s->context = &second;
		s->step = &s->memory->second;
		s->other = &s->memory->step;
		fprintf(job->out, "<g transform=\"translate(0 %d)\">\n", SLIDE_HEIGHT);
		TRY(picture_of(screen)(s));
		put_source(s, job, true);
		fputs("</g>\n", job->out);
	}
	fputs("</svg>\n", job->out);
	return STATUS_OK;
}

enum status slide_write(const struct export_job *job, const struct view *screen, bool play,
			bool *drawn)
{
	struct view_context c = {
		.store = job->store, .other = job->other, .at = job->at, .listed = view_table,
		.recompute = job->recompute, .output = OUTPUT_PAGE
	};
	struct step_memory memory = { .store = NULL };
	struct slide s = { .out = job->out, .context = &c, .memory = &memory };
	enum status status;
	bool found = false;

	*drawn = false;
	if (!picture_of(screen))
		return STATUS_OK;
	TRY(view_choose_run(&c));
	status = screen == &view_memory ? find_request(&c, &found)
		: screen == &view_time ? STATUS_OK : read_step(&c, &memory, &found);
	*drawn = status == STATUS_OK
		&& (screen == &view_time || (found && (screen == &view_memory
						       || memory.step.live > 0)));
	if (*drawn && play) {
		s.frames = memory.count;
		s.seconds = FRAME_SECONDS;
	}
	if (*drawn)
		status = draw(&s, job, screen);
	step_memory_clear(&memory);
	return status;
}
