/* check_nan.c - the lint nan-born: finds the operation on numbers that first gives a NaN.
 *
 * While a checked kernel runs, the processor traps on the IEEE 754 invalid exception. The signal
 * gives the exact instruction, which is then single-stepped without traps. Comparisons and
 * conversions also trap but do not make a NaN. Models of the GPU's functions report their own NaNs
 * (sim/cuda/checked_models.h). Without SSE, those are the only ones reported.
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

#define INVALID_MASK 0x80u              /* of MXCSR: if set, no trap */

/* A limit, because a kernel full of NaNs would spend all its time in the signal handler. */
#define MAX_TRAPS 10000

static unsigned traps;

void check_watch_nan(bool on)
{
	unsigned csr = _mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID;

	if (on)
		traps = 0;
	_mm_setcsr(on ? csr & ~INVALID_MASK : csr | INVALID_MASK);
}

struct instruction {
	int opcode;                     /* -1: not in map 0F, as for fused multiply-adds */
	unsigned target;                /* the register it writes */
	bool wide;                      /* all 256 bits of it */
};

/* In VEX the bits that extend register numbers are inverted. */
static struct instruction decode_vex(const unsigned char *at)
{
	bool three = at[0] == 0xc4;     /* a prefix of three bytes, otherwise two */
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

/* The instruction that is being single-stepped. */
static struct {
	uintptr_t pc;                   /* 0: it cannot make a NaN */
	struct instruction instruction;
} stepped;

/* Whether the NaN was created here and not propagated. Poison is a signaling NaN and traps too, but
 * only a NaN created from numbers has no payload. */
static bool was_born(const mcontext_t *machine)
{
	const uint32_t *word = machine->fpregs->_xmm[stepped.instruction.target].element;
	bool born = stepped.instruction.wide;

	for (int i = 0; i < 4; i++)
		born |= word[i] == 0xffc00000u;
	return born || (word[1] == 0xfff80000u && word[0] == 0)
		|| (word[3] == 0xfff80000u && word[2] == 0);
}

#define SINGLE_STEP 0x100               /* processor flag: trap after one instruction */

bool check_trap(const siginfo_t *info, void *context, uintptr_t pc)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	if (!check_hot.span || info->si_code != FPE_FLTINV)
		return false;
	stepped.instruction = decode((const unsigned char *)pc);
	stepped.pc = !ft_in_model && makes_nan(stepped.instruction.opcode) ? pc : 0;
	machine->fpregs->mxcsr |= INVALID_MASK;
	if (++traps < MAX_TRAPS)
		machine->gregs[REG_EFL] |= SINGLE_STEP;
	return true;
}

bool check_stepped(void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	if (!(machine->gregs[REG_EFL] & SINGLE_STEP))
		return false;
	if (stepped.pc && was_born(machine))
		report_birth(stepped.pc + 1);
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
