/* lab_check.c - grades starter, solution and mutants of a lab; see lab_check.h. */
#include "config.h"

#include "tui/lab/lab_check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/kinds.h"
#include "tui/lab/mutants.h"

#define CHECK_SECRET "lab check"
#define MAX_FILE ((size_t)4 << 20)
#define MAX_MARGIN 0.1                  /* of the tolerance */
#define LEAD "  WRONG  "

struct checking {
	const struct lab *lab;
	const struct lab_kind *kind;
	const struct check_options *options;
	const char *secret;
	char *folder;                   /* for what is graded */
	struct check_totals *totals;
	int wrong;
};

/* How many cases of a part a submission lost, and by what. */
struct losses {
	int cases[2], by[2][BY_COUNT];
};

static void complain(struct checking *k, const char *what, const char *name)
{
	printf(LEAD "%s: %s\n", name, what);
	k->wrong++;
}

/* --- grading --- */

static enum status grade_text(struct checking *k, const char *text, struct lab_result *out)
{
	char *path = xasprintf("%s/%s", k->folder, k->lab->file);
	const struct grade_options options = {
		.file = path, .secret = k->secret, .sandbox = k->options->sandbox, .staff = true,
	};
	struct output output;
	enum status status = output_open(path, &output);

	*out = (struct lab_result){ 0 };
	if (status == STATUS_OK) {
		fputs(text, output.file);
		status = output_commit(&output);
	}
	if (status == STATUS_OK)
		status = k->kind->grade(k->lab, &options, out);
	free(path);
	return status;
}

static enum status grade_file(struct checking *k, const char *name, struct lab_result *out)
{
	char *path = xasprintf("%s/%s", k->lab->folder, name), *text = NULL;
	size_t bytes;
	enum status status = file_read(path, MAX_FILE, &text, &bytes);

	*out = (struct lab_result){ 0 };
	if (status == STATUS_OK)
		status = grade_text(k, text, out);
	free(text);
	free(path);
	return status;
}

/* --- judging what came out --- */

static bool lost(const struct case_result *c)
{
	return !c->passed || c->findings > 0 || c->limits_met < c->limits;
}

static struct losses count_losses(const struct lab_result *r)
{
	struct losses all = { 0 };

	for (int i = 0; i < r->case_count; i++) {
		const struct case_result *c = &r->cases[i];
		bool by[BY_COUNT] = { false };

		all.cases[c->part] += lost(c);
		for (size_t n = 0; n < json_array_size(c->failures); n++)
			by[failure_by(json_array_get(c->failures, n))] = true;
		for (int n = 0; n < BY_COUNT; n++)
			all.by[c->part][n] += by[n];
	}
	return all;
}

static void check_failures(struct checking *k, const struct lab_result *r, const char *name)
{
	for (int i = 0; i < r->case_count; i++) {
		const struct case_result *c = &r->cases[i];

		if (lost(c) && json_array_size(c->failures) == 0)
			complain(k, "a case is lost without a failure", name);
		for (size_t n = 0; n < json_array_size(c->failures); n++) {
			const json_t *failure = json_array_get(c->failures, n);

			if (!*failure_text(failure, "why") || !*failure_text(failure, "next"))
				complain(k, "a failure has no reason or no next step", name);
		}
	}
}

static void print_row(const char *name, const struct lab_result *r, const struct losses *all)
{
	printf("  %-26s %5.1f", name, r->points);
	for (int part = 0; part < 2; part++) {
		printf("  |");
		for (int i = 0; i < BY_COUNT; i++)
			if (all->by[part][i])
				printf(" %5d", all->by[part][i]);
			else
				printf("     .");
	}
	putchar('\n');
}

static void print_head(const struct lab *lab)
{
	printf("lab %d, %s: cases lost\n  %-26s %5s  | %-23s  | %s\n", lab->number, lab->title,
	       "", "", "public", "secret");
	printf("  %-26s %5s", "submission", "total");
	for (int part = 0; part < 2; part++)
		printf("  | %5s %5s %5s %5s", "outp.", "inv.", "check", "str.");
	putchar('\n');
}

/* --- the submissions --- */

static enum status check_starter(struct checking *k)
{
	struct lab_result r;
	enum status status = grade_file(k, k->lab->file, &r);

	if (status == STATUS_OK) {
		struct losses all = count_losses(&r);

		print_row("starter", &r, &all);
		if (!r.compiled)
			complain(k, "does not compile", "starter");
		if (lab_result_passed(&r) || r.points > r.max / 2)
			complain(k, "passes, or gets more than half of the points", "starter");
		check_failures(k, &r, "starter");
	}
	lab_result_free(&r);
	return status;
}

static enum status check_solution(struct checking *k, char **text)
{
	char *path = xasprintf("%s/staff/%s", k->lab->folder, k->kind->solution);
	struct lab_result r = { 0 };
	size_t bytes;
	double margin = 0;
	enum status status = file_read(path, MAX_FILE, text, &bytes);

