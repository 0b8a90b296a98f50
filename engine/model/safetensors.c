/* safetensors.c - maps a .safetensors file and returns its tensors as f32.
 *
 * Format: N in 8 little-endian bytes, N bytes of JSON, then the data. The JSON has each tensor's
 * dtype, shape and [begin, end) in the data. Every entry is checked at open, so that even with a
 * malicious header no read leaves the mapping. Used by engine/model/llama.c.
 */
#include "engine/model/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/math/narrow_float.h"
#include "base/xalloc.h"

#define LENGTH_BYTES 8
#define MAX_HEADER ((uint64_t)100 << 20)        /* what the reference reader accepts */
#define SHAPE_TEXT 128

struct safetensors {
	char *path;
	const unsigned char *map;
	size_t map_bytes;
	const unsigned char *data;      /* in the map */
	size_t data_bytes;
	json_t *header;
};

/* --- checking the header --- */

/* "BF16" -> DTYPE_BF16. Returns 0 for unsupported dtypes. */
static int find_dtype(const char *name, enum dtype *out)
{
	static const struct { const char *name; enum dtype dtype; } known[] = {
		{ "BF16", DTYPE_BF16 }, { "F16", DTYPE_F16 }, { "F32", DTYPE_F32 },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i].name) == 0) {
			*out = known[i].dtype;
			return 1;
		}
	return 0;
}

static void format_shape(char *out, int rank, const json_int_t *shape)
{
	size_t used = 0;

	used += (size_t)snprintf(out, SHAPE_TEXT, "[");
	for (int i = 0; i < rank && used < SHAPE_TEXT; i++)
		used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%lld", i ? ", " : "",
					 (long long)shape[i]);
	if (used < SHAPE_TEXT)
		snprintf(out + used, SHAPE_TEXT - used, "]");
}

#define MAX_TENSOR_RANK 16

/* Fills shape[] and the element count. */
static enum status read_shape(const char *path, const char *name, const json_t *array, int *rank,
			      json_int_t *shape, size_t *count)
{
	size_t n = json_array_size(array);

	if (!json_is_array(array) || n > MAX_TENSOR_RANK)
		return fail(STATUS_USAGE, "%s: tensor %s: shape is not an array of at most %d "
			    "dimensions", path, name, MAX_TENSOR_RANK);
	*count = 1;
	for (size_t i = 0; i < n; i++) {
		const json_t *size = json_array_get(array, i);

		shape[i] = json_integer_value(size);
		if (!json_is_integer(size) || shape[i] < 0)
			return fail(STATUS_USAGE, "%s: tensor %s: dimension %zu is not an integer "
				    "of 0 or more", path, name, i);
		if (__builtin_mul_overflow(*count, (size_t)shape[i], count))
			return fail(STATUS_USAGE, "%s: tensor %s: its shape has too many elements",
				    path, name);
	}
	*rank = (int)n;
	return STATUS_OK;
}

static enum status read_offsets(const struct safetensors *st, const char *name, const json_t *array,
				size_t *begin, size_t *end)
{
	const json_t *first = json_array_get(array, 0), *second = json_array_get(array, 1);
	json_int_t from = json_integer_value(first), to = json_integer_value(second);

	if (json_array_size(array) != 2 || !json_is_integer(first) || !json_is_integer(second))
		return fail(STATUS_USAGE, "%s: tensor %s: data_offsets is not [begin, end]",
			    st->path, name);
	if (from < 0 || from > to || (uint64_t)to > st->data_bytes)
		return fail(STATUS_USAGE, "%s: tensor %s: expected data_offsets within %zu bytes "
			    "of data, got [%lld, %lld] (is the file cut short?)", st->path, name,
			    st->data_bytes, (long long)from, (long long)to);
	*begin = (size_t)from;
	*end = (size_t)to;
	return STATUS_OK;
}

static enum status check_tensor(const struct safetensors *st, const char *name, const json_t *entry)
{
	const char *dtype_text = json_string_value(json_object_get(entry, "dtype"));
	json_int_t shape[MAX_TENSOR_RANK];
	size_t begin, end, count, bytes;
	enum dtype dtype;
	int rank;

	if (!dtype_text)
		return fail(STATUS_USAGE, "%s: tensor %s: no dtype", st->path, name);
	TRY(read_shape(st->path, name, json_object_get(entry, "shape"), &rank, shape, &count));
	TRY(read_offsets(st, name, json_object_get(entry, "data_offsets"), &begin, &end));
	if (!find_dtype(dtype_text, &dtype))
		return STATUS_OK;       /* an error only if the tensor is loaded */
	if (__builtin_mul_overflow(count, dtype_bytes(dtype), &bytes) || bytes != end - begin) {
		char text[SHAPE_TEXT];

		format_shape(text, rank, shape);
		return fail(STATUS_USAGE, "%s: tensor %s: shape %s of %s does not fill "
			    "data_offsets [%zu, %zu]", st->path, name, text, dtype_text, begin,
			    end);
	}
	return STATUS_OK;
}

static enum status check_header(struct safetensors *st)
{
	json_error_t error;
	uint64_t length = 0;
	const char *name;
	json_t *entry;

