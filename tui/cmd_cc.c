/* cmd_cc.c - `flashtwin cc`: takes nvcc's place in a makefile.
 *
 * -c compiles each file, so that errors are reported, and writes an object that holds its sources;
 * linking writes an executable that starts `flashtwin run` (tui/program/program_file.h). Options
 * are nvcc's. Those that choose a GPU or concern speed are ignored.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/launch/sandbox.h"
#include "tui/program/program_file.h"

struct list {
	const char **at;                /* NULL-terminated */
	int count;
};

struct cc_command {
	struct list files;              /* sources, objects, libraries by path */
	struct list flags;              /* for compilers */
	struct list libraries;
	const char *standard, *out;
	bool compile_only;
	char **owned;
	int owned_count;
	struct sandbox *sandbox;
};

static void list_add(struct list *list, const char *text)
{
	list->at = xreallocarray(list->at, (size_t)list->count + 2, sizeof *list->at);
	list->at[list->count++] = text;
	list->at[list->count] = NULL;
}

static const char *keep(struct cc_command *c, char *text)
{
	c->owned = xreallocarray(c->owned, (size_t)c->owned_count + 1, sizeof *c->owned);
	return c->owned[c->owned_count++] = text;
}

/* --- options --- */

/* Names as of nvcc, after one or two dashes. A value follows as the next word or after '='. */
static const struct {
	const char *name;
	enum kind {
		IGNORED, IGNORED_VALUE, COMPILE, OUT, STANDARD, STREAM, FAST, HOST, INCLUDE,
		LINK,
	} kind;
} options[] = {
	{ "c", COMPILE }, { "dc", COMPILE }, { "compile", COMPILE }, { "device-c", COMPILE },
	{ "o", OUT }, { "output-file", OUT }, { "std", STANDARD },
	{ "use_fast_math", FAST }, { "ftz", IGNORED_VALUE }, { "prec-div", IGNORED_VALUE },
	{ "prec-sqrt", IGNORED_VALUE }, { "fmad", IGNORED_VALUE },
	{ "Xcompiler", HOST }, { "compiler-options", HOST },
	{ "Xlinker", LINK }, { "linker-options", LINK },
	{ "arch", IGNORED_VALUE }, { "gpu-architecture", IGNORED_VALUE },
	{ "code", IGNORED_VALUE }, { "gpu-code", IGNORED_VALUE },
	{ "gencode", IGNORED_VALUE }, { "generate-code", IGNORED_VALUE },
	{ "ccbin", IGNORED_VALUE }, { "compiler-bindir", IGNORED_VALUE },
	{ "Xptxas", IGNORED_VALUE }, { "ptxas-options", IGNORED_VALUE },
	{ "threads", IGNORED_VALUE }, { "t", IGNORED_VALUE }, { "maxrregcount", IGNORED_VALUE },
	{ "rdc", IGNORED_VALUE }, { "relocatable-device-code", IGNORED_VALUE },
	{ "cudart", IGNORED_VALUE }, { "diag-suppress", IGNORED_VALUE },
	{ "Xcudafe", IGNORED_VALUE }, { "MF", IGNORED_VALUE }, { "MT", IGNORED_VALUE },
	{ "default-stream", STREAM }, { "x", IGNORED_VALUE },
	{ "lineinfo", IGNORED }, { "generate-line-info", IGNORED }, { "g", IGNORED },
	{ "G", IGNORED }, { "device-debug", IGNORED }, { "debug", IGNORED }, { "pg", IGNORED },
	{ "m64", IGNORED }, { "w", IGNORED }, { "v", IGNORED }, { "verbose", IGNORED },
	{ "expt-relaxed-constexpr", IGNORED }, { "expt-extended-lambda", IGNORED },
	{ "extended-lambda", IGNORED }, { "restrict", IGNORED }, { "keep", IGNORED },
	{ "MD", IGNORED }, { "MMD", IGNORED }, { "MP", IGNORED }, { "pthread", IGNORED },
	{ "resource-usage", IGNORED }, { "res-usage", IGNORED }, { "source-in-ptx", IGNORED },
	{ "src-in-ptx", IGNORED }, { "dlto", IGNORED }, { "dlink-time-opt", IGNORED },
	{ "allow-unsupported-compiler", IGNORED }, { "forward-unknown-opts", IGNORED },
	{ "forward-unknown-to-host-compiler", IGNORED }, { "Werror", IGNORED_VALUE },
	{ "isystem", INCLUDE }, { "system-include", INCLUDE }, { "shared", LINK },
};

