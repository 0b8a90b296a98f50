/* program.c - compiles a whole CUDA program; see program.h.
 *
 * For a .cu file: preprocess and rewrite for the host, compile; the same for the device, with the
 * flags of kernels, then check what its kernels can reach (tui/launch/program_code.c) and link. All
 * host objects are linked to one shared object, which needs those of the device. Everything is in
 * the sandbox's scratch folder.
 */
#include "config.h"

#include "tui/launch/program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "sim/cu2c/rewrite.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/program_code.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_text.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

struct program {
	struct compiler compiler;
	char *directory, *include, *stubs;
	struct program_code *code;
	int file_count;
	char *host;                     /* the path of the host's shared object */
	const char *main_file;          /* the first one */
};

/* --- paths --- */

/* "host3.o"; the caller frees it. */
static char *temporary(const struct program *p, const char *pass, int number, const char *suffix)
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
	bool host;
	char *preprocessed, *rewritten, *object;
};

static struct pass pass_of(const struct program *p, const char *file, bool host, int number)
{
	const char *name = host ? "host" : "device";

	return (struct pass){
		.file = file, .host = host,
		.preprocessed = temporary(p, name, number, "i"),
		.rewritten = temporary(p, name, number, "cpp"),
		.object = temporary(p, name, number, "o"),
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
	*owned = xasprintf("-std=%s", s->standard ? s->standard : "gnu++17");
	arg_list_add(args, *owned);
}

/* nvcc's macros, as of the toolkit whose semantics the runtime has. */
static const char *const nvcc_macros[] = {
	"-D__NVCC__", "-D__CUDACC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
	"-D__CUDACC_VER_BUILD__=0", "-D__CUDACC_EXTENDED_LAMBDA__", NULL
};

static enum status preprocess(const struct program *p, const struct program_source *s,
			      const struct pass *pass)
{
	struct arg_list args = p->compiler.args;
	char *standard;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-E", "-x", "c++", NULL });
	add_standard(s, &args, &standard);
	arg_list_add_all(&args, nvcc_macros);
	arg_list_add_all(&args, (const char *const[]){ "-DFLASHTWIN_SIM", "-U_FORTIFY_SOURCE",
		  "-isystem", p->stubs, "-isystem", p->include, "-include", "sim/cuda/program.h",
		  "-fdiagnostics-color=never", NULL });
	if (pass->host) {
		arg_list_add(&args, "-DFLASHTWIN_HOST");
	} else {
		/* Host functions get it too, as with nvcc. 9.0 is the capability of the H200. */
		arg_list_add(&args, "-D__CUDA_ARCH__=900");
		kernel_flags_add_processor(&args);
		if (s->check)
			arg_list_add(&args, "-DFLASHTWIN_CHECK");
	}
	arg_list_add_all(&args, s->flags);
	arg_list_add_all(&args, (const char *const[]){ "-o", pass->preprocessed, pass->file,
		  NULL });
	status = program_run(&args, pass->file, s->sandbox);
	free(standard);
	return status;
}

static enum status rewrite(const struct pass *pass, bool *polls)
{
	char *text, *result;
	enum status status;
	size_t bytes;

