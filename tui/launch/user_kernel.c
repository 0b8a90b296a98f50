/* user_kernel.c - compiles a user's .cu file and loads one kernel of it; see user_kernel.h.
 *
 * For the simulator: preprocess with sim/cuda/user.h included first, rewrite (sim/cu2c/rewrite.h),
 * compile, check the object (tui/launch/imports.h), link,
 * dlopen. For a GPU: nvcc makes a fatbin of the same file. With
 * points, all this is repeated with FLASHTWIN_PROBE and the names found in the first text. All
 * files are in the sandbox's scratch folder. tui/launch/programs.h finds and runs the compilers.
 */
#include "config.h"

#include "tui/launch/user_kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "kernels/points.h"
#include "sim/cu2c/host_text.h"
#include "sim/cu2c/kernel_address.h"
#include "sim/cu2c/kernel_list.h"
#include "sim/cu2c/point_names.h"
#include "sim/cu2c/rewrite.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/imports.h"
#include "tui/launch/framework.h"
#include "tui/launch/gpu_code.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/nvcc.h"
#include "tui/launch/object.h"
#include "tui/launch/parameter_space.h"
#include "tui/launch/preprocess_cache.h"
#include "tui/launch/programs.h"
#include "tui/launch/rewrite_cache.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_text.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

struct user_kernel {
	struct kernel kernel;
	struct kernel_code code;
	struct kernel_source *sources;          /* the file, the user's headers, and the end */
	int source_count;
	char *file;
	struct compiler compiler, nvcc; /* the latter for a GPU only */
	char *directory;                /* temporary; NULL before it is created */
	char *source;
	size_t source_bytes;
	char **points;                  /* names; NULL: none, or not requested */
	bool polls;                     /* it has volatile accesses */
	bool clocks;                    /* it reads the clock */
	bool read;                      /* read_text() has run */
	bool left_out;                  /* headers of a framework */
	char *device;                   /* then: `source` without host code, which needs them */
	char *lockstep;                 /* user_kernel_lockstep(); NULL: none */
	char *static_symbol;            /* for a GPU: the name of a static kernel; else NULL */
	struct kernel_variable *variables;      /* with what they are on a GPU */
	/* Plain, probed. */
	struct gpu_code *gpu[2];        /* NULL: none */
	void *object[2];                /* of dlopen() */
};

/* --- for the simulator --- */

static const char *language(const struct user_kernel *k)
{
	return k->compiler.cplusplus ? "c++" : "c";
}

static const char *standard(const struct user_kernel *k)
{
	return k->compiler.cplusplus ? "-std=gnu++17" : "-std=gnu11";
}

