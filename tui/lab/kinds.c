/* kinds.c - the table of kinds; see kinds.h. */
#include "tui/lab/kinds.h"

#include <string.h>

#include "tui/lab/answers/questions.h"
#include "tui/lab/answers/vectors.h"
#include "tui/lab/grade/check_cases.h"

static const struct lab_kind kinds[] = {
	{ "kernel", grade_submission, check_cases, NULL, true, "solution.cu" },
	{ "questions", questions_grade, questions_check, questions_start, false, "solution.txt" },
	{ "vectors", vectors_grade, vectors_check, NULL, false, "solution.json" },
};

bool lab_has_student(const struct lab *lab)
{
	return strcmp(lab->kind, "questions") == 0;
}

enum status lab_kind_find(const struct lab *lab, const struct lab_kind **out)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].name, lab->kind) == 0) {
			*out = &kinds[i];
			return STATUS_OK;
		}
	*out = NULL;
	return fail(STATUS_INTERNAL, "lab %d: unknown kind %s", lab->number, lab->kind);
}
