/* device_cuda_none.c - stands for the GPU in a flashtwin built without CUDA.
 *
 * Opening it says so and nothing else can happen, so that every command may ask for "cuda" in any
 * build. engine/cuda/device_cuda.c is the real one.
 */
#include "config.h"

#include "engine/device.h"

static enum status none_open(const struct device_options *options, struct device **out)
{
	(void)out;
	return fail(STATUS_NO_GPU, "no GPU %d: this flashtwin was built without CUDA",
		    options->ordinal);
}

const struct device_ops device_cuda = {
	.name = "cuda",
	.open = none_open,
};
