/* cmd_launch.c - `flashtwin launch`: a user's kernel, compiled at run time, over arrays from .npy
 * files.
 *
 * tui/launch/user_kernel.c compiles, tui/launch/launch_args.c handles arguments, tui/run.c devices
 * and traces. The kernel runs in a child process (tui/launch/isolate.c), in a sandbox if possible.
 * That process returns its outputs in shared memory; this one writes all files, so that they are
 * complete or unchanged whatever the kernel does.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nan.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/last_run.h"
#include "tui/launch/isolate.h"
#include "tui/launch/launch_args.h"
#include "tui/launch/launch_listing.h"
#include "tui/launch/launch_once.h"
#include "tui/launch/new_trace.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_kernel.h"
#include "tui/launch/user_macros.h"
#include "tui/launch/user_text.h"
#include "tui/run.h"

struct launch_command {
	struct run_options run;
	struct user_source source;
	const char **flags;             /* -D and -I */
	int flag_count;
	struct launch_args args;
	bool list;
	struct launch_once once;        /* its kernel in the child only */
	struct sandbox_options sandbox;
	struct new_trace trace;
	char *last;                     /* the file of the last run; NULL: not kept there */
	struct user_kernel *built;
	struct isolated job;
	json_t *report;
};

/* --- options --- */

/* "X[,Y[,Z]]" */
static enum status take_dim(const char *name, const char *text, struct dim3 *out)
{
	unsigned *const axes[] = { &out->x, &out->y, &out->z };
	const char *p = text;

	*out = (struct dim3){ 1, 1, 1 };
	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long value;

		errno = 0;
		value = strtoul(p, &end, 10);
		if (end == p || *p < '0' || *p > '9' || errno || value == 0 || value > UINT_MAX)
			break;
		*axes[i] = (unsigned)value;
		if (*end == '\0')
			return STATUS_OK;
		if (*end != ',')
			break;
		p = end + 1;
	}
	return fail(STATUS_USAGE, "%s: expected X, X,Y or X,Y,Z with integers from 1, got %s",
		    name, text);
}

static void add_flag(struct launch_command *c, const char *letter, const char *value)
{
	c->flags = xreallocarray(c->flags, (size_t)c->flag_count + 3, sizeof *c->flags);
	c->flags[c->flag_count++] = letter;
	c->flags[c->flag_count++] = value;
	c->flags[c->flag_count] = NULL;
}

/* Compilers ignore a missing directory, and warn about a file in its place. */
static enum status add_include(struct launch_command *c, const char *directory)
{
	struct stat st;

	if (stat(directory, &st) == 0 && !S_ISDIR(st.st_mode))
		return fail(STATUS_USAGE, "-I: %s: not a directory", directory);
	add_flag(c, "-I", directory);
	return STATUS_OK;
}

static enum status add_macro(struct launch_command *c, const char *macro)
{
	TRY(user_macro_check(macro));
	add_flag(c, "-D", macro);
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct launch_command *c = context;

	switch (v->id) {
	case OPTION_KERNEL: c->source.kernel = v->text; break;
	case OPTION_GRID: return take_dim("--grid", v->text, &c->once.grid);
	case OPTION_BLOCK: return take_dim("--block", v->text, &c->once.block);
	case OPTION_CLUSTER: return take_dim("--cluster", v->text, &c->once.cluster);
	case OPTION_SHARED: c->once.shared_bytes = v->integer; break;
	case OPTION_LIST: c->list = true; break;
	case OPTION_ARG: return launch_args_add(&c->args, v->text);
	case OPTION_DEFINE: return add_macro(c, v->text);
	case OPTION_INCLUDE: return add_include(c, v->text);
	case OPTION_TIMEOUT: c->sandbox.timeout = v->integer; break;
	case OPTION_SANDBOX: c->sandbox.mode = (enum sandbox_mode)v->choice; break;
	default: run_option_take(&c->run, v);
	}
	return STATUS_OK;
}

