/* prepare.c - prepares a launch to run later: selects its code, checks attributes and limits. */
#include "config.h"

#include "sim/device/prepare.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/device/task.h"
#include "sim/exec/grid.h"

/* What a device stores about a kernel that was launched on it. */
struct known_kernel {
	struct known_kernel *next;
	const struct kernel *kernel;
	int64_t granted;                /* ATTRIBUTE_MAX_DYNAMIC_SHARED persists, as in CUDA;
					   negative: it was not set */
	bool nonportable;               /* ATTRIBUTE_NONPORTABLE_CLUSTER persists, too */
	const struct sim_code *code[2]; /* [plain, probed]; NULL: not launched yet */
	size_t static_bytes[2];         /* of their shared variables */
};

static struct known_kernel *know(struct device_simulated *sim, const struct kernel *kernel)
{
	struct known_kernel *known = sim->kernels;

	while (known && known->kernel != kernel)
		known = known->next;
	if (!known) {
		known = xcalloc(1, sizeof *known);
		known->kernel = kernel;
		known->granted = -1;
		known->next = sim->kernels;
		sim->kernels = known;
	}
	return known;
}

static size_t static_shared(struct known_kernel *known, const struct sim_code *code, bool probed)
{
	if (known->code[probed] != code) {
		known->code[probed] = code;
		known->static_bytes[probed] = grid_static_shared(code);
	}
	return known->static_bytes[probed];
}

/* Checks and applies attributes; *cooperative: the launch is cooperative. */
static enum status apply_attributes(struct device_simulated *sim, const struct launch *launch,
				    struct known_kernel *known, size_t static_bytes,
				    bool *cooperative)
{
	*cooperative = false;
	for (int i = 0; i < launch->attribute_count; i++) {
		const struct launch_attribute *attribute = &launch->attributes[i];

		if (attribute->id == ATTRIBUTE_COOPERATIVE) {
			*cooperative = attribute->value != 0;
			continue;
		}
		if (attribute->id == ATTRIBUTE_NONPORTABLE_CLUSTER) {
			known->nonportable = attribute->value != 0;
			continue;
		}
		TRY(limits_check_shared_attribute(sim->profile, static_bytes, attribute->value));
		known->granted = attribute->value;
	}
	return STATUS_OK;
}

enum status prepare_launch(struct device_simulated *sim, const struct launch *launch,
				  struct task **out)
{
	const struct sim_code *code = sim->check || sim->steps
		? kernel_checked_code(launch->kernel)
		: kernel_sim_code(launch->kernel, sim->variant, launch->probed);
	struct known_kernel *known = know(sim, launch->kernel);
	size_t static_bytes;
	bool cooperative;

	if (!code)
		return fail(STATUS_USAGE, "%s: kernel %s has no checked build for this "
			    "processor", sim->check ? "--check" : "--steps", launch->kernel->name);
	static_bytes = static_shared(known, code, launch->probed);
	TRY(apply_attributes(sim, launch, known, static_bytes, &cooperative));
	TRY(limits_check(sim->profile, launch, code, static_bytes, known->granted));
	TRY(limits_check_cluster(sim->profile, launch, code, known->nonportable));
	if (cooperative)
		TRY(limits_check_resident(sim->profile, launch, static_bytes));
	*out = task_launch(sim, launch, cooperative, code);
	return STATUS_OK;
}

void prepare_close(struct device_simulated *sim)
{
	while (sim->kernels) {
		struct known_kernel *next = sim->kernels->next;

		free(sim->kernels);
		sim->kernels = next;
	}
}
