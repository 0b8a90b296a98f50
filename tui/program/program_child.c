/* program_child.c - compiles, loads and runs a user's program in this process; see program_child.h.
 *
 * The program may return from main(), or call exit() wherever it likes. So what follows it is a
 * function that exit() calls. It is registered before the program is loaded: then it runs after the
 * functions that the program registers, and after the destructors of its static objects, which may
 * still use the device.
 */
#include "config.h"

#include "tui/program/program_child.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/visible.h"
#include "engine/device.h"
#include "engine/runtime/runtime.h"
#include "sim/check/check.h"
#include "tui/command.h"
#include "tui/launch/user_text.h"
#include "tui/program/notes.h"

/* A program whose memory is damaged could make the work after its death hang. */
#define DEATH_SECONDS 10

extern char **environ;

/* Of this process; exit() passes no context. */
static struct {
	const struct program_job *job;
	pid_t pid;
	struct run_session *session;    /* NULL: nothing is recorded or checked any more */
	json_t *report;
	bool runs;                      /* between runtime_begin() and runtime_end() */
	json_t *fault;                  /* of the first launch that faulted; NULL: none */
	json_t *refused;                /* of one refused, unknown to the program; NULL: none */
} child;

/* Copies of this process, in which the checker tries other orders, send theirs to this one. */
static void note_finding(void)
{
	if (getpid() == child.pid)
		notes_add(child.job->notes, "finding", NULL);
}

/* --- after the program --- */

static void note_refusal(void)
{
	struct error_record refused;
	char *text;

	if (!runtime_refused(&refused))
		return;
	text = visible_text(refused.text);
	child.refused = json_pack("{s:i, s:s}", "code", refused.code, "message", text);
	free(text);
}

/* A launch that faulted is the program's business, which got CUDA's error code: it is one line, and
 * the verdict stays OK. Out of steps is a verdict. */
static enum status end_runtime(void)
{
	enum status status = child.runs ? runtime_end() : STATUS_OK;
	char *text = visible_text(error_text());

	child.runs = false;
	if (status == STATUS_DEVICE)
		child.fault = json_pack("{s:i, s:s}", "code", error_code(), "message", text);
	free(text);
	note_refusal();
	return status;
}

static void send_verdict(enum status status)
{
	json_t *note;

	if (status == STATUS_DEVICE) {
		error_clear();
		status = STATUS_OK;
	}
	note = notes_error(status);
	/* With findings, the error that followed from one of them is their message. */
	if (child.fault && status == STATUS_OK)
		json_object_set(note, "fault", child.fault);
	if (child.refused)
		json_object_set(note, "refused", child.refused);
	json_object_set(note, "report", child.report);
	notes_add(child.job->notes, "ended", note);
}

/* Kernels that are replayed print again, and standard output is the program's. */
static void silence(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(NULL);
	if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	if (nothing >= 0)
		close(nothing);
}

/* Processes that the program has forked come here too. */
static void finish(void)
{
	struct run_session *session = child.session;
	enum status status;

	if (!session || getpid() != child.pid)
		return;
	child.session = NULL;
	status = end_runtime();
	if (child.job->options->orders || run_options_both(child.job->options))
		silence();
	send_verdict(run_end(session, status));
}

/* --- a program that dies --- */

static volatile sig_atomic_t dying;     /* the signal */

static void on_alarm(int number)
{
	(void)number;
	signal(dying, SIG_DFL);
	raise(dying);
}

/* A program that dies has not come to free its memory. */
static void drop_leaks(json_t *findings)
{
	for (size_t i = json_array_size(findings); i-- > 0;) {
		const json_t *class = json_object_get(json_array_get(findings, i), "class");

		if (class && strcmp(json_string_value(class), "leak") == 0)
			json_array_remove(findings, i);
	}
}

/* Memory may be damaged: nothing more is written to the trace. A launch that faulted is not a
 * verdict, but that its steps ran out is. */