/* Names all that are missing in one line. */
static enum status check_given(const struct launch_command *c)
{
	const char *missing[3], *separators[] = { "", " and ", ", " };
	char text[64] = "";
	int count = 0;

	if (!c->source.kernel)
		missing[count++] = "--kernel";
	if (!c->once.grid.x)
		missing[count++] = "--grid";
	if (!c->once.block.x)
		missing[count++] = "--block";
	for (int i = 0; i < count; i++) {
		strcat(text, i == 0 ? "" : separators[i == count - 1 ? 1 : 2]);
		strcat(text, missing[i]);
	}
	if (count == 0)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s %s missing%s", text, count == 1 ? "is" : "are",
		    c->source.kernel ? "" : "; --list shows the file's kernels");
}

static enum status check_options(struct launch_command *c)
{
	if (c->list)
		return STATUS_OK;
	TRY(check_given(c));
	return run_options_check(&c->run);
}

static enum status parse(struct launch_command *c, int argc, char **argv)
{
	static const char *const none[] = { NULL };
	int rest;

	TRY(options_parse(COMMAND_LAUNCH, argc, argv, take_option, c, &rest));
	if (argc - rest != 1)
		return fail(STATUS_USAGE, "expected one .cu file, got %d", argc - rest);
	c->source.file = argv[rest];
	c->source.flags = c->flags ? c->flags : none;
	c->source.cuda = strcmp(c->run.device, "sim") != 0;
	c->source.check = c->run.check || c->run.orders;        /* the checker explains orders */
	c->source.points = c->run.level >= LEVEL_POINTS;
	c->source.steps = c->run.steps > 0;
	return check_options(c);
}

/* --- one launch --- */

/* The caller compares two devices by their traces. */
static enum status run_on_target(const struct run_target *target, void *context)
{
	struct launch_command *c = context;

	return launch_once(&c->once, target->device);
}

/* --- the command --- */

static json_t *dim_json(struct dim3 d)
{
	return json_pack("[iii]", (int)d.x, (int)d.y, (int)d.z);
}

static json_t *describe(const struct launch_command *c)
{
	json_t *asked = json_object(), *args = json_object(), *flags = json_array();

	for (int i = 0; i < c->flag_count; i++)
		json_array_append_new(flags, json_string(c->flags[i]));
	for (int i = 0; i < c->args.count; i++)
		json_object_set_new(args, c->args.items[i].name,
				    json_string(c->args.items[i].spec));
	json_object_set_new(asked, "file", json_string(c->source.file));
	json_object_set_new(asked, "kernel", json_string(c->source.kernel));
	json_object_set_new(asked, "grid", dim_json(c->once.grid));
	json_object_set_new(asked, "block", dim_json(c->once.block));
	if (c->once.cluster.x)
		json_object_set_new(asked, "cluster", dim_json(c->once.cluster));
	json_object_set_new(asked, "shared", json_integer(c->once.shared_bytes));
	json_object_set_new(asked, "args", args);
	json_object_set_new(asked, "flags", flags);
	return asked;
}

static enum status write_outputs(const struct launch_command *c)
{
	for (int i = 0; i < c->args.count; i++) {
		const struct launch_arg *a = &c->args.items[i];

		if (!a->is_array || !a->writes)
			continue;
		nan_as_gpu(a->array.dtype, a->result, a->array.count);
		TRY(npy_write(a->path, a->array.dtype, a->array.rank, a->array.shape, a->result));
	}
	return STATUS_OK;
}

static json_t *list_outputs(const struct launch_command *c)
{
	json_t *outputs = json_array();

	for (int i = 0; i < c->args.count; i++) {
		const struct launch_arg *a = &c->args.items[i];

		if (a->is_array && a->writes)
			json_array_append_new(outputs, json_pack("{ssss}", "name", a->name,
								 "file", a->path));
	}
	return outputs;
}

/* In the child. A finding does not prevent results: the outputs are written too. */
static enum status run_loaded(struct launch_command *c)
{
	json_t *asked;
	enum status status;

