/* class_list.h - the submissions of a class, and the record of each in the folder of results. */
#ifndef CLASS_LIST_H
#define CLASS_LIST_H

#include <jansson.h>

#include "tui/lab/class.h"

struct class_student {
	char *id;
	char *file;                     /* what was submitted; NULL: nothing */
	const char *why;                /* nothing */
	char input[17];                 /* a hash of all that the result depends on */
};

struct class_list {
	struct class_student *students; /* by id */
	int count;
};

/* Lists the students of this share. USAGE for a folder without submissions, or a name that cannot
 * be an id. What students made, such as links and pipes, is never followed or opened. */
enum status class_list_read(const struct lab *, const struct class_options *,
			    struct class_list *out);
void class_list_free(struct class_list *);

/* --- records: OUT/ID.json --- */

/* How a submission ended, as "state" in its record. */
enum class_state {
	CLASS_PASSED, CLASS_FAILED, CLASS_NOT_COMPILED, CLASS_NO_FILE,
	CLASS_FAULT,                    /* of the grader: not a score, and graded again next time */
	CLASS_MISSING,                  /* there is no record, or one of another file */
	CLASS_STATES
};
extern const char *const class_state_names[CLASS_STATES];

/* The record, which the caller decrefs, or NULL with MISSING. */
enum class_state class_record_read(const char *out, const struct class_student *, json_t **record);
/* Complete or not at all. `result` NULL: for NO_FILE and FAULT. IO. */
enum status class_record_write(const char *out, const struct class_student *, enum class_state,
			       const struct lab_result *result, const char *message);
/* One row for each student. IO. */
enum status class_table_write(const char *out, const struct class_list *);

#endif
