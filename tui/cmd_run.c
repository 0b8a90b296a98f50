/* cmd_run.c - `flashtwin run`: a whole CUDA program, with its own main(), on the simulator, a GPU,
 * or both.
 *
 * tui/program/program_child.c compiles and runs the program in a child process, which is the
 * program: it has the terminal, standard input and output, and ends as the program does. This
 * process waits, prints what was found when the program has ended, and exits like the program if
 * nothing was. Standard output is the program's alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/last_run.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_macros.h"
#include "tui/program/notes.h"
#include "tui/program/program_child.h"
#include "tui/program/program_end.h"
#include "tui/program/program_file.h"
#include "tui/program/program_watch.h"
#include "tui/run.h"

struct list {
	const char **at;                /* NULL-terminated */
	int count;
};

struct run_command {
	struct run_options run;         /* as given */
	struct run_options inside;      /* in the program's process */
	char *trace;                    /* of these */
	struct program_source source;
	struct list files;
	json_t *packed;                 /* the file is an executable of `cc`; NULL: it is not */
	struct program_unpacked unpacked;
	struct list flags, libraries;   /* -D and -I; -l and -L */
	struct sandbox_options limits;  /* only the time is limited */
	enum program_exit how;
	const char *report;             /* --report; NULL: none */
	char **argv;                    /* of the program */
	int argc;
	char *name;                     /* argv[0] */
	struct sandbox *sandbox;        /* a scratch folder */
};

/* --- options --- */

static void list_add(struct list *list, const char *text)
{
	list->at = xreallocarray(list->at, (size_t)list->count + 2, sizeof *list->at);
	list->at[list->count++] = text;
	list->at[list->count] = NULL;
}

static void add_pair(struct list *list, const char *letter, const char *value)
{
	list_add(list, letter);
	list_add(list, value);
}

/* Compilers ignore a missing directory, and warn about a file in its place. */
static enum status add_folder(struct list *list, const char *letter, const char *folder)
{
	struct stat st;

	if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return fail(STATUS_USAGE, "%s: %s: not a directory", letter, folder);
	add_pair(list, letter, folder);
	return STATUS_OK;
}

static enum status add_macro(struct run_command *c, const char *macro)
{
	TRY(user_macro_check(macro));
	add_pair(&c->flags, "-D", macro);
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct run_command *c = context;

	switch (v->id) {
	case OPTION_DEFINE: return add_macro(c, v->text);
	case OPTION_INCLUDE: return add_folder(&c->flags, "-I", v->text);
	case OPTION_LIBRARY: add_pair(&c->libraries, "-l", v->text); break;
	case OPTION_LIBRARY_PATH: return add_folder(&c->libraries, "-L", v->text);
	case OPTION_STANDARD:
		c->source.standard = v->text;
		return program_check_standard("--std", v->text);
	case OPTION_TIMEOUT: c->limits.timeout = v->integer; break;
	case OPTION_EXIT: c->how = (enum program_exit)v->choice; break;
	case OPTION_REPORT: c->report = v->text; break;
	default: run_option_take(&c->run, v);
	}
	return STATUS_OK;
}

static enum status check_files(const struct run_command *c)
{
	bool executable;

	if (c->files.count == 0)
		return fail(STATUS_USAGE, "expected FILE.cu...; arguments of the program come"
			    " after --");
	for (int i = 0; i < c->files.count; i++) {
		const char *file = c->files.at[i];

		if (i == 0 && c->files.count == 1 && program_file_is(file, &executable))
			continue;
		if (!program_has_kind(file))
			return fail(STATUS_USAGE, "%s: expected a .cu, .cpp or .c file; arguments"
				    " of the program come after --", file);
		if (access(file, R_OK) != 0)
			return fail(STATUS_IO, "%s: %s", file, strerror(errno));
	}
	return STATUS_OK;
}

static enum status check_options(struct run_command *c)
{
	TRY(run_options_check(&c->run));
	if (c->run.trace && !c->run.append)
		TRY(store_check_absent(c->run.trace, c->run.force));
	return c->report ? output_check(c->report) : STATUS_OK;
}

/* The first file without its suffix, as nvcc's users call what they make of it. */
static char *program_name(const char *file)
{
	const char *dot = program_has_kind(file) ? strrchr(file, '.') : file + strlen(file);

	return xasprintf("%.*s", (int)(dot - file), file);
}

/* What follows the first "--" is not parsed. */
static enum status parse(struct run_command *c, int argc, char **argv)
{
	int end = 1, rest;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	TRY(options_parse(COMMAND_RUN, end, argv, take_option, c, &rest));
	for (int i = rest; i < end; i++)
		list_add(&c->files, argv[i]);
	TRY(check_files(c));
	TRY(check_options(c));
	c->name = program_name(c->files.at[0]);
	if (!program_has_kind(c->files.at[0]))
		TRY(program_file_read(c->files.at[0], &c->packed));
	c->argc = end < argc ? argc - end : 1;
	c->argv = xcalloc((size_t)c->argc + 1, sizeof *c->argv);
	c->argv[0] = c->name;
	for (int i = 1; i < c->argc; i++)
		c->argv[i] = argv[end + i];
	return STATUS_OK;
}