	TRY(user_kernel_load(c->built, &c->once.kernel));
	TRY(launch_args_match(&c->args, c->once.kernel));
	c->once.args = &c->args;
	c->once.variables = strcmp(c->run.device, "sim") == 0;
	kernel_register(c->once.kernel);
	asked = describe(c);
	json_object_update(c->report, asked);
	status = run_on_devices(&c->run, "launch", asked, run_on_target, c, c->report);
	json_decref(asked);
	c->job.has_results = run_has_results(status);
	if (c->job.has_results && status != STATUS_DIFFERS)
		json_object_set_new(c->report, "outputs", list_outputs(c));
	return status;
}

/* Kernels print to stdout; with --json to stderr: stdout then gets only the object, from the
 * parent. */
static enum status run_in_child(void *context)
{
	struct launch_command *c = context;
	enum status status;

	if (c->run.json && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return fail(STATUS_IO, "standard output: %s", strerror(errno));
	status = run_loaded(c);
	if (c->run.json && (c->job.has_results || run_has_failed(status))) {
		c->job.answer = json_incref(c->report);
		if (!c->job.has_results)
			run_put_error(c->report, status);
	}
	return status;
}

/* The object of a launch without results. A child that was ended has left none. */
static json_t *failure(const struct launch_command *c, enum status status)
{
	json_t *answer;

	if (c->job.answer)
		return json_incref(c->job.answer);
	answer = describe(c);
	run_put_error(answer, status);
	return answer;
}

static enum status finish_failed(const struct launch_command *c, enum status status)
{
	json_t *answer;
	enum status written;

	/* The child knows CUDA's code, which makes a finding a failure; this process does not. */
	if (!c->run.json || !c->job.started
	    || !(run_has_failed(status) || (status == STATUS_FINDING && c->job.answer)))
		return status;
	answer = failure(c, status);
	written = run_print_json(answer);
	json_decref(answer);
	return written == STATUS_OK ? status : written;
}

/* Outputs are written only now that the kernel's process has ended. */
static enum status finish(struct launch_command *c, enum status status)
{
	struct error_record error;
	enum status written = STATUS_OK;

	error_save(&error);
	if (!c->job.has_results || !run_has_results(status))
		return finish_failed(c, status);
	if (status != STATUS_DIFFERS)
		written = write_outputs(c);
	if (written == STATUS_OK && c->job.answer)
		written = run_print_json(c->job.answer);
	if (written != STATUS_OK)
		return written;
	error_restore(&error);
	return status;
}

/* The kernel's process writes the last run like a trace: in a folder of its own. */
static void begin_last(struct launch_command *c, struct sandbox *sandbox)
{
	c->last = run_options_keep(&c->run) ? last_run_begin("launch") : NULL;
	if (c->last && new_trace_begin(&c->trace, c->last, true, false, sandbox) != STATUS_OK) {
		last_run_warn("launch");
		free(c->last);
		c->last = NULL;
	}
	c->run.last = c->trace.inside;
	c->run.no_record = !c->last;
}

static enum status begin_trace(struct launch_command *c, struct sandbox *sandbox)
{
	if (!c->run.trace) {
		begin_last(c, sandbox);
		return STATUS_OK;
	}
	TRY(new_trace_begin(&c->trace, c->run.trace, c->run.force, c->run.append, sandbox));
	c->run.trace = c->trace.inside;
	return STATUS_OK;
}

/* Whether a launch that ended like this has left no last run because it could not, and not because
 * nothing was launched. */
static bool lost_last(const struct launch_command *c, enum status status)
{
	return access(c->trace.inside, F_OK) != 0 && status != STATUS_USAGE && status != STATUS_IO
		&& status != STATUS_COMPILE && status != STATUS_NO_GPU;
}

/* What becomes of the last run does not change how the launch ended. */
static enum status end_last(struct launch_command *c, enum status status)
{
	bool keep = status != STATUS_INTERRUPTED;
	enum status kept;
	struct error_record error;