	if (st->map_bytes < LENGTH_BYTES)
		return fail(STATUS_USAGE, "%s: %zu bytes are too few for a safetensors file",
			    st->path, st->map_bytes);
	for (int i = LENGTH_BYTES - 1; i >= 0; i--)
		length = length << 8 | st->map[i];
	if (length > MAX_HEADER || length > st->map_bytes - LENGTH_BYTES)
		return fail(STATUS_USAGE, "%s: a header of %llu bytes in a file of %zu (is the "
			    "file cut short, or not a safetensors file?)", st->path,
			    (unsigned long long)length, st->map_bytes);
	st->data = st->map + LENGTH_BYTES + length;
	st->data_bytes = st->map_bytes - LENGTH_BYTES - (size_t)length;
	st->header = json_loadb((const char *)st->map + LENGTH_BYTES, (size_t)length,
				JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(st->header))
		return fail(STATUS_USAGE, "%s: header is not a JSON object: %s", st->path,
			    st->header ? "another value" : error.text);
	json_object_foreach(st->header, name, entry)
		if (strcmp(name, "__metadata__") != 0)
			TRY(check_tensor(st, name, entry));
	return STATUS_OK;
}

/* --- opening --- */

static enum status map_file(struct safetensors *st)
{
	enum status status = STATUS_OK;
	struct stat about;
	int fd = open(st->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	void *map;

	if (fd < 0)
		return fail(STATUS_IO, "%s: %s", st->path, strerror(errno));
	if (fstat(fd, &about) != 0) {
		status = fail(STATUS_IO, "%s: %s", st->path, strerror(errno));
	} else if (!S_ISREG(about.st_mode)) {
		status = fail(STATUS_IO, "%s: not a regular file", st->path);
	} else if (about.st_size > 0) {         /* an empty file cannot be mapped */
		map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			status = fail(STATUS_IO, "%s: mmap: %s", st->path, strerror(errno));
		} else {
			st->map = map;
			st->map_bytes = (size_t)about.st_size;
		}
	}
	close(fd);
	return status;
}

enum status safetensors_open(const char *path, struct safetensors **out)
{
	struct safetensors *st = xcalloc(1, sizeof *st);
	enum status status;

	st->path = xstrdup(path);
	status = map_file(st);
	if (status == STATUS_OK)
		status = check_header(st);
	if (status != STATUS_OK) {
		safetensors_close(st);
		return status;
	}
	*out = st;
	return STATUS_OK;
}

void safetensors_close(struct safetensors *st)
{
	if (!st)
		return;
	if (st->map)
		munmap((void *)st->map, st->map_bytes);
	json_decref(st->header);
	free(st->path);
	free(st);
}

/* --- reading --- */

static void convert(float *out, const unsigned char *from, size_t count, enum dtype dtype)
{
	uint16_t half;

	if (dtype == DTYPE_F32) {
		memcpy(out, from, count * sizeof *out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		memcpy(&half, from + i * sizeof(half), sizeof(half));
		out[i] = dtype == DTYPE_BF16 ? narrow_from_bf16(half) : narrow_from_f16(half);
	}
}

static enum status check_shape(const struct safetensors *st, const char *name, int rank,
			       const json_int_t *shape, int want_rank, const int64_t *want)
{
	char found[SHAPE_TEXT], needed[SHAPE_TEXT];
	json_int_t wanted[MAX_TENSOR_RANK];
	bool same = rank == want_rank;

	for (int i = 0; i < want_rank; i++) {
		wanted[i] = want[i];
		same = same && shape[i] == want[i];
	}
	if (same)
		return STATUS_OK;
	format_shape(found, rank, shape);
	format_shape(needed, want_rank, wanted);
	return fail(STATUS_USAGE, "%s: tensor %s: expected shape %s, as in the configuration, got "
		    "%s", st->path, name, needed, found);
}

enum status safetensors_load(const struct safetensors *st, const char *name, int rank,
			     const int64_t *shape, float **out)
{
	const json_t *entry = json_object_get(st->header, name);
	json_int_t found[MAX_TENSOR_RANK] = { 0 };
	const char *dtype_text;
	size_t begin, end, count;
	enum dtype dtype;
	int found_rank;

	if (!entry)
		return fail(STATUS_USAGE, "%s: no tensor %s", st->path, name);
	dtype_text = json_string_value(json_object_get(entry, "dtype"));
	if (!dtype_text || !find_dtype(dtype_text, &dtype))
		return fail(STATUS_USAGE, "%s: tensor %s: expected dtype BF16, F16 or F32, got %s",
			    st->path, name, dtype_text ? dtype_text : "unknown");
	TRY(read_shape(st->path, name, json_object_get(entry, "shape"), &found_rank, found,
		       &count));
	TRY(check_shape(st, name, found_rank, found, rank, shape));
	TRY(read_offsets(st, name, json_object_get(entry, "data_offsets"), &begin, &end));
	*out = xmalloc((count ? count : 1) * sizeof **out);
	convert(*out, st->data + begin, count, dtype);
	return STATUS_OK;
}
