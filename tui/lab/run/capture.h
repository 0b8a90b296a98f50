/* capture.h - catches what this process and its children print while a kernel is compiled or
 * runs. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "base/status.h"

struct capture {
	int kept[2];                    /* copies of stdout and stderr */
	int text[2];                    /* files in memory that take their place */
};

/* INTERNAL if there are no descriptors. */
enum status capture_begin(struct capture *);
/* Restores both. The beginning of what was printed, without control characters; the caller frees
 * them. Does not touch the error record. */
void capture_end(struct capture *, char **out, char **err);

#endif
