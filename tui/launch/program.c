/* program.c - compiles a whole CUDA program; see program.h.
 *
 * For a .cu file: a pass for the host and one for the device (program_pass.c), then a check of what
 * its kernels can reach (program_code.c), and linking (program_link.c). All host objects are linked
 * to one shared object, which needs those of the device. Everything is in the sandbox's scratch
 * folder.
 */
#include "config.h"

#include "tui/launch/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "sim/cu2c/point_names.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/program_code.h"
#include "tui/launch/program_reach.h"
#include "tui/launch/program_state.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_kernel.h"

/* --- paths --- */

char *program_temporary(const struct program *p, const char *pass, int number, const char *suffix)
{
	return xasprintf("%s/%s%d.%s", p->directory, pass, number, suffix);
}

enum program_kind program_kind(const char *file)
{
	static const struct { const char *suffix; enum program_kind kind; } kinds[] = {
		{ ".cu", KIND_CUDA }, { ".cpp", KIND_CPP }, { ".cc", KIND_CPP },
		{ ".cxx", KIND_CPP }, { ".C", KIND_CPP }, { ".c", KIND_C },
	};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(dot, kinds[i].suffix) == 0)
			return kinds[i].kind;
	return KIND_UNKNOWN;
}

bool program_has_kind(const char *file)
{
	return program_kind(file) != KIND_UNKNOWN;
}

/* --- files of C and C++ --- */

static enum status build_host_only(struct program *p, const struct program_source *s,
				   const char *file, int number)
{
	bool c = program_kind(file) == KIND_C;
	struct arg_list args = p->compiler.args;
	char *object = program_temporary(p, "host", number, "o"), *standard = NULL;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-x", c ? "c" : "c++", "-O2", "-g", "-fPIC",
		  "-c", "-fsigned-char", "-DFLASHTWIN_HOST", "-isystem", p->stubs, "-isystem",
		  p->include, "-fno-gnu-unique", "-fdiagnostics-color=never", NULL });
	if (!c)
		program_add_standard(s, false, &args, &standard);
	program_add_flags(s, number, &args);
	arg_list_add_all(&args, (const char *const[]){ "-o", object, file, NULL });
	status = program_run(&args, file, s->sandbox);
	free(standard);
	free(object);
	return status;
}

/* --- building --- */

static enum status build_cuda(struct program *p, const struct program_source *s, int number)
{
	const char *file = s->files[number];

	if (p->host)
		TRY(program_build_pass(p, s, file, true, number));
	TRY(program_build_pass(p, s, file, false, number));
	if (s->cuda)
		TRY(program_build_gpu(p, s, number));
	return program_link_device(p, s, file, number);
}

static enum status build_file(struct program *p, const struct program_source *s, int number)
{
	switch (program_kind(s->files[number])) {
	case KIND_CUDA: return build_cuda(p, s, number);
	case KIND_UNKNOWN:
		return fail(STATUS_USAGE, "%s: expected a file that ends in .cu, .cpp, .cc, .cxx "
			    "or .c", s->files[number]);
	default: return build_host_only(p, s, s->files[number], number);
	}
}

static enum status add_kernels(struct program *p, const struct program_source *s, int number)
{
	char *object = program_temporary(p, "device", number, "o");
	char *shared = program_temporary(p, "device", number, "so");
	char *preprocessed = program_temporary(p, p->host ? "host" : "device", number, "i");
	char *fatbin = s->cuda ? program_temporary(p, "device", number, "fatbin") : NULL;
	const struct program_unit unit = {
		.file = s->files[number], .preprocessed = preprocessed, .object = object,
		.shared = shared, .fatbin = fatbin, .sandbox = s->sandbox, .changes = s->changes,
		.points = (const char *const *)p->points[number], .number = number,
	};
	enum status status = program_code_add(p->code, &unit);

	free(fatbin);
	free(preprocessed);
	free(shared);
	free(object);
	return status;
}

static enum status add_code(struct program *p, const struct program_source *s)
{
	for (int i = 0; i < p->file_count; i++) {
		char *host = program_temporary(p, "host", i, "o");
		enum status status = p->host ? program_code_add_host(p->code, host) : STATUS_OK;

		free(host);
		if (status == STATUS_OK && program_kind(s->files[i]) == KIND_CUDA)
			status = add_kernels(p, s, i);
		TRY(status);
	}
	return STATUS_OK;
}

/* Kernels that device code of other files launches: their own file is compiled again, so that a
 * call of them is a launch, and those files are linked again, so that the call finds them. */
static enum status build_far(struct program *p, const struct program_source *s)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < p->file_count; i++)
		program_code_far(p->code, i, &p->far[i], p->launched);
	for (int i = 0; i < p->file_count && status == STATUS_OK; i++) {
		if (p->launched[i])
			status = program_build_pass(p, s, s->files[i], false, i);
		if (status == STATUS_OK && p->far[i].count)
			status = program_link_far(p, s, s->files[i], i, &p->far[i]);
		else if (status == STATUS_OK && p->launched[i])
			status = program_link_device(p, s, s->files[i], i);
	}
	return status;
}

