/* attend_keys.cuh - the loop over keys for lanes with OWNED accumulators each (D <= 32 * OWNED).
 *
 * Included only by online_softmax.cuh, which defines OWNED and the function's name, ATTEND_KEYS.
 */
#define ROWS AT_ONCE(64 / OWNED)        /* rows of values loaded at once */

static __device__ void ATTEND_KEYS(struct softmax_state *state, const float *k, const float *v,
				   int begin, int end, int D, float scale,
				   const float *query, float *weights)
{
	int lane = threadIdx.x % WARP;
	float running_max = -INFINITY, sum = 0.0f;
	float acc[OWNED];
	int element[OWNED];

#pragma unroll
	for (int i = 0; i < OWNED; i++) {
		acc[i] = 0.0f;
		/* A lane past the last element repeats that element; the result is unused. */
		element[i] = min(lane + WARP * i, D - 1);
	}

	for (int first = begin; first < end; first += WARP) {
		int keys = min(end - first, WARP);
		const float *key_rows = k + (long long)first * D;
		const float *value_rows = v + (long long)first * D;

		/* All lanes have written the query and read the previous tile's weights. */
		__syncwarp();

		float score = -INFINITY;
		if (lane < keys)
			score = dot(query, key_rows + lane * D, D) * scale;

		/* The guards give exp(-inf) = 0 where the plain formula has -inf - -inf = NaN. */
		float new_max = fmaxf(running_max, warp_max(score));
		float rescale = running_max == -INFINITY ? 0.0f : expf(running_max - new_max);
		float weight = score == -INFINITY ? 0.0f : expf(score - new_max);

		sum = fmaf(sum, rescale, warp_sum(weight));
		running_max = new_max;
		if (lane < keys)
			POINT(score, score, weight);
		if (lane == 0)
			POINT(softmax, new_max, rescale, sum);

		weights[lane] = weight;
		__syncwarp();
#pragma unroll
		for (int i = 0; i < OWNED; i++)
			acc[i] *= rescale;
		for (int j = 0; j < keys && !ROW_FOURS(D); j += ROWS) {
			float rows[ROWS][OWNED];

			/* Unconditional loads: past the last key, that key is loaded again. */
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int i = 0; i < OWNED; i++)
					rows[r][i] = value_rows[AT_MOST(j + r, keys - 1) * D
								+ element[i]];
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				if (j + r < keys)
#pragma unroll
					for (int i = 0; i < OWNED; i++)
						acc[i] = fmaf(weights[j + r], rows[r][i], acc[i]);
		}
		if (ROW_FOURS(D))
			add_fours(acc, OWNED, weights, value_rows, keys, D);
	}

	state->max = running_max;
	state->sum = sum;
#pragma unroll
	for (int i = 0; i < OWNED; i++)
		state->acc[i] = acc[i];
#ifdef FOUR_FMAF
	for (int i = OWNED; i < OWNED_MAX; i++)         /* or gcc warns of what no lane uses */
		state->acc[i] = 0.0f;
#endif
}
#undef ROWS
#undef OWNED
#undef ATTEND_KEYS