/* Compilers look for an -include in the working directory first. */
enum status user_kernel_check_folder(void)
{
	static const char *const names[] = { "sim/cuda/user.h", "sim/cuda/program.h" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (access(names[i], F_OK) == 0)
			return fail(STATUS_USAGE, "the working folder has a %s, which would hide "
				    "flashtwin's own: start it elsewhere", names[i]);
	return STATUS_OK;
}

static enum status preprocess(struct user_kernel *k, const struct user_source *s, bool probed,
			      const char *out)
{
	struct arg_list args = k->compiler.args;
	char *include, *stubs, *framework, *names = probed ? point_names_list(k->points) : NULL;
	char *list = probed ? xasprintf("-DPOINT_LIST(X)=%s", names) : NULL;
	enum status status = kernel_flags_include(&include);

	if (status == STATUS_OK && s->check) {
		status = user_kernel_check_folder();
		if (status != STATUS_OK)
			free(include);
	}
	if (status != STATUS_OK) {
		free(names);
		free(list);
		return status;
	}
	stubs = xasprintf("%s/sim/cuda/include", include);
	arg_list_add_all(&args, (const char *const[]){ "-E", "-x", language(k), standard(k),
		  "-DFLASHTWIN_SIM", "-U_FORTIFY_SOURCE", "-isystem", stubs, "-isystem", include,
		  "-include", "sim/cuda/user.h", "-fdiagnostics-color=never", NULL });
	arg_list_add_all(&args, kernel_nvcc_macros);
	arg_list_add(&args, KERNEL_ARCHITECTURE);
	framework_add(&args, include, &framework);
	kernel_flags_add_processor(&args);
	if (s->check)
		arg_list_add(&args, "-DFLASHTWIN_CHECK");
	if (probed)
		arg_list_add_all(&args, (const char *const[]){ "-DFLASHTWIN_PROBE", list, NULL });
	arg_list_add_all(&args, s->flags);
	arg_list_add_all(&args, (const char *const[]){ "-o", out, s->file, NULL });
	status = preprocess_cached(&(struct compile_step){
			.args = &args, .file = s->file, .in = s->file, .out = out,
			.sandbox = s->sandbox });
	if (status == STATUS_OK && !probed)
		k->left_out = framework_warn(s->file, out);
	free(framework);
	free(names);
	free(list);
	free(stubs);
	free(include);
	return status;
}

/* Finds the user's headers and the names of points in the plain text. */
static enum status read_text(struct user_kernel *k, const struct user_source *s, const char *text,
			     size_t bytes)
{
	enum status status = user_headers_find(text, s->file, s->sandbox, &k->sources,
					       &k->source_count);

	for (int i = 0; i < k->source_count && status == STATUS_OK; i++) {
		status = user_text_markers(k->sources[i].file, k->sources[i].text);
		if (status == STATUS_OK && s->check)
			status = user_text_own(k->sources[i].file, k->sources[i].text);
	}
	if (status == STATUS_OK)
		status = user_text_refuse(text, s->check);

	for (int i = 1; i < k->source_count; i++)
		k->sources[i].file = user_headers_show((char *)(uintptr_t)k->sources[i].file,
						       s->folder, s->shown);
	TRY(status);
	TRY(point_names_find(s->file, text, bytes, &k->points));
	if (!s->points) {
		point_names_free(k->points);
		k->points = NULL;
	}
	return STATUS_OK;
}

struct rewrite_context {
	const char *file;
	struct rewrite_user how;
};

static enum status rewrite_text(const void *context, const char *text, char **out)
{
	const struct rewrite_context *c = context;

	return rewrite_user(c->file, text, strlen(text), c->how, out);
}

static enum status rewrite(const struct user_kernel *k, const struct user_source *s,
			   const char *text, bool whole, char **out)
{
	const struct rewrite_context context = {
		k->file, { s->kernel, k->compiler.cplusplus, whole },
	};
	char *what = xasprintf("kernel %s %d %d %s", s->kernel, k->compiler.cplusplus, whole,
			       k->file);
	char *folder = xasprintf("%s/", k->directory);
	enum status status = rewrite_cached(&(struct rewriting){
			what, text, folder, rewrite_text, &context }, out);

	free(folder);
	free(what);
	return status;
}

/* whole: kernels may get a form that runs whole blocks. *whole: whether one got it. */
static enum status rewrite_file(struct user_kernel *k, const struct user_source *s, bool probed,
				const char *in, const char *out, bool *whole)
{
	char *text, *result;
	size_t bytes;
	enum status status = STATUS_OK;

	TRY(file_read(in, SOURCE_LIMIT, &text, &bytes));
	if (!k->read)
		status = read_text(k, s, text, bytes);
	if (!k->read && status == STATUS_OK)
		k->lockstep = user_text_lockstep(text, k->sources);
	if (!k->read && status == STATUS_OK && k->left_out && s->cuda)
		status = host_text_remove(s->file, text, bytes, k->source, &k->device);
	k->read = true;
	text = user_headers_show(text, s->folder, s->shown);
	if (status == STATUS_OK)
		status = rewrite(k, s, text, *whole, &result);
	free(text);
	if (status != STATUS_OK)
		return status;
	*whole = strstr(result, REWRITE_WHOLE_MARK) != NULL;
	if (!probed) {
		k->polls = user_text_has(result, "volatile");
		k->clocks = user_text_reads_clock(result);
	}
	status = output_text(out, result);
	free(result);
	return status;
}

/* Compiles and links in two steps, because a sanitizer's flags would make the linker add its
 * run-time library. quiet: the compiler's errors are not printed. */
static enum status compile(const struct user_kernel *k, const struct user_source *s, bool quiet,
			   const char *in, const char *text, const char *object, const char *out)
{
	struct arg_list args = k->compiler.args, link = args;
	const struct kernel_flags flags = {
		.check = s->check, .steps = s->steps || k->clocks, .polls = k->polls,
		.text = text,
	};
	const struct compile_step compiling = {
		.args = &args, .file = s->file, .in = in, .out = object, .sandbox = s->sandbox,
		.quiet = quiet,
	};
	const struct compile_step linking = {
		.args = &link, .file = s->file, .in = object, .out = out, .sandbox = s->sandbox,
	};

	arg_list_add_all(&args, (const char *const[]){ "-x", language(k), standard(k), NULL });
	TRY(kernel_flags_add(&args, &flags));
	if (k->compiler.cplusplus)
		arg_list_add(&args, "-fcheck-new");     /* new returns NULL if the heap is full */
	arg_list_add_all(&args, (const char *const[]){ "-o", object, in, NULL });
	TRY(compile_cached(&compiling));
	TRY(imports_check(object, k->file, text));
	arg_list_add_all(&link, kernel_link_flags);
	arg_list_add_all(&link, (const char *const[]){ "-o", out, object, NULL });
	return compile_cached(&linking);
}

/* The path of "plain.so" or "probed.so"; the caller frees it. */
static char *temporary(const struct user_kernel *k, bool probed, const char *suffix)
{
	return xasprintf("%s/%s.%s", k->directory, probed ? "probed" : "plain", suffix);
}

static enum status build_sim(struct user_kernel *k, const struct user_source *s, bool probed)
{
	char *preprocessed = temporary(k, probed, "i"), *rewritten = temporary(k, probed, "c");
	char *object = temporary(k, probed, "o"), *shared = temporary(k, probed, "so");
	bool whole = !s->check && !s->steps && !probed, again = true;
	enum status status = preprocess(k, s, probed, preprocessed);

