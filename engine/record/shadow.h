/* shadow.h - the recorder's data on each live buffer.
 *
 * Keeps which bytes changed since they were last stored or digested, and which upload they came
 * from. Used by the recorder.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/record/ranges.h"

struct buffer;
struct digest_parts;
struct recorder;

/* The recorder's data on a live buffer. */
struct shadow {
	struct buffer *buffer;
	uint32_t id;                    /* in the trace: 1, 2, ... in order of allocation */
	bool written;                   /* since its last digest after a step */
	struct digest_parts *parts;     /* of that digest; NULL: it reads all bytes */
	struct ranges unsaved;          /* written while nothing was recorded */
	/* The upload that wrote it last; -1: something else did, or the trace does not have it. */
	int64_t upload_op;
	uint64_t upload_offset, upload_bytes;
	/* A pointer table: {buffer id, offset} for each 8 bytes. Used instead of the bytes, because
	 * addresses differ between devices. NULL: plain bytes. */
	uint64_t (*pointers)[2];
};

/* NULL if it was not allocated through the recorder. */
struct shadow *shadow_find(struct recorder *, const struct buffer *);
struct shadow *shadow_add(struct recorder *, struct buffer *, uint32_t id);
void shadow_remove(struct recorder *, struct shadow *);
uint32_t shadow_id(struct recorder *, const struct buffer *);           /* 0 for NULL */
/* Call it after [offset, offset + bytes) was written. */
void shadow_written(struct recorder *, struct shadow *, uint64_t offset, uint64_t bytes);
void shadows_free(struct recorder *);

#endif
