/* pages.c - the bytes of a trace: content-addressed pieces, packed into compressed pages.
 *
 * A blob is cut into pieces of at most 64 KiB; a piece whose 128-bit hash is already in the file is
 * not stored again. New pieces are packed, in order, into one open page of 64 KiB, since single
 * uploads are too small to compress. A commit writes the open page even if it is only partly full,
 * compressed fast; a full page is written again, compressed well. f32 data compresses once the
 * bytes of its words are sorted into planes, each with its own entropy table. Everything that is
 * read is checked.
 */
#include "traces/store/store_internal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/xalloc.h"

#define PLANES 4
#define FAST_LEVEL 1
#define LEVEL 12                /* about 1 ms a page; higher ones gain under 0.2 % on f32 data */
#define FIRST_BYTES ((size_t)1 << 20)   /* memory that the first pieces of a blob are read into */
#define CACHED 32               /* decompressed pages kept for readers */

enum codec { CODEC_RAW, CODEC_ZSTD, CODEC_PLANES, CODEC_COUNT };

struct cached {
	int64_t page;           /* 0: empty */
	size_t bytes;
	unsigned char data[PAGE_BYTES];
};

struct pages {
	struct hash_map pieces, blobs;
	ZSTD_CCtx *compressor;
	/* The open page. `number` is its row id, 0 until it has one. */
	int64_t number;
	size_t fill, written;   /* bytes in it, and how many of them are in the file */
	int64_t replaced;       /* see pages_replaced() */
	unsigned char open[PAGE_BYTES];
	struct cached cache[CACHED];
	int next_cached;
};

struct pages *pages_new(void)
{
	struct pages *pages = xcalloc(1, sizeof *pages);

	pages->compressor = xcheck(ZSTD_createCCtx());
	return pages;
}

void pages_free(struct pages *pages)
{
	if (!pages)
		return;
	hash_map_free(&pages->pieces);
	hash_map_free(&pages->blobs);
	ZSTD_freeCCtx(pages->compressor);
	free(pages);
}

/* --- compression --- */

static void split_planes(const unsigned char *from, size_t bytes, unsigned char *to)
{
	size_t words = bytes / PLANES;

	for (size_t plane = 0; plane < PLANES; plane++)
		for (size_t i = 0; i < words; i++)
			to[plane * words + i] = from[i * PLANES + plane];
	memcpy(to + words * PLANES, from + words * PLANES, bytes - words * PLANES);
}

static void join_planes(const unsigned char *from, size_t bytes, unsigned char *to)
{
	size_t words = bytes / PLANES;

	for (size_t plane = 0; plane < PLANES; plane++)
		for (size_t i = 0; i < words; i++)
			to[i * PLANES + plane] = from[plane * words + i];
	memcpy(to + words * PLANES, from + words * PLANES, bytes - words * PLANES);
}

/* Compresses into one frame whose blocks end where `parts` equal parts end, so that each part gets
 * its own entropy table. Returns 0 when the result is not smaller than the input. */
static size_t compress(ZSTD_CCtx *zstd, int level, const unsigned char *from, size_t bytes,
		       size_t parts, unsigned char *to)
{
	ZSTD_outBuffer out = { to, bytes, 0 };
	size_t part = bytes / parts;

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setPledgedSrcSize(zstd, bytes);
	for (size_t i = 0; i < parts; i++) {
		bool last = i == parts - 1;
		ZSTD_inBuffer in = { from + i * part, last ? bytes - i * part : part, 0 };
		size_t left =
			ZSTD_compressStream2(zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);

		/* Anything left means that the output is full. */
		if (left != 0)
			return 0;
	}
	return out.pos < bytes ? out.pos : 0;
}

struct packed {
	enum codec codec;
	unsigned char *bytes;
	size_t count;
	unsigned char buffers[2][PAGE_BYTES];   /* the best so far, and the next attempt */
};