	/* Errors are those of the text without what was added for whole blocks. */
	for (; again && status == STATUS_OK; whole = false) {
		status = rewrite_file(k, s, probed, preprocessed, rewritten, &whole);
		if (status != STATUS_OK)
			break;
		status = compile(k, s, whole, rewritten, preprocessed, object, shared);
		again = status == STATUS_COMPILE && whole;
		if (again) {
			error_clear();
			status = STATUS_OK;
		}
	}
	free(preprocessed);
	free(rewritten);
	free(object);
	free(shared);
	return status;
}

/* --- for a GPU --- */

/* Writes the user's text under its own name, and a use of a template, which is instantiated only
 * when used. Another kernel needs none, and host functions may have its name too. */
static enum status write_cuda_source(const struct user_kernel *k, const struct user_source *s,
				     const char *path)
{
	struct output output;
	char *address;

	TRY(output_open(path, &output));
	fprintf(output.file, "#line 1 \"%s\"\n", s->file);
	if (k->device)
		fputs(k->device, output.file);
	else
		fwrite(k->source, 1, k->source_bytes, output.file);
	if (strchr(s->kernel, '<')) {
		address = kernel_address_expression(s->kernel);
		fprintf(output.file, "\n#line 1 \"<kernel table>\"\n" KERNEL_ADDRESS_POINTER
			"\nvoid *ft_user_entry = (void *)%s;\n", address);
		free(address);
	}
	return output_commit(&output);
}

static enum status build_cuda(struct user_kernel *k, const struct user_source *s, bool probed)
{
	char *in = temporary(k, probed, "cu"), *out = temporary(k, probed, "fatbin");
	const struct nvcc_step step = {
		.nvcc = &k->nvcc, .file = s->file, .in = in, .out = out, .flags = s->flags,
		.points = probed ? k->points : NULL, .sandbox = s->sandbox,
	};
	enum status status = write_cuda_source(k, s, in);

