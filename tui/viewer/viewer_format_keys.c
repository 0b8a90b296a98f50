/* viewer_format_keys.c - the keys that change how a place is shown: glyphs, number base, distances,
 * scale of charts. */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

enum status viewer_glyphs(struct viewer *v, int key)
{
	static const char *const names[GLYPHS_COUNT] = { "ASCII", "UTF-8", "shades" };

	(void)key;
	v->glyphs = term_utf8() ? (v->glyphs + 1) % GLYPHS_COUNT : GLYPHS_ASCII;
	viewer_say(v, "glyphs: %s%s", names[v->glyphs],
		   term_utf8() ? "" : ", the only ones in this locale");
	return STATUS_OK;
}

enum status viewer_number(struct viewer *v, int key)
{
	(void)key;
	v->looks.number = (v->looks.number + 1) % NUMBER_COUNT;
	viewer_forget(v);
	viewer_say(v, "numbers: %s", view_number_names[v->looks.number]);
	return STATUS_OK;
}

enum status viewer_distance(struct viewer *v, int key)
{
	(void)key;
	v->looks.distance = (v->looks.distance + 1) % DISTANCE_COUNT;
	viewer_forget(v);
	viewer_say(v, "distances: %s", view_distance_names[v->looks.distance]);
	return STATUS_OK;
}

enum status viewer_scale(struct viewer *v, int key)
{
	(void)key;
	v->looks.scale = (v->looks.scale + 1) % SCALE_COUNT;
	viewer_forget(v);
	viewer_say(v, "scale of charts: %s", view_scale_names[v->looks.scale]);
	return STATUS_OK;
}
