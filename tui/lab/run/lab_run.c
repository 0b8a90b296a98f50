/* lab_run.c - compiles and runs a submission; see lab_run.h. lab_launch.c is the part that runs in
 * the kernel's process. */
#include "config.h"

#include "tui/lab/run/lab_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/datadir.h"
#include "tui/lab/run/capture.h"
#include "tui/lab/run/gpu.h"
#include "tui/lab/run/lab_launch.h"
#include "tui/launch/isolate.h"
#include "tui/launch/new_trace.h"
#include "tui/launch/programs.h"

#define COMPILE_SECONDS 120
#define MAX_FILE ((uint64_t)1 << 30)     /* of a compiler, or a trace */

struct submission {
	const struct lab *lab;
	struct submission_options options;
	struct sandbox *sandbox;        /* of the compilers; its scratch folder has the objects */
	struct lab_kernels kernels;
};

static void hide_staff(void *context, const char *folder)
{
	sandbox_hide(context, folder);
}

/* Solutions may be in folders that are visible otherwise: flashtwin's own, or the submission's. */
static enum status make_sandbox(const struct submission *s, int64_t seconds, bool gpu,
				struct sandbox **out)
{
	const struct sandbox_options options = {
		.mode = s->options.sandbox, .command = "lab", .timeout = seconds,
		.jobs = s->options.jobs, .gpu = gpu, .file_bytes = MAX_FILE,
	};
	char *labs = datadir_labs();
	enum status status = sandbox_create(&options, out);

	if (status == STATUS_OK) {
		sandbox_hide(*out, labs);
		lab_staff(s->lab, hide_staff, *out);
	}
	free(labs);
	return status == STATUS_OK ? STATUS_OK : fail_context(STATUS_INTERNAL, "sandbox");
}

/* --- compiling --- */

static enum status build_one(struct submission *s, const char *name)
{
	static const char *const no_flags[] = { NULL };
	struct user_source source = {
		.file = s->options.file, .kernel = name, .flags = no_flags, .sandbox = s->sandbox,
		.check = true, .steps = true, .points = s->options.points,
		.cuda = s->options.gpu,
	};

	for (int i = 0; i < s->kernels.count; i++)
		if (strcmp(s->kernels.name[i], name) == 0)
			return STATUS_OK;
	if (s->kernels.count == MAX_LAB_KERNELS)
		return fail(STATUS_INTERNAL, "lab %d: the maximum is %d kernels", s->lab->number,
			    MAX_LAB_KERNELS);
	s->kernels.name[s->kernels.count] = name;
	return user_kernel_build(&source, &s->kernels.built[s->kernels.count++]);
}

static enum status build_all(struct submission *s)
{
	for (size_t i = 0; i < json_array_size(s->lab->launches); i++) {
		const json_t *launch = json_array_get(s->lab->launches, i);
		const char *name = json_string_value(json_object_get(launch, "kernel"));

		if (!name)
			return fail(STATUS_INTERNAL, "lab %d: a launch has no kernel",
				    s->lab->number);
		TRY(build_one(s, name));
	}
	return STATUS_OK;
}

static enum status show_compiler(enum status (*find)(struct compiler *), struct sandbox *sandbox)
{
	struct compiler compiler;

	TRY(find(&compiler));
	compiler_show_in(&compiler, sandbox);
	compiler_free(&compiler);
	return STATUS_OK;
}

/* What is missing here is not the student's fault. Before the sandbox's start, after which nothing
 * can be shown. */
static enum status show_tools(bool gpu, struct sandbox *sandbox)
{
	char *include = datadir_include(), *header = xasprintf("%s/sim/cuda/user.h", include);
	enum status status = show_compiler(compiler_find_sim, sandbox);

	if (status == STATUS_OK && gpu)
		status = show_compiler(compiler_find_cuda, sandbox);
	if (status == STATUS_OK && access(header, R_OK) != 0)
		status = fail(STATUS_INTERNAL, "%s: %s", header, strerror(errno));
	free(header);
	free(include);
	return status == STATUS_OK ? status : fail_context(STATUS_INTERNAL, "compiling");
}

/* USAGE is a kernel that the file lacks, or a file that cannot be read. */
static enum status blame(enum status status)
{
	if (status == STATUS_OK || status == STATUS_INTERRUPTED || status == STATUS_INTERNAL)
		return status;
	return fail_context(STATUS_COMPILE, "does not compile");
}

/* A compiler that takes too much memory is ended by supervise() or its own limit. One that
 * something else killed, in the words of g++, or that cannot be run, says nothing about the file.
 */
static bool was_killed(enum status status, const char *messages)
{
	return (status == STATUS_COMPILE
		&& strstr(messages, ": fatal error: Killed signal terminated program"))
		|| (status == STATUS_USAGE && strstr(error_text(), ": cannot be run"));
}

