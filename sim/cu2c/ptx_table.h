/* ptx_table.h - the PTX instructions that inline assembly may use, and what implements each.
 *
 * Used by ptx_text.c, which translates the text of an asm statement. The functions are in
 * sim/cuda/ptx.h.
 */
#ifndef PTX_TABLE_H
#define PTX_TABLE_H

#include <stdbool.h>

/* How an instruction is called. */
struct ptx_form {
	char name[64];          /* "ft_ptx_mul_lo" */
	char types[64];         /* template arguments, "unsigned" or ""; */
	char last_type[16];     /* the last of them as PTX has it, "f32" */
	const char *operands;
};

/* The instruction `text` with operands of these shapes, one character each: 'a' a register, a
 * constant or a vector's place, '0' the constant 0, '{' a vector, '[' an address. Fills *out and
 * returns true if it is known. In out->operands is one character for each operand:
 *
 *   =  destination       |  destination, and perhaps a second one (d|p)    }  destination, a vector
 *   a  source            {  source, a vector                               m  address
 *   s  address in shared memory
 *
 *   z  must be 0, and is not passed        h  cache policy of .L2::cache_hint, not passed
 *
 * before them '$' if the function takes the place of the call, 'c' if it takes the carry. '.' means
 * that the operands after it may be missing. */
bool ptx_find(const char *text, int length, const char *shapes, struct ptx_form *out);

/* Which kinds of order between threads the text may contain; see struct sim_code. */
bool ptx_orders_some(const char *text, int length);
bool ptx_orders_seen(const char *text, int length);

/* What stands for the special register `name` ("%tid.x"); NULL if it is not known. */
const char *ptx_special(const char *name, int length);

#endif
