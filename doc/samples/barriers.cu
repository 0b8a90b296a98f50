/* barriers.cu - rounds of block barriers, with one addition for each thread between two.
 *
 * `flashtwin bench --sim` counts how many a second the simulator runs. out: i32[threads],
 * or NULL. With -D STANDARD_LIBRARY the file includes all of C++'s standard library, as some do.
 */
#ifdef STANDARD_LIBRARY
#include <bits/stdc++.h>
#endif
#ifndef FIRST
#define FIRST 0
#endif

__global__ void barriers(int *out, int rounds)
{
	int sum = FIRST;

	for (int i = 0; i < rounds; i++) {
		sum += i;
		__syncthreads();
	}
	if (out)
		out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