	if (status == STATUS_OK)
		status = nvcc_run(&step);
	if (status == STATUS_OK)
		status = gpu_code_read(out, &k->gpu[probed]);
	free(in);
	free(out);
	return status;
}

/* --- building and loading --- */

static enum status find_compilers(struct user_kernel *k, const struct user_source *s)
{
	TRY(compiler_find_sim(&k->compiler));
	compiler_show_in(&k->compiler, s->sandbox);
	if (s->cuda && !k->compiler.cplusplus)
		return fail(STATUS_USAGE,
			    "a GPU needs a C++ compiler to compile %s, and CXX is empty", s->file);
	if (!s->cuda)
		return STATUS_OK;
	TRY(compiler_find_cuda(&k->nvcc));
	compiler_show_in(&k->nvcc, s->sandbox);
	return STATUS_OK;
}

const char *user_kernel_lockstep(const struct user_kernel *k)
{
	return k->lockstep;
}

/* -I folders; the flags are pairs. */
static void show_sources(const struct user_source *s)
{
	sandbox_show_folder_of(s->sandbox, s->file);
	for (int i = 0; s->flags[i]; i++)
		if (strcmp(s->flags[i], "-I") == 0 && s->flags[i + 1])
			sandbox_show(s->sandbox, s->flags[++i]);
}

enum status user_kernel_build(const struct user_source *s, struct user_kernel **out)
{
	struct user_kernel *k = xcalloc(1, sizeof *k);

	*out = k;
	k->file = user_headers_show(xstrdup(s->file), s->folder, s->shown);
	TRY(file_read(s->file, SOURCE_LIMIT, &k->source, &k->source_bytes));
	k->sources = xcalloc(2, sizeof *k->sources);
	k->sources[k->source_count++] = (struct kernel_source){ k->file, k->source };
	TRY(find_compilers(k, s));
	show_sources(s);
	TRY(file_make_folder(s->sandbox->scratch, "kernel", &k->directory));
	for (int probed = 0; probed <= (k->points != NULL); probed++) {
		TRY(build_sim(k, s, probed));
		if (s->cuda)
			TRY(build_cuda(k, s, probed));
	}
	return STATUS_OK;
}

static enum status list_file(struct user_kernel *k, const struct user_source *s,
			     const struct kernel_list_visitor *visitor)
{
	char *preprocessed, *text;
	enum status status;
	size_t bytes;

	k->file = xstrdup(s->file);
	TRY(file_read(s->file, SOURCE_LIMIT, &k->source, &k->source_bytes));
	TRY(find_compilers(k, s));
	show_sources(s);
	TRY(file_make_folder(s->sandbox->scratch, "kernel", &k->directory));
	preprocessed = temporary(k, false, "i");
	status = preprocess(k, s, false, preprocessed);
	if (status == STATUS_OK)
		status = file_read(preprocessed, SOURCE_LIMIT, &text, &bytes);
	free(preprocessed);
	TRY(status);
	status = kernel_list_read(k->file, text, bytes, k->compiler.cplusplus, visitor);
	free(text);
	return status;
}

enum status user_kernel_list(const struct user_source *s, const struct kernel_list_visitor *visitor)
{
	struct user_kernel *k = xcalloc(1, sizeof *k);
	enum status status = list_file(k, s, visitor);

	user_kernel_free(k);
	return status;
}

static enum status load_object(struct user_kernel *k, bool probed, const struct sim_code **out)
{
	char *path = temporary(k, probed, "so");
	const struct sim_code *const *code;

	k->object[probed] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	if (!k->object[probed])
		return fail(STATUS_COMPILE, "%s cannot be loaded: %s", k->file, dlerror());
	code = dlsym(k->object[probed], "ft_user_code");
	if (!code)
		return fail(STATUS_INTERNAL, "%s: the loaded object has no ft_user_code", k->file);
	*out = *code;
	return parameter_space_check(*out);
}

/* A variable is that of one build: with points, the probed one. */
static void find_variables(struct user_kernel *k, const struct gpu_code *gpu)
{
	const struct kernel_variable *const *list = dlsym(k->object[0], "ft_user_variables");
	size_t count = 0;

	while (list && (*list)[count].name)
		count++;
	if (!list)
		return;
	k->variables = xcalloc(count + 1, sizeof *k->variables);
	for (size_t i = 0; i < count; i++) {
		k->variables[i] = (*list)[i];
		if (!gpu)
			continue;
		k->variables[i].fatbin = gpu_code_image(gpu);
		k->variables[i].fatbin_symbol = gpu_code_variable(gpu, k->variables[i].name);
	}
	k->kernel.variables = k->variables;
}

/* The name of a static function, which only the object's own table has. */
static void find_static(struct user_kernel *k, uint64_t place)
{
	char *path = temporary(k, false, "so");
	struct object object;
	bool valid;

	if (object_open(path, ET_DYN, &object, &valid) == STATUS_OK && valid) {
		for (size_t i = 0; i < object.symbol_count && !k->static_symbol; i++) {
			const Elf64_Sym *symbol = &object.symbols[i];

			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value == place)
				k->static_symbol = xstrdup(object_symbol_name(&object, symbol));
		}
	} else {
		error_clear();          /* the plain name may be the right one */
	}
	object_close(&object);
	free(path);
}

