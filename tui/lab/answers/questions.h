/* questions.h - labs of the kind "questions": a student's answers about a trace of their own. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "tui/lab/grade/grade.h"

/* As struct lab_kind (tui/lab/kinds.h) describes them. */
enum status questions_grade(const struct lab *, const struct grade_options *, struct lab_result *);
enum status questions_check(const struct lab *, const char *secret, const char *lead, int *wrong);
enum status questions_start(const struct lab *, const char *student, const char *folder);

#endif
