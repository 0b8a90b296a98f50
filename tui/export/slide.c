/* slide.c - the shapes, colours and texts of a picture for slides; see slide.h. */
#include "tui/export/slide.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_bytes.h"

#define MONO " font-family=\"'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace\""

/* --- shapes --- */

void slide_rect(const struct slide *s, double x, double y, double width, double height,
		double radius, const char *look)
{
	fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y,
		fmax(width, 0.0), fmax(height, 0.0));
	if (radius > 0.0)
		fprintf(s->out, " rx=\"%.1f\"", radius);
	fprintf(s->out, " %s/>\n", look);
}

void slide_line(const struct slide *s, double x1, double y1, double x2, double y2, const char *look)
{
	fprintf(s->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2,
		y2, look);
}

void slide_ribbon(const struct slide *s, double x1, double y1, double x2, double y2,
		  double thickness, const char *look)
{
	double middle = (x1 + x2) / 2.0, half = thickness / 2.0;

	fprintf(s->out, "<path d=\"M%.1f %.2fC%.1f %.2f %.1f %.2f %.1f %.2fV%.2fC%.1f %.2f %.1f"
		" %.2f %.1f %.2fZ\" %s/>\n", x1, y1 - half, middle, y1 - half, middle, y2 - half,
		x2, y2 - half, y2 + half, middle, y2 + half, middle, y1 + half, x1, y1 + half,
		look);
}

static void put_text(const struct slide *s, double x, double y, const char *look, const char *font,
		     const char *format, va_list list) __attribute__((format(printf, 6, 0)));
static void put_text(const struct slide *s, double x, double y, const char *look, const char *font,
		     const char *format, va_list list)
{
	char raw[400], *clean;

	vsnprintf(raw, sizeof raw, format, list);
	clean = export_text(raw);
	fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\"%s%s%s>", x, y, font, *look ? " " : "", look);
	export_markup(s->out, clean, strlen(clean));
	fputs("</text>\n", s->out);
	free(clean);
}

void slide_text(const struct slide *s, double x, double y, const char *look, const char *format,
		...)
{
	va_list list;

	va_start(list, format);
	put_text(s, x, y, look, "", format, list);
	va_end(list);
}

void slide_mono(const struct slide *s, double x, double y, const char *look, const char *format,
		...)
{
	va_list list;

	va_start(list, format);
	put_text(s, x, y, look, MONO, format, list);
	va_end(list);
}

void slide_title(const struct slide *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_text(s, SLIDE_LEFT, 46, "font-size=\"24\" font-weight=\"bold\"", "", format, list);
	va_end(list);
}

void slide_note(const struct slide *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_text(s, SLIDE_LEFT, 72, "fill=\"" SLIDE_QUIET "\"", "", format, list);
	va_end(list);
}

void slide_heading(const struct slide *s, double x, double y, const char *text)
{
	slide_text(s, x, y, "fill=\"" SLIDE_QUIET "\" font-size=\"13\" font-weight=\"bold\""
		   " letter-spacing=\"0.8\"", "%s", text);
}

/* --- heat --- */