static void attempt(struct pages *pages, enum codec codec, int level, const unsigned char *from,
		    size_t bytes, struct packed *best)
{
	unsigned char *to = best->bytes == best->buffers[0] ? best->buffers[1] : best->buffers[0];
	size_t parts = codec == CODEC_PLANES ? PLANES : 1;
	size_t count = compress(pages->compressor, level, from, bytes, parts, to);

	if (count && count < best->count) {
		best->codec = codec;
		best->bytes = to;
		best->count = count;
	}
}

/* Tries several encodings and keeps the smallest. Random f32 data is smallest as planes at the fast
 * level: higher levels find chance matches that cost more than they save. */
static void pack(struct pages *pages, const unsigned char *from, size_t bytes, int level,
		 struct packed *out)
{
	unsigned char sorted[PAGE_BYTES];

	out->codec = CODEC_RAW;
	out->bytes = memcpy(out->buffers[0], from, bytes);
	out->count = bytes;
	split_planes(from, bytes, sorted);
	attempt(pages, CODEC_PLANES, FAST_LEVEL, sorted, bytes, out);
	attempt(pages, CODEC_ZSTD, level, from, bytes, out);
	if (level > FAST_LEVEL)
		attempt(pages, CODEC_PLANES, LEVEL, sorted, bytes, out);
}

/* --- writing --- */

static enum status put_page(struct store *store, int64_t number, enum codec codec, size_t bytes,
			    const unsigned char *stored, size_t count)
{
	return PUT(store, TABLE_PAGE, V_INT_IF(number, number), V_INT(codec), V_INT(bytes),
		   V_INT(XXH3_64bits(stored, count)), V_BYTES(stored, count));
}

static enum status pack_page(struct store *store, const unsigned char *bytes, size_t count,
			     bool final, int64_t number)
{
	struct packed *packed;
	enum status status;

	/* A trace that the next run replaces is not worth the time. */
	if (store->expendable)
		return put_page(store, number, CODEC_RAW, count, bytes, count);
	packed = xmalloc(sizeof *packed);
	pack(store->pages, bytes, count, final ? LEVEL : FAST_LEVEL, packed);
	status = put_page(store, number, packed->codec, count, packed->bytes, packed->count);
	free(packed);
	return status;
}

/* Writes a page under a new number, or replaces its earlier version. final: it will not change
 * again. */
static enum status write_page(struct store *store, const unsigned char *bytes, size_t count,
			      bool final, int64_t *number)
{
	TRY(pack_page(store, bytes, count, final, *number));
	if (!*number)
		*number = store_new_id(store, TABLE_PAGE);
	else if (!store->pages->replaced || *number < store->pages->replaced)
		store->pages->replaced = *number;
	return STATUS_OK;
}

int64_t pages_replaced(struct store *store)
{
	int64_t replaced = store->pages->replaced;

	store->pages->replaced = 0;
	return replaced;
}

/* Gives the open page a number, which its pieces need before it is full. */
static enum status number_page(struct store *store)
{
	struct pages *pages = store->pages;

	if (pages->number)
		return STATUS_OK;
	TRY(PUT(store, TABLE_PAGE, V_NULL, V_NULL, V_NULL, V_NULL, V_NULL));
	pages->number = store_new_id(store, TABLE_PAGE);
	return STATUS_OK;
}

static enum status close_page(struct store *store)
{
	struct pages *pages = store->pages;

	TRY(write_page(store, pages->open, pages->fill, true, &pages->number));
	pages->number = 0;
	pages->fill = pages->written = 0;
	return STATUS_OK;
}

enum status pages_flush(struct store *store, bool last)
{
	struct pages *pages = store->pages;

	if (last && pages->fill)
		return close_page(store);
	if (pages->fill == pages->written)
		return STATUS_OK;
	pages->written = pages->fill;
	return write_page(store, pages->open, pages->fill, false, &pages->number);
}