/* --- the program --- */

/* What compilers and the simulator need to know. */
static void fill_source(struct run_command *c)
{
	static const char *const none[] = { NULL };

	c->source.files = c->files.at;
	c->source.flags = c->flags.at ? c->flags.at : none;
	c->source.libraries = c->libraries.at ? c->libraries.at : none;
	c->source.sandbox = c->sandbox;
	c->source.check = c->run.check || c->run.orders;        /* the checker explains orders */
	c->source.steps = c->run.steps > 0;
	c->source.points = c->run.level >= LEVEL_POINTS;
	c->source.cuda = strcmp(c->run.device, "sim") != 0;
}

/* The sources of an executable, in the scratch folder, instead of it. */
static enum status unpack(struct run_command *c)
{
	struct program_unpacked *u = &c->unpacked;

	if (!c->packed)
		return STATUS_OK;
	TRY(program_file_unpack(c->packed, c->sandbox->scratch, u));
	c->source.files = (const char *const *)u->files;
	c->source.file_flags = (const char *const *const *)u->flags;
	c->source.changes = u->changes;
	c->source.standard = c->source.standard ? c->source.standard : u->standard;
	for (size_t i = 0; u->libraries[i]; i++)
		list_add(&c->libraries, u->libraries[i]);
	if (c->libraries.at)
		c->source.libraries = c->libraries.at;
	return STATUS_OK;
}

/* Those that a replay takes: pairs, in contrast to -fopenmp and the like. */
static void add_kernel_flags(json_t *to, const json_t *flags)
{
	for (size_t i = 0; i + 1 < json_array_size(flags); i++) {
		const char *flag = json_string_value(json_array_get(flags, i));

		if (!flag || strlen(flag) != 2 || !strchr("DUI", flag[1]))
			continue;
		json_array_append(to, json_array_get(flags, i));
		json_array_append(to, json_array_get(flags, ++i));
	}
}

/* Files and flags of an executable as they were given to `cc`. */
static void describe_packed(const struct run_command *c, json_t *asked)
{
	json_t *files = json_array(), *flags = json_array(), *unit;
	const char *standard;
	size_t i;

	json_array_foreach(json_object_get(c->packed, "units"), i, unit) {
		json_array_append(files, json_object_get(unit, "file"));
		if (i == 0)
			add_kernel_flags(flags, json_object_get(unit, "flags"));
	}
	unit = json_array_get(json_object_get(c->packed, "units"), 0);
	standard = json_string_value(json_object_get(unit, "standard"));
	if (standard)
		json_object_set_new(asked, "standard", json_string(standard));
	json_object_set_new(asked, "files", files);
	json_object_set_new(asked, "flags", flags);
	json_object_set(asked, "libraries", json_object_get(c->packed, "libraries"));
}

static json_t *strings(const char *const *list, int count)
{
	json_t *array = json_array();

	for (int i = 0; i < count; i++) {
		char *text = visible_text(list[i]);

		json_array_append_new(array, json_string(text));
		free(text);
	}
	return array;
}

static json_t *describe(const struct run_command *c)
{
	json_t *asked = json_object();

	json_object_set_new(asked, "files", strings(c->files.at, c->files.count));
	json_object_set_new(asked, "flags", strings(c->flags.at, c->flags.count));
	json_object_set_new(asked, "libraries", strings(c->libraries.at, c->libraries.count));
	if (c->packed)
		describe_packed(c, asked);
	if (c->source.standard)
		json_object_set_new(asked, "standard", json_string(c->source.standard));
	json_object_set_new(asked, "args", strings((const char *const *)c->argv + 1, c->argc - 1));
	return asked;
}

