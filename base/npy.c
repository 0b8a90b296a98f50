/* npy.c - reads and writes NumPy .npy files.
 *
 * The header is a Python dict literal; only the form that NumPy writes is accepted (three keys in
 * any order, plain literals). It is not trusted: the shape must match the file size before memory
 * is allocated. Used by commands that read or write tensors.
 */
#include "base/npy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/output.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define MAX_HEADER 65536        /* NumPy's own limit is 10,000 */

static const char *const descriptions[DTYPE_COUNT] = {
#define X(name, text, bytes, npy) [DTYPE_##name] = npy,
	DTYPE_LIST(X)
#undef X
};

/* --- the header's dict --- */

struct header {
	const char *path;
	const char *at;         /* next character; the text is NUL-terminated */
	bool have_descr, have_order, have_shape;
	struct npy *npy;
};

static enum status malformed(const struct header *h, const char *expected)
{
	return fail(STATUS_USAGE, "%s: not a valid .npy header: expected %s at \"%.20s\"", h->path,
		    expected, h->at);
}

static void skip_space(struct header *h)
{
	h->at += strspn(h->at, " \t\r\n");
}

static bool accept(struct header *h, char c)
{
	skip_space(h);
	if (*h->at != c)
		return false;
	h->at++;
	return true;
}

static bool accept_keyword(struct header *h, const char *keyword)
{
	skip_space(h);
	if (strncmp(h->at, keyword, strlen(keyword)) != 0)
		return false;
	h->at += strlen(keyword);
	return true;
}

/* A quoted string without escapes, into `out`. */
static enum status read_string(struct header *h, char *out, size_t size)
{
	const char *end;
	size_t length;

	skip_space(h);
	if (*h->at != '\'' && *h->at != '"')
		return malformed(h, "a quoted string");
	end = strchr(h->at + 1, *h->at);
	if (!end || (length = (size_t)(end - h->at - 1)) >= size)
		return malformed(h, "a short quoted string");
	memcpy(out, h->at + 1, length);
	out[length] = '\0';
	h->at = end + 1;
	return STATUS_OK;
}

static enum status read_descr(struct header *h)
{
	char descr[32];

	skip_space(h);
	if (*h->at == '[')
		return fail(STATUS_USAGE, "%s: expected a simple dtype, got a structured array",
			    h->path);
	TRY(read_string(h, descr, sizeof descr));
	h->have_descr = true;
	for (int i = 0; i < DTYPE_COUNT; i++) {
		if (descriptions[i] && strcmp(descr, descriptions[i]) == 0) {
			h->npy->dtype = (enum dtype)i;
			return STATUS_OK;
		}
	}
	if (descr[0] == '>')
		return fail(STATUS_USAGE, "%s: expected a little-endian dtype, got %s (big endian)",
			    h->path, descr);
	if (strcmp(descr, "|V2") == 0 || strcmp(descr, "|V1") == 0) {
		h->npy->dtype = descr[2] == '2' ? DTYPE_BF16 : DTYPE_E4M3;
		return STATUS_OK;
	}
	return fail(STATUS_USAGE, "%s: expected dtype <f4 <f8 <f2 <i4 <u4 <i8 <u8 <i2 <u2 |i1 |u1"
		    " |b1, <V2 for bfloat16, or <V1 for 8-bit floats, got %s", h->path, descr);
}

static enum status read_order(struct header *h)
{
	h->have_order = true;
	if (accept_keyword(h, "False"))
		return STATUS_OK;
	if (accept_keyword(h, "True"))
		return fail(STATUS_USAGE, "%s: expected C order (numpy.ascontiguousarray), got"
			    " Fortran order", h->path);
	return malformed(h, "True or False");
}

static enum status read_dimension(struct header *h, int64_t *out)
{
	long long value;
	char *end;

	skip_space(h);
	if (*h->at < '0' || *h->at > '9')
		return malformed(h, "a dimension");
	errno = 0;
	value = strtoll(h->at, &end, 10);
	if (errno)
		return fail(STATUS_USAGE, "%s: dimension %.24s is too large", h->path, h->at);
	h->at = end;
	accept(h, 'L');         /* Python 2 wrote long integers as 3L */
	*out = value;
	return STATUS_OK;
}

static enum status read_shape(struct header *h)
{
	struct npy *npy = h->npy;

	h->have_shape = true;
	npy->rank = 0;
	if (!accept(h, '('))
		return malformed(h, "a shape");
	while (!accept(h, ')')) {
		if (npy->rank == NPY_MAX_RANK)
			return fail(STATUS_USAGE, "%s: expected at most %d dimensions, got more",
				    h->path, NPY_MAX_RANK);
		TRY(read_dimension(h, &npy->shape[npy->rank++]));
		if (!accept(h, ',')) {
			if (!accept(h, ')'))
				return malformed(h, ", or )");
			break;
		}
	}
	return STATUS_OK;
}

