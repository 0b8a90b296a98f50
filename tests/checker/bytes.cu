/* bytes.cu - threads that write one byte each: operations that race on parts of a word. */
#include "kernels/kernel.h"

KERNEL write_bytes(char *row, int first, int count)
{
	if ((int)threadIdx.x < count)
		row[first + (int)threadIdx.x] = (char)first;
}