static bool has_kind(const char *file, const char *const *suffixes)
{
	const char *dot = strrchr(file, '.');

	for (; dot && *suffixes; suffixes++)
		if (strcmp(dot, *suffixes) == 0)
			return true;
	return false;
}

/* "-O2" and the like, "-I dir" or "-Idir". Whether it is one of these letters. */
static bool take_letter(struct cc_command *c, char **argv, int *at, int argc, enum status *status)
{
	const char *arg = argv[*at], *value = arg + 2;

	*status = STATUS_OK;
	if (arg[1] == 'O')
		return true;
	if (!strchr("IDULl", arg[1]) || !arg[1])
		return false;
	if (!*value && ++*at < argc)
		value = argv[*at];
	if (!value || !*value) {
		*status = fail(STATUS_USAGE, "%s needs a value", arg);
		return true;
	}
	if (arg[1] == 'l' && (strncmp(value, "cudart", 6) == 0 || strcmp(value, "cudadevrt") == 0
			      || strcmp(value, "cuda") == 0))
		return true;            /* the runtime is flashtwin's */
	struct list *list = strchr("Ll", arg[1]) ? &c->libraries : &c->flags;

	list_add(list, keep(c, xasprintf("-%c", arg[1])));
	list_add(list, value);
	return true;
}

/* Of -Xcompiler "-fopenmp,-Wall": what changes the program is used. */
static void take_host_options(struct cc_command *c, const char *value)
{
	char *text = xstrdup(value), *rest = text, *word;

	while ((word = strsep(&rest, ", ")) != NULL) {
		if (strncmp(word, "-D", 2) == 0 && word[2]) {
			list_add(&c->flags, "-D");
			list_add(&c->flags, keep(c, xstrdup(word + 2)));
		} else if (strcmp(word, "-fopenmp") == 0 || strcmp(word, "-pthread") == 0) {
			list_add(&c->flags, keep(c, xstrdup(word)));
			list_add(&c->libraries, keep(c, xstrdup(word)));
		}
	}
	free(text);
}

static enum status take_stream(struct cc_command *c, const char *name)
{
	if (strcmp(name, "per-thread") == 0) {
		list_add(&c->flags, "-D");
		list_add(&c->flags, "CUDA_API_PER_THREAD_DEFAULT_STREAM");
		return STATUS_OK;
	}
	return strcmp(name, "legacy") == 0 || strcmp(name, "null") == 0 ? STATUS_OK
		: fail(STATUS_USAGE, "--default-stream: expected legacy or per-thread, got %s",
		       name);
}

static enum status take_value(struct cc_command *c, enum kind kind, const char *name,
			      const char *value)
{
	switch (kind) {
	case OUT: c->out = value; break;
	case STANDARD:
		c->standard = value;
		return program_check_standard("--std", value);
	case STREAM: return take_stream(c, value);
	case HOST: take_host_options(c, value); break;
	case INCLUDE:
		list_add(&c->flags, "-I");
		list_add(&c->flags, value);
		break;
	case LINK: return fail(STATUS_USAGE, "-%s %s is not supported", name, value);
	default: break;
	}
	return STATUS_OK;
}

/* The row of the table that the argument names; -1: none. */
static int find_option(const char *arg)
{
	const char *name = arg + (arg[1] == '-' ? 2 : 1);
	size_t length = strcspn(name, "=");

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (strlen(options[i].name) == length
		    && strncmp(options[i].name, name, length) == 0)
			return (int)i;
	return -1;
}

