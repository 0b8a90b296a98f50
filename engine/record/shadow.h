/* shadow.h - what the trace knows of each live buffer.
 *
 * Which bytes changed since they were last stored or digested, and which upload they came from.
 * Serves the recorder.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/record/ranges.h"

struct buffer;
struct recorder;

/* What the recorder knows of a live buffer. */
struct shadow {
	struct buffer *buffer;
	uint32_t id;                    /* in the trace: 1, 2, ... in order of allocation */
	bool written;                   /* since its last digest after a step */
	struct ranges unsaved;          /* written while nothing was recorded */
	/* The upload that wrote it last; -1: something else did, or the trace does not have it. */
	int64_t upload_op;
	uint64_t upload_offset, upload_bytes;
	/* A pointer table: {buffer id, offset} of each 8 bytes. Addresses differ between devices,
	 * so this stands for the bytes. NULL: plain bytes. */
	uint64_t (*pointers)[2];
};

/* NULL when it was not allocated through the recorder. */
struct shadow *shadow_find(struct recorder *, const struct buffer *);
struct shadow *shadow_add(struct recorder *, struct buffer *, uint32_t id);
void shadow_remove(struct recorder *, struct shadow *);
uint32_t shadow_id(struct recorder *, const struct buffer *);           /* 0 for NULL */
/* Something wrote [offset, offset + bytes). */
void shadow_written(struct recorder *, struct shadow *, uint64_t offset, uint64_t bytes);
void shadows_free(struct recorder *);

#endif
