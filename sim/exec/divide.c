/* divide.c - emulates the division instruction that raised a signal; see divide.h.
 *
 * A GPU has no such fault. Dividing by zero there gives all ones for quotient and remainder,
 * because the compiler's sequence ends by selecting ~divisor; a 64-bit division whose dividend fits
 * in 32 bits takes the 32-bit sequence, and the upper half is zero. The minimum integer divided by
 * -1 wraps. DIV and IDIV of x86-64 raise SIGFPE. On aarch64, where divisions do not trap, kernels
 * have a brk before them, and before the MSUB that makes a remainder (sim/cuda/aarch64.h): it is
 * reached if the divisor is zero, and raises SIGTRAP. Other processors' are not known. Used by
 * fault.c.
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

#elif defined(__aarch64__)

/* brk 0xd17, before a division, and brk 0xd18 */
#define BREAK_DIVISION 0xd421a2e0u
#define BREAK_REMAINDER 0xd421a300u

/* How far back a remainder's division is looked for. */
#define MAX_BACK 256

#define RD(at) (*(at) & 31)
#define RN(at) (*(at) >> 5 & 31)
#define RA(at) (*(at) >> 10 & 31)
#define RM(at) (*(at) >> 16 & 31)
#define IS_WIDE(at) (*(at) >> 31)
#define IS_DIVISION(at) ((*(at) & 0x7fe0f800u) == 0x1ac00800u)
#define IS_MSUB(at) ((*(at) & 0x7fe08000u) == 0x1b008000u)

static uint64_t value_of(const mcontext_t *machine, unsigned number, bool wide)
{
	uint64_t value = number == 31 ? 0 : machine->regs[number];

	return wide ? value : (uint32_t)value;
}

static uint64_t all_ones(uint64_t dividend)
{
	return dividend >> 32 == 0 ? UINT32_MAX : UINT64_MAX;
}

/* Dividends of divisions by zero, which the divisions may have overwritten. The stack tells threads
 * of a kernel apart. */
static _Thread_local struct dividend {
	const uint32_t *division;
	uint64_t stack, value;
} dividends[256];

static struct dividend *dividend_of(const mcontext_t *machine, const uint32_t *division)
{
	uintptr_t place = (uintptr_t)division / sizeof *division;

	return &dividends[(place ^ machine->sp >> 4 ^ machine->sp >> 12) % 256];
}

/* Whether an msub subtracts quotient times divisor from the dividend. If the dividend is forgotten,
 * and the division has overwritten it, it is taken for one. */
static bool is_remainder(const mcontext_t *machine, const uint32_t *at)
{
	bool wide = IS_WIDE(at);

	for (const uint32_t *back = at - 2; back > at - MAX_BACK; back--) {
		if (!IS_DIVISION(back) || IS_WIDE(back) != wide
		    || !((RD(back) == RN(at) && RM(back) == RM(at))
			 || (RD(back) == RM(at) && RM(back) == RN(at))))
			continue;

		const struct dividend *dividend = dividend_of(machine, back);

		if (dividend->division == back && dividend->stack == machine->sp)
			return dividend->value == value_of(machine, RA(at), wide);
		return RN(back) == RA(at) || RN(back) == RD(back)
			|| value_of(machine, RN(back), wide) == value_of(machine, RA(at), wide);
	}
	return false;
}

bool divide_emulate(void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
	const uint32_t *at = (const uint32_t *)(uintptr_t)machine->pc;
	uint64_t answer;

	at++;
	if (at[-1] == BREAK_DIVISION && IS_DIVISION(at)) {
		uint64_t value = value_of(machine, RN(at), IS_WIDE(at));

		*dividend_of(machine, at) = (struct dividend){ at, machine->sp, value };
		answer = all_ones(value);
	} else if (at[-1] == BREAK_REMAINDER && IS_MSUB(at))
		answer = all_ones(value_of(machine, RA(at), IS_WIDE(at)));
	else
		return false;
	if (IS_MSUB(at) && !is_remainder(machine, at))  /* the product is zero */
		answer = value_of(machine, RA(at), IS_WIDE(at));
	if (RD(at) != 31)
		machine->regs[RD(at)] = answer;
	machine->pc += 2 * sizeof *at;
	return true;
}

#else

bool divide_emulate(void *context)
{
	(void)context;
	return false;
}

#endif
