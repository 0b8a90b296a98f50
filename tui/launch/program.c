/* program.c - compiles a whole CUDA program; see program.h.
 *
 * For a .cu file: preprocess and rewrite for the host, compile; the same for the device, with the
 * flags of kernels, then check what its kernels can reach (tui/launch/program_code.c) and link. All
 * host objects are linked to one shared object, which needs those of the device. Everything is in
 * the sandbox's scratch folder.
 */
#include "config.h"

#include "tui/launch/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "sim/cu2c/point_names.h"
#include "sim/cu2c/rewrite.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/framework.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/nvcc.h"
#include "tui/launch/program_code.h"
#include "tui/launch/program_state.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_kernel.h"
#include "tui/launch/user_macros.h"
#include "tui/launch/user_text.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

/* --- paths --- */

char *program_temporary(const struct program *p, const char *pass, int number, const char *suffix)
{
	return xasprintf("%s/%s%d.%s", p->directory, pass, number, suffix);
}

enum kind { KIND_CUDA, KIND_CPP, KIND_C, KIND_UNKNOWN };

static enum kind kind_of(const char *file)
{
	static const struct { const char *suffix; enum kind kind; } kinds[] = {
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
	return kind_of(file) != KIND_UNKNOWN;
}

/* --- one pass of a .cu file --- */

struct pass {
	const char *file;
	int number;
	bool host;
	char *preprocessed, *rewritten, *object;
};

static struct pass pass_of(const struct program *p, const char *file, bool host, int number)
{
	const char *name = host ? "host" : "device";

	return (struct pass){
		.file = file, .number = number, .host = host,
		.preprocessed = program_temporary(p, name, number, "i"),
		.rewritten = program_temporary(p, name, number, "cpp"),
		.object = program_temporary(p, name, number, "o"),
	};
}

static void pass_free(struct pass *pass)
{
	free(pass->preprocessed);
	free(pass->rewritten);
	free(pass->object);
}

/* "-std=c++14" of --std c++14. */
static void add_standard(const struct program_source *s, struct arg_list *args, char **owned)
{
	static const char *const older[] = { "c++03", "c++11", "c++14", "gnu++11", "gnu++14" };
	const char *standard = s->standard ? s->standard : "gnu++17";

	/* Flashtwin's headers need C++17, as those of CUDA 13 do. */
	for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
		if (strcmp(standard, older[i]) == 0)
			standard = "gnu++17";
	*owned = xasprintf("-std=%s", standard);
	arg_list_add(args, *owned);
}

static void add_flags(const struct program_source *s, int number, struct arg_list *args)
{
	arg_list_add_all(args, s->flags);
	if (s->file_flags)
		arg_list_add_all(args, s->file_flags[number]);
}

/* nvcc's macros, as of the toolkit whose semantics the runtime has. */
static const char *const nvcc_macros[] = {
	"-D__NVCC__", "-D__CUDACC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
	"-D__CUDACC_VER_BUILD__=0", "-D__CUDACC_EXTENDED_LAMBDA__", NULL
};

/* The user's macros come after flashtwin's headers, where their names may mean something else. */
static enum status add_macros(const struct program_source *s, const struct pass *pass,
			      struct arg_list *args, char **header)
{
	struct output out;

