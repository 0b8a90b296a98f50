/* verify_content.c - checks stored bytes against their hashes, and tables with fixed rows. */
#include "traces/store/verify_internal.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/op.h"
#include "traces/store/column.h"

struct content {
	struct store *store;
	unsigned char *piece;           /* [PAGE_BYTES] */
	uint32_t *sizes;                /* [count] of pieces, by their number - 1 */
	size_t count;
	int64_t bytes;                  /* of all blobs */
};

static enum status take_page(void *context, sqlite3_stmt *row)
{
	const struct content *c = context;

	return pages_check(c->store, sqlite3_column_int64(row, 0));
}

static void add_size(struct content *c, size_t size)
{
	if ((c->count & (c->count - 1)) == 0)
		c->sizes = xreallocarray(c->sizes, c->count ? 2 * c->count : 1, sizeof *c->sizes);
	c->sizes[c->count++] = (uint32_t)size;
}

static enum status take_piece(void *context, sqlite3_stmt *row)
{
	int64_t piece = sqlite3_column_int64(row, 0);
	XXH128_canonical_t canonical;
	struct content *c = context;
	size_t count;

	if (piece != (int64_t)c->count + 1)
		return fail(STATUS_DAMAGED, "%s: expected piece %zu, got %lld",
			    store_shown_path(c->store), c->count + 1, (long long)piece);
	TRY(pages_piece(c->store, piece, c->piece, &count));
	XXH128_canonicalFromHash(&canonical, XXH3_128bits(c->piece, count));
	if (sqlite3_column_bytes(row, 1) != sizeof canonical
	    || memcmp(sqlite3_column_blob(row, 1), &canonical, sizeof canonical) != 0)
		return fail(STATUS_DAMAGED, "%s: t_piece.hash of piece %lld is not that of its"
			    " bytes", store_shown_path(c->store), (long long)piece);
	add_size(c, count);
	return STATUS_OK;
}

static enum status take_blob(void *context, sqlite3_stmt *row)
{
	const unsigned char *pieces = sqlite3_column_blob(row, 2);
	size_t count = (size_t)sqlite3_column_bytes(row, 2) / sizeof(uint32_t);
	long long data = sqlite3_column_int64(row, 0), sum = 0;
	struct content *c = context;

	for (size_t i = 0; i < count; i++) {
		uint32_t piece;

		memcpy(&piece, pieces + i * sizeof piece, sizeof piece);
		piece = le32toh(piece);
		if (piece < 1 || piece > c->count)
			return fail(STATUS_DAMAGED, "%s: data %lld has piece %u of %zu",
				    store_shown_path(c->store), data, piece, c->count);
		sum += c->sizes[piece - 1];
	}
	c->bytes += sum;
	if (sum != sqlite3_column_int64(row, 1))
		return fail(STATUS_DAMAGED, "%s: data %lld: expected %lld bytes, got %lld",
			    store_shown_path(c->store), data, sqlite3_column_int64(row, 1), sum);
	return STATUS_OK;
}

static enum status verify_all(struct content *c)
{
	TRY(store_each(c->store, "SELECT page FROM t_page ORDER BY page", NULL, 0, take_page, c));
	TRY(store_each(c->store, "SELECT piece, hash FROM t_piece ORDER BY piece", NULL, 0,
		       take_piece, c));
	return store_each(c->store, "SELECT data, bytes, pieces FROM t_blob ORDER BY data", NULL, 0,
			  take_blob, c);
}

enum status verify_content(struct store *store, int64_t *bytes)
{
	struct content c = { .store = store, .piece = xmalloc(PAGE_BYTES) };
	enum status status = verify_all(&c);

	*bytes = c.bytes;
	free(c.piece);
	free(c.sizes);
	return status;
}

/* --- fixed rows --- */

static enum status row_wrong(struct store *store, const char *table, sqlite3_stmt *row)
{
	return fail(STATUS_DAMAGED, "%s: row %lld of %s is not what it is in every trace",
		    store_shown_path(store), sqlite3_column_int64(row, 0), table);
}

static enum status take_byte(void *context, sqlite3_stmt *row)
{
	int n = sqlite3_column_int(row, 0);
	double scale = n == 255 ? INFINITY : ldexp(1, (n ? n : 1) - 150);

	return sqlite3_column_int64(row, 1) == (n ? 8388608 : 0)
		&& sqlite3_column_double(row, 2) == scale ? STATUS_OK
							  : row_wrong(context, "t_byte", row);
}

/* A later version may have more kinds of operations. */
static enum status take_kind(void *context, sqlite3_stmt *row)
{
	int64_t kind = sqlite3_column_int64(row, 0);

	if (kind >= OP_COUNT || (kind >= 0 && !strcmp(column_text(row, 1),
						      op_kind_name((enum op_kind)kind))))
		return STATUS_OK;
	return row_wrong(context, "t_op_kind", row);
}

enum status verify_constants(struct store *store)
{
	TRY(store_each(store, "SELECT n, hidden, scale FROM t_byte", NULL, 0, take_byte, store));
	return store_each(store, "SELECT kind, name FROM t_op_kind", NULL, 0, take_kind, store);
}