/* In C++, finds the kernel's mangled name. */
static void find_symbol(struct user_kernel *k)
{
	void *const *entry = dlsym(k->object[0], "ft_user_entry");
	Dl_info info;

	if (!entry || !dladdr(*entry, &info))
		return;
	if (info.dli_saddr == *entry)
		k->kernel.symbol = info.dli_sname;
	else if (k->gpu[0])
		find_static(k, (uint64_t)((const char *)*entry - (const char *)info.dli_fbase));
}

static void add_gpu_code(struct user_kernel *k, const struct gpu_code *plain,
			 const struct gpu_code *probed)
{
	const char *symbol = k->kernel.symbol ? k->kernel.symbol
		: k->static_symbol ? k->static_symbol : k->kernel.name;

	k->code.fatbin[0] = gpu_code_image(plain);
	k->code.fatbin[1] = gpu_code_image(probed);
	k->code.fatbin_bytes[0] = gpu_code_bytes(plain);
	k->code.fatbin_bytes[1] = gpu_code_bytes(probed);
	k->code.fatbin_symbol = gpu_code_kernel(plain, symbol);
}

/* The number of points that a thread passes is unknown: as many as fit into 64 MiB, from 16 to
 * 4096. Further ones are only counted. */
unsigned user_kernel_count_points(const struct kernel_call *call)
{
	const struct dim3 dims[] = { call->grid, call->block };
	double capacity = (64 << 20) / (double)sizeof(struct point_record);

	for (int i = 0; i < 2; i++)
		capacity /= (double)dims[i].x * dims[i].y * dims[i].z;
	return capacity > 4096 ? 4096 : capacity < 16 ? 16 : (unsigned)capacity;
}

enum status user_kernel_load(struct user_kernel *k, const struct kernel **out)
{
	bool probed = k->points != NULL;
	const struct sim_code *code[2];

	TRY(load_object(k, false, &code[0]));
	code[1] = code[0];
	if (probed)
		TRY(load_object(k, true, &code[1]));
	k->code = (struct kernel_code){
		.sim = { { code[0], NULL }, { code[1], NULL } }, .checked = code[1],
		.sources = k->sources,
	};
	k->kernel = (struct kernel){
		.name = code[0]->name, .summary = "",
		.points = probed ? user_kernel_count_points : NULL,
		.point_names = (const char *const *)k->points,
		.origin = "cuda_c", .code = &k->code,
	};
	find_symbol(k);
	find_variables(k, k->gpu[probed]);
	if (k->gpu[0])
		add_gpu_code(k, k->gpu[k->variables ? probed : 0], k->gpu[probed]);
	*out = &k->kernel;
	return STATUS_OK;
}

void user_kernel_free(struct user_kernel *k)
{
	if (!k)
		return;
	for (int probed = 0; probed < 2; probed++) {
		if (k->object[probed])
			dlclose(k->object[probed]);
		gpu_code_free(k->gpu[probed]);
	}
	free(k->variables);
	point_names_free(k->points);
	for (int i = 1; i < k->source_count; i++) {     /* the first is file and source */
		free((char *)(uintptr_t)k->sources[i].file);
		free((char *)(uintptr_t)k->sources[i].text);
	}
	free(k->sources);
	compiler_free(&k->compiler);
	compiler_free(&k->nvcc);
	free(k->lockstep);
	free(k->static_symbol);
	free(k->device);
	free(k->directory);
	free(k->file);
	free(k->source);
	free(k);
}