/* Finds space for a new piece. A large piece gets its own page; the open page stays unchanged. */
static enum status place(struct store *store, const unsigned char *bytes, size_t count,
			 int64_t *page, size_t *offset)
{
	struct pages *pages = store->pages;

	if (count > PAGE_BYTES / 2) {
		*page = 0;
		*offset = 0;
		return write_page(store, bytes, count, true, page);
	}
	if (pages->fill + count > PAGE_BYTES)
		TRY(close_page(store));
	TRY(number_page(store));
	*page = pages->number;
	*offset = pages->fill;
	memcpy(pages->open + pages->fill, bytes, count);
	/* Words stay aligned for the planes. Padding is cleared because the buffer is reused. */
	pages->fill = (pages->fill + count + PLANES - 1) / PLANES * PLANES;
	memset(pages->open + *offset + count, 0, pages->fill - *offset - count);
	return STATUS_OK;
}

static enum status put_piece(struct store *store, const unsigned char *bytes, size_t count,
			     uint32_t *piece)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, count);
	XXH128_canonical_t canonical;
	int64_t page, number = hash_map_find(&store->pages->pieces, hash);
	size_t offset;

	if (!number) {
		TRY(place(store, bytes, count, &page, &offset));
		XXH128_canonicalFromHash(&canonical, hash);
		TRY(PUT(store, TABLE_PIECE, V_NULL, V_BYTES(&canonical, sizeof canonical),
			V_INT(page), V_INT(offset), V_INT(count)));
		number = store_new_id(store, TABLE_PIECE);
		/* SQLite numbers a row after the largest number, which a damaged file may have. */
		if (number > UINT32_MAX)
			return fail(STATUS_DAMAGED, "%s: pieces are numbered up to %lld, the"
				    " maximum is %u", store->path, (long long)number - 1,
				    UINT32_MAX);
		hash_map_add(&store->pages->pieces, hash, number);
	}
	*piece = htole32((uint32_t)number);
	return STATUS_OK;
}

static enum status put_pieces(struct store *store, const unsigned char *bytes, size_t count,
			      uint32_t *pieces, size_t piece_count, int64_t *data)
{
	struct hash_map *blobs = &store->pages->blobs;
	XXH128_hash_t key;

	for (size_t i = 0; i < piece_count; i++) {
		size_t at = i * PAGE_BYTES;

		TRY(put_piece(store, bytes + at, count - at < PAGE_BYTES ? count - at : PAGE_BYTES,
			      &pieces[i]));
	}
	key = XXH3_128bits(pieces, piece_count * sizeof *pieces);
	*data = hash_map_find(blobs, key);
	if (*data)
		return STATUS_OK;
	TRY(PUT(store, TABLE_BLOB, V_NULL, V_INT(count),
		V_BYTES(pieces, piece_count * sizeof *pieces)));
	*data = store_new_id(store, TABLE_BLOB);
	hash_map_add(blobs, key, *data);
	return STATUS_OK;
}

enum status pages_put(struct store *store, const void *bytes, size_t count, int64_t *data)
{
	size_t piece_count = (count + PAGE_BYTES - 1) / PAGE_BYTES;
	uint32_t *pieces;
	enum status status;

	*data = 0;
	if (store->expendable && store->broken)
		return STATUS_OK;
	pieces = xreallocarray(NULL, piece_count, sizeof *pieces);
	status = put_pieces(store, bytes, count, pieces, piece_count, data);

	free(pieces);
	return status;
}

/* Does not load blobs: equal bytes in an added run get a new blob over the same pieces. */
enum status pages_load(struct store *store)
{
	sqlite3_stmt *select;
	int rc;

