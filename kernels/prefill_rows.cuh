/* prefill_rows.cuh - attention_prefill for THREADS threads per query row.
 *
 * D and Dv are at most 32 * THREADS. Included only by attention_prefill.cu, which defines THREADS
 * and the function's name, PREFILL_ROWS. block_keys: how many keys any query of this block sees.
 *
 * The first thread of each row passes the point softmax once per tile with a key that the row sees:
 * its point n belongs to keys 32 * n to 32 * n + 31.
 */
#define PADDED (32 * THREADS)           /* floats in a tile row: elements, then zeros */

static __device__ void PREFILL_ROWS(const float *q, const float *k, const float *v, float *out,
				    int row, int Nq, int Nk, int D, int Dv, int offset,
				    int block_keys, float scale, float *tile)
{
	int part = threadIdx.x % THREADS;
	int visible = row < Nq ? max(0, min(Nk, row + offset + 1)) : 0;
	float4 *keys = (float4 *)tile, *values = keys + TILE * PADDED / 4;
	float4 query[8], acc[8];
	float running_max = -INFINITY, sum = 0.0f;

	/* Thread `part` of a row owns every THREADS-th group of four, so that loads coalesce. */
#pragma unroll
	for (int i = 0; i < 8; i++) {
		int d = (i * THREADS + part) * 4;
		const float *from = q + (long long)row * D + d;

		query[i].x = row < Nq && d < D ? from[0] : 0.0f;
		query[i].y = row < Nq && d + 1 < D ? from[1] : 0.0f;
		query[i].z = row < Nq && d + 2 < D ? from[2] : 0.0f;
		query[i].w = row < Nq && d + 3 < D ? from[3] : 0.0f;
		acc[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	}

	for (int first = 0; first < block_keys; first += TILE) {
		float weights[TILE];
		float tile_max = -INFINITY, tile_sum = 0.0f;

		__syncthreads();        /* the previous tile has been read */
		for (int i = threadIdx.x; i < TILE * PADDED; i += BLOCK) {
			int j = first + i / PADDED, d = i % PADDED;

			tile[i] = j < Nk && d < D ? k[(long long)j * D + d] : 0.0f;
			tile[TILE * PADDED + i] =
				j < Nk && d < Dv ? v[(long long)j * Dv + d] : 0.0f;
		}
		__syncthreads();

#pragma unroll
		for (int j = 0; j < TILE; j++) {
			float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f, score;

#pragma unroll
			for (int i = 0; i < 8; i++) {
				float4 key = keys[j * (PADDED / 4) + i * THREADS + part];

				x = fmaf(query[i].x, key.x, x);
				y = fmaf(query[i].y, key.y, y);
				z = fmaf(query[i].z, key.z, z);
				w = fmaf(query[i].w, key.w, w);
			}
			score = (x + y) + (z + w);
			for (int step = 1; step < THREADS; step *= 2)
				score += __shfl_xor_sync(FULL_WARP, score, step);
			weights[j] = first + j < visible ? score * scale : -INFINITY;
			tile_max = fmaxf(tile_max, weights[j]);
		}

		/* The guards give exp(-inf) = 0 where the plain formula has -inf - -inf = NaN. */
		float new_max = fmaxf(running_max, tile_max);
		float rescale = running_max == -INFINITY ? 0.0f : expf(running_max - new_max);

#pragma unroll
		for (int j = 0; j < TILE; j++) {
			weights[j] = weights[j] == -INFINITY ? 0.0f : expf(weights[j] - new_max);
			tile_sum += weights[j];
		}
		sum = fmaf(sum, rescale, tile_sum);
		running_max = new_max;
		if (part == 0 && first < visible)
			POINT(softmax, new_max, rescale, sum);
		/* At the edge of the mask, masked values must not be used: 0 * NaN is NaN. */
		if (first + TILE <= visible)
			prefill_accumulate(acc, values + part, THREADS, weights, TILE, rescale);
		else
			prefill_accumulate(acc, values + part, THREADS, weights, visible - first,
					   rescale);
	}

	if (row >= Nq)
		return;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		int d = (i * THREADS + part) * 4;
		float *to = out + (long long)row * Dv + d;

		if (d < Dv)
			to[0] = sum == 0.0f ? 0.0f : acc[i].x / sum;
		if (d + 1 < Dv)
			to[1] = sum == 0.0f ? 0.0f : acc[i].y / sum;
		if (d + 2 < Dv)
			to[2] = sum == 0.0f ? 0.0f : acc[i].z / sum;
		if (d + 3 < Dv)
			to[3] = sum == 0.0f ? 0.0f : acc[i].w / sum;
	}
}
#undef PADDED
#undef THREADS
#undef PREFILL_ROWS
