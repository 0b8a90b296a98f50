/* viewer_help.c - help on keys: their names, the ones valid now, and the hint on the last line.
 *
 * Reads the table of keys from the viewer; viewer_keys.c defines it.
 */
#include "config.h"

#include "tui/viewer/viewer_help.h"

#include <curses.h>
#include <string.h>

#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/views/view_list.h"

bool viewer_key_valid(const struct viewer *v, const struct viewer_key *key)
{
	switch (key->when) {
	case ALWAYS: return true;
	case ON_SCREEN: return !v->list;
	case ON_STEP: return !v->list && v->here.view == &view_step;
	case OFF_STEP: return !v->list && v->here.view != &view_step;
	case ON_MEMORY: return !v->list && v->here.view == &view_memory;
	case OFF_MEMORY: return !v->list && v->here.view != &view_memory;
	case WITH_TWO: return !v->list && v->side[1].store;
	}
	return false;
}

const char *viewer_key_name(int key, char name[32])
{
	if (key > ' ' && key < 127)
		snprintf(name, 32, "%c", key);
	else if (key > 0 && key <= ' ')
		snprintf(name, 32, "%s", key == ' ' ? "space" : unctrl((chtype)key));
	else
		snprintf(name, 32, "%s", keyname(key - TERM_CODE(0)));
	return name;
}

/* Whether any key below the heading of a group is valid now. */
static bool group_has_keys(const struct viewer *v, const struct viewer_key *heading)
{
	for (const struct viewer_key *k = heading + 1; k->act && k->name; k++)
		if (k->help && viewer_key_valid(v, k))
			return true;
	return false;
}

static void list_keys(const struct viewer *v, struct display *d)
{
	char line[120];

	for (int i = 0; viewer_screens[i].view; i++) {
		snprintf(line, sizeof line, "  %c  %s: %s\n", viewer_screens[i].key,
			 viewer_screens[i].tab, viewer_screens[i].view->summary);
		display_text(d, line);
	}
	for (const struct viewer_key *k = v->keys; k->act; k++) {
		if (!k->help || !viewer_key_valid(v, k) || (!k->name && !group_has_keys(v, k)))
			continue;
		if (k->name)
			snprintf(line, sizeof line, "  %-12s  %s\n", k->name, k->help);
		else
			snprintf(line, sizeof line, "\n %s\n", k->help);
		display_text(d, line);
	}
}

enum status viewer_help(struct viewer *v, int key)
{
	struct display *d = display_create(NULL, &address_none);

	(void)key;
	list_keys(v, d);
	viewer_show_list(v, " keys ", d);
	return STATUS_OK;
}

static const char *all_hints(const struct viewer *v)
{
	if (v->list)
		return "j/k row  enter go there  / find  ? keys  q close";
	if (v->split || (v->here.view == &view_diff && v->side[1].store))
		return "]/[ difference  d/D step  f/F launch  v one  tab swap  ? keys  q back"
		       "  )/( block  s/S point";
	return viewer_screen_of(v->here.view)->hint;
}

void viewer_help_hint(const struct viewer *v, size_t columns, char hint[VIEWER_HINT])
{
	char *gap, *at;

	snprintf(hint, VIEWER_HINT, "%s", all_hints(v));
	while (strlen(hint) > columns) {
		for (gap = NULL, at = strstr(hint, "  "); at; at = strstr(at + 2, "  "))
			gap = at;
		if (!gap)
			return;
		*gap = '\0';
	}
}
