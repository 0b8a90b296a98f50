/* variant.c - kernel variants: their names, which are built, and which this processor can run. */
#include "config.h"

#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

bool processor_has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

bool variant_has_avx2(void)
{
#ifdef HAVE_AVX2_KERNELS
	return processor_has_avx2();
#else
	return false;
#endif
}

static enum status choose_avx2(enum sim_variant *out)
{
#ifndef HAVE_AVX2_KERNELS
	return fail(STATUS_USAGE, "FLASHTWIN_KERNELS=avx2: these kernels were not built, because "
		    "the compiler has no -mavx2 -mfma");
#endif
	if (!variant_has_avx2())
		return fail(STATUS_USAGE,
			    "FLASHTWIN_KERNELS=avx2: this processor has no AVX2 and FMA");
	*out = SIM_AVX2;
	return STATUS_OK;
}

static enum status choose_debug(enum sim_variant *out)
{
#ifdef HAVE_DEBUG_KERNELS
	*out = SIM_DEBUG;
	return STATUS_OK;
#else
	(void)out;
	return fail(STATUS_USAGE, "FLASHTWIN_KERNELS=debug: these kernels were not built; "
		    "configure with --enable-debug-kernels");
#endif
}

enum status variant_choose(enum sim_variant *out)
{
	const char *name = getenv("FLASHTWIN_KERNELS");

	*out = variant_has_avx2() ? SIM_AVX2 : SIM_BASELINE;
	if (!name || !*name)
		return STATUS_OK;
	if (strcmp(name, "avx2") == 0)
		return choose_avx2(out);
	if (strcmp(name, "debug") == 0)
		return choose_debug(out);
	if (strcmp(name, "baseline") != 0)
		return fail(STATUS_USAGE, "FLASHTWIN_KERNELS=%s: expected baseline, avx2 or debug",
			    name);
	*out = SIM_BASELINE;
	return STATUS_OK;
}

#ifdef __x86_64__
#define BASELINE "SSE2, without FMA"
#elif defined(__aarch64__)
#define BASELINE "NEON and FMA"         /* every such processor has them */
#else
#define BASELINE "the baseline processor"
#endif

const char *variant_text(void)
{
	enum sim_variant variant;

	if (variant_choose(&variant) != STATUS_OK)
		return "none";
	return variant == SIM_AVX2 ? "AVX2 and FMA"
		: variant == SIM_DEBUG ? BASELINE ", for a debugger" : BASELINE;
}