	*header = xasprintf("%s.h", pass->preprocessed);
	TRY(output_open(*header, &out));
	fputs("#pragma GCC system_header\n", out.file);
	user_macros_take(s->flags, out.file, args);
	if (s->file_flags)
		user_macros_take(s->file_flags[pass->number], out.file, args);
	arg_list_add_all(args, (const char *const[]){ "-include", *header, NULL });
	return output_commit(&out);
}

/* names: of points to record; NULL: none. */
static enum status preprocess(const struct program *p, const struct program_source *s,
			      const struct pass *pass, char *const *names)
{
	struct arg_list args = p->compiler.args;
	char *points = names ? point_names_list(names) : NULL;
	char *list = points ? xasprintf("-DPOINT_LIST(X)=%s", points) : NULL;
	char *standard, *macros, *framework;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-E", "-x", "c++", "-fsigned-char", NULL });
	add_standard(s, &args, &standard);
	arg_list_add_all(&args, nvcc_macros);
	arg_list_add_all(&args, (const char *const[]){ "-DFLASHTWIN_SIM", "-U_FORTIFY_SOURCE",
		  "-isystem", p->stubs, "-isystem", p->include, "-include", "sim/cuda/program.h",
		  "-fdiagnostics-color=never", NULL });
	framework_add(&args, p->include, &framework);
	if (pass->host) {
		arg_list_add(&args, "-DFLASHTWIN_HOST");
	} else {
		/* Host functions get it too, as with nvcc. 9.0 is the capability of the H200. */
		arg_list_add(&args, "-D__CUDA_ARCH__=900");
		kernel_flags_add_processor(&args);
		if (s->check)
			arg_list_add(&args, "-DFLASHTWIN_CHECK");
	}
	if (list)
		arg_list_add_all(&args, (const char *const[]){ "-DFLASHTWIN_PROBE", list, NULL });
	status = add_macros(s, pass, &args, &macros);
	arg_list_add_all(&args, (const char *const[]){ "-o", pass->preprocessed, pass->file,
		  NULL });
	if (status == STATUS_OK)
		status = program_run(&args, pass->file, s->sandbox);
	if (status == STATUS_OK && pass->host)
		framework_warn(pass->file, pass->preprocessed);
	free(framework);
	free(macros);
	free(standard);
	free(points);
	free(list);
	return status;
}

/* Finds the names of points in the text of a device pass, and makes the text again with them. */
static enum status add_points(struct program *p, const struct program_source *s,
			      const struct pass *pass)
{
	char ***names = &p->points[pass->number];
	enum status status;
	size_t bytes;
	char *text;

	TRY(file_read(pass->preprocessed, SOURCE_LIMIT, &text, &bytes));
	status = point_names_find(pass->file, text, bytes, names);
	free(text);
	return status == STATUS_OK && *names ? preprocess(p, s, pass, *names) : status;
}

static enum status rewrite(const struct program_source *s, const struct pass *pass, bool *polls)
{
	char *text, *result, *file;
	enum status status;
	size_t bytes;

	TRY(file_read(pass->preprocessed, SOURCE_LIMIT, &text, &bytes));
	text = user_headers_show_all(text, s->changes);
	file = user_headers_show_all(xstrdup(pass->file), s->changes);
	status = rewrite_program(file, text, strlen(text), pass->host, &result);
	free(file);
	free(text);
	TRY(status);
	*polls = user_text_has(result, "volatile");
	status = output_text(pass->rewritten, result);
	free(result);
	return status;
}

/* Host code has no flags of its own but what debugging and stubs need: a stub is found by the
 * address that it calls from. */
static const char *const host_flags[] = {
	"-fpreprocessed", "-O2", "-g", "-fPIC", "-c", "-w", "-fsigned-char", "-ffp-contract=off",
	"-ffunction-sections", "-fno-optimize-sibling-calls", "-fno-ipa-icf", "-fno-gnu-unique",
	"-fdiagnostics-color=never", "-fno-diagnostics-show-caret", NULL
};

/* A section for each function and variable, by which program_code.c finds what a kernel uses. */
static const char *const device_flags[] = {
	"-w", "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden", "-fno-gnu-unique",
	"-fcheck-new", NULL
};

static enum status compile(const struct program *p, const struct program_source *s,
			   const struct pass *pass, bool polls)
{
	struct arg_list args = p->compiler.args;
	char *standard;
	enum status status = STATUS_OK;

	arg_list_add_all(&args, (const char *const[]){ "-x", "c++", NULL });
	add_standard(s, &args, &standard);
	if (s->file_flags)
		arg_list_add_all(&args, s->file_flags[pass->number]);
	if (pass->host) {
		arg_list_add_all(&args, host_flags);
	} else {
		const struct kernel_flags flags = {
			.check = s->check, .steps = s->steps, .polls = polls,
			.text = pass->preprocessed,
		};

		status = kernel_flags_add(&args, &flags);
		arg_list_add_all(&args, device_flags);
	}
	arg_list_add_all(&args, (const char *const[]){ "-o", pass->object, pass->rewritten, NULL });
	if (status == STATUS_OK) {
		const struct compile_step step = {
			&args, pass->file, pass->rewritten, pass->object, s->sandbox,
		};

		status = compile_cached(&step);
	}
	free(standard);
	return status;
}

static enum status build_pass(struct program *p, const struct program_source *s, const char *file,
			      bool host, int number)
{
	struct pass pass = pass_of(p, file, host, number);
	bool polls;
	enum status status = preprocess(p, s, &pass, NULL);

	if (status == STATUS_OK && s->points && !host)
		status = add_points(p, s, &pass);
	if (status == STATUS_OK)
		status = rewrite(s, &pass, &polls);
	if (status == STATUS_OK)
		status = compile(p, s, &pass, polls);
	pass_free(&pass);
	return status;
}

/* --- files of C and C++ --- */

static enum status build_host_only(struct program *p, const struct program_source *s,
				   const char *file, int number)
{
	bool c = kind_of(file) == KIND_C;
	struct arg_list args = p->compiler.args;
	char *object = program_temporary(p, "host", number, "o"), *standard = NULL;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-x", c ? "c" : "c++", "-O2", "-g", "-fPIC",
		  "-c", "-fsigned-char", "-DFLASHTWIN_HOST", "-isystem", p->stubs, "-isystem",
		  p->include, "-fno-gnu-unique", "-fdiagnostics-color=never", NULL });
	if (!c)
		add_standard(s, &args, &standard);
	add_flags(s, number, &args);
	arg_list_add_all(&args, (const char *const[]){ "-o", object, file, NULL });
	status = program_run(&args, file, s->sandbox);
	free(standard);
	free(object);
	return status;
}

