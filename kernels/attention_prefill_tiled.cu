/* attention_prefill_tiled.cu - attention of many queries at once, tiled in registers like a matrix
 * product.
 *
 * Grid (B * H, ceil(Nq / PREFILL_ROWS)), block PREFILL_THREADS, dynamic shared memory 4 *
 * PREFILL_FLOATS bytes (kernels/prefill_rule.h). Tensors, heads and masks as in attention_prefill,
 * with D = Dv of 64, 80, 96, 128 or 256 and tensors that begin at multiples of 16 bytes.
 * Asynchronous copies bring the next keys while the block works on values, and the next values
 * while it works on keys. Keys that no row of the block sees are skipped; blocks with the most keys
 * begin first.
 *
 * A row has the same bits whatever its place in a block, the other rows, the heads and the launch.
 * Its tiles begin at multiples of PREFILL_KEYS. A score is one chain of fused multiply-adds by
 * element, an output one by key; the sum of weights is one per lane, tile by tile, and the lanes
 * are added once at the end.
 */
#include "kernels/online_softmax.cuh"
#include "kernels/prefill_rule.h"
#include "sim/cuda/async.h"

/* What a block attends to: one head. */
struct tiled {
	const float *q, *k, *v;
	float *out;
	int Nq, Nk;
	int block_row;                  /* the first of the block's rows */
	int offset;                     /* row i sees keys before i + offset + 1, */
	int limit;                      /* and before this */
	float scale;
};

/* The rows that a thread works on. */
struct tiled_rows {
	int first;
	float max[8], sum[8];
};

#define DIM 64
#define TILED tiled_64
#include "kernels/prefill_tile.cuh"

#define DIM 80
#define TILED tiled_80
#include "kernels/prefill_tile.cuh"

#define DIM 96
#define TILED tiled_96
#include "kernels/prefill_tile.cuh"

#define DIM 128
#define TILED tiled_128
#include "kernels/prefill_tile.cuh"

#define DIM 256
#define TILED tiled_256
#include "kernels/prefill_tile.cuh"

KERNEL __launch_bounds__(256) attention_prefill_tiled(const float *q, const float *k,
	const float *v, float *out, int H, int Hkv, int Nq, int Nk, int D, int Dv, int stride,
	int offset, float scale)
{
	extern __shared__ __align__(16) float shared[];
	long long head = blockIdx.x;
	long long kv_head = head / H * Hkv + head % H * Hkv / H;
	struct tiled t;

	(void)Dv;
	t.q = q + head * Nq * D;
	t.k = k + kv_head * stride * D;
	t.v = v + kv_head * stride * D;
	t.out = out + head * Nq * D;
	t.Nq = Nq;
	t.Nk = Nk;
	t.block_row = (int)(gridDim.y - 1 - blockIdx.y) * PREFILL_ROWS(D);
	t.offset = offset;
	t.limit = min(Nk, Nq + offset);
	t.scale = scale;
	if (D == 64)
		tiled_64(&t, shared);
	else if (D == 80)
		tiled_80(&t, shared);
	else if (D == 96)
		tiled_96(&t, shared);
	else if (D == 128)
		tiled_128(&t, shared);
	else
		tiled_256(&t, shared);
}
