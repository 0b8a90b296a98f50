/* ptx_count.h - how many registers the vectors of a PTX instruction have. Used by ptx_text.c. */
#ifndef PTX_COUNT_H
#define PTX_COUNT_H

/* The number for operand `operand` of the instruction, which is known, if that is a vector.
 * -1: any. */
int ptx_count(const char *instruction, int length, int operand);

#endif
