/* warp_words.cu - votes, matches, masks, integer and bit intrinsics. */
#include <stdint.h>
__device__ __forceinline__ unsigned lane_id() { return threadIdx.x & 31; }

__global__ void warp(const int *in, unsigned *out)
{
	const unsigned lane = lane_id(), full = 0xffffffffu;
	int v = in[lane];
	int pred;
	unsigned *row = out + lane;

	row[32 * 0] = __ballot_sync(full, v & 1);
	row[32 * 1] = __match_any_sync(full, v % 4);
	row[32 * 2] = __match_all_sync(full, 5, &pred) & pred;
	row[32 * 3] = __reduce_add_sync(full, (unsigned)v);
	row[32 * 4] = __reduce_max_sync(full, v);
	row[32 * 5] = __popc(v) + __clz(v) * 100 + __ffs(v) * 10000;
	row[32 * 6] = __brev(v);
	row[32 * 7] = __byte_perm(v, 0x01020304, 0x7531);
	row[32 * 8] = __funnelshift_l(v, 0x80000001u, 4);
	row[32 * 9] = __umulhi(v * 0x10000001u, 0x12345678u) + __mul24(v, 3) + __umul24(v, 5u);
	row[32 * 10] = __sad(v, 10, 1u) + __usad(v, 3, 2) + __hadd(v, 2) + __rhadd(v, 2);
	row[32 * 11] = __any_sync(full, v == 0) + 2 * __all_sync(full, v >= 0);
	row[32 * 12] = __shfl_up_sync(full, v, 1) + __shfl_sync(full, v, 3, 8);
	row[32 * 13] = (unsigned)(__umul64hi(0x123456789abcdefull * v, 0xfedcba987654321ull) & 0xffffffff);
	row[32 * 14] = __dp4a(v * 0x01010101, 0x01020304, 7);
	row[32 * 15] = __vadd4(v, 0x01010101) + __popcll(0xff00ff00ffull * v) + __clzll(1ll << lane);
	if (lane < 16)
		row[32 * 16] = __activemask() == 0xffffu || __activemask() != 0;
	else
		row[32 * 16] = 2;
	row[32 * 17] = __float2int_rn(v * 0.5f) + __float2uint_ru(v * 0.3f) + __double2int_rz(v * 1.5);
	row[32 * 18] = __float_as_uint(__uint_as_float(v)) + (unsigned)abs(-v) + (unsigned)llabs(-3ll);
	row[32 * 19] = max(v, 3) + min(7u, (unsigned)v) + umax(3u, 4u) + (unsigned)__double2loint(1.5) + __double2hiint(1.5);
}
