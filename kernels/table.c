/* table.c - the kernel table: the list of all kernels, their code, and look-ups.
 *
 * What a kernel reads and writes, and its limits, are in one file per family: kernel_scatter.c,
 * kernel_flash_decode.c, kernel_incremental.c, kernel_prefill.c. A new kernel needs an entry there
 * and its name in kernels/sources.am, from which kernels/code.h is generated. Each kernel is built
 * five or six times for the simulator and twice for GPUs.
 */
#include "config.h"

#include "kernels/kernel_table.h"

#include <string.h>

#include "kernels/kernel_entry.h"
#include "kernels/variant.h"

/* --- the compiled code of each kernel --- */

/* KERNEL_CODE_LIST is generated from the list in kernels/sources.am. */
#define X(name) \
	extern const struct sim_code ft_code_##name##_baseline_plain, \
		ft_code_##name##_baseline_probed, ft_code_##name##_checked; \
	extern const struct kernel_source sources_##name[];
KERNEL_CODE_LIST(X)
#undef X

#ifdef HAVE_AVX2_KERNELS
#define X(name) \
	extern const struct sim_code ft_code_##name##_avx2_plain, ft_code_##name##_avx2_probed;
KERNEL_CODE_LIST(X)
#undef X
#define AVX2_CODE(name, probe) &ft_code_##name##_avx2_##probe
#else
#define AVX2_CODE(name, probe) NULL
#endif

#ifdef HAVE_DEBUG_KERNELS
#define X(name) extern const struct sim_code ft_code_##name##_debug_plain;
KERNEL_CODE_LIST(X)
#undef X
#define DEBUG_CODE(name) &ft_code_##name##_debug_plain
#else
#define DEBUG_CODE(name) NULL
#endif

#ifdef HAVE_CUDA
#define X(name) \
	extern const unsigned char fatbin_##name[], fatbin_##name##_probed[]; \
	extern const unsigned long fatbin_##name##_size, fatbin_##name##_probed_size;
KERNEL_CODE_LIST(X)
#undef X
#define FATBIN(name) fatbin_##name
#define FATBIN_SIZE(name) &fatbin_##name##_size
#else
#define FATBIN(name) NULL
#define FATBIN_SIZE(name) NULL
#endif

#define X(name) \
	const struct kernel_code code_##name = { \
		.sim = { { &ft_code_##name##_baseline_plain, AVX2_CODE(name, plain), \
			   DEBUG_CODE(name) }, \
			 { &ft_code_##name##_baseline_probed, AVX2_CODE(name, probed) } }, \
		.checked = &ft_code_##name##_checked, \
		.fatbin = { FATBIN(name), FATBIN(name##_probed) }, \
		.fatbin_bytes = { FATBIN_SIZE(name), FATBIN_SIZE(name##_probed) }, \
		.sources = sources_##name, \
	};
KERNEL_CODE_LIST(X)
#undef X

/* --- the table --- */

const struct kernel *const kernel_table[] = {
#define X(name) &kernel_##name,
	KERNEL_CODE_LIST(X)
#undef X
	NULL
};

static const struct kernel *registered;
static const struct kernel_set *registered_set;

void kernel_register(const struct kernel *kernel)
{
	registered = kernel;
}

const struct kernel *kernel_registered(void)
{
	return registered;
}

void kernel_register_set(const struct kernel_set *set)
{
	registered_set = set;
}

static const struct kernel_variable *find_variable(const struct kernel_variable *list,
						   const char *name)
{
	for (; list && list->name; list++)
		if (strcmp(list->name, name) == 0)
			return list;
	return NULL;
}

const struct kernel_variable *kernel_find_variable(const char *name)
{
	const struct kernel_variable *found = NULL;

	if (registered_set)
		found = registered_set->variable(registered_set->context, name);
	return found || !registered ? found : find_variable(registered->variables, name);
}

bool kernel_registered_point(const char *name, size_t length)
{
	const char *const *names = registered ? registered->point_names : NULL;

	for (; names && *names; names++)
		if (strlen(*names) == length && strncmp(*names, name, length) == 0)
			return true;
	return registered_set && registered_set->point(registered_set->context, name, length);
}

const struct kernel *kernel_find(const char *name)
{
	const struct kernel *found = registered_set
		? registered_set->find(registered_set->context, name) : NULL;

	if (found)
		return found;
	if (registered && strcmp(registered->name, name) == 0)
		return registered;
	for (int i = 0; kernel_table[i]; i++)
		if (strcmp(kernel_table[i]->name, name) == 0)
			return kernel_table[i];
	return NULL;
}

/* --- look-ups --- */

const struct sim_code *kernel_sim_code(const struct kernel *kernel, enum sim_variant variant,
				       bool probed)
{
	const struct sim_code *const *builds = kernel->code->sim[probed];

	return builds[variant] ? builds[variant] : builds[SIM_BASELINE];
}

/* There is one checked variant, built for AVX2 and FMA if the compiler can, because fmaf() is slow
 * without FMA. */
const struct sim_code *kernel_checked_code(const struct kernel *kernel)
{
#ifdef HAVE_AVX2_KERNELS
	if (!variant_has_avx2())
		return NULL;
#endif
	return kernel->code->checked;
}

const struct kernel_param *kernel_params(const struct kernel *kernel, int *count)
{
	const struct sim_code *code = kernel_sim_code(kernel, SIM_BASELINE, false);

	*count = code->param_count;
	return code->params;
}

struct dim3 kernel_code_cluster(const struct sim_code *code)
{
	struct dim3 dim = code->cluster;

	return (struct dim3){ dim.x + !dim.x, dim.y + !dim.y, dim.z + !dim.z };
}

struct dim3 kernel_cluster(const struct kernel *kernel)
{
	return kernel_code_cluster(kernel_sim_code(kernel, SIM_BASELINE, false));
}

int kernel_param_index(const struct kernel *kernel, const char *name)
{
	int count;
	const struct kernel_param *params = kernel_params(kernel, &count);

	for (int i = 0; i < count; i++)
		if (strcmp(params[i].name, name) == 0)
			return i;
	return -1;
}

const struct kernel_source *kernel_sources(const struct kernel *kernel)
{
	return kernel->code->sources;
}

const void *kernel_fatbin(const struct kernel *kernel, bool probed, size_t *bytes)
{
	if (!kernel->code->fatbin[probed])
		return NULL;
	*bytes = *kernel->code->fatbin_bytes[probed];
	return kernel->code->fatbin[probed];
}
