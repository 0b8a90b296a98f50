/* digest_parts.c - XXH3 of a buffer from sums over its parts; see digest_parts.h.
 *
 * XXH3 of a long input has eight lanes. To these it adds what a block of 1024 bytes contributes,
 * which depends on nothing but the block, and scrambles them after each block. So the
 * contributions are kept, and a digest adds and scrambles them all again. The last part is what
 * follows the whole blocks, at least one byte, and the last 64 bytes once more.
 */
#include "traces/digest_parts.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/digest.h"

#define BLOCK 1024
#define STRIPE 64
#define LANES 8

struct digest_parts {
	enum dtype type;
	size_t count;                   /* bytes */
	size_t blocks;                  /* before the last part */
	bool *changed;                  /* [blocks + 1] since its contribution was found */
	uint64_t (*sums)[LANES];        /* [blocks + 1] */
};

/* --- XXH3 --- */

/* The constants of XXH3: its secret, its primes, and where in the secret each step begins. */
static const unsigned char secret[] = {
	0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c,
	0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
	0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
	0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
	0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
	0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
	0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
	0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
	0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
	0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
	0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83,
	0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
	0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
	0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
	0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
	0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

#define PRIME_1 0x9e3779b185ebca87
#define PRIME_2 0xc2b2ae3d27d4eb4f
#define PRIME_3 0x165667b19e3779f9
#define PRIME_4 0x85ebca77c2b2ae63
#define PRIME_5 0x27d4eb2f165667c5
#define PRIME_32_1 0x9e3779b1
#define PRIME_32_2 0x85ebca77
#define PRIME_32_3 0xc2b2ae3d

enum { SECRET_SCRAMBLE = 128, SECRET_LAST = 121, SECRET_MERGE = 11 };

static const uint64_t first_lanes[LANES] = {
	PRIME_32_3, PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_32_2, PRIME_5, PRIME_32_1,
};

static uint64_t read_word(const unsigned char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof word);
	return le64toh(word);
}

static inline void add_stripe(uint64_t *lanes, const unsigned char *bytes,
			      const unsigned char *key)
{
	_Pragma("GCC unroll 8")
	for (int i = 0; i < LANES; i++) {
		uint64_t word = read_word(bytes + 8 * i), mixed = word ^ read_word(key + 8 * i);

		lanes[i ^ 1] += word;
		lanes[i] += (mixed & 0xffffffff) * (mixed >> 32);
	}
}

static void add_stripes(uint64_t *lanes, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_stripe(lanes, bytes + i * STRIPE, secret + 8 * i);
}

static inline void add_sum(uint64_t *lanes, const uint64_t *sum)
{
	_Pragma("GCC unroll 8")
	for (int i = 0; i < LANES; i++)
		lanes[i] += sum[i];
}

static inline void scramble(uint64_t *lanes)
{
	_Pragma("GCC unroll 8")
	for (int i = 0; i < LANES; i++) {
		lanes[i] ^= lanes[i] >> 47 ^ read_word(secret + SECRET_SCRAMBLE + 8 * i);
		lanes[i] *= PRIME_32_1;
	}
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t merge(const uint64_t *lanes, uint64_t count)
{
	const unsigned char *key = secret + SECRET_MERGE;
	uint64_t hash = count * PRIME_1;

	for (int i = 0; i < LANES; i += 2)
		hash += fold(lanes[i] ^ read_word(key + 8 * i),
			     lanes[i + 1] ^ read_word(key + 8 * (i + 1)));
	hash ^= hash >> 37;
	hash *= 0x165667919e3779f9;
	return hash ^ hash >> 32;
}

/* --- parts --- */

struct digest_parts *digest_parts_new(enum dtype type, size_t count)
{
	struct digest_parts *p = xmalloc(sizeof *p);

	*p = (struct digest_parts){ .type = type, .count = count, .blocks = (count - 1) / BLOCK };
	p->sums = xcalloc(p->blocks + 1, sizeof *p->sums);
	p->changed = xmalloc(p->blocks + 1);
	memset(p->changed, true, p->blocks + 1);
	return p;
}

void digest_parts_free(struct digest_parts *p)
{
	if (!p)
		return;
	free(p->sums);
	free(p->changed);
	free(p);
}

/* Where the last part begins. */
static size_t last_begin(const struct digest_parts *p)
{
	return p->blocks * BLOCK - STRIPE;
}

void digest_parts_change(struct digest_parts *p, uint64_t offset, uint64_t count)
{
	size_t first = (size_t)(offset / BLOCK);
	size_t end = (size_t)((offset + count + BLOCK - 1) / BLOCK);

	if (offset + count > last_begin(p))
		p->changed[p->blocks] = true;
	if (end > p->blocks)
		end = p->blocks;
	if (first < end)
		memset(p->changed + first, true, end - first);
}

static void add_block(const struct digest_parts *p, size_t block, const unsigned char *bytes)
{
	unsigned char copy[BLOCK];

	digest_copy(p->type, bytes + block * BLOCK, BLOCK, copy);
	add_stripes(p->sums[block], copy, BLOCK / STRIPE);
}

/* Whole stripes but for the last byte, and the last 64 bytes, which may begin in the last block. */
static void add_last(const struct digest_parts *p, const unsigned char *bytes)
{
	unsigned char copy[STRIPE + BLOCK];
	size_t count = p->count - last_begin(p);

	digest_copy(p->type, bytes + last_begin(p), count, copy);
	add_stripes(p->sums[p->blocks], copy + STRIPE, (count - STRIPE - 1) / STRIPE);
	add_stripe(p->sums[p->blocks], copy + count - STRIPE, secret + SECRET_LAST);
}

static void find_sums(const struct digest_parts *p, const unsigned char *bytes)
{
	bool *at = p->changed, *end = p->changed + p->blocks + 1;

	while ((at = memchr(at, true, (size_t)(end - at))) != NULL) {
		size_t part = (size_t)(at - p->changed);

		memset(p->sums[part], 0, sizeof p->sums[part]);
		if (part < p->blocks)
			add_block(p, part, bytes);
		else
			add_last(p, bytes);
		*at = false;
	}
}

uint64_t digest_parts_digest(struct digest_parts *p, const void *bytes)
{
	uint64_t lanes[LANES];

	find_sums(p, bytes);
	memcpy(lanes, first_lanes, sizeof lanes);
	for (size_t i = 0; i < p->blocks; i++) {
		add_sum(lanes, p->sums[i]);
		scramble(lanes);
	}
	add_sum(lanes, p->sums[p->blocks]);
	return merge(lanes, p->count);
}
