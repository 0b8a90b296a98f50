/* nvcc.c - compiles a user's .cu file with nvcc; see nvcc.h.
 *
 * Code is made for one GPU, so that a file may use all that it has. What rounds otherwise than the
 * simulator is switched off (NVCC_FLAGS), whatever flags the program's makefile gives nvcc.
 */
#include "config.h"

#include "tui/launch/nvcc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/cu2c/point_names.h"
#include "tui/datadir.h"
#include "tui/launch/framework.h"
#include "tui/launch/programs.h"

#define DEFAULT_CAPABILITY 90

/* Asks in another process: a child cannot use CUDA if its parent has used it, and users' kernels
 * run in a child. */
static int ask_capability(void)
{
	int ended, found;
	pid_t child = fork();

	if (child == 0)
		_exit(device_cuda_capability(0, &found) == STATUS_OK ? found : 0);
	if (child < 0 || waitpid(child, &ended, 0) != child || !WIFEXITED(ended)
	    || WEXITSTATUS(ended) == 0)
		return DEFAULT_CAPABILITY;
	return WEXITSTATUS(ended);
}

/* The feature set "90a" has the instructions that only this kind of GPU has. */
static char *architecture(int of)
{
	const char *all = of >= 90 ? "a" : "";

	return xasprintf("arch=compute_%d%s,code=[sm_%d%s,compute_%d%s]", of, all, of, all, of,
			 all);
}

static char *language(const char *standard)
{
	if (!standard)
		return xstrdup("-std=c++17");
	return strncmp(standard, "gnu++", 5) == 0 ? xasprintf("-std=c++%s", standard + 5)
		: xasprintf("-std=%s", standard);
}

/* Whether nvcc knows the flag itself; others are the host compiler's. */
static bool is_own(const char *flag)
{
	return strlen(flag) >= 2 && flag[0] == '-' && strchr("DUI", flag[1]);
}

static void add_flags(struct arg_list *args, const char *const *flags)
{
	for (; flags && *flags; flags++) {
		if (!is_own(*flags))
			arg_list_add(args, "-Xcompiler");
		arg_list_add(args, *flags);
		if (is_own(*flags) && strlen(*flags) == 2 && flags[1])
			arg_list_add(args, *++flags);
	}
}

/* In a header: nvcc gives its flags to a shell. */
static enum status write_points(const char *path, char *const *names)
{
	char *list = point_names_list(names);
	char *text = xasprintf("#define FLASHTWIN_PROBE\n#define POINT_LIST(X) %s\n", list);
	enum status status = output_text(path, text);

	free(text);
	free(list);
	return status;
}

enum status nvcc_run(const struct nvcc_step *step)
{
	const char *slash = strrchr(step->file, '/');
	char *include = datadir_include(), *flags = xstrdup(NVCC_FLAGS), *framework;
	char *code = architecture(step->capability ? step->capability : ask_capability());
	char *points = xasprintf("%s.h", step->out), *standard = language(step->standard);
	char *own = slash ? xasprintf("-I%.*s", (int)(slash - step->file + 1), step->file)
		: xstrdup("-I.");
	struct arg_list args = step->nvcc->args;
	enum status status = STATUS_OK;

	arg_list_add_all(&args, (const char *const[]){ "-fatbin", "-x", "cu", standard, "-w",
		  "--expt-relaxed-constexpr", "--extended-lambda", "--no-compress",
		  "-gencode", code, NULL });
	arg_list_split(&args, flags);
	if (step->points) {
		status = write_points(points, step->points);
		arg_list_add_all(&args, (const char *const[]){ "-include", points, NULL });
	}
	add_flags(&args, step->flags);
	add_flags(&args, step->more);
	framework_add_nvcc(&args, include, &framework);
	arg_list_add_all(&args, (const char *const[]){ own, "-I", include, "-o", step->out,
		  step->in, NULL });
	if (status == STATUS_OK)
		status = program_run(&args, step->file, step->sandbox);
	free(framework);
	free(own);
	free(points);
	free(standard);
	free(code);
	free(flags);
	free(include);
	return status;
}
