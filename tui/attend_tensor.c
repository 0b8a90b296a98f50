/* attend_tensor.c - checks the input tensors of `flashtwin attend`; see attend_tensor.h. */
#include "tui/attend_tensor.h"

#include <limits.h>
#include <stdlib.h>

#include "base/xalloc.h"

enum status attend_check_tensor(const char *option, const char *path, const struct npy *array,
				int rank, const int64_t *shape)
{
	char *what = xasprintf("%s %s", option, path);
	enum status status = npy_expect(array, what, DTYPE_F32, rank, shape);

	for (int i = 0; status == STATUS_OK && i < rank; i++)
		if (array->shape[i] > INT_MAX)
			status = fail(STATUS_USAGE, "%s: expected dimension %d to be at most %d, "
				      "got %lld", what, i, INT_MAX, (long long)array->shape[i]);
	free(what);
	return status;
}
