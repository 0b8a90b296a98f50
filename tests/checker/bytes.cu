/* bytes.cu - threads that write a byte each, for races of parts of words between operations. */
#include "kernels/kernel.h"

KERNEL write_bytes(char *row, int first, int count)
{
	if ((int)threadIdx.x < count)
		row[first + (int)threadIdx.x] = (char)first;
}
