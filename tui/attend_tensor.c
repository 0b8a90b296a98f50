/* attend_tensor.c - checks the input tensors of `flashtwin attend`; see attend_tensor.h. */
#include "tui/attend_tensor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

enum status attend_take_dtype(const char *option, const char *path, struct npy *array,
			      const char *kv_dtype)
{
	enum dtype wanted, held, found = array->dtype;

	if (!kv_dtype) {
		if (found == DTYPE_U16 || found == DTYPE_U8 || found == DTYPE_E4M3)
			return fail(STATUS_USAGE, "%s %s: dtype %s needs --kv-dtype %s", option,
				    path, dtype_name(found),
				    found == DTYPE_U16 ? "bf16" : "e4m3");
		return found == DTYPE_F32 || found == DTYPE_F16 || found == DTYPE_BF16 ? STATUS_OK
			: fail(STATUS_USAGE, "%s %s: expected dtype f32, f16 or bf16, got %s",
			       option, path, dtype_name(found));
	}
	dtype_from_name(kv_dtype, &wanted);     /* one of the option's names */
	held = held_in(wanted);
	if (found != wanted && found != held)
		return fail(STATUS_USAGE, "%s %s: --kv-dtype %s takes dtype %s%s%s, got %s", option,
			    path, kv_dtype, kv_dtype, held == DTYPE_COUNT ? "" : " or ",
			    held == DTYPE_COUNT ? "" : dtype_name(held), dtype_name(found));
	array->dtype = wanted;
	return STATUS_OK;
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
