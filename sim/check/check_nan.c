/* check_nan.c - the lint nan-born: finds the operation on numbers that first gives a NaN.
 *
 * While a checked kernel runs on x86-64, the processor traps on the IEEE 754 invalid exception. The
 * signal gives the exact instruction, which is then single-stepped without traps. Comparisons and
 * conversions also trap but do not make a NaN. On aarch64, where few processors have these traps,
 * code after each operation reads the exception's flag (sim/cuda/aarch64.h). Models of the GPU's
 * functions report their own NaNs (sim/cuda/checked_models.h). On other processors, those are the
 * only ones reported.
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

#ifdef __aarch64__

/* Called by checked kernels after an operation that raised the invalid exception, with x15 and x30
 * saved. Keeps all other registers, and what the compiler may hold in the flags of a comparison. */
__asm__(".text\n"
	".global ft_nan_trap\n"
	".type ft_nan_trap, %function\n"
	"ft_nan_trap:\n"
	"	hint 34\n"                     /* "bti c" */
	"	stp x29, x30, [sp, -192]!\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, 16]\n"
	"	stp x2, x3, [sp, 32]\n"
	"	stp x4, x5, [sp, 48]\n"
	"	stp x6, x7, [sp, 64]\n"
	"	stp x8, x9, [sp, 80]\n"
	"	stp x10, x11, [sp, 96]\n"
	"	stp x12, x13, [sp, 112]\n"
	"	stp x14, x16, [sp, 128]\n"
	"	stp x17, x18, [sp, 144]\n"
	"	mrs x15, nzcv\n"
	"	str x15, [sp, 160]\n"
	"	sub sp, sp, 512\n"
	"	stp q0, q1, [sp]\n"
	"	stp q2, q3, [sp, 32]\n"
	"	stp q4, q5, [sp, 64]\n"
	"	stp q6, q7, [sp, 96]\n"
	"	stp q8, q9, [sp, 128]\n"
	"	stp q10, q11, [sp, 160]\n"
	"	stp q12, q13, [sp, 192]\n"
	"	stp q14, q15, [sp, 224]\n"
	"	stp q16, q17, [sp, 256]\n"
	"	stp q18, q19, [sp, 288]\n"
	"	stp q20, q21, [sp, 320]\n"
	"	stp q22, q23, [sp, 352]\n"
	"	stp q24, q25, [sp, 384]\n"
	"	stp q26, q27, [sp, 416]\n"
	"	stp q28, q29, [sp, 448]\n"
	"	stp q30, q31, [sp, 480]\n"
	"	mov x0, x30\n"
	"	mov x1, sp\n"
	"	bl check_operation\n"
	"	ldp q0, q1, [sp]\n"
	"	ldp q2, q3, [sp, 32]\n"
	"	ldp q4, q5, [sp, 64]\n"
	"	ldp q6, q7, [sp, 96]\n"
	"	ldp q8, q9, [sp, 128]\n"
	"	ldp q10, q11, [sp, 160]\n"
	"	ldp q12, q13, [sp, 192]\n"
	"	ldp q14, q15, [sp, 224]\n"
	"	ldp q16, q17, [sp, 256]\n"
	"	ldp q18, q19, [sp, 288]\n"
	"	ldp q20, q21, [sp, 320]\n"
	"	ldp q22, q23, [sp, 352]\n"
	"	ldp q24, q25, [sp, 384]\n"
	"	ldp q26, q27, [sp, 416]\n"
	"	ldp q28, q29, [sp, 448]\n"
	"	ldp q30, q31, [sp, 480]\n"
	"	add sp, sp, 512\n"
	"	ldr x15, [sp, 160]\n"
	"	msr nzcv, x15\n"
	"	ldp x0, x1, [sp, 16]\n"
	"	ldp x2, x3, [sp, 32]\n"
	"	ldp x4, x5, [sp, 48]\n"
	"	ldp x6, x7, [sp, 64]\n"
	"	ldp x8, x9, [sp, 80]\n"
	"	ldp x10, x11, [sp, 96]\n"
	"	ldp x12, x13, [sp, 112]\n"
	"	ldp x14, x16, [sp, 128]\n"
	"	ldp x17, x18, [sp, 144]\n"
	"	ldp x29, x30, [sp], 192\n"
	"	ret\n"
	".size ft_nan_trap, . - ft_nan_trap\n");

#define TO_OPERATION 24                 /* back from the return address: sim/cuda/aarch64.h */

/* Whether a register has a NaN that was created and not propagated: it has no payload. */
static bool was_born(const uint32_t word[4])
{
	bool born = (word[1] == 0x7ff80000u && word[0] == 0)
		|| (word[3] == 0x7ff80000u && word[2] == 0);

	for (int i = 0; i < 4; i++)
		born |= word[i] == 0x7fc00000u;
	return born;
}

void check_operation(uintptr_t returns_to, const uint32_t registers[32][4]);
void check_operation(uintptr_t returns_to, const uint32_t registers[32][4])
{
	uintptr_t pc = returns_to - TO_OPERATION;
	const struct lane *lane = lane_current();

	/* The lowest five bits of an instruction are the register it writes. */
	if (check_hot.span && lane && !ft_in_model
	    && was_born(registers[*(const uint32_t *)pc & 31]))
		report_birth(pc + 1);
}

#endif

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