static enum status find_tools(struct program *p, const struct program_source *s)
{
	while (s->files[p->file_count])
		p->file_count++;
	if (s->check)
		TRY(user_kernel_check_folder());
	TRY(compiler_find_sim(&p->compiler));
	if (!p->compiler.cplusplus)
		return fail(STATUS_USAGE, "run needs a C++ compiler, and CXX is empty");
	if (s->cuda) {
		TRY(compiler_find_cuda(&p->nvcc));
		compiler_show_in(&p->nvcc, s->sandbox);
	}
	TRY(kernel_flags_include(&p->include));
	p->stubs = xasprintf("%s/sim/cuda/include", p->include);
	TRY(file_make_folder(s->sandbox->scratch, "program", &p->directory));
	p->points = xcalloc((size_t)p->file_count + 1, sizeof *p->points);
	p->launched = xcalloc((size_t)p->file_count + 1, sizeof *p->launched);
	p->far = xcalloc((size_t)p->file_count + 1, sizeof *p->far);
	return STATUS_OK;
}

static enum status build(struct program *p, const struct program_source *s, bool host)
{
	TRY(find_tools(p, s));
	p->host = host ? xasprintf("%s/host.so", p->directory) : NULL;
	p->code = program_code_new(p->host);
	p->main_file = s->files[0];
	for (int i = 0; i < p->file_count; i++)
		TRY(build_file(p, s, i));
	TRY(add_code(p, s));
	TRY(build_far(p, s));
	TRY(program_code_check(p->code));
	return host ? program_link_host(p, s) : STATUS_OK;
}

/* Headers of the user's as the passes that were made have them. */
static enum status find_headers(const struct program *p, const struct program_source *s,
				struct kernel_source **list, int *count)
{
	static const char *const passes[] = { "host", "device" };

	for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
		char *preprocessed = program_temporary(p, passes[i], 0, "i"), *text;
		enum status status = STATUS_OK;
		size_t bytes;

		if (access(preprocessed, F_OK) == 0) {
			status = file_read(preprocessed, SOURCE_LIMIT, &text, &bytes);
			if (status == STATUS_OK) {
				status = user_headers_find(text, s->files[0], s->sandbox, list,
							   count);
				free(text);
			}
		}
		free(preprocessed);
		TRY(status);
	}
	return STATUS_OK;
}

/* A file of C or C++ is compiled in one step: its preprocessed text is made for its headers. */
static enum status preprocess_host_only(const struct program *p, const struct program_source *s)
{
	struct arg_list args = p->compiler.args;
	char *out = program_temporary(p, "host", 0, "i");
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-E", "-x",
		  program_kind(s->files[0]) == KIND_C ? "c" : "c++", "-fsigned-char",
		  "-DFLASHTWIN_HOST", "-isystem", p->stubs, "-isystem", p->include, NULL });
	program_add_flags(s, 0, &args);
	arg_list_add_all(&args, (const char *const[]){ "-o", out, s->files[0], NULL });
	status = program_run(&args, s->files[0], s->sandbox);
	free(out);
	return status;
}

static enum status compile_one(struct program *p, const struct program_source *s,
			       struct kernel_source **list, int *count)
{
	size_t bytes;
	char *text;

	TRY(find_tools(p, s));
	p->host = xasprintf("%s/host.so", p->directory);
	TRY(build_file(p, s, 0));
	if (program_kind(s->files[0]) != KIND_CUDA)
		TRY(preprocess_host_only(p, s));
	TRY(file_read(s->files[0], SOURCE_LIMIT, &text, &bytes));
	*list = xcalloc(2, sizeof **list);
	(*list)[(*count)++] = (struct kernel_source){ xstrdup(s->files[0]), text };
	return find_headers(p, s, list, count);
}

enum status program_compile_one(const struct program_source *s, struct program_text **list,
				int *count)
{
	struct program *p = xcalloc(1, sizeof *p);
	struct kernel_source *sources = NULL;
	enum status status;

	*count = 0;
	status = compile_one(p, s, &sources, count);
	*list = xcalloc((size_t)*count + 1, sizeof **list);
	for (int i = 0; i < *count; i++)
		(*list)[i] = (struct program_text){ (char *)(uintptr_t)sources[i].file,
						    (char *)(uintptr_t)sources[i].text };
	free(sources);
	program_free(p);
	return status;
}

enum status program_build(const struct program_source *s, struct program **out)
{
	*out = xcalloc(1, sizeof **out);
	return build(*out, s, true);
}

enum status program_build_kernels(const struct program_source *s, struct program **out)
{
	*out = xcalloc(1, sizeof **out);
	return build(*out, s, false);
}

const char *program_lockstep(const struct program *p)
{
	return program_code_lockstep(p->code);
}

void program_free(struct program *p)
{
	if (!p)
		return;
	program_code_free(p->code);
	for (int i = 0; p->points && i < p->file_count; i++)
		point_names_free(p->points[i]);
	for (int i = 0; p->far && i < p->file_count; i++)
		name_list_free(&p->far[i]);
	free(p->far);
	free(p->launched);
	free(p->points);
	compiler_free(&p->compiler);
	compiler_free(&p->nvcc);
	free(p->directory);
	free(p->include);
	free(p->stubs);
	free(p->host);
	free(p);
}