static void send_death(void)
{
	enum status status = runtime_failed();
	json_t *note = notes_error(status == STATUS_DEVICE ? STATUS_OK : status);

	if (child.job->options->check) {
		run_note_findings(child.session);
		drop_leaks(json_object_get(child.report, "findings"));
		json_object_set(note, "report", child.report);
	}
	notes_add(child.job->notes, "crashed", note);
	child.session = NULL;
}

/* Programs call abort() for a failed assert() or an uncaught exception: that is an end like any
 * other. Nothing is done for a signal that was sent, which may arrive anywhere, not even within the
 * kernels of the simulator, which catches their faults itself (sim/exec/fault.c). */
static void on_death(int number, siginfo_t *info, void *context)
{
	bool aborts = number == SIGABRT && info->si_code == SI_TKILL
		&& info->si_pid == child.pid;

	(void)context;
	signal(number, SIG_DFL);
	if (gettid() == child.pid && child.session && (aborts || info->si_code > 0)) {
		dying = number;
		signal(SIGALRM, on_alarm);
		alarm(DEATH_SECONDS);
		if (aborts)
			finish();
		else
			send_death();
		alarm(0);
	}
	raise(number);
}

/* Before the simulator catches the same signals, and passes on those that are not its own. */
static void catch_deaths(void)
{
	static const int deaths[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	/* The handler raises the signal again, and so may the alarm's. */
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	action.sa_sigaction = on_death;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++)
		sigaction(deaths[i], &action, NULL);
}

/* --- before the program --- */

_Static_assert(MAX_RUN_DEVICES <= RUNTIME_MAX_DEVICES, "the runtime has them all");

static enum status load(struct program *program)
{
	const struct runtime_program *parts;
	struct device *const *devices;
	int count;

	TRY(program_load(program, &parts));
	devices = run_devices(child.session, &count);
	TRY(runtime_begin(devices, count, parts));
	if (run_options_both(child.job->options))
		runtime_repeats_on("cuda");
	child.runs = true;
	return STATUS_OK;
}

/* What a program finds when it starts, and this one has used. */
static void reset_globals(char *name)
{
	const char *slash = strrchr(name, '/');

	program_invocation_name = name;
	program_invocation_short_name = slash ? name + (slash - name) + 1 : name;
	optind = 1;
	opterr = 1;
	optopt = '?';
	errno = 0;
}

/* Before compilers run for nothing. This process uses CUDA from now on. */
static enum status find_gpu(struct program_source *source)
{
	return source->cuda ? device_cuda_capability(0, &source->capability) : STATUS_OK;
}

static enum status start(int (**entry)(int, char **, char **))
{
	const struct program_job *job = child.job;
	struct program_source source = *job->source;
	struct program *program;

	TRY(find_gpu(&source));
	TRY(program_build(&source, &program));
	if (!source.check)
		user_text_warn_lockstep("run", program_lockstep(program));
	prctl(PR_SET_CHILD_SUBREAPER, 0);       /* which the sandbox of the compilers has set */
	catch_deaths();
	TRY(run_begin(job->options, "run", job->asked, child.report, &child.session));
	if (atexit(finish) != 0 || at_quick_exit(finish) != 0)
		return fail(STATUS_INTERNAL, "atexit: %s", strerror(errno));
	TRY(load(program));
	if (job->options->check)
		check_set_observer(note_finding);
	reset_globals(job->argv[0]);
	notes_add(job->notes, "entered", NULL);
	return program_enter(program, entry);
}

static _Noreturn void give_up(enum status status)
{
	struct run_session *session = child.session;
	struct error_record error;

	child.session = NULL;
	error_save(&error);
	if (child.runs)
		runtime_end();
	error_restore(&error);
	if (session)
		status = run_end(session, status);
	notes_add(child.job->notes, "failed", notes_error(status));
	_exit(status_exit_code(status));
}

_Noreturn void program_child(const struct program_job *job, pid_t parent)
{
	int (*entry)(int, char **, char **);
	enum status status;

	child.job = job;
	child.pid = getpid();
	child.report = json_object();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126);
	command_restore_signals();
	sigprocmask(SIG_SETMASK, job->signals, NULL);
	status = start(&entry);
	if (status != STATUS_OK)
		give_up(status);
	exit(entry(job->argc, job->argv, environ));
}