	TRY(store_select(store, &select, "SELECT piece, hash FROM t_piece", NULL, 0));
	while ((rc = sqlite3_step(select)) == SQLITE_ROW) {
		XXH128_canonical_t canonical;
		XXH128_hash_t hash;

		if (sqlite3_column_bytes(select, 1) != sizeof canonical)
			continue;
		memcpy(&canonical, sqlite3_column_blob(select, 1), sizeof canonical);
		hash = XXH128_hashFromCanonical(&canonical);
		if (!hash_map_find(&store->pages->pieces, hash))
			hash_map_add(&store->pages->pieces, hash, sqlite3_column_int64(select, 0));
	}
	sqlite3_finalize(select);
	return rc == SQLITE_DONE ? STATUS_OK : store_failed(store, "read");
}

/* --- reading --- */

static enum status damaged(const struct store *store, const char *what, int64_t number)
{
	return fail(STATUS_DAMAGED, "%s: %s %lld is damaged", store->path ? store->path : "trace",
		    what, (long long)number);
}

/* The row is (codec, bytes, sum, stored). */
static bool unpack(sqlite3_stmt *row, struct cached *out)
{
	int64_t codec = sqlite3_column_int64(row, 0), bytes = sqlite3_column_int64(row, 1);
	const void *stored = sqlite3_column_blob(row, 3);
	size_t count = (size_t)sqlite3_column_bytes(row, 3);
	unsigned char planes[PAGE_BYTES];
	bool is_planes = codec == CODEC_PLANES;

	if (!stored || codec < 0 || codec >= CODEC_COUNT || bytes < 1 || bytes > PAGE_BYTES)
		return false;
	if (XXH3_64bits(stored, count) != (uint64_t)sqlite3_column_int64(row, 2))
		return false;
	out->bytes = (size_t)bytes;
	if (codec == CODEC_RAW) {
		if (count != out->bytes)
			return false;
		memcpy(out->data, stored, count);
		return true;
	}
	if (ZSTD_decompress(is_planes ? planes : out->data, PAGE_BYTES, stored, count)
	    != out->bytes)
		return false;
	if (is_planes)
		join_planes(planes, out->bytes, out->data);
	return true;
}

/* Finds the row of a key with a cached statement, because these rows are read most often. */
static enum status find_row(struct store *store, enum store_read which, int64_t key,
			    sqlite3_stmt **row, bool *found)
{
	static const char *const queries[STORE_READ_COUNT] = {
		[READ_PAGE] = "SELECT codec, bytes, sum, stored FROM t_page WHERE page = ?",
		[READ_PIECE] = "SELECT page, offset, bytes FROM t_piece WHERE piece = ?",
		[READ_BLOB] = "SELECT bytes, pieces FROM t_blob WHERE data = ?",
	};
	int rc;

	TRY(store_ready(store));
	if (!store->reads[which])
		TRY(store_select(store, &store->reads[which], queries[which], NULL, 0));
	*row = store->reads[which];
	sqlite3_bind_int64(*row, 1, key);
	rc = sqlite3_step(*row);
	*found = rc == SQLITE_ROW;
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		return STATUS_OK;
	sqlite3_reset(*row);
	return store_failed(store, "read");
}

static enum status read_page(struct store *store, int64_t number, const struct cached **out)
{
	struct pages *pages = store->pages;
	struct cached *slot = &pages->cache[pages->next_cached];
	sqlite3_stmt *row;
	bool good;

	for (int i = 0; i < CACHED; i++) {
		if (pages->cache[i].page == number) {
			*out = &pages->cache[i];
			return STATUS_OK;
		}
	}
	TRY(find_row(store, READ_PAGE, number, &row, &good));
	slot->page = 0;
	good = good && unpack(row, slot);
	sqlite3_reset(row);
	if (!good)
		return damaged(store, "page", number);
	/* A page that is still being filled would be stale the next time. */
	slot->page = number == pages->number ? 0 : number;
	pages->next_cached = (pages->next_cached + 1) % CACHED;
	*out = slot;
	return STATUS_OK;
}

