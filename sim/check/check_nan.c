/* check_nan.c - the lint nan-born: which operation on numbers first gave a NaN.
 *
 * While a checked kernel runs the processor traps on what IEEE 754 calls invalid; the signal names
 * the very instruction, which is then done alone without traps. Comparisons and conversions trap
 * too and make no NaN. Models of the GPU's functions say themselves what they made of numbers
 * (sim/cuda/checked_models.h). Where there is no SSE that is all there is.
 */
#include "config.h"

#include "sim/check/check_nan.h"

#include <ucontext.h>

#include "sim/check/check_find.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_state.h"

volatile int ft_in_model;

static void report_birth(uintptr_t pc)
{
	struct check_report report = { .class = CLASS_NAN_BORN, .other = NO_SIDE };

	check_side_of_lane(lane_current(), pc, "operation", &report.side);
	check_report(check_hot.check, &report);
}

void ft_nan_born(void *caller)
{
	if (check_hot.span && lane_current())
		report_birth((uintptr_t)caller);
}

#ifdef __x86_64__
#include <xmmintrin.h>

#define INVALID_MASK 0x80u              /* of MXCSR: set, no trap */

/* Kernels full of NaN would spend their time in the signal handler. */
#define MOST_TRAPS 10000

static unsigned traps;

void check_watch_nan(bool on)
{
	unsigned csr = _mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID;

	if (on)
		traps = 0;
	_mm_setcsr(on ? csr & ~INVALID_MASK : csr | INVALID_MASK);
}

struct instruction {
	int opcode;                     /* -1: of another map than 0F, as fused multiply-adds are */
	unsigned target;                /* the register it writes */
	bool wide;                      /* all 256 bits of it */
};

/* VEX holds the bits that extend registers inverted. */
static struct instruction decode_vex(const unsigned char *at)
{
	bool three = at[0] == 0xc4;     /* bytes of prefix, else two */
	unsigned modrm = at[three ? 4 : 3];

	return (struct instruction){
		.opcode = !three ? at[2] : (at[1] & 0x1f) == 1 ? at[3] : -1,
		.target = (modrm >> 3 & 7) | (at[1] & 0x80 ? 0 : 8),
		.wide = at[three ? 2 : 1] & 4,
	};
}

static struct instruction decode(const unsigned char *at)
{
	unsigned rex = 0;

	if (at[0] == 0xc5 || at[0] == 0xc4)
		return decode_vex(at);
	for (; *at == 0x66 || *at == 0xf2 || *at == 0xf3 || (*at & 0xf0) == 0x40; at++)
		rex = (*at & 0xf0) == 0x40 ? *at : rex;
	return (struct instruction){
		.opcode = at[0] == 0x0f ? at[1] : -1,
		.target = (at[2] >> 3 & 7) | (rex & 4 ? 8 : 0),
	};
}

static bool makes_nan(int opcode)
{
	switch (opcode) {
	case -1:
	case 0x51: case 0x58: case 0x59: case 0x5c: case 0x5e:
		return true;            /* square root, +, *, -, / */
	default:
		return false;
	}
}

/* The instruction that is done alone, until it is done. */
static struct {
	uintptr_t pc;                   /* 0: it makes no NaN */
	struct instruction instruction;
} alone;

/* Whether a NaN was made, not handed on: poison, a signaling NaN, traps too, but only what comes of
 * numbers has no payload. */
static bool was_born(const mcontext_t *machine)
{
	const uint32_t *word = machine->fpregs->_xmm[alone.instruction.target].element;
	bool born = alone.instruction.wide;

	for (int i = 0; i < 4; i++)
		born |= word[i] == 0xffc00000u;
	return born || (word[1] == 0xfff80000u && word[0] == 0)
		|| (word[3] == 0xfff80000u && word[2] == 0);
}

#define SINGLE_STEP 0x100               /* of the processor's flags: a trap after one instruction */

bool check_trap(const siginfo_t *info, void *context, uintptr_t pc)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	if (!check_hot.span || info->si_code != FPE_FLTINV)
		return false;
	alone.instruction = decode((const unsigned char *)pc);
	alone.pc = !ft_in_model && makes_nan(alone.instruction.opcode) ? pc : 0;
	machine->fpregs->mxcsr |= INVALID_MASK;
	if (++traps < MOST_TRAPS)
		machine->gregs[REG_EFL] |= SINGLE_STEP;
	return true;
}

bool check_stepped(void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	if (!(machine->gregs[REG_EFL] & SINGLE_STEP))
		return false;
	if (alone.pc && was_born(machine))
		report_birth(alone.pc + 1);
	machine->gregs[REG_EFL] &= ~(greg_t)SINGLE_STEP;
	machine->fpregs->mxcsr &= ~(INVALID_MASK | (unsigned)_MM_EXCEPT_INVALID);
	return true;
}

#else

void check_watch_nan(bool on)
{
	(void)on;
}

bool check_trap(const siginfo_t *info, void *context, uintptr_t pc)
{
	(void)info, (void)context, (void)pc;
	return false;
}

bool check_stepped(void *context)
{
	(void)context;
	return false;
}

#endif
