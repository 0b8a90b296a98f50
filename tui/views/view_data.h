/* view_data.h - single floats of stored bytes, such as accumulators of partials. */
#ifndef VIEW_DATA_H
#define VIEW_DATA_H

#include "tui/views/view.h"

/* The bytes read last: those of one row are often those of the next. Begins as zeros. */
struct view_data {
	int64_t data;
	void *bytes;
	size_t size;
};

/* The float at an offset; NaN if the column of its data is NULL, or the bytes end before it. */
enum status view_data_float(const struct view_context *, struct view_data *, sqlite3_stmt *row,
			    int data, int offset, float *out);
void view_data_free(struct view_data *);

#endif
