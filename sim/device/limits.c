/* limits.c - limits of the device profiles, with the driver's own error codes.
 *
 * Figures are those of cuDeviceGetAttribute and nvidia-smi on the GPU named.
 * tests/sim/exec/test_sim.c holds the cases; tests/engine/cuda/test_cuda.c puts the same ones to a
 * GPU where there is one.
 */
#include "config.h"

#include "sim/device/limits.h"

#include <string.h>

static const struct profile profiles[] = {
	{
		.name = "h200",
		.info = {
			.name = "flashtwin simulator", .profile = "h200", .driver = "",
			.compute_major = 9, .compute_minor = 0, .multiprocessors = 132,
			.max_threads_per_block = 1024, .warp_size = 32,
			.max_grid = { 2147483647u, 65535, 65535 }, .max_block = { 1024, 1024, 64 },
			.shared_per_block = 48 << 10, .shared_per_block_optin = 227 << 10,
			.memory_bytes = 150109880320,
		},
		.resident_blocks = 32, .resident_threads = 2048,
		.resident_shared = 228 << 10, .shared_per_block_reserved = 1 << 10,
		.cluster_portable = 8, .cluster_nonportable = 16,
	},
};

enum status profile_find(const char *name, const struct profile **out)
{
	if (!name)
		name = "h200";
	for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
		if (strcmp(profiles[i].name, name) == 0) {
			*out = &profiles[i];
			return STATUS_OK;
		}
	return fail(STATUS_USAGE, "unknown device profile '%s': expected h200", name);
}

static enum status check_axis(const char *what, const char *axis, unsigned value, unsigned most)
{
	if (value == 0 || value > most)
		return fail_device(1, "%s.%s: expected 1 to %u, got %u", what, axis, most, value);
	return STATUS_OK;
}

static enum status check_dim(const char *what, struct dim3 dim, struct dim3 most)
{
	TRY(check_axis(what, "x", dim.x, most.x));
	TRY(check_axis(what, "y", dim.y, most.y));
	return check_axis(what, "z", dim.z, most.z);
}

enum status limits_check(const struct profile *profile, const struct launch *launch,
			 const struct sim_code *code, size_t static_bytes, int64_t granted)
{
	const struct device_info *info = &profile->info;
	uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
	size_t allowed = granted < 0 ? info->shared_per_block : (size_t)granted + static_bytes;

	TRY(check_dim("grid", launch->grid, info->max_grid));
	TRY(check_dim("block", launch->block, info->max_block));
	if (threads > info->max_threads_per_block)
		return fail_device(1, "a block of %llu threads; the maximum is %u",
				   (unsigned long long)threads, info->max_threads_per_block);
	if (code->max_threads && threads > code->max_threads)
		return fail_device(1,
				   "a block of %llu threads; %s is bound to %u by "
				   "__launch_bounds__",
				   (unsigned long long)threads, code->name, code->max_threads);
	if (static_bytes + launch->shared_bytes > allowed)
		return fail_device(1,
				   "%zu bytes static and %u dynamic shared memory; "
				   "%zu are allowed%s",
				   static_bytes, launch->shared_bytes, allowed,
				   granted >= 0 ? "" : " without the attribute max dynamic shared");
	return STATUS_OK;
}

static bool same_dim(struct dim3 a, struct dim3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

enum status limits_check_cluster(const struct profile *profile, const struct launch *launch,
				 const struct sim_code *code, bool nonportable)
{
	struct dim3 c = launch->cluster, grid = launch->grid, own = kernel_code_cluster(code);
	uint64_t size = (uint64_t)c.x * c.y * c.z;
	unsigned most = nonportable ? profile->cluster_nonportable : profile->cluster_portable;

	if (code->cluster.x && !same_dim(c, own))
		return fail_device(912, "clusters of (%u,%u,%u) blocks; %s has (%u,%u,%u) by "
				   "__cluster_dims__", c.x, c.y, c.z, code->name, own.x, own.y,
				   own.z);
	if (size > most)
		return fail_device(912, "clusters of (%u,%u,%u) blocks; the maximum is %u%s", c.x,
				   c.y, c.z, most,
				   nonportable ? "" : " without the attribute nonportable cluster");
	if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0)
		return fail_device(912, "a grid of (%u,%u,%u) blocks is not divisible into "
				   "clusters of (%u,%u,%u)", grid.x, grid.y, grid.z, c.x, c.y, c.z);
	return STATUS_OK;
}

enum status limits_check_resident(const struct profile *profile, const struct launch *launch,
				  size_t static_bytes)
{
	const struct device_info *info = &profile->info;
	unsigned threads = launch->block.x * launch->block.y * launch->block.z;
	unsigned warps = (threads + info->warp_size - 1) / info->warp_size;
	size_t shared = static_bytes + launch->shared_bytes + profile->shared_per_block_reserved;
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	uint64_t fit = profile->resident_threads / (warps * info->warp_size);

	if (fit > profile->resident_blocks)
		fit = profile->resident_blocks;
	if (fit > profile->resident_shared / shared)
		fit = profile->resident_shared / shared;
	fit *= (uint64_t)info->multiprocessors;
	if (blocks <= fit)
		return STATUS_OK;
	return fail_device(720,
			   "%s: a cooperative grid of %llu blocks; the device holds %llu at a time",
			   launch->kernel->name, (unsigned long long)blocks,
			   (unsigned long long)fit);
}

enum status limits_check_shared_attribute(const struct profile *profile, size_t static_bytes,
					  int64_t wanted)
{
	size_t most = profile->info.shared_per_block_optin;

	if (wanted < 0 || (uint64_t)wanted + static_bytes > most)
		return fail_device(1,
				   "max dynamic shared set to %lld with %zu static; "
				   "the device has %zu",
				   (long long)wanted, static_bytes, most);
	return STATUS_OK;
}
