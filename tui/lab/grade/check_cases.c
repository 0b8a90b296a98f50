/* check_cases.c - see check_cases.h. */
#include "tui/lab/grade/check_cases.h"

#include <stdio.h>

#include "tui/lab/case/lab_random.h"
#include "tui/lab/grade/grade.h"
#include "tui/lab/judge/judge.h"

static void check_texts(const char *lead, const char *name, const char *reason, const char *next,
			int *wrong)
{
	if (*reason && *next)
		return;
	printf("%s%s: no %s\n", lead, name, *reason ? "next" : "reason");
	++*wrong;
}

static enum status check_zeros(const struct lab *lab, const struct lab_family *family,
			       enum lab_part part, int index, uint64_t seed, const char *lead,
			       int *wrong)
{
	struct lab_case c;
	struct verdict verdict = { 0 };
	enum status status = lab_case_make(lab, family, part, index,
		seed_of_case(lab_part_names[part], family->name, index, seed), &c);

	if (status == STATUS_OK)
		status = judge_case(&c, &verdict);      /* outputs begin as zeros */
	if (status == STATUS_OK && json_array_size(verdict.failures) == 0) {
		printf("%s%s %s %d: an output of zeros passes\n", lead, lab_part_names[part],
		       family->name, index + 1);
		++*wrong;
	}
	json_decref(verdict.failures);
	lab_case_free(&c);
	return status;
}

void check_families(const struct lab *lab, const char *lead, int *wrong)
{
	for (int i = 0; i < lab->family_count; i++)
		check_texts(lead, lab->families[i].name, lab->families[i].reason,
			    lab->families[i].next, wrong);
}

enum status check_cases(const struct lab *lab, const char *secret, const char *lead, int *wrong)
{
	for (int i = 0; i < lab->invariant_count; i++)
		check_texts(lead, lab->invariants[i].name, lab->invariants[i].reason,
			    lab->invariants[i].next, wrong);
	for (int i = 0; i < lab->limit_count; i++)
		check_texts(lead, lab->limits[i].name, lab->limits[i].reason,
			    lab->limits[i].next, wrong);
	check_families(lab, lead, wrong);
	for (int i = 0; i < lab->family_count; i++) {
		const struct lab_family *f = &lab->families[i];
		uint64_t seed = grade_seed(lab, PART_PUBLIC, NULL, NULL);

		for (int k = 0; k < (int)json_array_size(f->public_cases); k++)
			TRY(check_zeros(lab, f, PART_PUBLIC, k, seed, lead, wrong));
		seed = grade_seed(lab, PART_SECRET, NULL, secret);
		for (int k = 0; k < f->secret_cases; k++)
			TRY(check_zeros(lab, f, PART_SECRET, k, seed, lead, wrong));
	}
	return STATUS_OK;
}
