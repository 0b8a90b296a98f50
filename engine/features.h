/* features.h - what attention is computed with, for recorders to record.
 *
 * Used by the attention paths. It changes nothing that a device does.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include "engine/device.h"

/* 0: attention has no such feature. */
struct attention_features {
	const char *path;               /* "ladder" */
	int rung;                       /* of the path ladder; 0: another path */
	enum dtype kv_dtype;            /* of keys and values */
	int queries;                    /* of a sequence in a step, 1 or more */
	int window, sinks;              /* in keys */
	float softcap;
	int page;                       /* in keys */
	bool lse;
};

/* To be called before the buffers of the attention are allocated. Does nothing on a device that is
 * not a recorder; else errors of a recorder. */
enum status device_attends(struct device *, const struct attention_features *);

#endif
