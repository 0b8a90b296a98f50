/* merge_chunks.cuh - the loop over chunks for lanes with OWNED elements each (D <= 32 * OWNED).
 *
 * Included only by flash_decode_reduce.cu, which defines OWNED, the function's name, MERGE_CHUNKS,
 * and ROWS, how many partials are loaded at once. `first` is the first partial of the row,
 * `row_max` the maximum of all its chunks; weights and sums are 32 floats of shared memory each.
 */
static __device__ void MERGE_CHUNKS(const float *first, int chunks, int D, float row_max,
				    float *out, float *weights, float *sums)
{
	int lane = threadIdx.x;
	float sum = 0.0f;
	float acc[OWNED];
	int element[OWNED];

#pragma unroll
	for (int i = 0; i < OWNED; i++) {
		acc[i] = 0.0f;
		/* A lane past the last element repeats that element; the result is unused. */
		element[i] = min(lane + WARP * i, D - 1);
	}

	for (int begin = 0; begin < chunks; begin += WARP) {
		const float *partial = first + (long long)begin * (D + 2);
		int count = min(chunks - begin, WARP);

		__syncwarp();   /* all lanes have read the previous weights */
		if (lane < count) {
			float chunk_max = partial[lane * (D + 2) + D];

			/* Equal maxima give 1, even -inf: a chunk of NaN scores must stay NaN. */
			weights[lane] = chunk_max == row_max ? 1.0f : expf(chunk_max - row_max);
			sums[lane] = partial[lane * (D + 2) + D + 1];
		}
		__syncwarp();

		for (int c = 0; c < count; c += ROWS) {
			float rows[ROWS][OWNED];

			/* Unconditional loads: past the last chunk, that chunk is loaded again. */
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int i = 0; i < OWNED; i++)
					rows[r][i] = partial[min(c + r, count - 1) * (D + 2)
							     + element[i]];
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				if (c + r < count) {
					sum = fmaf(weights[c + r], sums[c + r], sum);
#pragma unroll
					for (int i = 0; i < OWNED; i++)
						acc[i] = fmaf(weights[c + r], rows[r][i], acc[i]);
					if (lane == 0)
						POINT(reduce, weights[c + r], sum, acc[0]);
				}
			}
		}
	}

#pragma unroll
	for (int i = 0; i < OWNED; i++)
		if (lane + WARP * i < D)
			out[lane + WARP * i] = sum == 0.0f ? 0.0f : acc[i] / sum;
}
#undef OWNED
#undef ROWS
#undef MERGE_CHUNKS
