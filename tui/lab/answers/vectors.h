/* vectors.h - labs of the kind "vectors": test vectors, judged by the bugs that they find. */
#ifndef VECTORS_H
#define VECTORS_H

#include "tui/lab/grade/grade.h"

/* As struct lab_kind (tui/lab/kinds.h) describes them. */
enum status vectors_grade(const struct lab *, const struct grade_options *, struct lab_result *);
enum status vectors_check(const struct lab *, const char *secret, const char *lead, int *wrong);

#endif
