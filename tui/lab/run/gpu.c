/* gpu.c - compares a case on a GPU with the simulator; see gpu.h. */
#include "tui/lab/run/gpu.h"

#include <stdlib.h>

#include "tui/lab/case/failure.h"
#include "tui/lab/run/lab_run.h"
#include "tui/launch/isolate.h"
#include "tui/launch/sandbox.h"

static enum status open_gpu(void *context)
{
	const struct device_options options = { .jobs = 1 };
	struct device *device;

	(void)context;
	TRY(device_open("cuda", &options, &device));
	device_close(device);
	return STATUS_OK;
}

/* In a process of its own: a driver that was loaded here would not work in later ones. */
enum status gpu_check(void)
{
	const struct sandbox_options options = { .mode = SANDBOX_NO, .command = "lab" };
	struct isolated job = { .fn = open_gpu, .gpu = true };
	struct error_record error;
	enum status status;

	TRY(sandbox_create(&options, &job.sandbox));
	status = isolate_run(&job);
	error_save(&error);
	sandbox_close(job.sandbox);
	json_decref(job.answer);
	error_restore(&error);
	return status;
}

static void add(json_t *failures, const char *kind, const char *what)
{
	json_array_append_new(failures, failure_new(BY_INVARIANT, kind,
		"the simulator computes what a GPU does, bit for bit; a kernel whose result "
		"depends on the order of its threads, or on memory that it did not write, may "
		"differ",
		"run it with flashtwin launch --check --all-orders, and with --device both",
		"%s", what));
}

enum status gpu_compare(struct submission *submission, const struct lab_case *c, json_t *failures)
{
	const int64_t none = 0;
	struct lab_case copy;
	struct outcome outcome = { 0 };
	enum status status = lab_case_permute(c, NULL, &none, &copy);

	if (status == STATUS_OK)
		status = submission_run_both(submission, &copy, &outcome);
	if (status == STATUS_OK && outcome.status == STATUS_DIFFERS)
		add(failures, "differs on the GPU", outcome.message);
	else if (status == STATUS_OK && outcome.status != STATUS_OK)
		add(failures, "fails on the GPU", outcome.message);
	outcome_free(&outcome);
	lab_case_free(&copy);
	return status;
}
