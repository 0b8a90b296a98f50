/* program_pass.c - one pass of a .cu file of a program, for the host or for the device; see
 * program_state.h.
 *
 * Preprocesses, rewrites and compiles. With points, the device's text is made a second time, with
 * the names found in the first.
 */
#include "config.h"

#include "tui/launch/program_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "sim/cu2c/point_names.h"
#include "sim/cu2c/rewrite.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/framework.h"
#include "tui/launch/kernel_flags.h"
#include "tui/launch/preprocess_cache.h"
#include "tui/launch/rewrite_cache.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_macros.h"
#include "tui/launch/user_text.h"

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

enum status program_check_standard(const char *option, const char *name)
{
	static const char *const years[] = { "03", "11", "14", "17", "20", "23", "26", "2a", "2b" };
	const char *year = strncmp(name, "gnu++", 5) == 0 ? name + 5
		: strncmp(name, "c++", 3) == 0 ? name + 3 : "";

	for (size_t i = 0; i < sizeof years / sizeof years[0]; i++)
		if (strcmp(year, years[i]) == 0)
			return STATUS_OK;
	return fail(STATUS_USAGE, "%s: expected a standard of C++, such as c++17 or gnu++20, got "
		    "%s", option, name);
}

/* "-std=c++20" of --std c++20. */
void program_add_standard(const struct program_source *s, bool extensions, struct arg_list *args,
			  char **owned)
{
	static const char *const older[] = {
		"c++03", "c++11", "c++14", "gnu++03", "gnu++11", "gnu++14"
	};
	const char *standard = s->standard ? s->standard : "gnu++17";

	/* Flashtwin's headers need C++17, as those of CUDA 13 do. */
	for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
		if (strcmp(standard, older[i]) == 0)
			standard = "gnu++17";
	*owned = extensions && standard[0] == 'c' ? xasprintf("-std=gnu%s", standard + 1)
		: xasprintf("-std=%s", standard);
	arg_list_add(args, *owned);
}

void program_add_flags(const struct program_source *s, int number, struct arg_list *args)
{
	arg_list_add_all(args, s->flags);
	if (s->file_flags)
		arg_list_add_all(args, s->file_flags[number]);
}

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
	program_add_standard(s, false, &args, &standard);
	arg_list_add_all(&args, kernel_nvcc_macros);
	arg_list_add_all(&args, (const char *const[]){ "-DFLASHTWIN_SIM", "-U_FORTIFY_SOURCE",
		  "-isystem", p->stubs, "-isystem", p->include, "-include", "sim/cuda/program.h",
		  "-fdiagnostics-color=never", NULL });
	framework_add(&args, p->include, &framework);
	if (pass->host) {
		arg_list_add(&args, "-DFLASHTWIN_HOST");
	} else {
		arg_list_add(&args, KERNEL_ARCHITECTURE);
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
		status = preprocess_cached(&(struct compile_step){
				.args = &args, .file = pass->file, .in = pass->file,
				.out = pass->preprocessed, .sandbox = s->sandbox });
	if (status == STATUS_OK && pass->host)
		framework_warn(pass->file, pass->preprocessed);
	free(framework);
	free(macros);
	free(standard);
	free(points);
	free(list);
	return status;
}

/* Finds the names of points in the text of a device pass, unless an earlier pass found them, and
 * makes the text again with them. */
static enum status add_points(struct program *p, const struct program_source *s,
			      const struct pass *pass)
{
	char ***names = &p->points[pass->number];
	enum status status;
	size_t bytes;
	char *text;

	if (*names)
		return preprocess(p, s, pass, *names);
	TRY(file_read(pass->preprocessed, SOURCE_LIMIT, &text, &bytes));
	status = point_names_find(pass->file, text, bytes, names);
	free(text);
	return status == STATUS_OK && *names ? preprocess(p, s, pass, *names) : status;
}

struct rewrite_context {
	const char *file;
	enum rewrite_pass pass;
};

static enum status rewrite_text(const void *context, const char *text, char **out)
{
	const struct rewrite_context *c = context;

	return rewrite_program(c->file, text, strlen(text), c->pass, out);
}

static enum status rewrite(const struct program *p, const struct program_source *s,
			   const struct pass *pass, struct kernel_flags *flags)
{
	char *file = user_headers_show_all(xstrdup(pass->file), s->changes);
	const struct rewrite_context context = {
		file, pass->host ? REWRITE_HOST : p->launched[pass->number] ? REWRITE_LAUNCHED
			: REWRITE_DEVICE,
	};
	char *what = xasprintf("program %d %s", (int)context.pass, file);
	char *folder = xasprintf("%s/", p->directory);
	char *text = NULL, *result;
	size_t bytes;
	enum status status = file_read(pass->preprocessed, SOURCE_LIMIT, &text, &bytes);

	if (status == STATUS_OK) {
		text = user_headers_show_all(text, s->changes);
		status = rewrite_cached(&(struct rewriting){ what, text, folder, rewrite_text,
							     &context }, &result);
		free(text);
	}
	free(folder);
	free(what);
	free(file);
	TRY(status);
	flags->polls = user_text_has(result, "volatile");
	flags->steps = s->steps || user_text_reads_clock(result);
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
			   const struct pass *pass, const struct kernel_flags *flags)
{
	struct arg_list args = p->compiler.args;
	char *standard;
	enum status status = STATUS_OK;

	arg_list_add_all(&args, (const char *const[]){ "-x", "c++", NULL });
	/* Without extensions gcc calls the handlers of checked kernels by their own names, whatever
	 * their declarations say (sim/cuda/runtime.h). The text is preprocessed by now. */
	program_add_standard(s, s->check && !pass->host, &args, &standard);
	if (s->file_flags)
		arg_list_add_all(&args, s->file_flags[pass->number]);
	if (pass->host) {
		arg_list_add_all(&args, host_flags);
	} else {
		status = kernel_flags_add(&args, flags);
		arg_list_add_all(&args, device_flags);
	}
	arg_list_add_all(&args, (const char *const[]){ "-o", pass->object, pass->rewritten, NULL });
	if (status == STATUS_OK) {
		const struct compile_step step = {
			.args = &args, .file = pass->file, .in = pass->rewritten,
			.out = pass->object, .sandbox = s->sandbox,
		};

		status = compile_cached(&step);
	}
	free(standard);
	return status;
}

enum status program_build_pass(struct program *p, const struct program_source *s, const char *file,
			      bool host, int number)
{
	struct pass pass = pass_of(p, file, host, number);
	struct kernel_flags flags = { .check = s->check, .text = pass.preprocessed };
	enum status status = preprocess(p, s, &pass, NULL);

	if (status == STATUS_OK && s->points && !host)
		status = add_points(p, s, &pass);
	if (status == STATUS_OK)
		status = rewrite(p, s, &pass, &flags);
	if (status == STATUS_OK)
		status = compile(p, s, &pass, &flags);
	pass_free(&pass);
	return status;
}