enum status submission_build(const struct lab *lab, const struct submission_options *options,
			     struct submission **out, char **messages)
{
	struct submission *s = xcalloc(1, sizeof *s);
	struct capture capture;
	char *printed;
	enum status status;

	*out = s;
	*messages = NULL;
	s->lab = lab;
	s->options = *options;
	if (options->gpu)
		TRY(gpu_check());
	TRY(make_sandbox(s, COMPILE_SECONDS, options->gpu, &s->sandbox));
	TRY(user_kernel_check_folder());
	TRY(show_tools(options->gpu, s->sandbox));
	sandbox_show_folder_of(s->sandbox, options->file);
	TRY(sandbox_start(s->sandbox));         /* its warnings are not the compiler's */
	TRY(capture_begin(&capture));
	status = build_all(s);
	capture_end(&capture, &printed, messages);
	free(printed);
	if (command_interrupted() || command_ended())
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (was_killed(status, *messages))
		return fail(STATUS_INTERNAL, "the compiler was killed, or cannot be run");
	return blame(status);
}

void submission_free(struct submission *s)
{
	struct error_record error;

	if (!s)
		return;
	error_save(&error);
	for (int i = 0; i < s->kernels.count; i++)
		user_kernel_free(s->kernels.built[i]);
	sandbox_close(s->sandbox);
	free(s);
	error_restore(&error);
}

/* --- running --- */

/* Who is to blame for an error: NULL for what ends the grading. */
static bool students(enum status status, const struct isolated *job)
{
	return status != STATUS_INTERRUPTED && status != STATUS_NO_GPU
		&& (job->started || (status != STATUS_INTERNAL && status != STATUS_IO));
}

/* The line about two devices that differ is the process's only error text. */
static enum status run_captured(struct isolated *job, char **printed)
{
	struct capture capture;
	char *errors;
	enum status status;

	TRY(capture_begin(&capture));
	status = isolate_run(job);
	capture_end(&capture, printed, &errors);
	if (status == STATUS_DIFFERS) {
		errors[strcspn(errors, "\n")] = '\0';
		fail(STATUS_DIFFERS, "%s", errors);
	}
	free(errors);
	return status;
}

static enum status run_in(struct submission *s, struct lab_case *c, struct sandbox *sandbox,
			  const char *trace, bool both, struct outcome *out)
{
	char *compared = xasprintf("%s/both.twin", sandbox->scratch);
	struct lab_launch launch = {
		.kernels = &s->kernels, .c = c, .file = s->options.file,
		.points = s->options.points, .gpu = both,
	};
	struct isolated job = {
		.fn = lab_launch_run, .context = &launch, .sandbox = sandbox, .checker = true,
		.check = true, .gpu = both,
	};
	struct new_trace record;
	enum status status;

	launch.job = &job;
	sandbox_show(sandbox, s->sandbox->scratch);
	status = new_trace_begin(&record, trace, true, false, sandbox);
	launch.trace = launch.gpu ? compared : record.inside;
	if (status == STATUS_OK)
		status = sandbox_start(sandbox);
	if (status == STATUS_OK)
		status = run_captured(&job, &out->printed);
	if (command_interrupted() || command_ended())
		status = fail(STATUS_INTERRUPTED, "interrupted");
	status = new_trace_end(&record, status != STATUS_INTERRUPTED, status);
	free(compared);
	out->status = status;
	out->valid = job.has_results && (status == STATUS_OK || status == STATUS_FINDING);
	out->message = xstrdup(status == STATUS_OK ? "" : error_text());
	out->findings = json_incref(json_object_get(job.answer, "findings"));
	out->counters = json_incref(json_object_get(job.answer, "counters"));
	json_decref(job.answer);
	if (students(status, &job))
		return STATUS_OK;
	if (status == STATUS_INTERRUPTED || status == STATUS_NO_GPU)
		return status;
	return fail_context(STATUS_INTERNAL, "running");
}

static enum status run_fresh(struct submission *s, struct lab_case *c, const char *trace, bool both,
			     struct outcome *out)
{
	struct sandbox *sandbox = NULL;
	struct error_record error;
	enum status status;

	*out = (struct outcome){ 0 };
	TRY(make_sandbox(s, s->lab->seconds, false, &sandbox));
	status = run_in(s, c, sandbox, trace, both, out);
	error_save(&error);
	sandbox_close(sandbox);
	if (status == STATUS_OK)
		error_clear();
	else
		error_restore(&error);
	return status;
}

enum status submission_run(struct submission *s, struct lab_case *c, const char *trace,
			   struct outcome *out)
{
	return run_fresh(s, c, trace, false, out);
}

enum status submission_run_both(struct submission *s, struct lab_case *c, struct outcome *out)
{
	return run_fresh(s, c, NULL, true, out);
}

void outcome_free(struct outcome *o)
{
	json_decref(o->findings);
	json_decref(o->counters);
	free(o->message);
	free(o->printed);
	*o = (struct outcome){ 0 };
}
