/* launch_args.c - reads NAME=SPEC and matches it with the parameters of a kernel; see
 * launch_args.h.
 *
 * The text of a pointer's element type is compared only if it is a known scalar type: a template's
 * T may be any type, and a vector of floats accepts floats.
 */
#include "tui/launch/launch_args.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "tui/options.h"

/* --- scalars --- */

static enum status read_real(const char *name, const char *text, bool is_float, struct arg *out)
{
	char *end;
	double value;

	errno = 0;
	value = is_float ? (double)strtof(text, &end) : strtod(text, &end);
	if (end == text || *end != '\0')
		return fail(STATUS_USAGE, "--arg %s: '%s' is not a number", name, text);
	if (errno == ERANGE && (value > 1.0 || value < -1.0))
		return fail(STATUS_USAGE, "--arg %s: %s is out of the range of %s", name, text,
			    is_float ? "f32" : "f64");
	if (is_float)
		out->value.f32 = (float)value;
	else
		out->value.f64 = value;
	return STATUS_OK;
}

static enum status read_integer(const char *name, const char *text, struct arg *out)
{
	char *what = xasprintf("--arg %s", name);
	int64_t value = 0;
	enum status status;

	if (out->kind == PARAM_U64) {
		status = option_u64(what, text, &out->value.u64);
	} else if (out->kind == PARAM_I64) {
		status = option_integer(what, text, INT64_MIN, INT64_MAX, &out->value.i64);
	} else if (out->kind == PARAM_U32) {
		status = option_integer(what, text, 0, UINT32_MAX, &value);
		out->value.u32 = (uint32_t)value;
	} else {
		status = option_integer(what, text, INT32_MIN, INT32_MAX, &value);
		out->value.i32 = (int32_t)value;
	}
	free(what);
	return status;
}

/* Types without a PARAM_ kind: passed as bytes, as many as the kernel's parameter has. */
static const struct small_type {
	const char *name;
	enum dtype dtype;
	int64_t min, max;               /* integers; both 0: a float */
	int fraction, exponent;         /* floats: bits of the format */
} small_types[] = {
	{ "bool", DTYPE_BOOL, 0, 1, 0, 0 },
	{ "i8", DTYPE_I8, INT8_MIN, INT8_MAX, 0, 0 },
	{ "u8", DTYPE_U8, 0, UINT8_MAX, 0, 0 },
	{ "i16", DTYPE_I16, INT16_MIN, INT16_MAX, 0, 0 },
	{ "u16", DTYPE_U16, 0, UINT16_MAX, 0, 0 },
	{ "f16", DTYPE_F16, 0, 0, 10, 5 },
	{ "bf16", DTYPE_BF16, 0, 0, 7, 8 },
	{ "e4m3", DTYPE_E4M3, 0, 0, 3, 4 },
};

/* The bits of `x` rounded to a float of 8 or 16 bits, to nearest even, from double because rounding
 * to float first would round twice. What is too large becomes the largest number of e4m3, which has
 * no infinity. */
static uint16_t small_float(const struct small_type *type, double x)
{
	int min = 2 - (1 << (type->exponent - 1)), exponent;
	unsigned top = 1u << (type->exponent + type->fraction), sign = signbit(x) ? top : 0;
	unsigned highest = type->dtype == DTYPE_E4M3 ? top - 2 : top - (1u << type->fraction);
	double bits;

	if (isnan(x))
		return (uint16_t)(top - 1);
	if (isinf(x) || x == 0.0)
		return (uint16_t)(sign | (x == 0.0 ? 0 : highest));
	frexp(x, &exponent);
	if (exponent <= min)
		exponent = min + 1;
	bits = ldexp(exponent - 1 - min, type->fraction)
		+ rint(ldexp(fabs(x), type->fraction + 1 - exponent));
	return (uint16_t)(sign | (bits >= highest ? highest : (unsigned)bits));
}

static enum status read_small(struct launch_arg *a, const struct small_type *type,
			      const char *text)
{
	char *what = xasprintf("--arg %s", a->name);
	int64_t value = 0;
	struct arg real = { .kind = PARAM_F64 };
	enum status status = STATUS_OK;

	if (type->fraction) {
		status = read_real(a->name, text, false, &real);
		value = small_float(type, real.value.f64);
	} else if (type->dtype == DTYPE_BOOL && (!strcmp(text, "true") || !strcmp(text, "false"))) {
		value = *text == 't';
	} else {
		status = option_integer(what, text, type->min, type->max, &value);
	}
	free(what);
	memcpy(a->bytes, &value, sizeof a->bytes);      /* little endian, as the devices are */
	a->small = type->name;
	a->value = (struct arg){ .kind = PARAM_BLOB, .value.blob = a->bytes,
				 .bytes = dtype_bytes(type->dtype) };
	return status;
}

static enum status read_scalar(struct launch_arg *a)
{
	const char *colon = strchr(a->spec, ':');

