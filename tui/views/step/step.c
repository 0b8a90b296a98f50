/* step.c - what a step that was read has; see step.h. */
#include "tui/views/step/step.h"

#include <stdlib.h>

bool step_has_weights(const struct step *s)
{
	for (int64_t i = 0; i < s->count; i++)
		if (s->chunks[i].weight)
			return true;
	return false;
}

const char *step_unit(const struct step *s)
{
	if (s->tiled)
		return "tile";
	return s->form == STEP_CHUNKS ? "chunk" : s->form == STEP_ROWS ? "warp" : "keys";
}

bool step_is_new(const struct step *s, int64_t key)
{
	int64_t position = step_position(s, key), last = step_position(s, s->keys - 1);
	bool all = s->first_written <= 0 && s->last_written >= last && s->keys > 1;

	return !all && position >= s->first_written && position <= s->last_written;
}

int64_t step_new_key(const struct step *s)
{
	return s->last_written == s->first_written ? s->last_written : -1;
}

void step_free(struct step *s)
{
	for (int64_t i = 0; i < s->count; i++) {
		free(s->chunks[i].weight);
		free(s->chunks[i].score);
		free(s->chunks[i].tiles);
	}
	free(s->chunks);
	free(s->text);
	free(s->k);
	view_shape_free(&s->shape);
	view_pages_free(&s->pages);
	s->chunks = NULL;
	s->text = NULL;
	s->k = NULL;
	s->count = s->live = 0;
}
