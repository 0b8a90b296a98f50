/* barrier_wrong.cu - a barrier for threads that are no whole warps. nvcc refuses it, so that it is
 * in a file of its own. */

__global__ void numbered_wrong(int *out)
{
	asm volatile("bar.sync 1, 40;" ::: "memory");
	out[0] = 1;
}
