/* recorder_attention.h - records what attention is computed with.
 *
 * Used by recorder.c.
 */
#ifndef RECORDER_ATTENTION_H
#define RECORDER_ATTENTION_H

#include "base/status.h"

struct attention_features;
struct device;

enum status recorder_attends(struct device *, const struct attention_features *);

#endif
