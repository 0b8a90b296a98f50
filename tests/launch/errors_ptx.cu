/* errors_ptx.cu - inline PTX that the simulator does not support. */
__global__ void k(unsigned *out)
{
	unsigned lane;
	asm volatile("mov.u32 %0, %%laneid;\n\tbrkpt;" : "=r"(lane));
	out[0] = lane;
}