	TRY(file_read(pass->preprocessed, SOURCE_LIMIT, &text, &bytes));
	status = rewrite_program(pass->file, text, bytes, pass->host, &result);
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
	"-fpreprocessed", "-O2", "-g", "-fPIC", "-c", "-w", "-ffp-contract=off",
	"-ffunction-sections", "-fno-optimize-sibling-calls", "-fno-ipa-icf", "-fno-gnu-unique",
	"-fdiagnostics-color=never", "-fno-diagnostics-show-caret", NULL
};

/* A section for each function and variable, by which program_code.c finds what a kernel uses. */
static const char *const device_flags[] = {
	"-w", "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden", "-fno-gnu-unique",
	NULL
};

static enum status compile(const struct program *p, const struct program_source *s,
			   const struct pass *pass, bool polls)
{
	struct arg_list args = p->compiler.args;
	char *standard;
	enum status status = STATUS_OK;

	arg_list_add_all(&args, (const char *const[]){ "-x", "c++", NULL });
	add_standard(s, &args, &standard);
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
	enum status status = preprocess(p, s, &pass);

	if (status == STATUS_OK)
		status = rewrite(&pass, &polls);
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
	char *object = temporary(p, "host", number, "o"), *standard = NULL;
	enum status status;

	arg_list_add_all(&args, (const char *const[]){ "-x", c ? "c" : "c++", "-O2", "-g", "-fPIC",
		  "-c", "-DFLASHTWIN_HOST", "-isystem", p->stubs, "-isystem", p->include,
		  "-fno-gnu-unique", "-fdiagnostics-color=never",
		  NULL });
	if (!c)
		add_standard(s, &args, &standard);
	arg_list_add_all(&args, s->flags);
	arg_list_add_all(&args, (const char *const[]){ "-o", object, file, NULL });
	status = program_run(&args, file, s->sandbox);
	free(standard);
	free(object);
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
	char *object = temporary(p, "device", number, "o");
	char *shared = temporary(p, "device", number, "so");
	char *script = xasprintf("%s/device.ld", p->directory);
	char *option = xasprintf("-Wl,-T,%s", script);
	struct arg_list args = p->compiler.args;
	enum status status = output_text(script, no_initialisers);

	if (status == STATUS_OK) {
		arg_list_add_all(&args, (const char *const[]){ "-shared", "-Wl,-Bsymbolic",
			  "-Wl,-z,lazy", option, "-o", shared, object, NULL });
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
		paths[2 * i] = temporary(p, "host", i, "o");
		arg_list_add(&args, paths[2 * i]);
		if (kind_of(s->files[i]) != KIND_CUDA)
			continue;
		paths[2 * i + 1] = temporary(p, "device", i, "so");
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

	TRY(build_pass(p, s, file, true, number));
	TRY(build_pass(p, s, file, false, number));
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
	char *object = temporary(p, "device", number, "o");
	char *shared = temporary(p, "device", number, "so");
	char *preprocessed = temporary(p, "host", number, "i");
	const struct program_unit unit = {
		.file = s->files[number], .preprocessed = preprocessed, .object = object,
		.shared = shared, .sandbox = s->sandbox,
	};
	enum status status = program_code_add(p->code, &unit);

	free(preprocessed);
	free(shared);
	free(object);
	return status;
}

static enum status add_code(struct program *p, const struct program_source *s)
{
	for (int i = 0; i < p->file_count; i++) {
		char *host = temporary(p, "host", i, "o");
		enum status status = program_code_add_host(p->code, host);

		free(host);
		if (status == STATUS_OK && kind_of(s->files[i]) == KIND_CUDA)
			status = add_kernels(p, s, i);
		TRY(status);
	}
	return program_code_check(p->code);
}

enum status program_build(const struct program_source *s, struct program **out)
{
	struct program *p = xcalloc(1, sizeof *p);

	*out = p;
	TRY(compiler_find_sim(&p->compiler));
	if (!p->compiler.cplusplus)
		return fail(STATUS_USAGE, "run needs a C++ compiler, and CXX is empty");
	TRY(kernel_flags_include(&p->include));
	p->stubs = xasprintf("%s/sim/cuda/include", p->include);
	TRY(file_make_folder(s->sandbox->scratch, "program", &p->directory));
	p->host = xasprintf("%s/host.so", p->directory);
	p->code = program_code_new(p->host);
	p->main_file = s->files[0];
	while (s->files[p->file_count])
		p->file_count++;
	for (int i = 0; i < p->file_count; i++)
		TRY(build_file(p, s, i));
	TRY(add_code(p, s));
	return link_host(p, s);
}

/* --- loading --- */

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

enum status program_enter(struct program *p, int (**out)(int, char **, char **))
{
	static const char *const names[] = { "ft_program_main", "main" };
	void *host, *found = NULL;

	for (int i = 0; i < p->file_count; i++) {
		char *path = temporary(p, "device", i, "so");
		enum status status = access(path, F_OK) == 0 ? load(p, path, RTLD_LAZY) : STATUS_OK;

		free(path);
		TRY(status);
	}
	TRY(load(p, p->host, RTLD_NOW));
	host = dlopen(p->host, RTLD_NOW | RTLD_NOLOAD);
	for (size_t i = 0; host && i < sizeof names / sizeof names[0] && !found; i++)
		found = dlsym(host, names[i]);
	if (!found)
		return fail(STATUS_COMPILE, "%s: the program has no main()", p->main_file);
	memcpy(out, &found, sizeof found);
	return STATUS_OK;
}

void program_free(struct program *p)
{
	if (!p)
		return;
	program_code_free(p->code);
	compiler_free(&p->compiler);
	free(p->directory);
	free(p->include);
	free(p->stubs);
	free(p->host);
	free(p);
}