	error_save(&error);
	if (keep && lost_last(c, status))
		unlink(c->last);
	kept = last_run_check(c->trace.inside);
	if (kept != STATUS_OK)
		unlink(c->last);
	kept = new_trace_end(&c->trace, keep && kept == STATUS_OK, kept);
	if (kept != STATUS_OK)
		last_run_warn("launch");
	error_restore(&error);
	return status;
}

static enum status end_trace(struct launch_command *c, enum status status)
{
	return c->last ? end_last(c, status)
		: new_trace_end(&c->trace, status != STATUS_INTERRUPTED, status);
}

static enum status run_isolated(struct launch_command *c, struct sandbox *sandbox)
{
	enum status status;

	c->source.sandbox = sandbox;
	status = begin_trace(c, sandbox);
	if (status == STATUS_OK)
		status = user_kernel_build(&c->source, &c->built);
	if (status == STATUS_OK) {
		if (!c->source.check)
			user_text_warn_lockstep("launch", user_kernel_lockstep(c->built));
		launch_args_share(&c->args);
		c->job = (struct isolated){
			.fn = run_in_child, .context = c, .sandbox = sandbox,
			.gpu = c->source.cuda, .checker = c->source.check,
			.check = c->run.check,
		};
		status = isolate_run(&c->job);
	}
	if (command_interrupted() || command_ended())
		status = fail(STATUS_INTERRUPTED, "interrupted");
	return finish(c, end_trace(c, status));
}

static enum status list_kernels(struct launch_command *c, struct sandbox *sandbox)
{
	c->source.sandbox = sandbox;
	return launch_listing_print(&c->source, c->run.json);
}

static enum status run(int argc, char **argv)
{
	struct launch_command c = {
		.run = run_options_default(), .report = json_object(),
		.sandbox = { .command = "launch" },
	};
	struct sandbox *sandbox = NULL;
	struct error_record error;
	enum status status;

	c.run.path = NULL;
	status = parse(&c, argc, argv);
	command_defer_signals();        /* so that processes are ended and files are removed */
	c.sandbox.gpu = c.source.cuda;
	if (status == STATUS_OK)
		status = sandbox_create(&c.sandbox, &sandbox);
	if (status == STATUS_OK)
		status = c.list ? list_kernels(&c, sandbox) : run_isolated(&c, sandbox);
	error_save(&error);
	sandbox_close(sandbox);
	user_kernel_free(c.built);
	launch_args_free(&c.args);
	free(c.flags);
	free(c.last);
	json_decref(c.report);
	json_decref(c.job.answer);
	command_end();
	error_restore(&error);
	return status;
}

const struct command cmd_launch = {
	.summary = "your own kernel from a .cu file, over arrays in .npy files",
	.usage =
	"usage: flashtwin launch FILE.cu --kernel NAME --grid X[,Y,Z] --block X[,Y,Z]\n"
	"                        [--arg NAME=SPEC]... [OPTION...]\n"
	"       flashtwin launch FILE.cu --list [--json]\n\n"
	"Compiles the file for the simulator with the system's compiler (for a GPU with nvcc) and\n"
	"launches one kernel of it. Host code in the file is left out. Nothing else is needed.\n"
	"Outputs are written if everything succeeds, and left as they were otherwise. Elements\n"
	"that no thread writes hold the simulator's poison, a NaN. Exits 3 if the file does not\n"
	"compile, 1 if the kernel faults, 5 if time or memory run out. Compilers and kernel run\n"
	"in a sandbox where bubblewrap works, else with resource limits (--sandbox). With --json,\n"
	"what the kernel prints goes to stderr; with --log points, what POINT(name, value...) of\n"
	"kernels/points.h publishes is recorded.\n\n",
	.examples =
	"  flashtwin launch saxpy.cu --kernel saxpy --grid 4 --block 256 --arg n=i32:1000 \\\n"
	"      --arg a=f32:2 --arg x=@x.npy --arg 'y=<>y.npy'\n"
	"  flashtwin launch sum.cu --kernel 'sum<float>' --grid 8 --block 128 --shared 512 \\\n"
	"      --arg in=@in.npy --arg 'out=>out.npy:f32[8]' --all-orders 20\n",
	.run = run,
};
