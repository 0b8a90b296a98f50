/* attributes.c - attributes of the device profiles, and what is known about a kernel on them.
 *
 * Numbers are those of CUDA's cudaDeviceAttr. Limits of launches come from limits.c; the rest is
 * what cuDeviceGetAttribute gives on the GPU named. Attributes of what the simulator does not have
 * (a PCI bus, clocks) are those of that GPU too, because programs print them.
 */
#include "config.h"

#include "sim/device/attributes.h"

#include <limits.h>

#include "kernels/variant.h"
#include "sim/device/simulated.h"
#include "sim/exec/grid.h"

static const struct {
	int attribute, value;
} h200[] = {
	{ 9, 65536 }, { 11, INT_MAX }, { 12, 65536 }, { 13, 1980000 }, { 14, 512 }, { 15, 1 },
	{ 17, 0 }, { 18, 0 }, { 19, 1 }, { 20, 0 }, { 21, 131072 }, { 22, 131072 },
	{ 23, 65536 }, { 24, 16384 }, { 25, 16384 }, { 26, 16384 }, { 27, 32768 }, { 28, 32768 },
	{ 29, 2048 }, { 30, 512 }, { 31, 1 }, { 32, 1 }, { 33, 0 }, { 34, 0 }, { 35, 0 },
	{ 36, 3201000 }, { 37, 6016 }, { 38, 62914560 }, { 39, 2048 }, { 40, 3 }, { 41, 1 },
	{ 42, 32768 }, { 43, 2048 }, { 44, 1 }, { 45, 32768 }, { 46, 32768 }, { 47, 8192 },
	{ 48, 8192 }, { 49, 32768 }, { 50, 0 }, { 51, 32 }, { 52, 32768 }, { 53, 32768 },
	{ 54, 2046 }, { 55, 32768 }, { 56, 131072 }, { 57, 65536 }, { 58, 16384 }, { 59, 16384 },
	{ 60, 16384 }, { 61, 32768 }, { 62, 2048 }, { 63, 32768 }, { 64, 32768 }, { 65, 2048 },
	{ 66, 32768 }, { 67, 32768 }, { 68, 2046 }, { 69, 268435456 }, { 70, 131072 },
	{ 71, 65000 }, { 72, 2097120 }, { 73, 32768 }, { 74, 32768 }, { 77, 32768 }, { 78, 1 },
	{ 79, 1 }, { 80, 1 }, { 82, 65536 }, { 83, 1 }, { 84, 0 }, { 85, 0 }, { 86, 0 },
	{ 87, 2 }, { 88, 0 }, { 89, 1 }, { 90, 1 }, { 91, 1 }, { 92, 0 }, { 93, 0 }, { 94, 0 },
	{ 95, 1 }, { 96, 1 }, { 98, 0 }, { 99, 1 }, { 100, 0 }, { 101, 0 }, { 102, 1 },
	{ 103, 1 }, { 104, 0 }, { 105, 0 }, { 107, 1 }, { 108, 39321600 }, { 109, 134217728 },
	{ 110, 1 }, { 112, 1 }, { 113, 1 }, { 114, 1 }, { 115, 1 }, { 116, 1 }, { 117, 1 },
	{ 118, 100 }, { 119, 9 }, { 120, 1 }, { 121, 1 }, { 122, 1 }, { 123, 1 }, { 124, 1 },
	{ 125, 1 }, { 126, 4 }, { 127, 1 }, { 128, 1 }, { 129, 1 }, { 130, 0 }, { 131, -1 },
	{ 132, 0 }, { 133, 0 }, { 134, -1 }, { 135, 0 }, { 136, 0 }, { 137, 0 }, { 138, 0 },
	{ 139, 590680286 }, { 140, 415174878 }, { 141, 1 }, { 142, 1 }, { 143, 0 }, { 144, 1 },
	{ 145, 1 }, { 146, 0 }, { 147, 0 },
};

/* Those that follow from the limits that the simulator itself applies; false: not among them. */
static bool from_limits(const struct profile *profile, int attribute, int *out)
{
	const struct device_info *info = &profile->info;

	switch (attribute) {
	case 1: *out = (int)info->max_threads_per_block; return true;
	case 2: *out = (int)info->max_block.x; return true;
	case 3: *out = (int)info->max_block.y; return true;
	case 4: *out = (int)info->max_block.z; return true;
	case 5: *out = (int)info->max_grid.x; return true;
	case 6: *out = (int)info->max_grid.y; return true;
	case 7: *out = (int)info->max_grid.z; return true;
	case 8: *out = (int)info->shared_per_block; return true;
	case 10: *out = (int)info->warp_size; return true;
	case 16: *out = info->multiprocessors; return true;
	case 75: *out = info->compute_major; return true;
	case 76: *out = info->compute_minor; return true;
	case 81: *out = (int)profile->resident_shared; return true;
	case 97: *out = (int)info->shared_per_block_optin; return true;
	case 106: *out = (int)profile->resident_blocks; return true;
	case 111: *out = (int)profile->shared_per_block_reserved; return true;
	default: return false;
	}
}

enum status sim_attribute(struct device *device, int attribute, int *out)
{
	if (from_limits(simulated(device)->profile, attribute, out))
		return STATUS_OK;
	for (size_t i = 0; i < sizeof h200 / sizeof h200[0]; i++)
		if (h200[i].attribute == attribute) {
			*out = h200[i].value;
			return STATUS_OK;
		}
	return fail_device(1, "the simulator does not know device attribute %d", attribute);
}

enum status sim_function(struct device *device, const struct kernel *kernel,
			 struct function_info *out)
{
	struct device_simulated *sim = simulated(device);
	const struct sim_code *code = sim->check || sim->steps
		? kernel_checked_code(kernel) : kernel_sim_code(kernel, sim->variant, false);
	unsigned most = sim->profile->info.max_threads_per_block;

	if (!code)
		return fail(STATUS_USAGE, "kernel %s has no build for this device", kernel->name);
	*out = (struct function_info){
		.static_shared = grid_static_shared(code),
		.max_threads = code->max_threads && code->max_threads < most ? code->max_threads
			: most,
	};
	if (code->constant_bytes)
		out->constant_bytes = code->constant_bytes;
	else if (code->constants)
		out->constant_bytes = (size_t)(code->constants_end - code->constants);
	return STATUS_OK;
}
