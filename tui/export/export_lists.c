/* export_lists.c - rows of a trace as arrays of a page's JSON; see export_lists.h. */
#include "tui/export/export_lists.h"

const char page_steps[] =
	"SELECT step, min(first_op), coalesce(max(last_op), 9223372036854775807) FROM v_step"
	" WHERE run = ?1 AND first_op BETWEEN ?2 AND ?3 GROUP BY step ORDER BY 2";
const char page_ops[] =
	"SELECT op, step FROM v_op WHERE run = ?1 AND op BETWEEN ?2 AND ?3 AND launch IS NULL"
	" ORDER BY op";

void page_comma(struct page *p)
{
	if (p->begun)
		putc(',', p->json);
	p->begun = true;
}

enum status page_array(struct page *p, const char *name, view_row_fn *fn, void *state,
		       const char *sql)
{
	fprintf(p->json, ",\n\"%s\":[", name);
	p->begun = false;
	TRY(VIEW_ROWS(&p->c, fn, state, sql, p->c.run, p->first_op, p->last_op));
	putc(']', p->json);
	return STATUS_OK;
}

enum status page_launch(const struct page *p, int64_t launch, struct view_place *place)
{
	struct view_context c = p->c;
	bool found;

	c.at.launch = launch;
	return view_place_find(&c, "v_launch", place, &found);
}
