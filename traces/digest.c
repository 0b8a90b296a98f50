/* digest.c - XXH3 over canonical bytes: every NaN of a float type becomes the one quiet NaN.
 *
 * Works block by block. A block without a NaN, as nearly all are, is hashed in place; only one with
 * a NaN is copied. The digest of a whole equals that of its ranges in order, since the hash is a
 * stream.
 */
#include "traces/digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/xalloc.h"

#define BLOCK 4096      /* bytes; a multiple of every element size */

struct digest_state {
	enum dtype type;
	bool nan;                       /* there was one in the last block */
	XXH3_state_t *hash;
};

/* has_nan_T() and quiet_nan_T(), which copies, for each float type T, by its magnitude mask and its
 * infinity, in vectors of 16 bytes: every recorded step passes all of its caches through them.
 * `count` is in bytes, a multiple of a vector. Loads go through memcpy() because device memory and
 * file contents need not be aligned for the host. */
#define VECTOR 16

#define DEFINE_NAN(T, integer, magnitude, infinity, canonical) \
	typedef integer vector_##T __attribute__((vector_size(VECTOR))); \
	static bool has_nan_##T(const unsigned char *bytes, size_t count) \
	{ \
		vector_##T bits, found = { 0 }; \
		uint64_t any[VECTOR / sizeof(uint64_t)]; \
		for (size_t at = 0; at < count; at += VECTOR) { \
			memcpy(&bits, bytes + at, VECTOR); \
			found |= (bits & (integer)(magnitude)) > (integer)(infinity); \
		} \
		memcpy(any, &found, sizeof any); \
		return any[0] | any[1]; \
	} \
	static bool quiet_nan_##T(const unsigned char *bytes, size_t count, unsigned char *to) \
	{ \
		vector_##T bits, nan, found = { 0 }; \
		uint64_t any[VECTOR / sizeof(uint64_t)]; \
		for (size_t at = 0; at < count; at += VECTOR) { \
			memcpy(&bits, bytes + at, VECTOR); \
			nan = (bits & (integer)(magnitude)) > (integer)(infinity); \
			found |= nan; \
			bits = (bits & ~nan) | (nan & (integer)(canonical)); \
			memcpy(to + at, &bits, VECTOR); \
		} \
		memcpy(any, &found, sizeof any); \
		return any[0] | any[1]; \
	}

DEFINE_NAN(f16, int16_t, 0x7fff, 0x7c00, 0x7e00)
DEFINE_NAN(bf16, int16_t, 0x7fff, 0x7f80, 0x7fc0)
DEFINE_NAN(f32, int32_t, 0x7fffffff, 0x7f800000, 0x7fc00000)
DEFINE_NAN(f64, int64_t, 0x7fffffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000)

static const struct {
	bool (*has_nan)(const unsigned char *bytes, size_t count);
	bool (*quiet_nan)(const unsigned char *bytes, size_t count, unsigned char *to);
} floats[DTYPE_COUNT] = {
	[DTYPE_F16] = { has_nan_f16, quiet_nan_f16 },
	[DTYPE_BF16] = { has_nan_bf16, quiet_nan_bf16 },
	[DTYPE_F32] = { has_nan_f32, quiet_nan_f32 },
	[DTYPE_F64] = { has_nan_f64, quiet_nan_f64 },
};

struct digest_state *digest_begin(enum dtype type)
{
	struct digest_state *state = xmalloc(sizeof *state);

	state->type = type;
	state->nan = false;
	state->hash = xcheck(XXH3_createState());
	XXH3_64bits_reset(state->hash);
	return state;
}

/* The last vector of a copy may be partly zeros. Memory that was never written is one NaN after the
 * other: a block after one with a NaN is copied without a look. */
static void add_float(struct digest_state *state, const unsigned char *bytes, size_t count)
{
	unsigned char copy[BLOCK];
	size_t whole = count / VECTOR * VECTOR, padded = (count + VECTOR - 1) / VECTOR * VECTOR;

	if (padded != count) {
		memset(copy + whole, 0, VECTOR);
		bytes = memcpy(copy, bytes, count);
	}
	if (state->nan || floats[state->type].has_nan(bytes, padded)) {
		state->nan = floats[state->type].quiet_nan(bytes, padded, copy);
		bytes = copy;
	}
	XXH3_64bits_update(state->hash, bytes, count);
}

void digest_add(struct digest_state *state, const void *bytes, size_t count)
{
	const unsigned char *from = bytes;

	if (!floats[state->type].has_nan) {
		XXH3_64bits_update(state->hash, bytes, count);
		return;
	}
	for (size_t at = 0; at < count; at += BLOCK)
		add_float(state, from + at, count - at < BLOCK ? count - at : BLOCK);
}

uint64_t digest_end(struct digest_state *state)
{
	uint64_t digest = XXH3_64bits_digest(state->hash);

	XXH3_freeState(state->hash);
	free(state);
	return digest;
}

uint64_t digest_bytes(enum dtype type, const void *bytes, size_t count)
{
	struct digest_state *state;

	if (!floats[type].has_nan)
		return XXH3_64bits(bytes, count);
	state = digest_begin(type);
	digest_add(state, bytes, count);
	return digest_end(state);
}
