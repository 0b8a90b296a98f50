/* corpus.c - runs kernels of the checker's corpus on a device. Used by checker.sh.
 *
 *   corpus count                  prints the number of kernels, including clean twins
 *   corpus list                   prints one line per kernel: number, name, class, "bug" or "clean"
 *   corpus DEVICE FIRST LAST      runs the kernels with these numbers, one after another
 *
 * Prints "begin NUMBER" and "end NUMBER" around each run. On the simulator, kernels run under the
 * checker, and "found NUMBER CLASS" reports its findings. A kernel that faults destroys the GPU's
 * context and ends the program with exit code 3, one that hangs with SIGALRM; the caller continues
 * with the next kernel.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "tests/limits.h"
#include "traces/row.h"

enum { SECONDS = 12 };

static const struct corpus_case *case_of(int number)
{
	return &corpus_cases[number / 2];
}

static void list(void)
{
	for (int i = 0; i < 2 * corpus_count; i++)
		printf("%d %s%s %s %s\n", i, case_of(i)->name, i % 2 ? "_clean" : "",
		       case_of(i)->class, i % 2 ? "clean" : "bug");
}

static void say(const char *what, int number)
{
	printf("%s %d\n", what, number);
	fflush(stdout);
}

static void print_findings(struct device *device, int number)
{
	const struct row_finding *found;
	size_t count = device_findings(device, &found);

	for (size_t i = 0; i < count; i++)
		if (strcmp(found[i].class, "leak") != 0)
			printf("found %d %s at lines %d and %d, %llu times: %s\n", number,
			       found[i].class, found[i].sides[0].line, found[i].sides[1].line,
			       (unsigned long long)found[i].count, found[i].detail);
}

static enum status run_one(struct device *device, int number)
{
	enum status status;

	say("begin", number);
	alarm(limit_seconds(SECONDS));
	status = corpus_launch(device, case_of(number), number % 2, NULL);
	alarm(0);
	print_findings(device, number);
	say("end", number);
	return status;
}

/* Each kernel gets its own simulated device, to separate findings and survive faults. */
static enum status run_checked(int first, int last)
{
	const struct device_options options = { .check = true, .check_orders = 4 };
	struct device *device;

	for (int i = first; i <= last; i++) {
		TRY(device_open("sim", &options, &device));
		run_one(device, i);
		device_close(device);
	}
	return STATUS_OK;
}

static enum status run_on_gpu(int first, int last)
{
	const struct device_options options = { .untimed = true };
	struct device *device;

	TRY(device_open("cuda", &options, &device));
	for (int i = first; i <= last; i++)
		TRY(run_one(device, i));
	device_close(device);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	enum status status;
	int first, last;

	if (argc == 2 && strcmp(argv[1], "count") == 0) {
		printf("%d\n", 2 * corpus_count);
		return EXIT_SUCCESS;
	}
	if (argc == 2 && strcmp(argv[1], "list") == 0) {
		list();
		return EXIT_SUCCESS;
	}
	if (argc != 4) {
		fprintf(stderr, "usage: corpus count | list | sim|cuda FIRST LAST\n");
		return 2;
	}
	first = atoi(argv[2]);
	last = atoi(argv[3]) < 2 * corpus_count ? atoi(argv[3]) : 2 * corpus_count - 1;
	status = strcmp(argv[1], "sim") == 0 ? run_checked(first, last) : run_on_gpu(first, last);
	if (status == STATUS_OK)
		return EXIT_SUCCESS;
	fprintf(stderr, "corpus: %s\n", error_text());
	return 3;
}
