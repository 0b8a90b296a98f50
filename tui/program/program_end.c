/* program_end.c - judges how a user's program ended, and describes it; see program_end.h. */
#include "config.h"

#include "tui/program/program_end.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/findings.h"
#include "tui/run.h"

static const char *signal_name(int number, char *out, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(out, size, "SIG%s", name);
	else
		snprintf(out, size, "SIG%d", number);
	return out;
}

/* --- verdict and exit code --- */

/* What only a fault of ours causes before the program's code runs. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE
		|| number == SIGABRT;
}

/* Without lints. */
static int count_reported(const struct program_end *e)
{
	json_t *finding;
	int count = 0;
	size_t i;

	json_array_foreach(json_object_get(e->notes.report, "findings"), i, finding)
		count += !json_is_true(json_object_get(finding, "lint"));
	return count;
}

static enum status judge_findings(const struct program_end *e)
{
	int count = e->notes.crashed && e->notes.report ? count_reported(e) : e->notes.findings;

	if (count == 0 && e->notes.status != STATUS_OK)
		return fail(e->notes.status, "%s", e->notes.text ? e->notes.text : "");
	if (count == 0)
		return STATUS_OK;
	return fail(STATUS_FINDING, "%d finding%s%s", count, count == 1 ? "" : "s",
		    e->notes.crashed ? "" : ", lost because the program did not end by exit()");
}

/* A program that did not end by exit(). */
static enum status judge_lost(const struct program_end *e)
{
	int number = WIFSIGNALED(e->ended) ? WTERMSIG(e->ended) : 0;
	char name[32];

	if (number == SIGINT)
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (!e->notes.entered && is_crash(number))
		return fail(STATUS_INTERNAL, "the process that compiles and loads the program died"
			    " of signal %d (%s)", number, signal_name(number, name, sizeof name));
	if (!e->notes.entered && !number)
		return fail(STATUS_INTERNAL, "the process that compiles and loads the program ended"
			    " with exit code %d", WEXITSTATUS(e->ended));
	return judge_findings(e);
}

static enum status judge(const struct program_end *e, enum status watched)
{
	const struct notes *n = &e->notes;

	if (watched != STATUS_OK)
		return watched;
	if (!n->ended && !n->failed)
		return judge_lost(e);
	return n->status == STATUS_OK ? STATUS_OK : fail(n->status, "%s", n->text ? n->text : "");
}

/* Whether `ended` is the program's, and not due to what went wrong before or a limit. */
static bool is_own_end(const struct program_end *e)
{
	return (e->notes.entered || WIFSIGNALED(e->ended)) && !e->notes.failed
		&& e->verdict != STATUS_INTERNAL && e->verdict != STATUS_LIMIT;
}

static int program_code(const struct program_end *e)
{
	return WIFSIGNALED(e->ended) ? 128 + WTERMSIG(e->ended) : WEXITSTATUS(e->ended);
}

void program_end_judge(struct program_end *e, enum status watched, enum program_exit how)
{
	int own;

	if (watched == STATUS_OK)
		error_clear();
	e->verdict = judge(e, watched);
	own = status_exit_code(e->verdict);
	e->exit_code = own;
	if (is_own_end(e) && (how == EXIT_PROGRAM || (how == EXIT_WORSE && own == 0)))
		e->exit_code = program_code(e);
}

bool program_end_lost(const struct program_end *e)
{
	return e->notes.entered && !e->notes.ended && !e->notes.failed;
}

/* --- text --- */

void program_end_findings(const struct program_end *e, FILE *out)
{
	json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(e->notes.report, "findings"), i, finding)
		finding_print(out, finding);
}

static void print_end(const struct program_end *e, const char *trace)
{
	char name[32];

	if (!is_own_end(e) || e->verdict == STATUS_INTERRUPTED)
		return;
	if (WIFSIGNALED(e->ended))
		fprintf(stderr, "flashtwin run: the program was killed by signal %d (%s)",
			WTERMSIG(e->ended), signal_name(WTERMSIG(e->ended), name, sizeof name));
	else if (program_end_lost(e))
		fprintf(stderr, "flashtwin run: the program ended with exit code %d, but not by"
			" exit()", program_code(e));
	else if (program_code(e) != e->exit_code)
		fprintf(stderr, "flashtwin run: the program ended with exit code %d",
			program_code(e));
	else
		return;
	if (program_end_lost(e) && trace && access(trace, F_OK) == 0)
		fprintf(stderr, ": %s ends at its last commit", trace);
	putc('\n', stderr);
}

void program_end_lines(const struct program_end *e, const char *trace)
{
	const char *fault = json_string_value(json_object_get(e->notes.fault, "message"));
	const char *refused = json_string_value(json_object_get(e->notes.refused, "message"));

	if (fault)
		fprintf(stderr, "flashtwin run: a launch faulted, and the program got the error:"
			" %s\n", fault);
	if (refused)
		fprintf(stderr, "flashtwin run: a launch was refused, and the program never asked"
			" for the error: %s\n", refused);
	print_end(e, trace);
	if (e->verdict != STATUS_OK)
		fprintf(stderr, "flashtwin run: %s\n",
			*error_text() ? error_text() : status_text(e->verdict));
}

/* --- JSON --- */

static json_t *describe_end(const struct program_end *e)
{
	char name[32];

	if (!is_own_end(e))
		return json_null();
	if (!WIFSIGNALED(e->ended))
		return json_pack("{s:i}", "exit", program_code(e));
	return json_pack("{s:i, s:s}", "signal", WTERMSIG(e->ended), "name",
			 signal_name(WTERMSIG(e->ended), name, sizeof name));
}

void program_end_json(const struct program_end *e, json_t *object)
{
	if (e->notes.report)
		json_object_update(object, e->notes.report);
	json_object_set_new(object, "program", describe_end(e));
	if (e->notes.fault)
		json_object_set(object, "launch_error", e->notes.fault);
	if (e->notes.refused)
		json_object_set(object, "launch_refused", e->notes.refused);
	json_object_set_new(object, "verdict", json_string(status_name(e->verdict)));
	json_object_set_new(object, "exit", json_integer(e->exit_code));
	if (e->verdict != STATUS_OK && e->verdict != STATUS_FINDING)
		run_put_error(object, e->verdict);
}
