/* random.cuh - a kernel, RANDOM_NAME, that runs operations from a table.
 *
 * Thread t runs `steps` operations, program[2 * (t * steps + i)], each followed by its operand;
 * tests/checker/random.h defines them. `words` and a tile of shared memory are 16 bytes each,
 * `flags` is two counters, and `seen`, [threads][steps], receives what each operation read.
 */
#include "kernels/kernel.h"
#include "tests/checker/random.h"

KERNEL RANDOM_NAME(const int *program, int steps, void *words, int *flags, int *seen)
{
	__shared__ int4 tile;
	int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (threadIdx.x == 0)
		tile = make_int4(0, 0, 0, 0);
	__syncthreads();
	for (int i = 0; i < steps; i++) {
		int kind = program[2 * (t * steps + i)], operand = program[2 * (t * steps + i) + 1];
		char *at = (kind & RANDOM_SHARED ? (char *)&tile : (char *)words)
			+ (kind >> RANDOM_OFFSET_SHIFT);
		int value = 0;

		switch (kind & RANDOM_KIND) {
		case RANDOM_READ_1: value = *at; break;
		case RANDOM_READ_2: value = *(short *)at; break;
		case RANDOM_READ_4: value = *(int *)at; break;
		case RANDOM_READ_16: { int4 v = *(int4 *)at; value = v.x + v.y + v.z + v.w; break; }
		case RANDOM_WRITE_1: *at = (char)operand; break;
		case RANDOM_WRITE_2: *(short *)at = (short)(0x101 * operand); break;
		case RANDOM_WRITE_4: *(int *)at = 0x1010101 * operand; break;
		case RANDOM_WRITE_16: {
			int all = 0x1010101 * operand;
			*(int4 *)at = make_int4(all, all, all, all);
			break;
		}
		case RANDOM_ATOMIC: value = atomicMax((int *)at, INT_MIN); break;
#ifdef RANDOM_SOME
		case RANDOM_FLAG: value = atomicAdd(&flags[operand], 1); break;
		case RANDOM_FENCE: __threadfence(); break;
		case RANDOM_WARP: __syncwarp((unsigned)operand); break;
#else
		case RANDOM_WARP: __syncwarp(); break;
#endif
		case RANDOM_BLOCK: __syncthreads(); break;
		case RANDOM_VOLATILE_READ:
			/* Stored at once, and not at the end of the loop: it is no test. */
			seen[t * steps + i] = *(volatile int *)at;
			__asm__ volatile("" ::: "memory");
			continue;
		case RANDOM_VOLATILE_WRITE: *(volatile int *)at = operand; break;
		case RANDOM_VOLATILE_TEST:
			if (*(volatile int *)at > operand)
				__nanosleep(1);
			break;
		}
		seen[t * steps + i] = value;
	}
}
