/* attention_prefill.cu - attention of many queries at once, tiled, without an Nq x Nk matrix.
 *
 * Grid (B * H, ceil(Nq / rows)), block 128, dynamic shared memory 2 * 32 * padded * 4 bytes. T
 * threads share a query row: 2 if D and Dv are at most 64, 4 if at most 128, else 8; rows is 128 /
 * T and padded is 32 * T. Queries and accumulators stay in registers; tiles of 32 keys and values
 * go through shared memory. q is [B * H, Nq, D], k [B * Hkv, stride, D], v [B * Hkv, stride, Dv]
 * and out [B * H, Nq, Dv]. Query head h uses KV head floor(h * Hkv / H). Query i sees keys 0 .. i +
 * offset. The causal mask is aligned bottom-right if offset = Nk - Nq, and top-left if offset = 0;
 * offset = Nk means no mask. A query that sees no key gets zeros.
 *
 * Unlike the model, gpu_flash_attention_f32 of ferrotorch-gpu: one launch does all heads; the
 * accumulators are in registers and are divided once, at the end, where that kernel keeps them in
 * global memory and renormalises them at each key; the division is IEEE, not div.approx; and the
 * maximum begins at -inf, with guards, because -FLT_MAX is a score that keys can have.
 */
#include "kernels/online_softmax.cuh"

#define BLOCK 128
#define TILE 32

/* acc = acc * rescale + sum over the first `count` keys of weight * value, for the 8 groups of four
 * elements that a thread owns: every `threads`-th of the 8 * threads groups in a row. */
static __device__ __forceinline__ void prefill_accumulate(float4 *acc, const float4 *values,
							  int threads, const float *weights,
							  int count, float rescale)
{
#pragma unroll
	for (int i = 0; i < 8; i++) {
		float4 a = acc[i];

		a.x *= rescale;
		a.y *= rescale;
		a.z *= rescale;
		a.w *= rescale;
#pragma unroll
		for (int j = 0; j < TILE; j++) {
			if (j < count) {
				float4 value = values[(j * 8 + i) * threads];

				a.x = fmaf(weights[j], value.x, a.x);
				a.y = fmaf(weights[j], value.y, a.y);
				a.z = fmaf(weights[j], value.z, a.z);
				a.w = fmaf(weights[j], value.w, a.w);
			}
		}
		acc[i] = a;
	}
}

#define THREADS 2
#define PREFILL_ROWS prefill_rows_64
#include "kernels/prefill_rows.cuh"

#define THREADS 4
#define PREFILL_ROWS prefill_rows_128
#include "kernels/prefill_rows.cuh"

#define THREADS 8
#define PREFILL_ROWS prefill_rows_256
#include "kernels/prefill_rows.cuh"

KERNEL __launch_bounds__(BLOCK) attention_prefill(const float *q, const float *k, const float *v,
	float *out, int H, int Hkv, int Nq, int Nk, int D, int Dv, int stride, int offset,
	float scale)
{
	extern __shared__ __align__(16) float tile[];
	int widest = max(D, Dv);
	int threads = widest <= 64 ? 2 : widest <= 128 ? 4 : 8;
	int rows = BLOCK / threads;
	int row = blockIdx.y * rows + threadIdx.x / threads;
	long long head = blockIdx.x;
	long long kv_head = head / H * Hkv + head % H * Hkv / H;
	/* Keys that any query of this block sees. */
	int last = min(Nq - 1, (int)blockIdx.y * rows + rows - 1);
	int block_keys = max(0, min(Nk, last + offset + 1));
	const float *k_head = k + kv_head * stride * D, *v_head = v + kv_head * stride * Dv;

	q += head * Nq * D;
	out += head * Nq * Dv;
	if (threads == 2)
		prefill_rows_64(q, k_head, v_head, out, row, Nq, Nk, D, Dv, offset, block_keys,
				scale, tile);
	else if (threads == 4)
		prefill_rows_128(q, k_head, v_head, out, row, Nq, Nk, D, Dv, offset, block_keys,
				 scale, tile);
	else
		prefill_rows_256(q, k_head, v_head, out, row, Nq, Nk, D, Dv, offset, block_keys,
				 scale, tile);
}
