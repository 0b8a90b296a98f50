/* random.h - operations of tests/checker/random.cu, encoded as kind | shared | offset << shift. */
#ifndef RANDOM_H
#define RANDOM_H

enum {
	RANDOM_NOTHING,
	RANDOM_READ_1, RANDOM_READ_2, RANDOM_READ_4, RANDOM_READ_16,
	RANDOM_WRITE_1, RANDOM_WRITE_2, RANDOM_WRITE_4, RANDOM_WRITE_16,
	RANDOM_ATOMIC,                  /* on four bytes at the offset; changes nothing */
	RANDOM_FLAG,                    /* adds 1 to flags[operand] */
	RANDOM_FENCE,
	RANDOM_WARP,                    /* __syncwarp(operand) */
	RANDOM_BLOCK,                   /* __syncthreads() */
	RANDOM_VOLATILE_READ, RANDOM_VOLATILE_WRITE,
	RANDOM_VOLATILE_TEST            /* a read whose value is tested */
};
#define RANDOM_KIND 0xff
#define RANDOM_SHARED 0x100
#define RANDOM_OFFSET_SHIFT 9

#endif
