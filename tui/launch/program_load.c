/* program_load.c - loads the objects of a compiled program, and finds its main(); see program.h. */
#include "config.h"

#include "tui/launch/program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/runtime/runtime.h"
#include "tui/launch/program_code.h"
#include "tui/launch/program_state.h"

enum status program_load(struct program *p, const struct runtime_program **out)
{
	TRY(program_code_load(p->code));
	*out = program_code_runtime(p->code);
	return STATUS_OK;
}

/* Kernels that are not used may refer to what is defined nowhere; host code may not. */
static enum status load(const struct program *p, const char *path, int mode)
{
	static const char undefined[] = "undefined symbol: ";
	const char *why, *symbol;

	if (dlopen(path, mode | RTLD_LOCAL))
		return STATUS_OK;
	why = dlerror();
	symbol = strstr(why, undefined);
	if (symbol)
		return fail(STATUS_COMPILE, "%s: the program uses %s, which is defined nowhere: "
			    "a file or a library is missing", p->main_file,
			    symbol + strlen(undefined));
	return fail(STATUS_COMPILE, "%s: the program cannot be loaded: %s", p->main_file, why);
}

static enum status load_devices(struct program *p)
{
	for (int i = 0; i < p->file_count; i++) {
		char *path = program_temporary(p, "device", i, "so");
		enum status status = access(path, F_OK) == 0 ? load(p, path, RTLD_LAZY) : STATUS_OK;

		free(path);
		TRY(status);
	}
	return program_code_ready(p->code);
}

enum status program_load_kernels(struct program *p)
{
	TRY(program_code_load(p->code));
	return load_devices(p);
}

enum status program_enter(struct program *p, int (**out)(int, char **, char **))
{
	static const char *const names[] = { "ft_program_main", "main" };
	void *host, *found = NULL;

	TRY(load_devices(p));
	TRY(runtime_add_variables(program_code_variables(p->code)));
	TRY(load(p, p->host, RTLD_NOW));
	host = dlopen(p->host, RTLD_NOW | RTLD_NOLOAD);
	for (size_t i = 0; host && i < sizeof names / sizeof names[0] && !found; i++)
		found = dlsym(host, names[i]);
	if (!found)
		return fail(STATUS_COMPILE, "%s: the program has no main()", p->main_file);
	memcpy(out, &found, sizeof found);
	return STATUS_OK;
}
