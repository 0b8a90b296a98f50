/* npz.c - writes .npy files into a zip archive with libarchive; see npz.h. */
#include "base/npz.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "base/xalloc.h"

#define PIECE 65536

struct npz {
	struct archive *archive;
	FILE *file;
	int error;                      /* errno of the first failed write; no others follow */
};

static enum status failed(const struct npz *z, const char *what)
{
	int error = z->error ? z->error : archive_errno(z->archive);
	const char *why = error > 0 ? strerror(error) : archive_error_string(z->archive);

	return fail(STATUS_IO, "%s: cannot write: %s", what, why ? why : "no reason given");
}

/* libarchive leaks memory after a failed write. So this reports success, and each caller of
 * libarchive checks `error`. */
static la_ssize_t write_bytes(struct archive *archive, void *state, const void *bytes, size_t count)
{
	struct npz *z = state;

	(void)archive;
	errno = 0;
	if (!z->error && fwrite(bytes, 1, count, z->file) != count)
		z->error = errno ? errno : EIO;
	return (la_ssize_t)count;
}

enum status npz_open(FILE *file, struct npz **out)
{
	struct npz *z = xcalloc(1, sizeof *z);
	enum status status = STATUS_OK;

	z->archive = xcheck(archive_write_new());
	z->file = file;
	/* No padding at the end. */
	if (archive_write_set_format_zip(z->archive) != ARCHIVE_OK
	    || archive_write_set_bytes_in_last_block(z->archive, 1) != ARCHIVE_OK
	    || archive_write_open(z->archive, z, NULL, write_bytes, NULL) != ARCHIVE_OK)
		status = failed(z, ".npz");
	if (status != STATUS_OK) {
		npz_discard(z);
		return status;
	}
	*out = z;
	return STATUS_OK;
}

static enum status put(struct npz *z, const char *name, const void *bytes, size_t count)
{
	if ((count > 0 && archive_write_data(z->archive, bytes, count) != (la_ssize_t)count)
	    || z->error)
		return failed(z, name);
	return STATUS_OK;
}

/* Stores no time stamps, so that equal arrays give equal files. */
static enum status begin_entry(struct npz *z, const char *name, size_t bytes)
{
	struct archive_entry *entry = xcheck(archive_entry_new());
	char *file = xasprintf("%s.npy", name);
	enum status status = STATUS_OK;

	archive_entry_set_pathname(entry, file);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)bytes);
	if (archive_write_header(z->archive, entry) != ARCHIVE_OK || z->error)
		status = failed(z, name);
	free(file);
	archive_entry_free(entry);
	return status;
}

/* `read` NULL: the context is the data. */
static enum status put_data(struct npz *z, const char *name, size_t bytes, npz_read_fn *read,
			    void *context)
{
	unsigned char piece[PIECE];

	if (!read)
		return put(z, name, context, bytes);
	for (size_t at = 0, count; at < bytes; at += count) {
		count = bytes - at < PIECE ? bytes - at : PIECE;
		read(context, at, piece, count);
		TRY(put(z, name, piece, count));
	}
	return STATUS_OK;
}

enum status npz_add(struct npz *z, const char *name, enum dtype dtype, int rank,
		    const int64_t *shape, const void *data)
{
	return npz_add_pieces(z, name, dtype, rank, shape, NULL, (void *)data);
}

enum status npz_add_pieces(struct npz *z, const char *name, enum dtype dtype, int rank,
			   const int64_t *shape, npz_read_fn *read, void *context)
{
	size_t bytes = dtype_bytes(dtype), header_bytes;
	char header[NPY_HEADER_BYTES];

	if (dtype == DTYPE_POINTER || rank < 0 || rank > NPY_MAX_RANK)
		return fail(STATUS_INTERNAL, "%s: .npy files cannot hold dtype %s of rank %d", name,
			    dtype_name(dtype), rank);
	for (int i = 0; i < rank; i++)
		bytes *= (size_t)shape[i];
	header_bytes = npy_header(dtype, rank, shape, header);
	TRY(begin_entry(z, name, header_bytes + bytes));
	TRY(put(z, name, header, header_bytes));
	TRY(put_data(z, name, bytes, read, context));
	if (archive_write_finish_entry(z->archive) != ARCHIVE_OK || z->error)
		return failed(z, name);
	return STATUS_OK;
}

enum status npz_close(struct npz *z)
{
	enum status status = STATUS_OK;

	if (archive_write_close(z->archive) != ARCHIVE_OK || z->error)
		status = failed(z, ".npz");
	npz_discard(z);
	return status;
}

void npz_discard(struct npz *z)
{
	if (!z)
		return;
	/* Freeing an open archive writes its directory; the error prevents that. */
	if (!z->error)
		z->error = ECANCELED;
	archive_write_free(z->archive);
	free(z);
}
