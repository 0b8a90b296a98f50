/* findings.h - findings of the checker as JSON and as text, from a device or from a trace. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "engine/device.h"
#include "traces/store/store.h"

/* One finding as text of several lines. */
void finding_print(FILE *, const json_t *finding);

/* Warns on stderr, once in a process, if limits on memory make the checker miss more. */
void findings_warn_spacing(struct device *);
/* Prints the findings of a device (out NULL: does not), writes them to run `run` of a store (NULL:
 * none) and appends them to a list (NULL: none). Returns errors of the store, else
 * findings_status(). */
enum status findings_report(struct device *, FILE *out, struct store *, int64_t run, json_t *list,
			    bool lint_fail);
/* Findings as a new array. */
json_t *findings_json(const struct row_finding *, size_t count);
/* Writes one finding to run `run` of a store, with its JSON object as the message. */
enum status findings_store(struct store *, int64_t run, const struct row_finding *,
			   const json_t *object);
/* FINDING, with the number of bugs or lints as its message; OK if there are none. Lints count only
 * if `lint_fail`. */
enum status findings_status(int64_t bugs, int64_t lints, bool lint_fail);

#endif
