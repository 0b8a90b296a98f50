/* errors_ptx.cu - inline PTX that the simulator does not support, in a template of a namespace. */
namespace far {
template <int N> __device__ unsigned lane()
{
	unsigned lane;
	asm volatile("mov.u32 %0, %%laneid;\n\tbrkpt;" : "=r"(lane));
	return N * lane;
}
}

__global__ void k(unsigned *out)
{
	out[0] = far::lane<2>();
}
