/* launch_kernel.c - launches kernels by name, on a device or into a list; see launch_kernel.h. */
#include "engine/attention/launch_kernel.h"

/* Dynamic shared memory that needs no attribute: 48 KiB less the kernel's static shared memory,
 * which is less than 8 KiB in all kernels. */
#define DEFAULT_DYNAMIC_SHARED (40u * 1024)

enum status launch_on(struct device *device, const struct launch_target *target,
		      const char *kernel, struct launch *launch)
{
	const struct launch_attribute more_shared = {
		.id = ATTRIBUTE_MAX_DYNAMIC_SHARED, .value = launch->shared_bytes,
	};

	launch->kernel = kernel_find(kernel);
	if (!launch->kernel)
		return fail(STATUS_INTERNAL, "unknown kernel %s", kernel);
	launch->stream = target->stream;
	launch->attributes = &more_shared;
	launch->attribute_count = launch->shared_bytes > DEFAULT_DYNAMIC_SHARED;
	if (!target->list)
		return device_launch(device, launch);
	launch_list_add(target->list, launch);
	return STATUS_OK;
}

enum status launch_kernel(struct device *device, const char *kernel, int layer, struct dim3 grid,
			  struct dim3 block, unsigned shared_bytes, const struct arg *args,
			  int arg_count)
{
	return launch_on(device, &(struct launch_target){ 0 }, kernel, &(struct launch){
		.grid = grid, .block = block, .shared_bytes = shared_bytes, .args = args,
		.arg_count = arg_count, .layer = layer });
}

enum status check_shared(struct device *device, const char *who, size_t bytes)
{
	struct device_info info;

	TRY(device_info(device, &info));
	if (bytes <= info.shared_per_block_optin)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s: needs %zu bytes of shared memory, the maximum per block of "
		    "%s is %zu", who, bytes, info.name, info.shared_per_block_optin);
}

void free_buffers(struct device *device, struct buffer **buffers, int count)
{
	for (int i = 0; i < count; i++) {
		device_free(device, buffers[i]);
		buffers[i] = NULL;
	}
}