static enum status read_entry(struct header *h)
{
	char key[32];

	TRY(read_string(h, key, sizeof key));
	if (!accept(h, ':'))
		return malformed(h, ":");
	if (strcmp(key, "descr") == 0)
		return read_descr(h);
	if (strcmp(key, "fortran_order") == 0)
		return read_order(h);
	if (strcmp(key, "shape") == 0)
		return read_shape(h);
	return fail(STATUS_USAGE, "%s: not a valid .npy header: unknown key %s", h->path, key);
}

static enum status read_dict(struct header *h)
{
	if (!accept(h, '{'))
		return malformed(h, "{");
	while (!accept(h, '}')) {
		TRY(read_entry(h));
		if (!accept(h, ',') && *h->at != '}')
			return malformed(h, ", or }");
	}
	skip_space(h);
	if (*h->at)
		return malformed(h, "the end of the header");
	if (!h->have_descr || !h->have_order || !h->have_shape)
		return fail(STATUS_USAGE, "%s: not a valid .npy header: key %s is missing", h->path,
			    !h->have_descr ? "descr" : !h->have_order ? "fortran_order" : "shape");
	return STATUS_OK;
}

/* --- reading --- */

static enum status read_bytes(FILE *file, const char *path, void *out, size_t bytes)
{
	if (fread(out, 1, bytes, file) == bytes)
		return STATUS_OK;
	if (ferror(file))
		return fail(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
	return fail(STATUS_USAGE, "%s: not a .npy file: truncated in the header", path);
}

/* Leaves the file positioned at its first element. */
static enum status read_header(FILE *file, const char *path, struct npy *npy)
{
	unsigned char start[MAGIC_BYTES + 2], length[4] = { 0 };
	size_t length_bytes, count;
	struct header h = { .path = path, .npy = npy };
	char *text;
	enum status status;

	TRY(read_bytes(file, path, start, sizeof start));
	if (memcmp(start, MAGIC, MAGIC_BYTES) != 0)
		return fail(STATUS_USAGE, "%s: not a .npy file", path);
	if (start[6] < 1 || start[6] > 3)
		return fail(STATUS_USAGE, "%s: expected .npy format 1.0 to 3.0, got %u.%u", path,
			    start[6], start[7]);
	length_bytes = start[6] == 1 ? 2 : 4;
	TRY(read_bytes(file, path, length, length_bytes));
	count = length[0] | length[1] << 8 | length[2] << 16 | (size_t)length[3] << 24;
	if (count > MAX_HEADER)
		return fail(STATUS_USAGE, "%s: expected a .npy header of at most %d bytes, got %zu",
			    path, MAX_HEADER, count);
	text = calloc(count + 1, 1);
	if (!text)
		return fail(STATUS_INTERNAL, "%s: out of memory", path);
	h.at = text;
	status = read_bytes(file, path, text, count);
	if (status == STATUS_OK && memchr(text, 0, count))
		status = fail(STATUS_USAGE, "%s: not a valid .npy header: it contains a zero byte",
			      path);
	if (status == STATUS_OK)
		status = read_dict(&h);
	free(text);
	return status;
}

/* Counts the elements of a shape. False if the elements or their bytes overflow size_t. */
static bool count_elements(const struct npy *npy, size_t *bytes, size_t *count)
{
	size_t total = 1;
	bool zero = false;

	for (int i = 0; i < npy->rank; i++) {
		zero |= npy->shape[i] == 0;
		if (npy->shape[i] && __builtin_mul_overflow(total, (size_t)npy->shape[i], &total))
			return false;
	}
	*count = zero ? 0 : total;
	return !__builtin_mul_overflow(*count, dtype_bytes(npy->dtype), bytes)
		&& *bytes <= PTRDIFF_MAX - 64;
}

/* Checks the bytes of data against the shape. The file must be positioned at its first element. */
static enum status check_size(FILE *file, const char *path, struct npy *npy, size_t *bytes)
{
	struct stat st;
	uint64_t present;

	if (!count_elements(npy, bytes, &npy->count))
		return fail(STATUS_USAGE, "%s: the shape in the header is too large", path);
	if (fstat(fileno(file), &st) != 0)
		return fail(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(STATUS_IO, "%s: cannot read: expected a regular file", path);
	present = (uint64_t)st.st_size - (uint64_t)ftello(file);
	if (present != *bytes)
		return fail(STATUS_USAGE, "%s: %s: expected %zu bytes of data by its shape, got"
			    " %llu", path, present < *bytes ? "truncated" : "too long", *bytes,
			    (unsigned long long)present);
	return STATUS_OK;
}

static enum status read_file(FILE *file, const char *path, struct npy *npy)
{
	size_t bytes;

