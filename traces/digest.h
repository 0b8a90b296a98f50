/* digest.h - digests of buffer contents, equal where flashtwin considers the contents equal.
 *
 * XXH3, 64 bits. In float types every NaN counts as the same canonical pattern, so that the GPU's
 * 0x7fffffff and the processor's 0xffc00000 agree.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* `count` is in bytes; a tail shorter than an element counts as plain bytes. */
uint64_t digest_bytes(enum dtype type, const void *bytes, size_t count);

/* Copies `count` bytes as they are in the digest, with canonical NaNs. */
void digest_copy(enum dtype type, const void *bytes, size_t count, void *to);

/* Digest of several ranges of one buffer in order, without copying them together. */
struct digest_state;
struct digest_state *digest_begin(enum dtype type);
void digest_add(struct digest_state *, const void *bytes, size_t count); /* bytes, whole elements */
uint64_t digest_end(struct digest_state *);     /* frees */

#endif
