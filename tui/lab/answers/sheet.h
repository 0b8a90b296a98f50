/* sheet.h - a student's answer sheet: for each question an answer and a query. */
#ifndef SHEET_H
#define SHEET_H

#include "tui/lab/case/lab.h"

struct sheet {
	char *text;                     /* owns the texts below */
	const char *student;            /* "" if the sheet names none */
	const char **answers, **queries;        /* [lab->family_count]; "" if not given */
};

/* One section "[QUESTION]" for each family, with "answer = " and "query = "; a value goes on in
 * lines that begin with a space or a tab; "#" begins a comment line. COMPILE, with file and line,
 * if the file is not like this; IO or USAGE if it cannot be read. Call sheet_free() after a failure
 * too. */
enum status sheet_read(const struct lab *, const char *file, struct sheet *out);
void sheet_free(struct sheet *);

/* Sets the student of a sheet that `lab start` has copied. */
enum status sheet_sign(const char *file, const char *student);

#endif