	TRY(read_header(file, path, npy));
	TRY(check_size(file, path, npy, &bytes));
	npy->data = aligned_alloc(64, (bytes + 64) / 64 * 64);
	if (!npy->data)
		return fail(STATUS_INTERNAL, "%s: out of memory (%zu bytes)", path, bytes);
	if (fread(npy->data, 1, bytes, file) != bytes)
		return fail(STATUS_IO, "%s: cannot read: %s", path,
			    ferror(file) ? strerror(errno) : "truncated while it was read");
	return STATUS_OK;
}

enum status npy_read(const char *path, struct npy *out)
{
	enum status status;
	FILE *file;

	*out = (struct npy){ 0 };
	if (*path == '\0')
		return fail(STATUS_IO, "an empty name cannot be an .npy file");
	TRY(file_open(path, &file));
	status = read_file(file, path, out);
	fclose(file);
	if (status != STATUS_OK)
		npy_free(out);
	return status;
}

void npy_free(struct npy *npy)
{
	free(npy->data);
	*npy = (struct npy){ 0 };
}

/* --- writing --- */

/* "(3, 4)", "(3,)" or "()" */
static void format_shape(char *out, size_t size, int rank, const int64_t *shape)
{
	int at = snprintf(out, size, "(");

	for (int i = 0; i < rank; i++)
		at += snprintf(out + at, size - (size_t)at, i ? ", %lld" : "%lld",
			       (long long)shape[i]);
	snprintf(out + at, size - (size_t)at, rank == 1 ? ",)" : ")");
}

size_t npy_header(enum dtype dtype, int rank, const int64_t *shape, char out[NPY_HEADER_BYTES])
{
	char extent[NPY_MAX_RANK * 24 + 8], dict[512];
	size_t length, padded;

	format_shape(extent, sizeof extent, rank, shape);
	length = (size_t)snprintf(dict, sizeof dict,
				  "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
				  descriptions[dtype], extent);
	/* The data must start at a multiple of 64. Magic, version and length take 10 bytes, and the
	 * header ends with '\n'. */
	padded = (10 + length + 1 + 63) / 64 * 64 - 10;
	memcpy(out, MAGIC "\x01\x00", MAGIC_BYTES + 2);
	out[MAGIC_BYTES + 2] = (char)(padded & 0xff);
	out[MAGIC_BYTES + 3] = (char)(padded >> 8);
	return 10 + (size_t)snprintf(out + 10, NPY_HEADER_BYTES - 10, "%-*s\n", (int)padded - 1,
				     dict);
}

static void write_array(FILE *file, const struct npy *npy)
{
	char header[NPY_HEADER_BYTES];

	fwrite(header, 1, npy_header(npy->dtype, npy->rank, npy->shape, header), file);
	if (npy->count)
		fwrite(npy->data, dtype_bytes(npy->dtype), npy->count, file);
}

enum status npy_write(const char *path, enum dtype dtype, int rank, const int64_t *shape,
		      const void *data)
{
	struct npy npy = { .dtype = dtype, .rank = rank, .data = (void *)data };
	struct output output;
	size_t bytes;

	if (!descriptions[dtype])
		return fail(STATUS_USAGE, "%s: .npy files cannot hold dtype %s", path,
			    dtype_name(dtype));
	if (rank < 0 || rank > NPY_MAX_RANK)
		return fail(STATUS_USAGE, "%s: expected a rank of 0 to %d, got %d", path,
			    NPY_MAX_RANK, rank);
	for (int i = 0; i < rank; i++)
		npy.shape[i] = shape[i];
	if (!count_elements(&npy, &bytes, &npy.count))
		return fail(STATUS_USAGE, "%s: the shape is too large", path);
	TRY(output_open(path, &output));
	write_array(output.file, &npy);
	return output_commit(&output);
}

/* --- checking --- */

enum status npy_expect(const struct npy *npy, const char *what, enum dtype dtype, int rank,
		       const int64_t *shape)
{
	char found[NPY_MAX_RANK * 24 + 8], wanted[NPY_MAX_RANK * 24 + 8];

	if (npy->dtype != dtype)
		return fail(STATUS_USAGE, "%s: expected dtype %s, got %s", what, dtype_name(dtype),
			    dtype_name(npy->dtype));
	format_shape(found, sizeof found, npy->rank, npy->shape);
	if (npy->rank != rank)
		return fail(STATUS_USAGE, "%s: expected %d dimensions, got %d: shape %s", what,
			    rank, npy->rank, found);
	for (int i = 0; i < rank; i++) {
		if (shape[i] >= 0 && shape[i] != npy->shape[i]) {
			format_shape(wanted, sizeof wanted, rank, shape);
			return fail(STATUS_USAGE, "%s: expected shape %s%s, got %s", what, wanted,
				    strstr(wanted, "-1") ? " (-1: any)" : "", found);
		}
	}
	return STATUS_OK;
}