	free(path);
	if (status == STATUS_OK)
		status = grade_text(k, *text, &r);
	if (status == STATUS_OK) {
		struct losses all = count_losses(&r);

		print_row("solution", &r, &all);
		if (!lab_result_passed(&r)) {
			complain(k, r.compiled ? "does not pass" : r.messages, "solution");
			for (int i = 0; i < r.case_count; i++)
				if (lost(&r.cases[i])) {
					printf("    %s %s\n", r.cases[i].title, r.cases[i].sizes);
					for (size_t n = 0; n < json_array_size(r.cases[i].failures);
					     n++)
						printf("      %s\n", failure_text(json_array_get(
							r.cases[i].failures, n), "what"));
				}
		}
		for (int i = 0; i < r.case_count; i++)
			margin = r.cases[i].margin > margin ? r.cases[i].margin : margin;
		if (k->kind->margin && margin > MAX_MARGIN)
			complain(k, "its errors are more than a tenth of the tolerance",
				 "solution");
		if (k->kind->margin)
			printf("  its largest error is 1/%.0f of the tolerance\n",
			       margin > 0 ? 1 / margin : INFINITY);
	}
	lab_result_free(&r);
	return status;
}

static void add_to_totals(struct check_totals *t, const struct losses *all)
{
	int parts = 0, last = 0;

	t->mutants++;
	t->killed += all->cases[PART_PUBLIC] > 0 && all->cases[PART_SECRET] > 0;
	for (int i = 0; i < BY_COUNT; i++)
		if (all->by[PART_PUBLIC][i] + all->by[PART_SECRET][i] > 0) {
			t->by[i]++;
			parts++;
			last = i;
		}
	t->by_alone[last] += parts == 1;
}

static void print_parts(const char *what, const int *counts)
{
	static const char *const names[BY_COUNT] = {
		"outputs", "invariants", "checker", "structure"
	};

	printf("%-14s", what);
	for (int i = 0; i < BY_COUNT; i++)
		printf("%s %s %d", i ? "," : "", names[i], counts[i]);
	putchar('\n');
}

void check_totals_print(const struct check_totals *t)
{
	printf("%-14s %d, of which a public and a secret case kill %d\n", "mutants", t->mutants,
	       t->killed);
	print_parts("noticed by", t->by);
	print_parts("by that alone", t->by_alone);
}

static enum status check_mutant(struct checking *k, const json_t *mutant, const char *solution)
{
	const char *name = json_string_value(json_object_get(mutant, "name"));
	struct lab_result r = { 0 };
	char *text;
	enum status status = mutant_text(k->lab, mutant, solution, &text);

	if (status == STATUS_OK)
		status = grade_text(k, text, &r);
	if (status == STATUS_OK) {
		struct losses all = count_losses(&r);

		print_row(name, &r, &all);
		add_to_totals(k->totals, &all);
		if (!r.compiled)
			complain(k, "does not compile", name);
		else if (all.cases[0] == 0 || all.cases[1] == 0)
			complain(k, all.cases[0] ? "no secret case kills it"
				 : "no public case kills it", name);
		check_failures(k, &r, name);
	}
	lab_result_free(&r);
	free(text);
	return status;
}

static enum status check_submissions(struct checking *k)
{
	json_t *mutants = NULL;
	char *solution = NULL;
	enum status status = check_starter(k);

	if (status == STATUS_OK)
		status = check_solution(k, &solution);
	if (status == STATUS_OK)
		status = mutants_read(k->lab, &mutants);
	for (size_t i = 0; i < json_array_size(mutants) && status == STATUS_OK; i++)
		status = check_mutant(k, json_array_get(mutants, i), solution);
	json_decref(mutants);
	free(solution);
	return status;
}

static enum status check_all(struct checking *k)
{
	char *handout = xasprintf("%s/README.md", k->lab->folder);
	char *staff = xasprintf("%s/staff", k->lab->folder);
	int failed = access(handout, R_OK), missing = access(staff, R_OK);

	free(handout);
	free(staff);
	if (missing)
		return fail(STATUS_USAGE, "%s/staff: %s (solutions are not installed: name "
			    "the labs of the source tree with --labs)", k->lab->folder,
			    strerror(errno));
	print_head(k->lab);
	if (failed)
		complain(k, "there is no README.md", "handout");
	if (json_array_size(k->lab->hints) == 0)
		complain(k, "there are none", "hints");
	if (k->kind->check)
		TRY(k->kind->check(k->lab, k->secret, LEAD, &k->wrong));
	return check_submissions(k);
}

enum status lab_check(const struct lab *lab, const struct check_options *options,
		      struct check_totals *totals)
{
	struct checking k = {
		.lab = lab, .options = options, .totals = totals,
		.secret = CHECK_SECRET,
	};
	struct error_record error;
	enum status status;

	TRY(lab_kind_find(lab, &k.kind));
	TRY(file_make_folder(NULL, "flashtwin-check", &k.folder));
	status = check_all(&k);
	error_save(&error);
	file_remove_tree(k.folder);
	free(k.folder);
	error_restore(&error);
	if (status != STATUS_OK)
		return status;
	return k.wrong ? command_differs() : STATUS_OK;
}
