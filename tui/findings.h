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

/* Prints what a device has found to stderr, puts it into run `run` of a store (NULL: none) and
 * appends it to a list (NULL: none). FINDING with their number, of lints only if `lint_fail`; else
 * the store's errors. */
enum status findings_report(struct device *, struct store *, int64_t run, json_t *list,
			    bool lint_fail);
/* Findings as a new array. */
json_t *findings_json(const struct row_finding *, size_t count);
/* Puts one, and all that is known of it, into run `run` of a store. */
enum status findings_store(struct store *, int64_t run, const struct row_finding *,
			   const json_t *known);
/* FINDING with a message that counts them, or OK when there is none that counts. */
enum status findings_status(int64_t bugs, int64_t lints, bool lint_fail);

#endif
