/* ptx_count.c - how many registers the vectors of a PTX instruction have; see ptx_count.h.
 *
 * Vectors of loads and stores are v2 or v4, those of ldmatrix and stmatrix x1, x2 or x4. Those of
 * mma follow from the shape and the types: each lane has a 32nd of each matrix. Used by ptx_text.c.
 */
#include "config.h"

#include "sim/cu2c/ptx_count.h"

#include <stdio.h>
#include <string.h>

/* The bits of an element of a matrix; 0: not a type. */
static int bits_of(const char *type)
{
	static const struct { const char *type; int bits; } types[] = {
		{ "f32", 32 }, { "s32", 32 }, { "tf32", 32 }, { "f16", 16 }, { "bf16", 16 },
		{ "e4m3", 8 }, { "e5m2", 8 }, { "s8", 8 }, { "u8", 8 },
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcmp(type, types[i].type) == 0)
			return types[i].bits;
	return 0;
}

/* Of D, A, B or C of an mma: D and C have m rows and n columns, A has m and k, B has k and n. */
static int matrix_count(char *parts, int operand)
{
	int m = 0, n = 0, k = 0, bits[4], types = 0;
	char *rest = parts;

	for (const char *part; (part = strsep(&rest, ".")); ) {
		if (types < 4 && bits_of(part))
			bits[types++] = bits_of(part);
		else
			sscanf(part, "m%dn%dk%d", &m, &n, &k);
	}
	if (types < 4 || operand >= 4 || k == 0)
		return -1;
	return (operand == 1 ? m * k : operand == 2 ? k * n : m * n) * bits[operand] / (32 * 32);
}

int ptx_count(const char *instruction, int length, int operand)
{
	static const char *const sizes[] = { "v2", "v4", "x1", "x2", "x4" };
	char parts[128], *rest = parts;

	snprintf(parts, sizeof parts, "%.*s", length, instruction);
	if (strncmp(parts, "mma.", 4) == 0)
		return matrix_count(parts, operand);
	for (const char *part; (part = strsep(&rest, ".")); )
		for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
			if (strcmp(part, sizes[i]) == 0)
				return part[1] - '0';
	return -1;
}
