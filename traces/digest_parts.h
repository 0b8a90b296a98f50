/* digest_parts.h - digests of a large buffer that changes little between them.
 *
 * They equal those of digest_bytes(), but read only what has changed since the last one. Used by
 * the recorder for caches, of which a step writes one row per head.
 */
#ifndef DIGEST_PARTS_H
#define DIGEST_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* Bytes. Smaller buffers have no such digests: reading all of them takes no longer. */
#define DIGEST_PARTS_MIN 16384

/* Takes a sixteenth of the buffer's size. */
struct digest_parts *digest_parts_new(enum dtype type, size_t count);
void digest_parts_free(struct digest_parts *);          /* NULL is allowed */
/* Call it after bytes of the buffer have changed; before the first digest it need not be called. */
void digest_parts_change(struct digest_parts *, uint64_t offset, uint64_t count);
/* The digest of the whole buffer, which is at `bytes`. */
uint64_t digest_parts_digest(struct digest_parts *, const void *bytes);

#endif
