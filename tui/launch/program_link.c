/* program_link.c - links the objects of a program, and makes its kernels' code for a GPU; see
 * program_state.h.
 */
#include "config.h"

#include "tui/launch/program_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/nvcc.h"
#include "tui/launch/program_code.h"
#include "tui/launch/program_reach.h"

/* --- for a GPU --- */

/* nvcc compiles the file itself, with the toolkit's headers. */
enum status program_build_gpu(const struct program *p, const struct program_source *s, int number)
{
	char *out = program_temporary(p, "device", number, "fatbin");
	const struct nvcc_step step = {
		.nvcc = &p->nvcc, .file = s->files[number], .in = s->files[number], .out = out,
		.standard = s->standard, .flags = s->flags,
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

/* far: another object, NULL for none. */
static enum status link_device(struct program *p, const struct program_source *s, const char *file,
			       int number, const char *far)
{
	char *object = program_temporary(p, "device", number, "o");
	char *shared = program_temporary(p, "device", number, "so");
	char *script = xasprintf("%s/device.ld", p->directory);
	char *option = xasprintf("-Wl,-T,%s", script);
	char *name = xasprintf("-Wl,-soname,device%d.so", number);
	struct arg_list args = p->compiler.args;
	enum status status = output_text(script, no_initialisers);

	if (status == STATUS_OK) {
		arg_list_add_all(&args, kernel_link_flags);
		arg_list_add_all(&args, (const char *const[]){ "-Wl,-z,lazy", option, name,
			  "-o", shared, object, far, NULL });
		status = far ? program_run(&args, file, s->sandbox)
			: compile_cached(&(struct compile_step){
				.args = &args, .file = file, .in = object, .out = shared,
				.sandbox = s->sandbox });
	}
	free(name);
	free(option);
	free(script);
	free(shared);
	free(object);
	return status;
}

enum status program_link_device(struct program *p, const struct program_source *s, const char *file,
				int number)
{
	return link_device(p, s, file, number, NULL);
}

/* A function that jumps to where its slot says: program_code_ready() fills the slots. */
static void write_jump(const char *kernel, FILE *out)
{
	fprintf(out, "\t.text\n\t.globl %s\n\t.hidden %s\n\t.type %s, @function\n%s:\n", kernel,
		kernel, kernel, kernel);
#ifdef __aarch64__
	fprintf(out, "\tadrp x16, %s%s\n\tldr x16, [x16, :lo12:%s%s]\n\tbr x16\n",
		PROGRAM_FAR_SLOT, kernel, PROGRAM_FAR_SLOT, kernel);
#else
	fprintf(out, "\tjmp *%s%s(%%rip)\n", PROGRAM_FAR_SLOT, kernel);
#endif
	fprintf(out, "\t.size %s, . - %s\n\t.data\n\t.balign 8\n\t.type %s%s, @object\n"
		"%s%s:\n\t.quad 0\n\t.size %s%s, 8\n", kernel, kernel, PROGRAM_FAR_SLOT, kernel,
		PROGRAM_FAR_SLOT, kernel, PROGRAM_FAR_SLOT, kernel);
}

static enum status write_jumps(const struct name_list *kernels, const char *path)
{
	struct output out;

	TRY(output_open(path, &out));
	for (size_t i = 0; i < kernels->count; i++)
		write_jump(kernels->at[i], out.file);
	fputs("\t.section .note.GNU-stack, \"\", %progbits\n", out.file);
	return output_commit(&out);
}

enum status program_link_far(struct program *p, const struct program_source *s, const char *file,
			     int number, const struct name_list *kernels)
{
	char *text = program_temporary(p, "far", number, "s");
	char *object = program_temporary(p, "far", number, "o");
	struct arg_list args = p->compiler.args;
	enum status status = write_jumps(kernels, text);

	arg_list_add_all(&args, (const char *const[]){ "-x", "assembler", "-c", "-o", object, text,
						       NULL });
	if (status == STATUS_OK)
		status = program_run(&args, file, s->sandbox);
	if (status == STATUS_OK)
		status = link_device(p, s, file, number, object);
	free(text);
	free(object);
	return status;
}

/* The host's object needs those of the device, so that one dlopen() loads all. It has their names
 * without their folder, which is its own: so a kept one will do. Libraries may change. */
enum status program_link_host(struct program *p, const struct program_source *s)
{
	struct arg_list args = p->compiler.args;
	char **paths = xcalloc(2 * (size_t)p->file_count + 1, sizeof *paths);
	int count = 0;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-shared", "-Wl,-Bsymbolic",
		  "-Wl,-z,lazy", "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed", "-o", p->host, NULL });
	for (int i = 0; i < p->file_count; i++) {
		paths[count++] = program_temporary(p, "host", i, "o");
		if (program_kind(s->files[i]) == KIND_CUDA)
			paths[count++] = program_temporary(p, "device", i, "so");
	}
	arg_list_add_all(&args, (const char *const *)paths);
	arg_list_add(&args, "-Wl,--as-needed");
	arg_list_add_all(&args, s->libraries);
	if (*s->libraries)
		status = program_run(&args, s->files[0], s->sandbox);
	else
		status = compile_cached(&(struct compile_step){
				.args = &args, .file = s->files[0], .in = paths[0],
				.out = p->host, .sandbox = s->sandbox,
				.more = (const char *const *)paths + 1 });
	for (int i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
	return status;
}
