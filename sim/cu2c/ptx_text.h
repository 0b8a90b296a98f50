/* ptx_text.h - translates the text of an asm statement, which is PTX, to C++.
 *
 * Knows registers, predicates and operands; ptx_table.h knows the instructions. Used by
 * unit_ptx.c.
 */
#ifndef PTX_TEXT_H
#define PTX_TEXT_H

/* Where the asm statement is, and a number that no other one of the file has. */
struct ptx_place {
	const char *file;       /* not NUL-terminated */
	int file_length, line, number;
};

/* C++ statements for the text, in which operand N of `count` is the variable ft_N of type ft_reg
 * (sim/cuda/ptx.h). The caller frees them. NULL if something is not supported: then *absent is the
 * instruction, or what else the text has there, which the caller frees. */
char *ptx_translate(const char *text, int count, const struct ptx_place *, char **absent);

#endif
