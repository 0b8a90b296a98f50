/* class.c - grades a class, several submissions at a time; see class.h.
 *
 * Each submission is graded by a process of its own, which writes the record: one that ends in any
 * other way than with a record is a fault of the grader. The secret is never in this process.
 */
#include "config.h"

#include "tui/lab/class.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/lab/class_list.h"
#include "tui/lab/kinds.h"
#include "tui/lab/run/gpu.h"

#define TICK_US 20000
#define LOCK_MS 10000                   /* what an earlier run left is given so long to end */
#define BAR 30

struct class {
	const struct lab *lab;
	const struct lab_kind *kind;
	const struct class_options *options;
	struct class_list list;
	pid_t *pids;                    /* by student; 0: not running */
	int running, next, done, before;        /* before: had a record at the start */
	int counts[CLASS_STATES];
	int64_t start_ms;
	int locks[2];
};

/* --- in the process of one submission --- */

static enum class_state state_of(const struct lab_result *r)
{
	return !r->compiled ? CLASS_NOT_COMPILED
		: lab_result_passed(r) ? CLASS_PASSED : CLASS_FAILED;
}

static enum status grade_one(const struct class *c, const struct class_student *s)
{
	const struct class_options *o = c->options;
	char *traces = o->traces ? xasprintf("%s/%s", o->traces, s->id) : NULL;
	const struct grade_options options = {
		.file = s->file, .student = s->id, .secret_file = o->secret_file,
		.sandbox = o->sandbox, .traces = traces, .staff = true, .jobs = o->jobs,
		.gpu = o->gpu,
	};
	struct lab_result result = { 0 };
	enum status status;

	if (!s->file)
		return class_record_write(o->out, s, CLASS_NO_FILE, NULL, s->why);
	status = c->kind->grade(c->lab, &options, &result);
	if (status == STATUS_OK)
		status = class_record_write(o->out, s, state_of(&result), &result, "");
	lab_result_free(&result);
	free(traces);
	return status;
}

/* SIGTERM ends it in order: see command_defer_signals(). */
static void child_main(const struct class *c, const struct class_student *s, pid_t parent)
{
	enum status status = STATUS_INTERRUPTED;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (getppid() == parent)
		status = grade_one(c, s);
	if (status != STATUS_OK && status != STATUS_INTERRUPTED)
		class_record_write(c->options->out, s, CLASS_FAULT, NULL, error_text());
	_exit(status == STATUS_OK ? 0 : 1);
}

/* --- progress --- */

static void print_bar(const struct class *c)
{
	int64_t spent = clock_ms() - c->start_ms;
	int now = c->done - c->before, all = c->list.count, filled = BAR * c->done / all;

	fprintf(stderr, "\r[");
	for (int i = 0; i < BAR; i++)
		putc(i < filled ? '#' : '.', stderr);
	fprintf(stderr, "] %d/%d graded, %d faults", c->done, all, c->counts[CLASS_FAULT]);
	if (now > 0 && c->done < all)
		fprintf(stderr, ", %lld min left",
			(long long)(spent * (all - c->done) / now / 60000 + 1));
	fprintf(stderr, "\033[K%s", c->done == all ? "\n" : "");
}

static void print_progress(const struct class *c, const struct class_student *s,
			   enum class_state state, const json_t *record)
{
	if (isatty(STDERR_FILENO)) {
		print_bar(c);
		return;
	}
	fprintf(stderr, "%d/%d %s: %s", c->done, c->list.count, s->id, class_state_names[state]);
	if (json_object_get(record, "points"))
		fprintf(stderr, ", %.1f of %g",
			json_number_value(json_object_get(record, "points")),
			json_number_value(json_object_get(record, "max")));
	else if (state == CLASS_FAULT)
		fprintf(stderr, ", %s", json_string_value(json_object_get(record, "message")));
	putc('\n', stderr);
}

/* --- processes --- */

static bool stopped(void)
{
	return command_interrupted() || command_ended();
}

static enum status start_one(struct class *c)
{
	int i = c->next++;
	pid_t parent = getpid();

	fflush(NULL);
	c->pids[i] = fork();
	if (c->pids[i] == 0)
		child_main(c, &c->list.students[i], parent);
	if (c->pids[i] < 0) {
		c->pids[i] = 0;
		return fail(STATUS_INTERNAL, "fork: %s", strerror(errno));
	}
	c->running++;
	return STATUS_OK;
}

static void finish_one(struct class *c, int i, int ended)
{
	const struct class_student *s = &c->list.students[i];
	json_t *record;
	enum class_state state = class_record_read(c->options->out, s, &record);

	c->pids[i] = 0;
	c->running--;
	if (stopped() && (state == CLASS_MISSING || state == CLASS_FAULT)) {
		json_decref(record);
		return;
	}
	/* An old record of a fault is not that of this process. */
	if (state == CLASS_MISSING || (WIFSIGNALED(ended) && state == CLASS_FAULT)) {
		char *why = xasprintf("the grader's process ended with %s %d",
				      WIFSIGNALED(ended) ? "signal" : "exit code",
				      WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));

		class_record_write(c->options->out, s, CLASS_FAULT, NULL, why);
		json_decref(record);
		record = json_pack("{ss}", "message", why);
		state = CLASS_FAULT;
		free(why);
	}
	c->done++;
	c->counts[state]++;
	print_progress(c, s, state, record);
	json_decref(record);
}

static void collect(struct class *c)
{
	pid_t pid;
	int ended;

	while ((pid = waitpid(-1, &ended, WNOHANG)) > 0)
		for (int i = 0; i < c->list.count; i++)
			if (c->pids[i] == pid)
				finish_one(c, i, ended);
}

