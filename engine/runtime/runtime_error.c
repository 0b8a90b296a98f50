/* runtime_error.c - the last error of a thread, and the names and texts of errors. */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include "engine/runtime/runtime_error_list.h"

static const struct {
	cudaError_t error;
	const char *name, *text;
} errors[] = {
#define X(error, text) { error, #error, text },
	RUNTIME_ERROR_LIST(X)
#undef X
};

/* These two work before the program begins, in host functions and after its end. */
cudaError_t cudaGetLastError(void)
{
	return runtime_last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
	return runtime_last_error(false);
}

const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].error == error)
			return errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].error == error)
			return errors[i].text;
	return "unrecognized error code";
}