const char *slide_heat(double weight, bool *light, char colour[8])
{
	/* From pale to dark, so that they keep their order without hues. */
	static const unsigned char ramp[][3] = {
		{ 252, 252, 246 }, { 221, 236, 219 }, { 172, 217, 194 }, { 117, 196, 175 },
		{ 66, 166, 160 }, { 38, 134, 143 }, { 36, 102, 126 }, { 46, 70, 108 },
		{ 52, 38, 82 },
	};
	enum { LAST = sizeof ramp / sizeof ramp[0] - 1 };
	double at = isnan(weight) || weight <= 0.0 ? 0.0
		: fmin(fmax((log10(weight) + 3.0) / 3.0, 0.0), 1.0) * LAST;
	int from = at >= LAST ? LAST - 1 : (int)at;
	int rgb[3];

	for (int i = 0; i < 3; i++)
		rgb[i] = (int)lround(ramp[from][i] + (at - from) * (ramp[from + 1][i]
								    - ramp[from][i]));
	snprintf(colour, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
	/* From there on light text has more contrast than dark text. */
	*light = at > 4.8;
	return colour;
}

void slide_heat_legend(const struct slide *s, double x, double y)
{
	char colour[8], look[32];
	bool light;

	slide_text(s, x, y + 13, "fill=\"" SLIDE_QUIET "\" font-size=\"13\"", "weight of a key");
	for (int i = 0; i < 30; i++) {
		snprintf(look, sizeof look, "fill=\"%s\"",
			 slide_heat(pow(10.0, -3.0 + 3.0 * i / 29), &light, colour));
		slide_rect(s, x + 150 + i * 6, y, 6.2, 16, 0, look);
	}
	/* The palest colours are close to that of the ground. */
	slide_rect(s, x + 149.5, y - 0.5, 181.2, 17, 0, "fill=\"none\" stroke=\"" SLIDE_EDGE "\"");
	slide_text(s, x + 142, y + 13, "fill=\"" SLIDE_QUIET "\" font-size=\"13\""
		   " text-anchor=\"end\"", "0.1 %%");
	slide_text(s, x + 338, y + 13, "fill=\"" SLIDE_QUIET "\" font-size=\"13\"",
		   "100 %%, logarithmic");
}

void slide_fresh_legend(const struct slide *s, double x, double y)
{
	if (!step_is_new(s->step, s->step->last_written))
		return;
	slide_rect(s, x + 478, y, 15, 16, 3, "fill=\"none\" stroke=\"" SLIDE_NEW
		   "\" stroke-width=\"2\"");
	slide_text(s, x + 501, y + 13, "fill=\"" SLIDE_QUIET "\" font-size=\"13\"",
		   "written in this step");
}

const char *slide_byte(int byte, char text[8])
{
	if (byte == '\n')
		return "\u21b5";
	snprintf(text, 8, "%c", byte == 0 ? ' ' : view_byte_mark((unsigned char)byte));
	return text;
}

struct slide_key slide_key_of(const struct slide *s, const struct step_chunk *k, int64_t key)
{
	const struct step *step = s->step, *other = s->other;
	struct slide_key out = {
		.number = key, .byte = step->text ? step->text[key] : 0,
		.weight = k->weight ? k->weight[key - k->begin] : NAN,
		.score = k->score ? &k->score[key - k->begin] : NULL,
		.fresh = step_is_new(step, key),
	};

	out.lit = other && step->has_text && other->has_text
		&& (key >= other->text_keys || other->text[key] != step->text[key]);
	return out;
}

static void put_key_tooltip(const struct slide *s, const struct slide_key *k)
{
	char bits[64], byte[8];

	fprintf(s->out, "<title>key %" PRId64 " ", k->number);
	export_markup(s->out, slide_byte(k->byte, byte), strlen(slide_byte(k->byte, byte)));
	if (!isnan(k->weight))
		fprintf(s->out, ": weight %.4f %%", 100.0 * k->weight);
	if (k->score)
		fprintf(s->out, ", score %s", slide_bits(*k->score, bits));
	fputs("</title>", s->out);
}

void slide_key(const struct slide *s, double x, double y, double width, double height,
	       const struct slide_key *k)
{
	char colour[8], look[160], byte[8];
	bool light = false;

	fputs("<g>", s->out);
	put_key_tooltip(s, k);
	snprintf(look, sizeof look, "fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"",
		 isnan(k->weight) ? SLIDE_FAINT : slide_heat(k->weight, &light, colour),
		 k->fresh || k->lit ? SLIDE_NEW : SLIDE_EDGE, k->fresh || k->lit ? "2" : "0.5");
	slide_rect(s, x + 0.5, y, width - 1.5, height, fmin(3.0, width / 6.0), look);
	if (width >= 7.0 && k->byte > 0 && k->byte != ' ') {
		snprintf(look, sizeof look, "text-anchor=\"middle\" font-size=\"%.1f\" fill=\"%s\"",
			 fmin(fmin(width * 0.78, height * 0.7), 16.0),
			 light ? "#ffffff" : SLIDE_INK);
		slide_mono(s, x + width / 2.0, y + height / 2.0
			   + fmin(fmin(width * 0.78, height * 0.7), 16.0) * 0.36, look, "%s",
			   slide_byte(k->byte, byte));
	}
	fputs("</g>\n", s->out);
}

const char *slide_slot(const struct step *step, char text[48])
{
	*text = '\0';
	if (step->slots > 1)
		snprintf(text, 48, "slot %" PRId64 ", ", step->slot);
	return text;
}

/* --- values --- */

const char *slide_number(float value, char text[48])
{
	snprintf(text, 48, "%.6g", (double)value);
	return text;
}

void slide_column_add(struct slide_column *c, float value)
{
	if (isfinite(value))
		c->largest = fmax(c->largest, fabs((double)value));
	c->negative = c->negative || value < 0.0f;
}

static int digits_before(const struct slide_column *c)
{
	return c->largest >= 10.0 ? 1 + (int)log10(c->largest) : 1;
}

static int digits_after(const struct slide_column *c)
{
	return c->largest <= 1.0 ? 6 : 6 - digits_before(c);
}

const char *slide_cell(const struct slide_column *c, float value, char text[48])
{
	int after = digits_after(c);

	if (after < 0 || !isfinite(value))
		return slide_number(value, text);
	if (value != 0.0f && after > 3 && fabs((double)value) < 0.5 * pow(10.0, -after))
		snprintf(text, 48, "%.*e", after - 4, (double)value);
	else
		snprintf(text, 48, "%.*f", after, (double)value);
	return text;
}

int slide_column_width(const struct slide_column *c)
{
	int after = digits_after(c);

	return after < 0 ? 12 : digits_before(c) + (after > 0) + after + c->negative;
}

const char *slide_bits(float value, char text[64])
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	snprintf(text, 64, "%.9g (0x%08" PRIx32 ")", (double)value, bits);
	return text;
}

