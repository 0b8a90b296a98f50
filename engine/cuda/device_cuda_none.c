/* device_cuda_none.c - the device "cuda" in a build without CUDA.
 *
 * Opening it fails with a message, so that commands can open "cuda" in any build. The real device
 * is in engine/cuda/device_cuda.c.
 */
#include "config.h"

#include "engine/device.h"

static enum status none_open(const struct device_options *options, struct device **out)
{
	(void)out;
	return fail(STATUS_NO_GPU, "no GPU %d: this flashtwin was built without CUDA",
		    options->ordinal);
}

enum status device_cuda_capability(int ordinal, int *out)
{
	*out = 0;
	return fail(STATUS_NO_GPU, "no GPU %d: this flashtwin was built without CUDA", ordinal);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.open = none_open,
};
