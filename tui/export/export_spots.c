/* export_spots.c - places of a launch that attends, as pages number them; see export_spots.h. */
#include "tui/export/export_spots.h"

#include <inttypes.h>
#include <string.h>

#include "tui/views/view_recompute.h"

#define MAX_SPOTS 16384                 /* of a launch; if it has more, its blocks are plain ones */

enum status page_shape(const struct page *p, const struct view_place *place, struct view_shape *s)
{
	struct view_recomputed how = { 0 };

	*s = (struct view_shape){ .unit_count = 0 };
	if (view_shape_has_runs(place->kernel))
		TRY(view_recompute(&p->c, place->launch, "softmax", &how));
	return view_shape_read(&p->c, place, s);
}

/* Chunks of the longest sequence. */
static int64_t used_chunks(const struct view_shape *s)
{
	int64_t used = s->form == SHAPE_GROUP ? s->chunks : 0;

	for (int64_t i = 0; i < s->unit_count; i++)
		if (s->units[i].chunk >= used)
			used = s->units[i].chunk + 1;
	return used;
}

int64_t page_spots(const struct view_shape *s)
{
	int64_t spots;

	if (!view_shape_packed(s) || __builtin_mul_overflow(s->heads, s->slots, &spots)
	    || __builtin_mul_overflow(spots, used_chunks(s), &spots) || spots > MAX_SPOTS)
		return 0;
	return spots;
}

void page_spot_address(const struct view_shape *s, int64_t spot, struct address *at)
{
	view_shape_address(s, spot / s->heads % s->slots, spot % s->heads,
			   spot / s->heads / s->slots, at);
}

int64_t page_spot(const struct view_shape *s, int64_t slot, int64_t head, int64_t chunk)
{
	return head + s->heads * (slot + s->slots * chunk);
}

void page_put_spots(FILE *out, const struct view_shape *s)
{
	int64_t spots = page_spots(s);

	fputs(spots ? "[" : "null", out);
	for (int64_t i = 0; i < spots; i++) {
		struct address at = address_none;
		char text[ADDRESS_TEXT];

		page_spot_address(s, i, &at);
		at.launch = -1;
		address_format(&at, text);
		fprintf(out, "%s\"%s\"", i ? "," : "", text);
	}
	fputs(spots ? "]" : "", out);
}