static void end_all(const struct class *c)
{
	for (int i = 0; i < c->list.count; i++)
		if (c->pids[i])
			kill(c->pids[i], SIGTERM);
}

/* Whether the next student has a record, which is counted. */
static bool skip_graded(struct class *c)
{
	json_t *record;
	enum class_state state = class_record_read(c->options->out, &c->list.students[c->next],
						   &record);

	json_decref(record);
	if (state >= CLASS_FAULT)
		return false;
	c->next++;
	c->done++;
	c->before++;
	c->counts[state]++;
	return true;
}

static enum status grade_all(struct class *c)
{
	enum status status = STATUS_OK;
	bool told = false;

	while (c->running || (c->next < c->list.count && status == STATUS_OK)) {
		if (stopped())
			status = fail(STATUS_INTERRUPTED, "interrupted: start it again to go on");
		if (status != STATUS_OK && !told) {
			end_all(c);
			told = true;
		}
		while (status == STATUS_OK && c->running < c->options->jobs
		       && c->next < c->list.count)
			if (!skip_graded(c))
				status = start_one(c);
		if (c->running)
			usleep(TICK_US);
		collect(c);
	}
	return status;
}

/* --- the folder of results --- */

static enum status lock(const struct class *c, const char *name, int how, int *out)
{
	char *path = xasprintf("%s/%s", c->options->out, name);
	int64_t end = clock_ms() + LOCK_MS;
	enum status status = STATUS_OK;

	*out = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*out < 0)
		status = fail(STATUS_IO, "%s: %s", path, strerror(errno));
	/* A file system without locks is not a reason to stop. */
	while (status == STATUS_OK && flock(*out, how | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		if (clock_ms() > end || stopped())
			status = fail(STATUS_USAGE, "-o %s: another run is grading into it",
				      c->options->out);
		else
			usleep(TICK_US);
	free(path);
	return status;
}

/* Processes of the submissions keep the locks too, so that none is graded twice at once. */
static enum status lock_results(struct class *c)
{
	const struct class_options *o = c->options;
	char *name;
	enum status status;

	if (mkdir(o->out, 0777) != 0 && errno != EEXIST)
		return fail(STATUS_IO, "-o %s: %s", o->out, strerror(errno));
	if (o->traces && mkdir(o->traces, 0777) != 0 && errno != EEXIST)
		return fail(STATUS_IO, "--traces %s: %s", o->traces, strerror(errno));
	TRY(lock(c, ".lock", o->shares ? LOCK_SH : LOCK_EX, &c->locks[0]));
	if (!o->shares)
		return STATUS_OK;
	name = xasprintf(".lock-%d-of-%d", o->share, o->shares);
	status = lock(c, name, LOCK_EX, &c->locks[1]);
	free(name);
	return status;
}

/* The compiler would take headers from here, which is not the fault of students. */
static enum status check_folder(void)
{
	if (access("sim/cuda/user.h", F_OK) != 0)
		return STATUS_OK;
	return fail(STATUS_USAGE, "the working folder has a sim/cuda/user.h, which would hide "
		    "flashtwin's own: start from another folder");
}

static enum status check_sandbox(const struct class_options *o)
{
	bool inside;
	char *how;
	enum status status = STATUS_OK;

	if (o->sandbox == SANDBOX_NO)
		return STATUS_OK;
	if (o->gpu)
		return fail(STATUS_USAGE, "--device both runs submissions outside of the sandbox: "
			    "it needs --sandbox=no");
	how = sandbox_describe(&inside);
	if (!inside)
		status = fail(STATUS_USAGE, "submissions are graded only in a sandbox, and there "
			      "is none: %s; --sandbox=no does without", how);
	free(how);
	return status;
}

/* --- the whole --- */

static enum status sum_up(const struct class *c, enum status status)
{
	if (!c->options->shares) {
		struct error_record error;

		error_save(&error);
		status = error_first(status, &error,
				     class_table_write(c->options->out, &c->list));
	}
	TRY(status);
	for (int i = 0; i < CLASS_STATES; i++)
		if (c->counts[i])
			printf("%-17s %d\n", class_state_names[i], c->counts[i]);
	if (fflush(stdout) != 0)
		return command_stdout_failed();
	if (c->counts[CLASS_FAULT])
		return fail(STATUS_INTERNAL, "%d submissions could not be graded, and have no "
			    "points: see \"message\" of their results, and start it again",
			    c->counts[CLASS_FAULT]);
	return c->counts[CLASS_PASSED] == c->list.count ? STATUS_OK : command_differs();
}

static enum status run(struct class *c)
{
	enum status status;

	TRY(lab_kind_find(c->lab, &c->kind));
	TRY(class_list_read(c->lab, c->options, &c->list));
	TRY(check_folder());
	TRY(check_sandbox(c->options));
	if (c->options->gpu)
		TRY(gpu_check());
	TRY(lock_results(c));
	c->pids = xcalloc((size_t)c->list.count + 1, sizeof *c->pids);
	c->start_ms = clock_ms();
	status = grade_all(c);
	return sum_up(c, status);
}

enum status class_grade(const struct lab *lab, const struct class_options *options)
{
	struct class_options own = *options;
	struct class c = { .lab = lab, .options = &own, .locks = { -1, -1 } };
	enum status status;

	/* A sandbox that works now and not later is a fault, and not a run without one. */
	if (own.sandbox == SANDBOX_AUTO)
		own.sandbox = SANDBOX_YES;
	status = run(&c);
	for (int i = 0; i < 2; i++)
		if (c.locks[i] >= 0)
			close(c.locks[i]);
	free(c.pids);
	class_list_free(&c.list);
	return status;
}
