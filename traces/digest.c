/* digest.c - XXH3 over canonical bytes: every NaN of a float type becomes the one quiet NaN.
 *
 * Works block by block. A block without a NaN, as nearly all are, is hashed in place; only one with
 * a NaN is copied. The digest of a whole equals that of its ranges in order, since the hash is a
 * stream.
 */
#include "config.h"

#include "traces/digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Replaces XXH3's functions by ones for the longest vectors that the processor has. */
#if defined(__x86_64__) && HAVE_XXH_X86DISPATCH_H && HAVE_XXH3_64BITS_UPDATE_DISPATCH
#define DISPATCHED
#include <immintrin.h>
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include "base/xalloc.h"

/* Bytes; a multiple of every element size. A block and its copy stay in the nearest cache. */
#define BLOCK 8192

struct digest_state {
	const struct nan_functions *floats;
	struct last_block {
		bool nan;               /* it had a NaN */
		uint64_t filled;        /* its copy has nothing but this pattern; 0: others */
	} last;
	XXH3_state_t *hash;
	unsigned char copy[BLOCK];
};

/* The longest vector below: copies are padded to it. */
#define PADDING 32

/* has_nan_SET_T() and quiet_nan_SET_T(), which copies, for each float type T, by its magnitude mask
 * and its infinity, in vectors: every recorded step passes all of its caches through them. `count`
 * is in bytes, a multiple of PADDING. Loads go through memcpy() because device memory and file
 * contents need not be aligned for the host. */
#define DEFINE_NAN(set, features, size, T, integer, magnitude, infinity, canonical) \
	typedef integer vector_##set##_##T __attribute__((vector_size(size))); \
	features static bool has_nan_##set##_##T(const unsigned char *bytes, size_t count) \
	{ \
		vector_##set##_##T bits, found = { 0 }; \
		uint64_t any[(size) / sizeof(uint64_t)], all = 0; \
		_Pragma("GCC unroll 4") \
		for (size_t at = 0; at < count; at += size) { \
			memcpy(&bits, bytes + at, size); \
			found |= (bits & (integer)(magnitude)) > (integer)(infinity); \
		} \
		memcpy(any, &found, sizeof any); \
		for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) \
			all |= any[i]; \
		return all; \
	} \
	features static bool quiet_nan_##set##_##T(const unsigned char *bytes, size_t count, \
						   unsigned char *to) \
	{ \
		vector_##set##_##T bits, nan, found = { 0 }; \
		uint64_t any[(size) / sizeof(uint64_t)], all = 0; \
		_Pragma("GCC unroll 4") \
		for (size_t at = 0; at < count; at += size) { \
			memcpy(&bits, bytes + at, size); \
			nan = (bits & (integer)(magnitude)) > (integer)(infinity); \
			found |= nan; \
			bits = (bits & ~nan) | (nan & (integer)(canonical)); \
			memcpy(to + at, &bits, size); \
		} \
		memcpy(any, &found, sizeof any); \
		for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) \
			all |= any[i]; \
		return all; \
	}

struct nan_functions {
	bool (*has_nan)(const unsigned char *bytes, size_t count);
	bool (*quiet_nan)(const unsigned char *bytes, size_t count, unsigned char *to);
};

