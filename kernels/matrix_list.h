/* matrix_list.h - the tensor-core instructions whose bits are verified: their inputs and their sum.
 *
 * Valid C and CUDA C++. Continues kernels/math_list.h for the instructions of
 * sim/cuda/tensor_list.h: each becomes a kernel in kernels/verify_matrix.cu and a row in
 * kernels/math_table.c; kernels/matrix_sums.h holds the results of a GPU.
 *
 * An input is three matrices, of which a warp computes D = A B + C. There are 2^20 for each
 * instruction, of eight kinds, and 1,024 more that are the sample. The sum of a range is that of
 * math_mix(bits of a register of D + its number) modulo 2^64, in any order.
 */
#ifndef MATRIX_LIST_H
#define MATRIX_LIST_H

#include "kernels/math_list.h"
#include "sim/cuda/tensor_list.h"

#define MATRIX_INPUTS ((uint64_t)1 << 20)       /* the sample follows */
#define MATRIX_SAMPLE 1024u

/* The formats of tensor_list.h: bits, and those of the fraction. */
#define MATRIX_BITS_F32 32
#define MATRIX_BITS_TF32 32
#define MATRIX_BITS_F16 16
#define MATRIX_BITS_BF16 16
#define MATRIX_BITS_E4M3 8
#define MATRIX_BITS_E5M2 8
#define MATRIX_FRACTION_F32 23
#define MATRIX_FRACTION_TF32 23
#define MATRIX_FRACTION_F16 10
#define MATRIX_FRACTION_BF16 7
#define MATRIX_FRACTION_E4M3 3
#define MATRIX_FRACTION_E5M2 2

enum matrix_kind {
	MATRIX_ANY,                     /* uniform bits */
	MATRIX_NARROW,                  /* exponents of some neighbouring powers of two */
	MATRIX_WIDE,                    /* 40 powers of two, or all of the format */
	MATRIX_CANCEL,                  /* narrow; half of the products negate the others */
	MATRIX_FAR,                     /* narrow, and a few far above them */
	MATRIX_TINY,                    /* subnormals and the smallest normal numbers */
	MATRIX_SPARSE,                  /* narrow, mostly zeros */
	MATRIX_SPECIAL,                 /* narrow, with infinities, NaN and signed zeros */
	MATRIX_KINDS
};

/* The exponent field of an element, by random bits; `bias` is that of the format. */
MATH_FN uint32_t matrix_exponent(int kind, uint32_t random, int bias)
{
	int spread = bias < 20 ? bias - 1 : 20, exponent;

	if (kind == MATRIX_TINY)
		return random % 2;
	if (kind == MATRIX_WIDE)
		return (uint32_t)(bias - spread) + random % (uint32_t)(2 * spread);
	exponent = bias - 3 + (int)(random % 7);
	if (kind == MATRIX_FAR && (random >> 8) % 8 == 0)
		exponent += bias < 20 ? bias - 4 : 24;
	return exponent < 0 ? 0 : (uint32_t)exponent;
}

/* One element of the format with these bits and fraction bits. */
MATH_FN uint32_t matrix_element(int kind, uint64_t random, int bits, int fraction)
{
	const uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
	const uint32_t sign = 1u << (bits - 1), low = (1u << fraction) - 1;
	const uint32_t any = (uint32_t)random & mask, pick = (uint32_t)(random >> 40);
	const int bias = (1 << (bits - 2 - fraction)) - 1;
	uint32_t exponent = matrix_exponent(kind, (uint32_t)(random >> 32) & 0xffffu, bias);

	if (kind == MATRIX_ANY)
		return any;
	if (kind == MATRIX_SPARSE && pick % 8 != 0)
		return any & sign;
	if (kind == MATRIX_SPECIAL && pick % 16 == 0)
		return (any & sign) | (mask & ~sign & ~low) | (pick / 16 % 2 ? any & low : 0);
	if (kind == MATRIX_SPECIAL && pick % 16 == 1)
		return any & sign;
	return (any & (sign | low)) | exponent << fraction;
}

/* A register with the elements of a format; `which` tells the registers of an input apart. */
MATH_FN uint32_t matrix_register(uint64_t input, uint32_t which, int bits, int fraction)
{
	const int kind = (int)(input % MATRIX_KINDS);
	uint32_t filled = 0;

	for (int at = 0; at < 32; at += bits) {
		uint64_t random = math_mix((input * 512 + which) * 4 + (uint64_t)(at / bits));

		filled |= matrix_element(kind, random, bits, fraction) << at;
	}
	return filled;
}

/* The sign bits of all elements of a register. */
#define MATRIX_SIGNS(bits) ((bits) == 32 ? 0x80000000u : (bits) == 16 ? 0x80008000u : 0x80808080u)

#endif
