/* view_data.c - single floats of stored bytes; see view_data.h. */
#include "tui/views/view_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_cell.h"

static enum status read_bytes(const struct view_context *c, struct view_data *d, int64_t data)
{
	if (data == d->data)
		return STATUS_OK;
	view_data_free(d);
	TRY(store_data(c->store, data, &d->bytes, &d->size));
	d->data = data;
	return STATUS_OK;
}

enum status view_data_float(const struct view_context *c, struct view_data *d, sqlite3_stmt *row,
			    int data, int offset, float *out)
{
	size_t at = (size_t)view_int(row, offset);

	*out = NAN;
	if (view_null(row, data))
		return STATUS_OK;
	TRY(read_bytes(c, d, view_int(row, data)));
	if (at <= d->size && d->size - at >= sizeof *out)
		memcpy(out, (const char *)d->bytes + at, sizeof *out);
	return STATUS_OK;
}

void view_data_free(struct view_data *d)
{
	free(d->bytes);
	*d = (struct view_data){ 0 };
}
