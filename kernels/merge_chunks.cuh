/* merge_chunks.cuh - the loop of flash_decode_reduce.cu for lanes that own OWNED elements (D <= 32 * OWNED).
 *
 * Included by flash_decode_reduce.cu only, with OWNED, the function's name MERGE_CHUNKS, and ROWS, the
 * partials whose loads are under way together, defined. `first` is the row's first partial, `greatest`
 * the greatest of its maxima; weights and sums are 32 floats each of shared memory.
 */
static __device__ void MERGE_CHUNKS(const float *first, int chunks, int D, float greatest, float *out,
				    float *weights, float *sums)
{
	int lane = threadIdx.x;
	float sum = 0.0f;
	float acc[OWNED];
	int element[OWNED];

#pragma unroll
	for (int i = 0; i < OWNED; i++) {
		acc[i] = 0.0f;
		/* A lane past the last element computes that one again; nobody reads it. */
		element[i] = min(lane + WARP * i, D - 1);
	}

	for (int begin = 0; begin < chunks; begin += WARP) {
		const float *partial = first + (long long)begin * (D + 2);
		int count = min(chunks - begin, WARP);

		__syncwarp();   /* all lanes have read the last weights */
		if (lane < count) {
			float chunk_max = partial[lane * (D + 2) + D];

			/* Equal maxima, -inf and -inf too, weigh 1: a chunk of NaN scores must stay NaN. */
			weights[lane] = chunk_max == greatest ? 1.0f : expf(chunk_max - greatest);
			sums[lane] = partial[lane * (D + 2) + D + 1];
		}
		__syncwarp();

		for (int c = 0; c < count; c += ROWS) {
			float rows[ROWS][OWNED];

			/* Loads without conditions: past the last chunk, that one again. */
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int i = 0; i < OWNED; i++)
					rows[r][i] = partial[min(c + r, count - 1) * (D + 2) + element[i]];
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