const char *slide_lit(const struct slide *s, float value, const float *other)
{
	return s->other && (!other || !step_same(value, *other))
		? " fill=\"" SLIDE_NEW "\" font-weight=\"bold\"" : "";
}

const struct step_chunk *slide_other(const struct slide *s, const struct step_chunk *k)
{
	for (int64_t i = 0; s->other && i < s->other->live; i++)
		if (s->other->chunks[i].number == k->number)
			return &s->other->chunks[i];
	return NULL;
}

/* --- frames --- */

static int64_t frame_of(const struct slide *s, enum step_frame_kind kind, int64_t chunk,
			int64_t tile)
{
	for (int64_t i = 0; i < s->frames; i++) {
		const struct step_frame *f = &s->memory->frames[i];

		if (f->kind == kind && f->chunk == chunk && f->tile == tile)
			return i;
	}
	return -1;
}

/* Opacity 1 from the beginning of frame `from` to the end of frame `to`. */
static void animate(const struct slide *s, int64_t from, int64_t to)
{
	double frames = (double)s->frames + 2.0;        /* the last one is shown longer */

	fputs("<animate attributeName=\"opacity\" calcMode=\"discrete\""
	      " repeatCount=\"indefinite\"", s->out);
	fprintf(s->out, " dur=\"%.2fs\"", frames * s->seconds);
	if (to + 1 < s->frames)
		fprintf(s->out, " values=\"0;1;0\" keyTimes=\"0;%.5f;%.5f\"/>\n",
			(double)from / frames, (double)(to + 1) / frames);
	else
		fprintf(s->out, " values=\"0;1\" keyTimes=\"0;%.5f\"/>\n", (double)from / frames);
}

void slide_appear(const struct slide *s, enum step_frame_kind kind, int64_t chunk, int64_t tile)
{
	int64_t frame = frame_of(s, kind, chunk, tile);

	fputs("<g>", s->out);
	if (frame > 0)
		animate(s, frame, s->frames);
}

void slide_flash(const struct slide *s, int64_t frame)
{
	fputs(frame + 1 < s->frames ? "<g opacity=\"0\">" : "<g>", s->out);
	animate(s, frame, frame);
}

void slide_appeared(const struct slide *s)
{
	fputs("</g>\n", s->out);
}
