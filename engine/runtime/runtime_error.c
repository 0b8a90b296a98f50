/* runtime_error.c - the last error of a thread, and the names and texts of errors. */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include "base/runtime_error_list.h"
#include "base/runtime_error_text.h"

#define X(code, name, text) _Static_assert((int)name == code, "the code of " #name);
RUNTIME_ERROR_LIST(X)
#undef X

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
	return runtime_error_name((int)error);
}

const char *cudaGetErrorString(cudaError_t error)
{
	return runtime_error_text((int)error);
}
