/* runtime_error_text.c - the names and texts of CUDA's runtime errors. */
#include "base/runtime_error_text.h"

#include <stddef.h>

#include "base/runtime_error_list.h"

struct runtime_error {
	int code;
	const char *name, *text;
};

static const struct runtime_error errors[] = {
#define X(code, name, text) { code, #name, text },
	RUNTIME_ERROR_LIST(X)
#undef X
};

static const struct runtime_error *find(int error)
{
	static const struct runtime_error unknown = {
		.name = "unrecognized error code", .text = "unrecognized error code",
	};

	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].code == error)
			return &errors[i];
	return &unknown;
}

const char *runtime_error_name(int error)
{
	return find(error)->name;
}

const char *runtime_error_text(int error)
{
	return find(error)->text;
}