#define DEFINE_SET(set, features, size) \
	DEFINE_NAN(set, features, size, f16, int16_t, 0x7fff, 0x7c00, 0x7e00) \
	DEFINE_NAN(set, features, size, bf16, int16_t, 0x7fff, 0x7f80, 0x7fc0) \
	DEFINE_NAN(set, features, size, e4m3, int8_t, 0x7f, 0x7e, 0x7f) \
	DEFINE_NAN(set, features, size, f32, int32_t, 0x7fffffff, 0x7f800000, 0x7fc00000) \
	DEFINE_NAN(set, features, size, f64, int64_t, 0x7fffffffffffffff, 0x7ff0000000000000, \
		   0x7ff8000000000000) \
	static const struct nan_functions floats_##set[DTYPE_COUNT] = { \
		[DTYPE_F16] = { has_nan_##set##_f16, quiet_nan_##set##_f16 }, \
		[DTYPE_BF16] = { has_nan_##set##_bf16, quiet_nan_##set##_bf16 }, \
		[DTYPE_E4M3] = { has_nan_##set##_e4m3, quiet_nan_##set##_e4m3 }, \
		[DTYPE_F32] = { has_nan_##set##_f32, quiet_nan_##set##_f32 }, \
		[DTYPE_F64] = { has_nan_##set##_f64, quiet_nan_##set##_f64 }, \
	};

DEFINE_SET(baseline, , 16)
#ifdef __x86_64__
DEFINE_SET(avx2, __attribute__((target("avx2"))), 32)
#endif

static const struct nan_functions *floats(enum dtype type)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return &floats_avx2[type];
#endif
	return &floats_baseline[type];
}

/* Those functions leave the upper halves of the vector registers in use, which slows down all
 * arithmetic on the lower halves from then on. */
#ifdef DISPATCHED
__attribute__((target("avx2"))) static void zero_upper(void)
{
	_mm256_zeroupper();
}
#endif

static void end_vectors(void)
{
#ifdef DISPATCHED
	if (__builtin_cpu_supports("avx2"))
		zero_upper();
#endif
}

struct digest_state *digest_begin(enum dtype type)
{
	struct digest_state *state = xmalloc(sizeof *state);

	state->floats = floats(type);
	state->last = (struct last_block){ 0 };
	state->hash = xcheck(XXH3_createState());
	XXH3_64bits_reset(state->hash);
	return state;
}

/* The pattern that the whole block repeats; 0: none. */
static uint64_t pattern_of(const unsigned char *bytes, size_t count)
{
	uint64_t first;

	if (count != BLOCK || memcmp(bytes, bytes + sizeof first, count - sizeof first) != 0)
		return 0;
	memcpy(&first, bytes, sizeof first);
	return first;
}

/* The bytes of a block to be hashed: in place or in `copy`, a block. *last is of the block before,
 * whose copy may still be there, then of this one. The last vector of a copy may be partly zeros.
 * Memory that was never written is one NaN after the other: a block after one with a NaN is copied
 * without a look, but for one that only repeats it, of which there already is a copy. */
static const unsigned char *canonical(const struct nan_functions *floats, struct last_block *last,
				      const unsigned char *bytes, size_t count,
				      unsigned char *copy)
{
	size_t padded = (count + PADDING - 1) / PADDING * PADDING;
	uint64_t pattern = last->nan ? pattern_of(bytes, count) : 0;

	if (pattern && pattern == last->filled)
		return copy;
	if (padded != count) {
		memset(copy + padded - PADDING, 0, PADDING);
		bytes = memcpy(copy, bytes, count);
	}
	last->filled = 0;
	if (!last->nan && !floats->has_nan(bytes, padded))
		return bytes;
	last->nan = floats->quiet_nan(bytes, padded, copy);
	last->filled = last->nan ? pattern : 0;
	return copy;
}

static void add_float(struct digest_state *state, const unsigned char *bytes, size_t count)
{
	XXH3_64bits_update(state->hash, canonical(state->floats, &state->last, bytes, count,
						  state->copy), count);
}

static void add(struct digest_state *state, const unsigned char *bytes, size_t count)
{
	if (!state->floats->has_nan) {
		XXH3_64bits_update(state->hash, bytes, count);
		return;
	}
	for (size_t at = 0; at < count; at += BLOCK)
		add_float(state, bytes + at, count - at < BLOCK ? count - at : BLOCK);
}

void digest_add(struct digest_state *state, const void *bytes, size_t count)
{
	add(state, bytes, count);
	end_vectors();
}

uint64_t digest_end(struct digest_state *state)
{
	uint64_t digest = XXH3_64bits_digest(state->hash);

	XXH3_freeState(state->hash);
	free(state);
	return digest;
}

/* Of at most a block, as most launches write: a stream takes longer. */
static uint64_t digest_block(enum dtype type, const unsigned char *bytes, size_t count)
{
	const struct nan_functions *set = floats(type);
	unsigned char copy[BLOCK];
	struct last_block last = { 0 };
	uint64_t digest;

	digest = XXH3_64bits(set->has_nan ? canonical(set, &last, bytes, count, copy) : bytes,
			     count);
	end_vectors();
	return digest;
}

uint64_t digest_bytes(enum dtype type, const void *bytes, size_t count)
{
	struct digest_state *state;

	if (count <= BLOCK)
		return digest_block(type, bytes, count);
	state = digest_begin(type);
	digest_add(state, bytes, count);
	return digest_end(state);
}

void digest_copy(enum dtype type, const void *bytes, size_t count, void *to)
{
	const struct nan_functions *set = floats(type);
	size_t rest = count % PADDING, whole = count - rest;
	unsigned char last[PADDING] = { 0 };

	if (!set->quiet_nan) {
		memcpy(to, bytes, count);
		return;
	}
	memcpy(last, (const unsigned char *)bytes + whole, rest);
	set->quiet_nan(bytes, whole, to);
	set->quiet_nan(last, sizeof last, last);
	end_vectors();
	memcpy((unsigned char *)to + whole, last, rest);
}