/* Appends a piece to `out`, which can hold `capacity` bytes. */
static enum status read_piece(struct store *store, int64_t piece, unsigned char *out,
			      size_t capacity, size_t *count)
{
	const struct cached *page = NULL;
	int64_t number, offset, bytes;
	sqlite3_stmt *row;
	bool found;

	TRY(find_row(store, READ_PIECE, piece, &row, &found));
	number = sqlite3_column_int64(row, 0);
	offset = sqlite3_column_int64(row, 1);
	bytes = sqlite3_column_int64(row, 2);
	sqlite3_reset(row);
	if (!found || number < 1)
		return damaged(store, "piece", piece);
	TRY(read_page(store, number, &page));
	if (offset < 0 || bytes < 1 || bytes > PAGE_BYTES || (uint64_t)bytes > capacity
	    || (uint64_t)offset + (uint64_t)bytes > page->bytes)
		return damaged(store, "piece", piece);
	memcpy(out, page->data + offset, (size_t)bytes);
	*count = (size_t)bytes;
	return STATUS_OK;
}

enum status pages_check(struct store *store, int64_t page)
{
	const struct cached *cached;

	return read_page(store, page, &cached);
}

enum status pages_piece(struct store *store, int64_t piece, unsigned char *bytes, size_t *count)
{
	return read_piece(store, piece, bytes, PAGE_BYTES, count);
}

/* Makes room for another piece. The memory grows with what was read, not with the size that the
 * file claims. */
static enum status make_room(const struct store *store, unsigned char **out, size_t *capacity,
			     size_t at, size_t bytes)
{
	size_t wanted = 2 * at + FIRST_BYTES < bytes ? 2 * at + FIRST_BYTES : bytes;
	unsigned char *larger;

	if (*out && (*capacity == bytes || *capacity - at >= PAGE_BYTES))
		return STATUS_OK;
	larger = realloc(*out, wanted ? wanted : 1);
	if (!larger)
		return fail(STATUS_INTERNAL, "%s: out of memory (%zu bytes)",
			    store_shown_path(store), wanted);
	*out = larger;
	*capacity = wanted;
	return STATUS_OK;
}

static enum status read_pieces(struct store *store, int64_t data, const unsigned char *pieces,
			       size_t piece_count, unsigned char **out, size_t bytes)
{
	size_t at = 0, capacity = 0;

	TRY(make_room(store, out, &capacity, at, bytes));
	for (size_t i = 0; i < piece_count; i++) {
		uint32_t piece;
		size_t count = 0;

		memcpy(&piece, pieces + i * sizeof piece, sizeof piece);
		TRY(make_room(store, out, &capacity, at, bytes));
		TRY(read_piece(store, le32toh(piece), *out + at, bytes - at, &count));
		at += count;
	}
	return at == bytes ? STATUS_OK : damaged(store, "data", data);
}

/* The list of pieces bounds the size. */
static enum status read_blob(struct store *store, int64_t data, sqlite3_stmt *row, void **bytes,
			     size_t *count)
{
	int64_t size = sqlite3_column_int64(row, 0);
	const unsigned char *pieces = sqlite3_column_blob(row, 1);
	size_t list = (size_t)sqlite3_column_bytes(row, 1);
	unsigned char *out = NULL;
	enum status status;

	if (size < 0 || list % sizeof(uint32_t)
	    || (uint64_t)size > list / sizeof(uint32_t) * (uint64_t)PAGE_BYTES)
		return damaged(store, "data", data);
	*count = (size_t)size;
	status = read_pieces(store, data, pieces, list / sizeof(uint32_t), &out, *count);
	if (status == STATUS_OK)
		*bytes = out;
	else
		free(out);
	return status;
}

enum status pages_read(struct store *store, int64_t data, void **bytes, size_t *count)
{
	enum status status;
	sqlite3_stmt *row;
	bool found;

	*bytes = NULL;
	*count = 0;
	if (store->writing && !store->broken)
		TRY(pages_flush(store, false));
	TRY(find_row(store, READ_BLOB, data, &row, &found));
	status = found ? read_blob(store, data, row, bytes, count) : damaged(store, "data", data);
	sqlite3_reset(row);
	return status;
}
