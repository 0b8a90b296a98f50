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
	XXH3_state_t *hash;
};

/* has_nan_T() and quiet_nan_T() for each float type T, by its magnitude mask and its infinity.
 * Loads go through memcpy() because device memory and file contents need not be aligned for the
 * host. */
#define DEFINE_NAN(T, uint, magnitude, infinity, canonical) \
	static bool has_nan_##T(const unsigned char *bytes, size_t count) \
	{ \
		unsigned found = 0; \
		for (size_t i = 0; i < count; i++) { \
			uint bits; \
			memcpy(&bits, bytes + i * sizeof bits, sizeof bits); \
			found |= (bits & (magnitude)) > (infinity); \
		} \
		return found; \
	} \
	static void quiet_nan_##T(unsigned char *bytes, size_t count) \
	{ \
		for (size_t i = 0; i < count; i++) { \
			uint bits; \
			memcpy(&bits, bytes + i * sizeof bits, sizeof bits); \
			if ((bits & (magnitude)) > (infinity)) \
				bits = (canonical); \
			memcpy(bytes + i * sizeof bits, &bits, sizeof bits); \
		} \
	}

DEFINE_NAN(f16, uint16_t, 0x7fffu, 0x7c00u, 0x7e00u)
DEFINE_NAN(bf16, uint16_t, 0x7fffu, 0x7f80u, 0x7fc0u)
DEFINE_NAN(f32, uint32_t, 0x7fffffffu, 0x7f800000u, 0x7fc00000u)
DEFINE_NAN(f64, uint64_t, 0x7fffffffffffffffu, 0x7ff0000000000000u, 0x7ff8000000000000u)

static const struct {
	bool (*has_nan)(const unsigned char *bytes, size_t count);
	void (*quiet_nan)(unsigned char *bytes, size_t count);
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
	state->hash = xcheck(XXH3_createState());
	XXH3_64bits_reset(state->hash);
	return state;
}

static void add_float(struct digest_state *state, const unsigned char *bytes, size_t count)
{
	unsigned char copy[BLOCK];
	size_t elements = count / dtype_bytes(state->type);

	if (floats[state->type].has_nan(bytes, elements)) {
		memcpy(copy, bytes, count);
		floats[state->type].quiet_nan(copy, elements);
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
