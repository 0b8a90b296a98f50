/* ptx_memory.cu - inline PTX: loads and stores with hints, vectors, shared addresses, atomics,
 * flags between blocks, and asynchronous copies. */
struct alignas(16) four { float x, y, z, w; };

__device__ unsigned shared_address(const void *p)
{
	unsigned a;

	asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
	return a;
}

/* out = in, by many kinds of loads and stores; 32 threads, 128 elements. */
__global__ void copies(const float *in, float *out)
{
	__shared__ four s[32];
	int t = threadIdx.x;
	four v;
	float a, b;
	unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]);

	asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + 4 * t));
	asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
		     :: "r"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v.x) : "r"(shared_address(&s[t].x)));
	asm volatile("ld.shared.v2.f32 {%0, %1}, [%2 + 8];" : "=f"(a), "=f"(b) : "r"(at));
	v.z = a;
	v.w = b;
	asm volatile("ld.volatile.shared.f32 %0, [%1+4];" : "=f"(v.y) : "r"(at));
	asm volatile("prefetch.global.L2 [%0];" :: "l"(out));
	asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(out + 4 * t), "f"(v.x) : "memory");
	asm volatile("st.relaxed.gpu.global.f32 [%0 + 4], %1;" :: "l"(out + 4 * t), "f"(v.y));
	asm volatile("st.global.v2.f32 [%0], {%1, %2};" :: "l"(out + 4 * t + 2), "f"(v.z), "f"(v.w));
}

/* The same with cache policies, and by volatile vectors. */
__global__ void hints(const float *in, float *out)
{
	__shared__ __align__(16) four s[32], copied[32];
	unsigned long long first, last;
	int t = threadIdx.x;
	four v, w;
	unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]);

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
	asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;\n"
		     : "=l"(last));
	asm volatile("ld.global.nc.L1::evict_last.L2::cache_hint.L2::256B.b32 %0, [%1], %2;"
		     : "=f"(v.x) : "l"(in + 4 * t), "l"(last));
	asm volatile("ld.global.L2::cache_hint.v2.f32 {%0, %1}, [%2], %3;"
		     : "=f"(w.x), "=f"(v.y) : "l"(in + 4 * t), "l"(first));
	asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1 + 8], %2;"
		     : "=f"(v.z) : "l"(in + 4 * t), "l"(first));
	asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;\n"
		     "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%3], [%1], 16, 12, %2;\n"
		     "cp.async.wait_all;" :: "r"(at), "l"(in + 4 * t), "l"(first),
		     "r"(shared_address(&copied[t])) : "memory");
	asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
		     : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w) : "r"(at));
	v.w = copied[t].w == 0.0f && copied[t].z == w.z && w.x == v.x ? w.w : -1.0f;
	asm volatile("st.volatile.global.v2.f32 [%0], {%1, %2};"
		     :: "l"(out + 4 * t), "f"(v.x), "f"(w.y) : "memory");
	asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;"
		     :: "l"(out + 4 * t + 2), "f"(v.z), "f"(v.w), "l"(last) : "memory");
	asm volatile("st.global.L2::cache_hint.f32 [%0], %1, 0x12F0000000000000;"
		     :: "l"(out + 4 * t + 1), "f"(v.y) : "memory");
}

/* Bytes and halves, with and without signs. */
__global__ void narrow(const signed char *in, int *out)
{
	int t = threadIdx.x, s, u, h;
	short half;

	asm("ld.global.ca.s8 %0, [%1];" : "=r"(s) : "l"(in + t));
	asm("ld.global.cg.u8 %0, [%1];" : "=r"(u) : "l"(in + t));
	asm("ld.global.b16 %0, [%1];" : "=h"(half) : "l"(in + 2 * t));
	asm("ld.s16 %0, [%1];" : "=r"(h) : "l"(in + 2 * t));
	out[4 * t] = s;
	out[4 * t + 1] = u;
	out[4 * t + 2] = half == (short)h;
	asm("st.global.u8 [%0], %1;" :: "l"(out + 4 * t + 3), "r"(0));
	out[4 * t + 3] = u & s;
}

__global__ void atomics(unsigned *sums, float *total, unsigned long long *wide)
{
	unsigned old, t = threadIdx.x + blockDim.x * blockIdx.x;
	unsigned long long before;

	asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(sums), "r"(t) : "memory");
	asm volatile("red.global.max.u32 [%0 + 4], %1;" :: "l"(sums), "r"(t) : "memory");
	asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" :: "l"(sums + 2), "r"(1u << (t & 31)));
	asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
		     : "=r"(old) : "l"(sums + 3), "r"(0), "r"(128));
	asm volatile("red.add.f32 [%0], %1;" :: "l"(total), "f"(1.0f));
	asm volatile("atom.add.acq_rel.gpu.u64 %0, [%1], %2;" : "=l"(before)
		     : "l"(wide), "l"(1ull)) ;
	wide[1 + t] = before < 128;
}

/* The last block adds up what all blocks wrote before their flags. */
__global__ void flags(int *data, int *flag, int *out)
{
	int b = blockIdx.x, seen;

	if (b > 0) {
		data[b] = b * b;
		asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(flag + b), "r"(1) : "memory");
		return;
	}
	out[0] = 0;
	for (int i = 1; i < gridDim.x; i++) {
		do
			asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
				     : "=r"(seen) : "l"(flag + i) : "memory");
		while (!seen);
		out[0] += data[i];
	}
}

template <int OPEN> __device__ void wait_group()
{
	asm volatile("cp.async.wait_group %0;\n" :: "n"(OPEN));
}

/* Reversed in two groups; the last quarter is zeros. 32 threads, 128 elements. */
__global__ void async_copies(const float *in, float *out)
{
	__shared__ four s[32];
	int t = threadIdx.x;
	unsigned to = shared_address(&s[t]);

	if (t < 16)
		asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n"
			     :: "r"(to), "l"(in + 4 * t), "n"(16));
	asm volatile("cp.async.commit_group;\n" ::);
	if (t >= 16)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;"
			     :: "r"(to), "l"(in + 4 * t), "r"(t < 24 ? 16 : 0));
	wait_group<0>();
	asm volatile("cp.async.wait_all;");
	__syncthreads();
	for (int i = 0; i < 4; i++)
		out[127 - 4 * t - i] = (&s[t].x)[i];
}
