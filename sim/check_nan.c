/* check_nan.c - the lint nan-born: which operation on numbers first gave a NaN.
 *
 * While a checked kernel runs the processor traps on what IEEE 754 calls invalid; the signal names
 * the very instruction, which is then done alone without traps. Comparisons and conversions trap
 * too and make no NaN. Models of the GPU's functions say themselves what they made of numbers
 * (sim/cuda_math/told.h). Where there is no SSE that is all there is.
 */
#include "config.h"

#include "sim/check_int.h"

#include <signal.h>
#include <ucontext.h>

volatile int ft_in_model;

static void report_birth(uintptr_t pc)
{
	struct check_report report = { .class = CLASS_NAN_BORN, .other = NO_SIDE };

	check_side_of_lane(schedule_current(), pc, "operation", &report.side);
	check_report(check_hot.check, &report);
}

void ft_nan_born(void *caller)
{
	if (check_hot.span && schedule_current())
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

/* The opcode behind prefixes, legacy or VEX, of an instruction of map 0F; -1: of another map, where
 * the fused multiply-adds are. */
static int opcode(const unsigned char *at)
{
	if (at[0] == 0xc5)
		return at[2];
	if (at[0] == 0xc4)
		return (at[1] & 0x1f) == 1 ? at[3] : -1;
	while (*at == 0x66 || *at == 0xf2 || *at == 0xf3 || (*at & 0xf0) == 0x40)
		at++;
	return at[0] == 0x0f ? at[1] : -1;
}

static bool makes_nan(const unsigned char *at)
{
	switch (opcode(at)) {
	case -1:
	case 0x51: case 0x58: case 0x59: case 0x5c: case 0x5e:
		return true;            /* square root, +, *, -, / */
	default:
		return false;
	}
}

#define SINGLE_STEP 0x100               /* of the processor's flags: a trap after one instruction */

bool check_trap(const siginfo_t *info, void *context, uintptr_t pc)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	if (!check_hot.span || info->si_code != FPE_FLTINV)
		return false;
	if (!ft_in_model && makes_nan((const unsigned char *)pc))
		report_birth(pc + 1);
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
