/* attend_tensor.c - checks, converts and writes the tensors of `flashtwin attend`; see
 * attend_tensor.h. */
#include "tui/attend_tensor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/nan.h"
#include "base/value.h"
#include "base/xalloc.h"

enum status attend_check_tensor(const char *option, const char *path, const struct npy *array,
				enum dtype dtype, int rank, const int64_t *shape)
{
	char *what = xasprintf("%s %s", option, path);
	enum status status = npy_expect(array, what, dtype, rank, shape);

	for (int i = 0; status == STATUS_OK && i < rank; i++)
		if (array->shape[i] > INT_MAX)
			status = fail(STATUS_USAGE, "%s: expected dimension %d to be at most %d, "
				      "got %lld", what, i, INT_MAX, (long long)array->shape[i]);
	free(what);
	return status;
}

/* The integers that hold the bits of a type in files. COUNT: none do. */
static enum dtype held_in(enum dtype type)
{
	return type == DTYPE_BF16 ? DTYPE_U16 : type == DTYPE_E4M3 ? DTYPE_U8 : DTYPE_COUNT;
}

/* The type of an array whose type no option names: one that its file does. */
static enum status check_own(const char *option, const char *path, enum dtype found)
{
	return found == DTYPE_F32 || found == DTYPE_F16 || found == DTYPE_BF16 ? STATUS_OK
		: fail(STATUS_USAGE, "%s %s: expected dtype f32, f16 or bf16, got %s", option,
		       path, dtype_name(found));
}

/* Gives the array the type that the option `names` names. */
static enum status take_named(const char *option, const char *path, struct npy *array,
			      const char *names, const char *name)
{
	enum dtype wanted, held, found = array->dtype;

	dtype_from_name(name, &wanted);         /* one of the option's names */
	held = held_in(wanted);
	if (found != wanted && found != held)
		return fail(STATUS_USAGE, "%s %s: %s %s takes dtype %s%s%s, got %s", option, path,
			    names, name, name, held == DTYPE_COUNT ? "" : " or ",
			    held == DTYPE_COUNT ? "" : dtype_name(held), dtype_name(found));
	array->dtype = wanted;
	return STATUS_OK;
}

enum status attend_take_dtype(const char *option, const char *path, struct npy *array,
			      const char *kv_dtype)
{
	enum dtype found = array->dtype;

	if (kv_dtype)
		return take_named(option, path, array, "--kv-dtype", kv_dtype);
	if (found == DTYPE_U16 || found == DTYPE_U8 || found == DTYPE_E4M3)
		return fail(STATUS_USAGE, "%s %s: dtype %s needs --kv-dtype %s", option, path,
			    found == DTYPE_E4M3 ? "V1" : dtype_name(found),
			    found == DTYPE_U16 ? "bf16" : "e4m3");
	return check_own(option, path, found);
}

/* The file gives the count, so that memory may run out. */
static enum status widen(const char *path, struct npy *array)
{
	size_t bytes = (array->count + 16) / 16 * 16 * sizeof(float);
	float *wide = aligned_alloc(64, bytes);

	if (!wide)
		return fail(STATUS_INTERNAL, "--q %s: out of memory (%zu bytes)", path, bytes);
	value_widen(array->dtype, array->data, array->count, wide);
	free(array->data);
	array->data = wide;
	array->dtype = DTYPE_F32;
	return STATUS_OK;
}

enum status attend_take_q(const char *path, struct npy *array, const char *q_dtype,
			  enum dtype *found)
{
	if (q_dtype)
		TRY(take_named("--q", path, array, "--q-dtype", q_dtype));
	else if (array->dtype == DTYPE_U16)
		return fail(STATUS_USAGE, "--q %s: dtype u16 needs --q-dtype bf16", path);
	TRY(check_own("--q", path, array->dtype));
	*found = array->dtype;
	return array->dtype == DTYPE_F32 ? STATUS_OK : widen(path, array);
}

enum status attend_write(const char *path, enum dtype type, int rank, const int64_t *shape,
			 float *values, size_t count)
{
	enum status status;
	void *rounded;

	nan_as_gpu(DTYPE_F32, values, count);
	if (type == DTYPE_F32)
		return npy_write(path, type, rank, shape, values);
	rounded = xcalloc(count + 1, dtype_bytes(type));
	value_round(type, values, count, rounded);
	status = npy_write(path, type, rank, shape, rounded);
	free(rounded);
	return status;
}

float attend_element(const struct npy *array, size_t i)
{
	const char *at = (const char *)array->data + i * dtype_bytes(array->dtype);
	float value;

	if (array->dtype != DTYPE_F32)
		return (float)value_real(array->dtype, value_load(array->dtype, at));
	memcpy(&value, at, sizeof value);
	return value;
}