static enum status watch(const struct run_command *c, struct program_job *job, int *ended,
			 pid_t *child)
{
	pid_t parent = getpid();
	enum status status;
	sigset_t before;

	program_watch_begin(&before);
	job->signals = &before;
	fflush(NULL);
	*child = fork();
	if (*child == 0)
		program_child(job, parent);
	status = *child < 0 ? fail(STATUS_INTERNAL, "fork: %s", strerror(errno))
		: program_watch(*child, c->limits.timeout, ended);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* --- after the program --- */

/* What a killed program had begun to write to the trace is rolled back by opening it. Before its
 * first commit it has another name. */
static void settle_trace(const struct run_command *c, pid_t child)
{
	char *temporary = xasprintf("%s.tmp.%ld", c->run.trace, (long)child);
	char *journal = xasprintf("%s-journal", temporary);
	struct error_record error;
	struct store *store;

	error_save(&error);
	unlink(temporary);
	unlink(journal);
	free(temporary);
	free(journal);
	if (store_open(c->run.trace, &store) == STATUS_OK)
		store_close(store);
	error_restore(&error);
}

/* The last run is written when a program has ended. The one before is not what was run last. */
static void lose_last(void)
{
	struct error_record error;
	const char *path;

	error_save(&error);
	if (last_run_find(&path) == STATUS_OK)
		unlink(path);
	fail(STATUS_IO, "the program did not end by exit()");
	last_run_warn("run");
	error_restore(&error);
}

static void print_json(FILE *out, const char *json)
{
	visible_print_json(out, json);
	putc('\n', out);
}

static enum status write_report(const struct run_command *c, const struct program_end *end,
				const char *json)
{
	struct output out;

	TRY(output_open(c->report, &out));
	if (json)
		print_json(out.file, json);
	else
		program_end_findings(end, out.file);
	return output_commit(&out);
}

/* Prints everything; the object of --json comes last. */
static enum status report(const struct run_command *c, const struct program_end *end,
			  const json_t *asked)
{
	json_t *object = json_deep_copy(asked);
	size_t layout = c->report ? JSON_INDENT(2) : JSON_COMPACT;
	enum status status = STATUS_OK;
	char *json;

	program_end_json(end, object);
	json = c->run.json ? json_dumps(object, layout | JSON_PRESERVE_ORDER) : NULL;
	json_decref(object);
	if (!c->report)
		program_end_findings(end, stderr);
	program_end_lines(end, c->run.trace);
	if (c->report)
		status = write_report(c, end, json);
	else if (json)
		print_json(stderr, json);
	free(json);
	return status;
}

/* The program may change its working folder before the trace gets its name. */
static char *absolute(const char *path)
{
	char *folder = path && *path != '/' ? getcwd(NULL, 0) : NULL;
	char *full = folder ? xasprintf("%s/%s", folder, path) : path ? xstrdup(path) : NULL;

	free(folder);
	return full;
}

static enum status run_program(struct run_command *c, json_t *asked)
{
	struct program_job job = {
		.options = &c->inside, .source = &c->source, .asked = asked, .argc = c->argc,
		.argv = c->argv,
	};
	struct program_end end = { .ended = 0 };
	enum status status;
	pid_t child;

	TRY(sandbox_create(&c->limits, &c->sandbox));
	fill_source(c);
	TRY(unpack(c));
	c->inside = c->run;
	c->inside.trace = c->trace = absolute(c->run.trace);
	TRY(notes_open(&job.notes));
	status = watch(c, &job, &end.ended, &child);
	notes_read(job.notes, &end.notes);
	close(job.notes);
	program_end_judge(&end, status, c->how);
	if (program_end_lost(&end) && c->run.trace)
		settle_trace(c, child);
	else if (program_end_lost(&end) && run_options_keep(&c->run))
		lose_last();
	status = report(c, &end, asked);
	notes_free(&end.notes);
	command_set_exit(end.exit_code);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct run_command c = {
		.run = run_options_default(), .how = EXIT_WORSE,
		.limits = { .mode = SANDBOX_NO, .command = "run" },
	};
	struct error_record error;
	enum status status;

	c.run.path = NULL;
	c.run.quiet = true;
	c.run.program = true;
	status = parse(&c, argc, argv);
	command_defer_signals();        /* so that files are removed */
	if (status == STATUS_OK) {
		json_t *asked = describe(&c);

		status = run_program(&c, asked);
		json_decref(asked);
	}
	error_save(&error);
	sandbox_close(c.sandbox);
	json_decref(c.packed);
	program_unpacked_free(&c.unpacked);
	free(c.trace);
	free(c.name);
	free(c.argv);
	free(c.files.at);
	free(c.flags.at);
	free(c.libraries.at);
	command_end();
	error_restore(&error);
	return status;
}

const struct command cmd_run = {
	.summary = "a whole CUDA program, unmodified, from its .cu files",
	.usage =
	"usage: flashtwin run FILE.cu|FILE.cpp|FILE.c... [OPTION...] [-- ARGUMENT...]\n\n"
	"Compiles a program with the system's compiler and runs it, with the simulator as GPU.\n"
	"Standard input and output, signals and the working folder are the program's own; its\n"
	"argv[0] is the first file without its suffix. Findings are printed to stderr when the\n"
	"program has ended. Exits 3 if a file does not compile, 4 for findings, 5 if time or\n"
	"steps ran out, else like the program: with 128 + N if signal N killed it. A launch that\n"
	"faults gives the program CUDA's error code, and is one line on stderr. There is no\n"
	"sandbox: the program can do whatever its user can. With --device both the program runs\n"
	"on the simulator, then its operations are repeated on a GPU, and every bit is compared.\n"
	"\n",
	.examples =
	"  flashtwin run vectorAdd.cu\n"
	"  flashtwin run sim.cu io.cpp -I include -l m --std c++20 -- --size 1000 in.txt\n"
	"  flashtwin run reduce.cu --check --report findings.json --json\n"
	"  flashtwin run scan.cu --seed 7 -o scan.twin && flashtwin view scan.twin\n"
	"  flashtwin run scan.cu --device both\n",
	.run = run,
};
