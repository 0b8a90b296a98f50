/* class.h - grades a folder of submissions: one folder for each student, named by the student's id.
 *
 * A run may be ended at any time, and started again: it goes on with what has no result yet.
 * Several runs with different shares may write to one folder of results.
 */
#ifndef CLASS_H
#define CLASS_H

#include "tui/lab/grade/grade.h"

#define MAX_SHARES 10000

struct class_options {
	const char *submissions, *out;  /* folders */
	const char *secret_file;        /* or NULL */
	const char *traces;             /* a folder; NULL: nothing is recorded */
	enum sandbox_mode sandbox;
	int jobs;                       /* submissions that are graded at the same time */
	int share, shares;              /* this one, from 1, of so many; shares 0: everything */
	bool gpu;
};

/* Writes OUT/ID.json for each student, and without shares OUT/grades.csv at the end. DIFFERS if not
 * every submission passed, INTERNAL if any could not be graded, USAGE or IO before the first. */
enum status class_grade(const struct lab *, const struct class_options *);

#endif