static enum status take_option(struct cc_command *c, int row, char **argv, int *at, int argc)
{
	const char *arg = argv[*at], *equals = strchr(arg, '=');
	const char *value = equals ? equals + 1 : NULL;
	enum kind kind = options[row].kind;

	if (kind == COMPILE)
		c->compile_only = true;
	if (kind == FAST)
		fprintf(stderr, "flashtwin cc: -use_fast_math is not modelled: the program"
			" computes as without it\n");
	if (kind == COMPILE || kind == FAST || kind == IGNORED)
		return STATUS_OK;
	if (!value && ++*at < argc)
		value = argv[*at];
	return value ? take_value(c, kind, options[row].name, value)
		: fail(STATUS_USAGE, "%s needs a value", arg);
}

/* Names come first: -lineinfo is no library. Warnings are the compiler's own. */
static enum status take_argument(struct cc_command *c, char **argv, int *at, int argc)
{
	int row = find_option(argv[*at]);
	enum status status;

	if (row >= 0)
		return take_option(c, row, argv, at, argc);
	if (take_letter(c, argv, at, argc, &status) || argv[*at][1] == 'W')
		return status;
	return fail(STATUS_USAGE, "%s: unknown option", argv[*at]);
}

static enum status parse(struct cc_command *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			list_add(&c->files, argv[i]);
		else
			TRY(take_argument(c, argv, &i, argc));
	}
	if (c->files.count == 0)
		return fail(STATUS_USAGE, "expected files to compile or link");
	if (c->compile_only && c->out && c->files.count > 1)
		return fail(STATUS_USAGE, "-o with -c takes one file, got %d", c->files.count);
	return STATUS_OK;
}

/* --- compiling and linking --- */

static enum status compile(struct cc_command *c, const char *file, json_t *object)
{
	static const char *const none[] = { NULL };
	const struct program_source source = {
		.files = (const char *const[]){ file, NULL },
		.flags = c->flags.at ? c->flags.at : none, .libraries = none,
		.standard = c->standard, .sandbox = c->sandbox,
	};

	if (access(file, R_OK) != 0)
		return fail(STATUS_IO, "%s: %s", file, strerror(errno));
	return program_file_add(object, &source);
}

/* "dir/k.cu" becomes "k.o". */
static char *object_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	return xasprintf("%.*s.o", dot ? (int)(dot - base) : (int)strlen(base), base);
}

static enum status compile_each(struct cc_command *c)
{
	for (int i = 0; i < c->files.count; i++) {
		char *name = c->out ? xstrdup(c->out) : object_name(c->files.at[i]);
		json_t *object = program_file_new();
		enum status status = program_has_kind(c->files.at[i])
			? compile(c, c->files.at[i], object)
			: fail(STATUS_USAGE, "%s: expected a .cu, .cpp or .c file",
			       c->files.at[i]);

		if (status == STATUS_OK)
			status = program_file_write(name, object, NULL);
		json_decref(object);
		free(name);
		TRY(status);
	}
	return STATUS_OK;
}

/* An object of this command, or one of another compiler, which stays where it is. */
static enum status add_object(struct cc_command *c, const char *file, json_t *program)
{
	static const char *const binary[] = { ".o", ".a", ".so", NULL };
	bool executable;
	json_t *object;
	char *path;

	if (program_file_is(file, &executable) && !executable) {
		TRY(program_file_read(file, &object));
		program_file_merge(program, object);
		json_decref(object);
		return STATUS_OK;
	}
	path = has_kind(file, binary) ? realpath(file, NULL) : NULL;
	if (!path)
		return fail(STATUS_USAGE, "%s: expected a source file or an object", file);
	json_array_append_new(json_object_get(program, "libraries"), json_string(path));
	keep(c, path);
	return STATUS_OK;
}

