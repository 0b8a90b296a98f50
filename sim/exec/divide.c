/* divide.c - emulates the division instruction that raised SIGFPE; see divide.h.
 *
 * A GPU has no such fault. Dividing by zero there gives all ones for quotient and remainder,
 * because the compiler's sequence ends by selecting ~divisor; a 64-bit division whose dividend fits
 * in 32 bits takes the 32-bit sequence, and the upper half is zero. The minimum integer divided by
 * -1 wraps. Only DIV and IDIV of x86-64 are decoded; other processors do not trap. Used by fault.c.
 */
#include "config.h"

#include "sim/exec/divide.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__

/* Registers in the context, indexed by their number in an instruction. */
static const int registers[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15
};

struct division {
	unsigned rex;
	unsigned bits;                  /* of the divisor: 8, 16, 32, 64 */
	bool is_signed;
	const unsigned char *end;       /* of the instruction */
};

/* Reads the prefixes and the opcode. Returns the byte after them, or NULL if it is not a
 * division. */
static const unsigned char *read_opcode(const unsigned char *at, struct division *d)
{
	bool narrow = false;

	while (*at == 0x66 || *at == 0x2e || *at == 0x3e || *at == 0xf2 || *at == 0xf3)
		narrow |= *at++ == 0x66;
	if ((*at & 0xf0) == 0x40)
		d->rex = *at++;
	if (*at != 0xf6 && *at != 0xf7)
		return NULL;
	d->bits = *at == 0xf6 ? 8 : d->rex & 8 ? 64 : narrow ? 16 : 32;
	d->is_signed = (at[1] >> 3 & 7) == 7;
	return (at[1] >> 3 & 7) >= 6 ? at + 1 : NULL;
}

/* Skips ModRM, SIB and displacement. */
static void find_end(const unsigned char *at, struct division *d)
{
	unsigned mode = *at >> 6, low = *at & 7;

	at++;
	if (mode != 3 && low == 4) {
		if (mode == 0 && (*at & 7) == 5)
			at += 4;
		at++;
	}
	d->end = at + (mode == 1 ? 1 : mode == 2 || (mode == 0 && low == 5) ? 4 : 0);
}

/* Whether the dividend is the minimum integer, which overflows when divided by -1. */
static bool is_minimum(const greg_t *r, const struct division *d)
{
	uint64_t low = (uint64_t)r[REG_RAX];

	if (!d->is_signed)
		return false;
	return d->bits == 64 ? low == UINT64_C(1) << 63
		: d->bits == 32 ? (uint32_t)low == UINT32_C(1) << 31 : false;
}

static uint64_t displacement(const unsigned char *at, unsigned bytes)
{
	int8_t byte;
	int32_t word;

	if (bytes == 1) {
		memcpy(&byte, at, 1);
		return (uint64_t)(int64_t)byte;
	}
	memcpy(&word, at, 4);
	return (uint64_t)(int64_t)word;
}

/* The memory address encoded by the ModRM byte at `at`. */
static uint64_t operand_address(const greg_t *r, const unsigned char *at, const struct division *d)
{
	unsigned mode = *at >> 6, low = *at & 7, sib;
	uint64_t address = 0;
	bool no_base = mode == 0 && low == 5;

	if (no_base)                    /* relative to the next instruction */
		return (uint64_t)(uintptr_t)d->end + displacement(at + 1, 4);
	at++;
	if (low == 4) {
		unsigned index;

		sib = *at++;
		index = (sib >> 3 & 7) | (d->rex << 2 & 8);
		if (index != 4)
			address = (uint64_t)r[registers[index]] << (sib >> 6);
		low = sib & 7;
		no_base = mode == 0 && low == 5;
	}
	if (!no_base)
		address += (uint64_t)r[registers[low | (d->rex << 3 & 8)]];
	if (mode == 1)
		return address + displacement(at, 1);
	return mode == 2 || no_base ? address + displacement(at, 4) : address;
}

static bool divides_by_zero(const greg_t *r, const unsigned char *at, const struct division *d)
{
	unsigned number = (*at & 7) | (d->rex << 3 & 8);
	uint64_t value = 0;

	if (*at >> 6 != 3) {
		memcpy(&value, (const void *)(uintptr_t)operand_address(r, at, d), d->bits / 8);
		return value == 0;
	}
	if (d->bits == 8 && !d->rex && number >= 4)     /* AH, CH, DH, BH */
		return (r[registers[number - 4]] >> 8 & 0xff) == 0;
	value = (uint64_t)r[registers[number]];
	return (value & (~UINT64_C(0) >> (64 - d->bits))) == 0;
}

/* Writes as the instruction does: a 32-bit result clears the upper bits, a narrower one keeps
 * them. */
static void put(greg_t *reg, unsigned bits, uint64_t value)
{
	uint64_t mask = ~UINT64_C(0) >> (64 - bits);

	*reg = (greg_t)(bits >= 32 ? value & mask
			: ((uint64_t)*reg & ~mask) | (value & mask));
}

bool divide_emulate(void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct division d = { 0 };
	const unsigned char *at = read_opcode((const unsigned char *)r[REG_RIP], &d);
	uint64_t answer = ~UINT64_C(0);

	if (!at)
		return false;
	find_end(at, &d);
	if (divides_by_zero(r, at, &d)) {
		if (d.bits == 64 && (uint64_t)r[REG_RAX] >> 32 == 0)
			answer >>= 32;
		put(&r[REG_RAX], d.bits == 8 ? 16 : d.bits, answer);
		if (d.bits > 8)
			put(&r[REG_RDX], d.bits, answer);
	} else if (is_minimum(r, &d)) {
		put(&r[REG_RDX], d.bits, 0);    /* RAX already holds the quotient */
	} else {
		return false;
	}
	r[REG_RIP] = (greg_t)(uintptr_t)d.end;
	return true;
}

#else

bool divide_emulate(void *context)
{
	(void)context;
	return false;
}

#endif
