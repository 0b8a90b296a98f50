/* check_nan.c - the lint nan-born: which operation on numbers first gave a NaN.
 *
 * While a checked kernel runs the processor traps on what IEEE 754 calls invalid; the signal names
 * the very instruction. Comparisons and conversions trap too and make no NaN. Where there is no SSE
 * the lint is silent.
 */
#include "config.h"

#include "sim/check_int.h"

#include <signal.h>
#include <ucontext.h>

#ifdef __x86_64__
#include <xmmintrin.h>

#define INVALID_MASK 0x80u              /* of MXCSR: set, no trap */

/* Kernels full of NaN would spend their time in the signal handler. */
#define MOST_TRAPS 10000

static unsigned traps;

void check_watch_nan(bool on)
{
	unsigned csr = _mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID;

	if (!on)
		traps = 0;
	_mm_setcsr(on && traps < MOST_TRAPS ? csr & ~INVALID_MASK : csr | INVALID_MASK);
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

bool check_trap(const siginfo_t *info, void *context, uintptr_t pc)
{
	struct check_report report = { .class = CLASS_NAN_BORN, .other = NO_SIDE };
	struct lane *lane = schedule_current();

	if (!check_hot.span || info->si_code != FPE_FLTINV)
		return false;
	traps++;
	if (makes_nan((const unsigned char *)pc)) {
		check_side_of_lane(lane, pc + 1, "operation", &report.side);
		report.side.around = ft_check_block.pc;
		check_report(check_hot.check, &report);
	}
	/* Go on without traps; the next basic block wants them again. */
	((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr |= INVALID_MASK;
	((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr &= ~(unsigned)_MM_EXCEPT_INVALID;
	ft_check_block.pending |= PENDING_TRAP;
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

#endif