/* The program that runs now: what an executable starts. */
static char *own_path(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

	return length > 0 ? xasprintf("%.*s", (int)length, path) : xstrdup("flashtwin");
}

/* The whole program must link now, and not when it is run. */
static enum status check_links(const struct cc_command *c, const json_t *program)
{
	struct program_unpacked u;
	struct program *built = NULL;
	static const char *const none[] = { NULL };
	enum status status = program_file_unpack(program, c->sandbox->scratch, &u);

	if (status == STATUS_OK) {
		const struct program_source source = {
			.files = (const char *const *)u.files, .flags = none,
			.file_flags = (const char *const *const *)u.flags,
			.libraries = (const char *const *)u.libraries, .sandbox = c->sandbox,
			.changes = u.changes, .standard = u.standard,
		};

		status = program_build(&source, &built);
		program_free(built);
	}
	program_unpacked_free(&u);
	return status;
}

static enum status link_program(struct cc_command *c)
{
	json_t *program = program_file_new();
	char *own = own_path();
	enum status status = STATUS_OK;

	for (int i = 0; i < c->files.count && status == STATUS_OK; i++)
		status = program_has_kind(c->files.at[i]) ? compile(c, c->files.at[i], program)
			: add_object(c, c->files.at[i], program);
	for (int i = 0; i < c->libraries.count; i++) {
		bool folder = i > 0 && strcmp(c->libraries.at[i - 1], "-L") == 0;
		char *path = folder ? realpath(c->libraries.at[i], NULL) : NULL;

		json_array_append_new(json_object_get(program, "libraries"),
				      json_string(path ? path : c->libraries.at[i]));
		free(path);
	}
	if (status == STATUS_OK && json_array_size(json_object_get(program, "units")) == 0)
		status = fail(STATUS_USAGE, "no file that flashtwin cc compiles or has compiled");
	if (status == STATUS_OK)
		status = check_links(c, program);
	if (status == STATUS_OK)
		status = program_file_write(c->out ? c->out : "a.out", program, own);
	json_decref(program);
	free(own);
	return status;
}

static enum status run(int argc, char **argv)
{
	const struct sandbox_options limits = { .mode = SANDBOX_NO, .command = "cc" };
	struct cc_command c = { .compile_only = false };
	struct error_record error;
	enum status status = parse(&c, argc, argv);

	command_defer_signals();        /* so that files are removed */
	if (status == STATUS_OK)
		status = sandbox_create(&limits, &c.sandbox);
	if (status == STATUS_OK)
		status = c.compile_only ? compile_each(&c) : link_program(&c);
	error_save(&error);
	sandbox_close(c.sandbox);
	for (int i = 0; i < c.owned_count; i++)
		free(c.owned[i]);
	free(c.owned);
	free(c.files.at);
	free(c.flags.at);
	free(c.libraries.at);
	command_end();
	error_restore(&error);
	return status;
}

const struct command cmd_cc = {
	.summary = "takes nvcc's place in a makefile: executables run on the simulator",
	.usage =
	"usage: flashtwin cc [-c] [-o FILE] FILE... [OPTION of nvcc...]\n\n"
	"Compiles .cu, .cpp and .c files and links them to an executable that starts `flashtwin\n"
	"run` on the program. It holds the sources, as does an object of -c: both may be moved.\n"
	"FLASHTWIN_RUN in the environment of an executable has options for `flashtwin run`.\n"
	"Takes -I, -D, -U, -L, -l, -std, -Xcompiler (-D, -fopenmp, -pthread); options that choose\n"
	"a GPU, or concern speed or debugging, are ignored, and -use_fast_math says so. Exits 3\n"
	"if a file does not compile or the program does not link.\n\n",
	.examples =
	"  flashtwin cc -o vectorAdd vectorAdd.cu -I ../Common && ./vectorAdd\n"
	"  make NVCC='flashtwin cc'\n"
	"  FLASHTWIN_RUN='--check --seed 7' ./vectorAdd\n",
	.run = run,
};