	if (strcmp(a->spec, "null") == 0) {
		a->value.kind = PARAM_POINTER;
		return STATUS_OK;
	}
	for (size_t i = 0; colon && i < sizeof small_types / sizeof small_types[0]; i++)
		if (strlen(small_types[i].name) == (size_t)(colon - a->spec)
		    && strncmp(small_types[i].name, a->spec, (size_t)(colon - a->spec)) == 0)
			return read_small(a, &small_types[i], colon + 1);
	for (enum param_kind kind = PARAM_I32; colon && kind <= PARAM_F64; kind++) {
		const char *name = param_kind_name(kind);

		if (strlen(name) != (size_t)(colon - a->spec)
		    || strncmp(name, a->spec, strlen(name)) != 0)
			continue;
		a->value.kind = kind;
		if (kind == PARAM_F32 || kind == PARAM_F64)
			return read_real(a->name, colon + 1, kind == PARAM_F32, &a->value);
		return read_integer(a->name, colon + 1, &a->value);
	}
	return fail(STATUS_USAGE, "--arg %s=%s: expected TYPE:VALUE (bool, i8, u8, i16, u16, "
		    "i32, u32, i64, u64, f16, bf16, e4m3, f32 or f64), null, @IN.npy, "
		    ">OUT.npy:DTYPE[N,...] or <>INOUT.npy", a->name, a->spec);
}

/* --- arrays --- */

/* Parses all of "f32[4,64]". */
static bool read_shape(const char *text, struct npy *out)
{
	const char *open = strchr(text, '[');
	char dtype[16];

	if (!open || (size_t)(open - text) >= sizeof dtype)
		return false;
	memcpy(dtype, text, (size_t)(open - text));
	dtype[open - text] = '\0';
	if (!dtype_from_name(dtype, &out->dtype) || out->dtype == DTYPE_POINTER)
		return false;
	for (text = open + 1; ; text++) {
		char *end;
		long long size = strtoll(text, &end, 10);

		if (end == text || size < 0 || out->rank == MAX_RANK)
			return false;
		out->shape[out->rank++] = size;
		text = end;
		if (*text == ']')
			return text[1] == '\0';
		if (*text != ',')
			return false;
	}
}

static enum status read_output(struct launch_arg *a)
{
	const char *colon = strrchr(a->spec, ':');

	if (!colon || colon == a->spec + 1 || !read_shape(colon + 1, &a->array))
		return fail(STATUS_USAGE, "--arg %s=%s: expected >FILE.npy:DTYPE[N,...], such as "
			    ">out.npy:f32[4,64], with at most %d dimensions", a->name, a->spec,
			    MAX_RANK);
	a->owned = xasprintf("%.*s", (int)(colon - a->spec - 1), a->spec + 1);
	a->path = a->owned;
	return STATUS_OK;
}

static enum status read_input(struct launch_arg *a, const char *path)
{
	if (*path == '\0')
		return fail(STATUS_USAGE, "--arg %s=%s: expected a file name", a->name, a->spec);
	a->path = path;
	TRY(npy_read(path, &a->array));
	if (a->array.rank > MAX_RANK)
		return fail(STATUS_USAGE, "--arg %s: %s has %d dimensions, the maximum is %d",
			    a->name, path, a->array.rank, MAX_RANK);
	return STATUS_OK;
}

static enum status read_spec(struct launch_arg *a)
{
	a->writes = a->spec[0] == '>' || strncmp(a->spec, "<>", 2) == 0;
	a->reads = a->spec[0] == '@' || strncmp(a->spec, "<>", 2) == 0;
	a->is_array = a->reads || a->writes;
	if (!a->is_array)
		return read_scalar(a);
	if (!a->reads)
		return read_output(a);
	return read_input(a, a->spec + (a->writes ? 2 : 1));
}

enum status launch_args_add(struct launch_args *args, const char *text)
{
	const char *equals = strchr(text, '=');
	struct launch_arg *a = &args->items[args->count];

	if (!equals || equals == text)
		return fail(STATUS_USAGE, "--arg %s: expected NAME=SPEC", text);
	if (args->count == MAX_LAUNCH_ARGS)
		return fail(STATUS_USAGE, "--arg %s: the maximum is %d arguments", text,
			    MAX_LAUNCH_ARGS);
	args->count++;
	*a = (struct launch_arg){ .spec = equals + 1 };
	a->name = xasprintf("%.*s", (int)(equals - text), text);
	for (int i = 0; i < args->count - 1; i++)
		if (strcmp(args->items[i].name, a->name) == 0)
			return fail(STATUS_USAGE, "--arg %s is given twice", a->name);
	return read_spec(a);
}

/* The bytes of an array by its shape; 0 if there are too many to count. */
static size_t array_bytes(const struct npy *array)
{
	size_t bytes = dtype_bytes(array->dtype);

	for (int i = 0; i < array->rank; i++)
		if (__builtin_mul_overflow(bytes, (size_t)array->shape[i], &bytes))
			return 0;
	return bytes;
}

void launch_args_share(struct launch_args *args)
{
	for (int i = 0; i < args->count; i++) {
		struct launch_arg *a = &args->items[i];
		size_t bytes = a->is_array && a->writes ? array_bytes(&a->array) : 0;
		void *shared = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			: MAP_FAILED;

		if (shared == MAP_FAILED)
			continue;
		a->result = shared;
		a->result_bytes = bytes;
	}
}

void launch_args_free(struct launch_args *args)
{
	for (int i = 0; i < args->count; i++) {
		npy_free(&args->items[i].array);
		free(args->items[i].name);
		free(args->items[i].owned);
		if (args->items[i].result)
			munmap(args->items[i].result, args->items[i].result_bytes);
	}
	args->count = 0;
}
