/* test_isolate.c - the verdict of a run, whatever the process that ran the kernel did.
 *
 * Plays kernels that write to descriptors, end early, fork, hang or take memory, with and without
 * the sandbox. tests/tui/launch/test_sandbox.sh tests the same through `launch`, where most of them
 * do not get past the compiler.
 */
#include "config.h"

#include "tests/support.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "tests/limits.h"
#include "tui/launch/isolate.h"
#include "tui/launch/sandbox.h"

static const enum sandbox_mode modes[] = { SANDBOX_NO, SANDBOX_AUTO };

/* Runs fn, in a sandbox with that limit of time; memory 0: the usual limit. */
static enum status run_within(enum sandbox_mode mode, enum status (*fn)(void *), void *context,
			      int64_t timeout, uint64_t memory)
{
	const struct sandbox_options options = {
		.mode = mode, .command = "test", .timeout = timeout,
	};
	struct isolated job = { .fn = fn, .context = context };
	struct error_record error;
	enum status status;

	OK(sandbox_create(&options, &job.sandbox));
	if (memory)
		job.sandbox->memory = memory;
	status = isolate_run(&job);
	error_save(&error);
	sandbox_close(job.sandbox);
	error_restore(&error);
	ck_assert(!job.answer);
	return status;
}

static void expect(enum sandbox_mode mode, enum status (*fn)(void *), enum status wanted,
		   const char *text)
{
	enum status status = run_within(mode, fn, NULL, 0, 0);

	ck_assert_msg(status == wanted && strstr(error_text(), text), "status %s: %s",
		      status_name(status), error_text());
}

static void write_zeros(void)
{
	static const char zeros[4100];

	for (int fd = 3; fd < 20; fd++)
		if (write(fd, zeros, sizeof zeros) < 0)
			continue;
}

static enum status zeros_and_exit(void *context)
{
	(void)context;
	write_zeros();
	_exit(0);
}

static enum status zeros_and_success(void *context)
{
	(void)context;
	write_zeros();
	return STATUS_OK;
}

static enum status early_exit(void *context)
{
	(void)context;
	_exit(0);
}

/* Both processes return, so both report success. */
static enum status two_processes(void *context)
{
	pid_t child = fork();

	(void)context;
	if (child > 0)
		waitpid(child, NULL, 0);
	return child < 0 ? fail(STATUS_USAGE, "fork") : STATUS_OK;
}

static enum status crash(void *context)
{
	(void)context;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static enum status failure(void *context)
{
	(void)context;
	return fail(STATUS_COMPILE, "as it should be");
}

START_TEST(verdicts)
{
	enum sandbox_mode mode = modes[_i];

	expect(mode, zeros_and_exit, STATUS_INTERNAL, "without a complete report");
	expect(mode, zeros_and_success, STATUS_INTERNAL, "without a complete report");
	expect(mode, early_exit, STATUS_INTERNAL, "exit code 0 without a complete report");
	expect(mode, two_processes, STATUS_INTERNAL, "without a complete report");
	expect(mode, crash, STATUS_INTERNAL, "died of signal 6");
	expect(mode, failure, STATUS_COMPILE, "as it should be");
}
END_TEST

/* Runs a kernel with a race, or its clean twin, under the checker, and then claims success. */
static enum status deny_finding(void *context)
{
	const struct device_options options = { .check = true };
	const bool *clean = context;
	struct device *device;

	TRY(device_open("sim", &options, &device));
	for (int i = 0; i < corpus_count; i++)
		if (strcmp(corpus_cases[i].name, "race_no_barrier") == 0)
			TRY(corpus_launch(device, &corpus_cases[i], *clean, NULL));
	return STATUS_OK;
}

START_TEST(a_finding_cannot_be_taken_back)
{
	const struct sandbox_options options = { .mode = SANDBOX_AUTO, .command = "test" };

	for (int i = 0; i < 2; i++) {
		bool clean = i == 1;
		struct isolated job = {
			.fn = deny_finding, .context = &clean, .checker = true, .check = true,
		};

		OK(sandbox_create(&options, &job.sandbox));
		if (clean)
			OK(isolate_run(&job));
		else
			FAILS(isolate_run(&job), STATUS_INTERNAL, "the checker found something");
		sandbox_close(job.sandbox);
	}
}
END_TEST

static enum status answer(void *context)
{
	struct isolated *job = context;

	job->answer = json_pack("{s:i}", "x", 5);
	job->has_results = true;
	return STATUS_OK;
}

START_TEST(an_answer_comes_back)
{
	const struct sandbox_options options = { .mode = modes[_i], .command = "test" };
	struct isolated job = { .fn = answer, .context = &job };

	OK(sandbox_create(&options, &job.sandbox));
	OK(isolate_run(&job));
	ck_assert(job.has_results);
	ck_assert_int_eq(json_integer_value(json_object_get(job.answer, "x")), 5);
	json_decref(job.answer);
	sandbox_close(job.sandbox);
}
END_TEST

/* Leaves a process behind that ignores SIGTERM, in a group of its own. */
static enum status leave_process(void *context)
{
	volatile pid_t *left = context;

	if (fork() == 0) {
		signal(SIGTERM, SIG_IGN);
		setsid();
		*left = getpid();
		for (;;)
			pause();
	}
	while (*left == 0)
		usleep(1000);
	return STATUS_OK;
}

START_TEST(no_process_is_left)
{
	volatile pid_t *left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int tries = (int)limit_seconds(10) * 100;

	ck_assert_ptr_ne((void *)left, MAP_FAILED);
	OK(run_within(SANDBOX_NO, leave_process, (void *)left, 0, 0));
	/* It is our child now, and a zombie when it has ended. */
	while (waitpid(*left, NULL, WNOHANG) == 0 && tries-- > 0)
		usleep(10000);
	ck_assert_msg(kill(*left, 0) != 0, "process %d still runs", (int)*left);
	*left = 0;
	OK(run_within(SANDBOX_AUTO, leave_process, (void *)left, 0, 0));
	munmap((void *)left, sizeof *left);
}
END_TEST

/* For ever; the status is for the compiler. */
static enum status hang(void *context)
{
	(void)context;
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	while (!context)
		sleep(1);
	return STATUS_OK;
}

static enum status take_memory(void *context)
{
	enum { BYTES = 256 << 20 };
	char *bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; bytes != MAP_FAILED && i < BYTES; i += 4096)
		bytes[i] = 1;
	return hang(context);
}

START_TEST(limits_end_it)
{
	enum status status = run_within(modes[_i], hang, NULL, 1, 0);

	ck_assert_int_eq(status, STATUS_LIMIT);
	ck_assert_str_eq(error_text(), "not finished within --timeout 1 s");
	if (modes[_i] == SANDBOX_NO)
		return;
	status = run_within(modes[_i], take_memory, NULL, 0, 128 << 20);
	ck_assert_int_eq(status, STATUS_LIMIT);
	ck_assert(strstr(error_text(), "of memory"));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("isolate");

	signal(SIGPIPE, SIG_IGN);       /* as main.c does: bwrap may end before it is written to */
	tcase_add_loop_test(tests, verdicts, 0, 2);
	tcase_add_test(tests, a_finding_cannot_be_taken_back);
	tcase_add_loop_test(tests, an_answer_comes_back, 0, 2);
	tcase_add_test(tests, no_process_is_left);
	tcase_add_loop_test(tests, limits_end_it, 0, 2);
	return run_suite("isolate", tests);
}
