/* aarch64.h - replaces some instructions on ARM, for the GPU's results and for the checker.
 *
 * The assembler prefers a macro to an instruction of the same name. A macro that needs the
 * instruction itself removes its own definition first and restores it afterwards. Calls get the
 * hooks that cuda_c.h describes for x86-64; divisions by zero and operations that make a NaN do not
 * trap on this processor, so code around the instruction tells sim/exec/divide.c and
 * sim/check/check_nan.c. Part of sim/cuda/cuda_c.h.
 */
#ifndef AARCH64_H
#define AARCH64_H

/* Defines a macro for an instruction. Numbered labels, because \@ would be replaced only once. */
#define FT_INSTRUCTION(name, operands, body) \
	".macro ft_define_" name "\n" \
	".macro " name " " operands "\n" \
	".purgem " name "\n" \
	body \
	"ft_define_" name "\n" \
	".endm\n" \
	".endm\n" \
	"ft_define_" name "\n"

/* --- integer division by zero: the quotient would be 0, and the remainder the dividend --- */

/* An `msub` of the quotient's and the divisor's registers is a remainder's. The handler of the brk
 * decodes the instruction after it (sim/exec/divide.c, which knows the numbers). */
#define FT_DIVISION(name) \
	FT_INSTRUCTION(name, "q, n, m", \
		"	cbnz \\m, 77f\n" \
		"	brk 0xd17\n" \
		"77:	" name " \\q, \\n, \\m\n" \
		"	.set .Lft_div\\q\\m, 1\n")
#define FT_REMAINDER(q, m) \
	"	.ifdef .Lft_div" q m "\n" \
	"	cbnz " m ", 77f\n" \
	"	brk 0xd18\n" \
	"77:\n" \
	"	.endif\n"
__asm__(FT_DIVISION("sdiv")
	FT_DIVISION("udiv")
	FT_INSTRUCTION("msub", "d, q, m, n",
		FT_REMAINDER("\\q", "\\m")
		FT_REMAINDER("\\m", "\\q")
		"	msub \\d, \\q, \\m, \\n\n"));
#undef FT_DIVISION
#undef FT_REMAINDER

/* --- of zero and NaN these have other results in the C library than on a GPU --- */

__asm__(".set ilogbf, ft_ilogbf\n"
	".set ilogb, ft_ilogb\n");

/* The instruction that the macro `bl` replaces. */
#define FT_CALL(target) \
	"	.reloc ., R_AARCH64_CALL26, " target "\n" \
	"	.inst 0x94000000\n"

#ifdef FLASHTWIN_CHECK

/* --- the basic-block hook, as on x86-64 --- */

#define FT_ADDRESS(to, of) \
	"	adrp " to ", " of "\n" \
	"	add " to ", " to ", :lo12:" of "\n"
__asm__(".hidden __start_ft_cells\n"
	".hidden __stop_ft_cells\n"
	".macro ft_basic_block\n"
	".Lft_code\\@:\n"
	"	adr x0, . + 4\n"
	"	adrp x1, :got:ft_check_block\n"
	"	ldr x1, [x1, :got_lo12:ft_check_block]\n"
	"	str x0, [x1]\n"
	FT_ADDRESS("x0", ".Lft_cell\\@")
	"	ldr x2, [x0, 8]\n"
	"	add x2, x2, 1\n"
	"	str x2, [x0, 8]\n"
	"	ldp w2, w3, [x1, 8]\n"
	"	ldr w1, [x0]\n"
	"	eor w1, w1, w3\n"
	"	orr w1, w1, w2\n"
	"	cbz w1, .Lft_block\\@\n"
	FT_ADDRESS("x1", "__start_ft_cells")
	FT_ADDRESS("x2", "__stop_ft_cells")
	FT_CALL("ft_basic_block")
	FT_BLOCK_CELL
	".endm\n"
	".macro bl target:vararg\n"
	"	.ifc \\target,__sanitizer_cov_trace_pc\n"
	"	ft_basic_block\n"
	"	.else\n"
	FT_CALL("\\target")
	"	.endif\n"
	".endm\n");
#undef FT_ADDRESS

/* --- operations that may make a NaN --- */

/* The flag of the invalid exception is cleared before the operation and read after it. The function
 * ft_nan_trap() (sim/check/check_nan.c) keeps all registers, and finds the operation 24 bytes ahead
 * of its return address. It is called through x15: a linker may use x16 and x17 in other calls. */
#define FT_WATCHED(name) \
	FT_INSTRUCTION(name, "operands:vararg", \
		"	stp x15, x30, [sp, -16]!\n" \
		"	mrs x15, fpsr\n" \
		"	tbz w15, 0, 77f\n" \
		"	msr fpsr, xzr\n" \
		"77:	" name " \\operands\n" \
		"	mrs x15, fpsr\n" \
		"	tbz w15, 0, 77f\n" \
		"	adrp x15, :got:ft_nan_trap\n" \
		"	ldr x15, [x15, :got_lo12:ft_nan_trap]\n" \
		"	blr x15\n" \
		"77:	ldp x15, x30, [sp], 16\n")
__asm__(FT_WATCHED("fadd") FT_WATCHED("fsub") FT_WATCHED("fmul") FT_WATCHED("fnmul")
	FT_WATCHED("fdiv") FT_WATCHED("fsqrt") FT_WATCHED("fmadd") FT_WATCHED("fmsub")
	FT_WATCHED("fnmadd") FT_WATCHED("fnmsub") FT_WATCHED("fmla") FT_WATCHED("fmls")
	FT_WATCHED("fabd") FT_WATCHED("faddp"));
#undef FT_WATCHED

#elif defined(FLASHTWIN_USER)

/* In an unchecked build of a file with volatile accesses, only these and atomics call hooks. */
__asm__(".ifdef ft_polls\n"
	".macro bl target:vararg\n"
	"	.set .Lft_call, 1\n"
	"	.irp hook, " FT_PLAIN_HOOKS "\n"
	"	.ifc \\target,\\hook\n"
	"	.set .Lft_call, 0\n"
	"	.endif\n"
	"	.endr\n"
	"	.if .Lft_call\n"
	FT_CALL("\\target")
	"	.endif\n"
	".endm\n"
	".endif\n");

#endif
#undef FT_CALL
#undef FT_INSTRUCTION

#endif
