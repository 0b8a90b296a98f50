/* export_pack.c - compresses with gzip by libarchive, then encodes in base64; see export_pack.h. */
#include "tui/export/export_pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/xalloc.h"

/* Base64 encodes three bytes at a time; `rest` holds bytes until there are three. */
struct base64 {
	FILE *out;
	unsigned char rest[3];
	size_t count;
};

static void put_three(struct base64 *b)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)b->rest[0] << 16 | (uint32_t)b->rest[1] << 8 | b->rest[2];

	for (size_t i = 0; i < 4; i++)
		putc(i <= b->count ? digits[bits >> (18 - 6 * i) & 63] : '=', b->out);
	memset(b->rest, 0, sizeof b->rest);
	b->count = 0;
}

static la_ssize_t take_packed(struct archive *archive, void *state, const void *bytes, size_t count)
{
	struct base64 *b = state;

	for (size_t i = 0; i < count; i++) {
		b->rest[b->count++] = ((const unsigned char *)bytes)[i];
		if (b->count == sizeof b->rest)
			put_three(b);
	}
	if (ferror(b->out)) {
		archive_set_error(archive, errno, "write error");
		return -1;
	}
	return (la_ssize_t)count;
}

/* Starts a gzip stream without a timestamp. */
static int begin(struct archive *archive, struct base64 *b)
{
	struct archive_entry *entry = xcheck(archive_entry_new());
	int code = archive_write_set_format_raw(archive);

	archive_entry_set_filetype(entry, AE_IFREG);
	if (code == ARCHIVE_OK)
		code = archive_write_add_filter_gzip(archive);
	if (code == ARCHIVE_OK)
		code = archive_write_set_options(archive,
						 "gzip:!timestamp,gzip:compression-level=6");
	if (code == ARCHIVE_OK)
		code = archive_write_set_bytes_in_last_block(archive, 1);
	if (code == ARCHIVE_OK)
		code = archive_write_open(archive, b, NULL, take_packed, NULL);
	if (code == ARCHIVE_OK)
		code = archive_write_header(archive, entry);
	archive_entry_free(entry);
	return code;
}

void export_base64(const void *bytes, size_t count, FILE *out)
{
	struct base64 b = { .out = out };

	for (size_t i = 0; i < count; i++) {
		b.rest[b.count++] = ((const unsigned char *)bytes)[i];
		if (b.count == sizeof b.rest)
			put_three(&b);
	}
	if (b.count > 0)
		put_three(&b);
}

enum status export_pack(const char *bytes, size_t count, FILE *out)
{
	struct archive *archive = xcheck(archive_write_new());
	struct base64 b = { .out = out };
	enum status status = STATUS_OK;
	bool done = begin(archive, &b) == ARCHIVE_OK
		&& archive_write_data(archive, bytes, count) == (la_ssize_t)count
		&& archive_write_close(archive) == ARCHIVE_OK;

	if (done && b.count > 0)
		put_three(&b);
	else if (!done)
		status = fail(STATUS_IO, "cannot pack: %s", archive_error_string(archive));
	archive_write_free(archive);
	return status;
}
