/* kernel_flags.c - the flags with which users' kernels are compiled; see kernel_flags.h. */
#include "config.h"

#include "tui/launch/kernel_flags.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "kernels/variant.h"
#include "tui/datadir.h"
#include "tui/launch/programs.h"
#include "tui/launch/user_arrays.h"

/* The linker's plugin for LTO takes longer to load than a small object takes to link. Where
 * libstdc++ is linked statically, host code must not find the device's copy, which nothing
 * initialises. */
const char *const kernel_link_flags[] = {
	"-shared", "-fno-use-linker-plugin", "-Wl,--exclude-libs,ALL",
	"-Wl,-Bsymbolic", "-Wl,--wrap=malloc", "-Wl,--wrap=free", "-Wl,--wrap=_Znwm",
	"-Wl,--wrap=_Znam", "-Wl,--wrap=_ZdlPv", "-Wl,--wrap=_ZdlPvm", "-Wl,--wrap=_ZdaPv",
	"-Wl,--wrap=_ZdaPvm", "-Wl,--wrap=ft_configure", "-Wl,--wrap=cudaFree",
	"-Wl,--wrap=cudaGetErrorName", "-Wl,--wrap=cudaGetErrorString",
	"-Wl,--wrap=cudaGetLastError", "-Wl,--wrap=cudaPeekAtLastError",
	"-Wl,--wrap=cudaStreamDestroy", NULL
};

const char *const kernel_nvcc_macros[] = {
	"-D__NVCC__", "-D__CUDACC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
	"-D__CUDACC_VER_BUILD__=0", "-D__CUDACC_EXTENDED_LAMBDA__", NULL
};

/* Uses what this processor has; fmaf() is a library call without FMA. A char is signed on x86-64,
 * and on ARM only with a flag. */
void kernel_flags_add_processor(struct arg_list *args)
{
	arg_list_add(args, "-fsigned-char");
	if (processor_has_avx2()) {
		arg_list_add(args, "-mavx2");
		arg_list_add(args, "-mfma");
	}
}

enum status kernel_flags_include(char **out)
{
	char *header;
	bool there;

	*out = datadir_include();
	header = xasprintf("%s/sim/cuda/user.h", *out);
	there = access(header, R_OK) == 0;
	free(header);
	if (there)
		return STATUS_OK;
	fail(STATUS_USAGE, "%s has no sim/cuda/user.h: "
	     "the folder with flashtwin's headers is missing%s", *out,
	     getenv("FLASHTWIN_DATADIR") ? " (FLASHTWIN_DATADIR names it)" : "");
	free(*out);
	*out = NULL;
	return STATUS_USAGE;
}

/* Functions that gcc would replace by memcpy() or its like: they are functions of the host. */
static const char *const host_flags[] = {
	"-fno-builtin-bcopy", "-fno-builtin-bzero", "-fno-builtin-mempcpy", "-fno-builtin-stpcpy",
	"-fno-builtin-stpncpy", "-fno-builtin-strcpy", "-fno-builtin-strncpy",
	"-fno-builtin-strcat", "-fno-builtin-strncat", NULL
};

/* A misaligned access traps, as error 716 on a GPU; a checked kernel calls a handler instead. */
static const char *const align_flags[] = {
	"-fsanitize=alignment", "-fsanitize-undefined-trap-on-error", NULL
};

/* Frames are linked, and calls in the source stay apart (sim/exec/path.h). */
static const char *const path_flags[] = {
	"-fno-omit-frame-pointer", "-fno-tree-tail-merge", "-fno-crossjumping", "-fno-ipa-icf",
	"-fno-partial-inlining", NULL
};

/* Calls the hooks of sim/check/check_hooks.c and the handlers of check_bounds.c. Without SRA a
 * float4 access stays whole; without block reordering, loops keep their order. */
static const char *const check_flags[] = {
	"-fno-tree-sra", "-fno-reorder-blocks", "-fsanitize=thread",
	"-fsanitize=bounds", "-fsanitize=alignment", "-fsanitize-coverage=trace-pc",
	"--param", "tsan-instrument-func-entry-exit=0", "--param", "tsan-distinguish-volatile=1",
#ifdef __aarch64__
	"-fno-schedule-insns", "-fno-schedule-insns2",  /* see CHECKED_ORDER in configure.ac */
#endif
	NULL
};

/* A step budget alone needs only a call per basic block. */
static const char *const step_flags[] = { "-fsanitize-coverage=trace-pc", NULL };

/* Volatile reads call a hook, which lets other threads run while one polls. The text drops calls
 * at all other accesses (sim/cuda/cuda_c.h). */
static const char *const poll_flags[] = {
	"-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0",
	"--param", "tsan-distinguish-volatile=1", "-Wa,--defsym,ft_polls=1", NULL
};

/* Uses the flags of the project's kernels, and keeps infinite loops. No vectorizing: in spite of
 * -ffp-contract=off, gcc 12 fuses vectors of products with alternating sums and differences, as in
 * complex numbers. Columns of the rewritten text are not the user's, hence no carets. */
enum status kernel_flags_add(struct arg_list *args, const struct kernel_flags *f)
{
	bool pointers = false;

	if (f->check)
		TRY(user_arrays_escape(f->text, &pointers));
	arg_list_add_all(args, (const char *const[]){
		  "-fpreprocessed", "-pipe", "-O2", "-g", "-fPIC", "-c",
		  "-fno-semantic-interposition",
		  "-ftls-model=initial-exec", "-ffp-contract=off", "-fno-tree-vectorize",
		  "-fno-math-errno",
		  "-fno-strict-aliasing", "-fno-optimize-sibling-calls", "-fwrapv",
		  "-fno-finite-loops", "-fno-stack-protector", "-Wno-ignored-attributes",
		  "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", NULL });
	kernel_flags_add_processor(args);
	arg_list_add_all(args, host_flags);
	arg_list_add_all(args, path_flags);
	arg_list_add_all(args, f->check ? check_flags : align_flags);
	if (pointers)
		arg_list_add(args, "-fsanitize=object-size");
	if (f->steps && !f->check)
		arg_list_add_all(args, step_flags);
#if defined(__x86_64__) || defined(__aarch64__)
	if (f->polls && !f->check)
		arg_list_add_all(args, poll_flags);
#endif
	return STATUS_OK;
}
