/* program_link.c - links the objects of a program, and makes its kernels' code for a GPU; see
 * program_state.h.
 */
#include "config.h"

#include "tui/launch/program_state.h"

#include <stdlib.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/nvcc.h"

/* --- for a GPU --- */

/* nvcc compiles the file itself, with the toolkit's headers. */
enum status program_build_gpu(const struct program *p, const struct program_source *s, int number)
{
	char *out = program_temporary(p, "device", number, "fatbin");
	const struct nvcc_step step = {
		.nvcc = &p->nvcc, .file = s->files[number], .in = s->files[number], .out = out,
		.standard = s->standard, .flags = s->flags, .extended = true,
		.more = s->file_flags ? s->file_flags[number] : NULL,
		.points = p->points[number], .capability = s->capability, .sandbox = s->sandbox,
	};
	enum status status = nvcc_run(&step);

	free(out);
	return status;
}

/* --- linking --- */

/* Variables of a device have constant values, and host variables in the same text must not be made
 * a second time: nothing runs when a device's object is loaded. */
static const char no_initialisers[] =
	"SECTIONS { /DISCARD/ : { *(.init_array .init_array.* .ctors .ctors.* .fini_array"
	" .fini_array.* .dtors .dtors.*) } } INSERT BEFORE .text;\n";

enum status program_link_device(struct program *p, const struct program_source *s, const char *file,
			       int number)
{
	char *object = program_temporary(p, "device", number, "o");
	char *shared = program_temporary(p, "device", number, "so");
	char *script = xasprintf("%s/device.ld", p->directory);
	char *option = xasprintf("-Wl,-T,%s", script);
	struct arg_list args = p->compiler.args;
	enum status status = output_text(script, no_initialisers);

	if (status == STATUS_OK) {
		arg_list_add_all(&args, kernel_link_flags);
		arg_list_add_all(&args, (const char *const[]){ "-Wl,-z,lazy", option, "-o",
			  shared, object, NULL });
		status = compile_cached(&(struct compile_step){ &args, file, object, shared,
								s->sandbox, false });
	}
	free(option);
	free(script);
	free(shared);
	free(object);
	return status;
}

/* The host's object needs those of the device, so that one dlopen() loads all. */
enum status program_link_host(struct program *p, const struct program_source *s)
{
	struct arg_list args = p->compiler.args;
	char **paths = xcalloc(2 * (size_t)p->file_count, sizeof *paths);
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-shared", "-Wl,-Bsymbolic",
		  "-Wl,-z,lazy", "-Wl,--no-as-needed", "-o", p->host, NULL });
	for (int i = 0; i < p->file_count; i++) {
		paths[2 * i] = program_temporary(p, "host", i, "o");
		arg_list_add(&args, paths[2 * i]);
		if (program_kind(s->files[i]) != KIND_CUDA)
			continue;
		paths[2 * i + 1] = program_temporary(p, "device", i, "so");
		arg_list_add(&args, paths[2 * i + 1]);
	}
	arg_list_add(&args, "-Wl,--as-needed");
	arg_list_add_all(&args, s->libraries);
	status = program_run(&args, s->files[0], s->sandbox);
	for (int i = 0; i < 2 * p->file_count; i++)
		free(paths[i]);
	free(paths);
	return status;
}
