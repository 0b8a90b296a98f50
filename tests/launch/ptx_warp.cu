/* ptx_warp.cu - inline PTX: special registers, shuffles, votes, matches, reductions, barriers. Each
 * row of `out` has a value for each thread; wrong[t] counts what differs from CUDA's functions. */
__device__ unsigned special_registers_differ()
{
	unsigned x, y, n, block, blocks, lane, warp, eq, lt, le, gt, ge;
	unsigned linear = threadIdx.x + blockDim.x * threadIdx.y, at = linear & 31;
	long long before, after;

	asm("mov.u32 %0, %%tid.x;" : "=r"(x));
	asm("mov.u32 %0, %tid.y;" : "=r"(y));
	asm("mov.u32 %0, %%ntid.y;" : "=r"(n));
	asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
	asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
	asm("mov.u32 %0, %lanemask_eq;" : "=r"(eq));
	asm("mov.u32 %0, %lanemask_lt;" : "=r"(lt));
	asm("mov.u32 %0, %lanemask_le;" : "=r"(le));
	asm("mov.u32 %0, %lanemask_gt;" : "=r"(gt));
	asm("mov.u32 %0, %lanemask_ge;" : "=r"(ge));
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(before) :: "memory");
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(after) :: "memory");
	return (x != threadIdx.x) + (y != threadIdx.y) + (n != blockDim.y)
		+ (block != blockIdx.x) + (blocks != gridDim.x) + (lane != at)
		+ (warp != linear / 32) + (eq != 1u << at) + (lt != (1u << at) - 1)
		+ (le != (lt | eq)) + (gt != ~le) + (ge != ~lt) + (after <= before);
}

__device__ unsigned shuffles_differ(unsigned v)
{
	unsigned full = 0xffffffffu, d, wrong = 0, lane = (threadIdx.x + blockDim.x * threadIdx.y) & 31;
	unsigned within;

	asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(d) : "r"(v));
	wrong += d != __shfl_xor_sync(full, v, 5);
	asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3;"
		     : "=r"(d) : "r"(v), "r"(lane + 3), "r"(full));
	wrong += d != __shfl_sync(full, v, lane + 3);
	asm volatile("shfl.sync.idx.b32 %0, %1, 3, 0x181f, %2;" : "=r"(d) : "r"(v), "r"(full));
	wrong += d != __shfl_sync(full, v, 3, 8);
	asm volatile("shfl.sync.up.b32 %0, %1, 3, 0x0, %2;" : "=r"(d) : "r"(v), "r"(full));
	wrong += d != __shfl_up_sync(full, v, 3);
	asm volatile("shfl.sync.up.b32 %0, %1, 3, 0x1800, %2;" : "=r"(d) : "r"(v), "r"(full));
	wrong += d != __shfl_up_sync(full, v, 3, 8);
	asm volatile("shfl.sync.down.b32 %0, %1, 9, 0x101f, %2;" : "=r"(d) : "r"(v), "r"(full));
	wrong += d != __shfl_down_sync(full, v, 9, 16);
	asm volatile("{ .reg .pred p; .reg .u32 t;\n"
		     "shfl.sync.down.b32 t|p, %1, 1, 31, -1;\n"
		     "selp.u32 %0, 1, 0, p; }" : "=r"(within) : "r"(v));
	wrong += within != (lane < 31);
	return wrong;
}

__device__ unsigned votes_differ(int v)
{
	unsigned full = 0xffffffffu, ballot, any, wrong = 0;
	int all, all_p, sum, least;
	unsigned bits;

	asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
		     : "=r"(ballot) : "r"(v & 4));
	wrong += ballot != __ballot_sync(full, v & 4);
	asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.all.pred q, !p, %2;"
		     " selp.b32 %0, 1, 0, q; }" : "=r"(all) : "r"(v & 1024), "r"(full));
	wrong += all != __all_sync(full, !(v & 1024));
	asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(any) : "r"(v % 3), "r"(full));
	wrong += any != __match_any_sync(full, v % 3);
	asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.b32 %1, 1, 0, p; }"
		     : "=r"(bits), "=r"(all_p) : "r"(v >> 31), "r"(full));
	wrong += bits != full || !all_p;
	asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(sum) : "r"(v), "r"(full));
	wrong += sum != __reduce_add_sync(full, v);
	asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(least) : "r"(v - 40), "r"(full));
	wrong += least != __reduce_min_sync(full, v - 40);
	asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(bits) : "r"(v), "r"(full));
	wrong += bits != __reduce_xor_sync(full, (unsigned)v);
	return wrong;
}

__global__ void warps(unsigned *wrong, unsigned *turned)
{
	__shared__ unsigned s[64];
	unsigned t = threadIdx.x + blockDim.x * threadIdx.y, mask, count;

	wrong[t] = special_registers_differ() + shuffles_differ(t * t + 7) + votes_differ((int)t);
	for (int turn = 0; turn < 2; turn++) {
		s[t] = t + turn;
		asm volatile("bar.sync 0;" ::: "memory");
		turned[t] = s[63 - t];
		asm volatile("barrier.sync.aligned 0;");
	}
	s[t] = 1;
	asm volatile("bar.warp.sync 0xffffffff;");
	turned[t] += s[t ^ 1];
	asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 0, p; }"
		     : "=r"(count) : "r"(t));
	wrong[t] += count != 10;
	if (t < 8) {
		asm volatile("activemask.b32 %0;" : "=r"(mask));
		wrong[t] += mask != 0xff;
	}
}