/* --- for a GPU --- */

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

/* nvcc compiles the file itself, with the toolkit's headers. */
static enum status build_gpu(const struct program *p, const struct program_source *s, int number)
{
	char *const *names = p->points[number];
	char *out = program_temporary(p, "device", number, "fatbin");
	char *points = program_temporary(p, "points", number, "h");
	const struct nvcc_step step = {
		.nvcc = &p->nvcc, .file = s->files[number], .in = s->files[number], .out = out,
		.standard = s->standard, .flags = s->flags, .extended = true,
		.more = s->file_flags ? s->file_flags[number] : NULL,
		.include = names ? points : NULL, .sandbox = s->sandbox,
	};
	enum status status = names ? write_points(points, names) : STATUS_OK;

	if (status == STATUS_OK)
		status = nvcc_run(&step);
	free(points);
	free(out);
	return status;
}

/* --- linking --- */

/* Variables of a device have constant values, and host variables in the same text must not be made
 * a second time: nothing runs when a device's object is loaded. */
static const char no_initialisers[] =
	"SECTIONS { /DISCARD/ : { *(.init_array .init_array.* .ctors .ctors.* .fini_array"
	" .fini_array.* .dtors .dtors.*) } } INSERT BEFORE .text;\n";

static enum status link_device(struct program *p, const struct program_source *s, const char *file,
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
								s->sandbox });
	}
	free(option);
	free(script);
	free(shared);
	free(object);
	return status;
}

/* The host's object needs those of the device, so that one dlopen() loads all. */
static enum status link_host(struct program *p, const struct program_source *s)
{
	struct arg_list args = p->compiler.args;
	char **paths = xcalloc(2 * (size_t)p->file_count, sizeof *paths);
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-shared", "-Wl,-Bsymbolic",
		  "-Wl,-z,lazy", "-Wl,--no-as-needed", "-o", p->host, NULL });
	for (int i = 0; i < p->file_count; i++) {
		paths[2 * i] = program_temporary(p, "host", i, "o");
		arg_list_add(&args, paths[2 * i]);
		if (kind_of(s->files[i]) != KIND_CUDA)
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

/* --- building --- */

static enum status build_cuda(struct program *p, const struct program_source *s, int number)
{
	const char *file = s->files[number];

	if (p->host)
		TRY(build_pass(p, s, file, true, number));
	TRY(build_pass(p, s, file, false, number));
	if (s->cuda)
		TRY(build_gpu(p, s, number));
	return link_device(p, s, file, number);
}

static enum status build_file(struct program *p, const struct program_source *s, int number)
{
	switch (kind_of(s->files[number])) {
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
		.points = (const char *const *)p->points[number],
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
		if (status == STATUS_OK && kind_of(s->files[i]) == KIND_CUDA)
			status = add_kernels(p, s, i);
		TRY(status);
	}
	return program_code_check(p->code);
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
	return host ? link_host(p, s) : STATUS_OK;
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
		  kind_of(s->files[0]) == KIND_C ? "c" : "c++", "-fsigned-char",
		  "-DFLASHTWIN_HOST", "-isystem", p->stubs, "-isystem", p->include, NULL });
	add_flags(s, 0, &args);
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
	if (kind_of(s->files[0]) != KIND_CUDA)
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

void program_free(struct program *p)
{
	if (!p)
		return;
	program_code_free(p->code);
	for (int i = 0; p->points && i < p->file_count; i++)
		point_names_free(p->points[i]);
	free(p->points);
	compiler_free(&p->compiler);
	compiler_free(&p->nvcc);
	free(p->directory);
	free(p->include);
	free(p->stubs);
	free(p->host);
	free(p);
}
