/* viewer_format_keys.c - the keys that change how a place is shown: glyphs, number base, distances,
 * scale of charts; and how much of it. */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include "tui/viewer/viewer_provenance.h"
#include "tui/views/view_list.h"

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

enum status viewer_all(struct viewer *v, int key)
{
	(void)key;
	if (v->list)
		return viewer_list_more(v);
	v->all = !v->all;
	v->follow = true;
	viewer_forget(v);
	viewer_say(v, v->all ? "everything is shown: + shows less" : "long lists are shortened");
	return STATUS_OK;
}

enum status viewer_what_if(struct viewer *v, int key)
{
	(void)key;
	v->what_if = !v->what_if;
	viewer_forget(v);
	viewer_say(v, "other orders of the reduction: %s%s", v->what_if ? "shown" : "not shown",
		   v->here.view == &view_reduce ? "" : ", on screen 4");
	return STATUS_OK;
}
