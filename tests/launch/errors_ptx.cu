/* errors_ptx.cu - inline PTX. */
__global__ void k(unsigned *out)
{
	unsigned lane;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	out[0] = lane;
}
