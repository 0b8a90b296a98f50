/* split_attend.cuh - a warp attends to its tiles of a split, for all query heads of a KV head.
 *
 * Included once for each shape of a group of query heads, with
 *   HEADS     query heads that are scored together: 1, 2 or 4
 *   PASSES    how often, so that HEADS * PASSES query heads have room
 *   DIM       the head size, a multiple of 16; may be a constant
 *   OWNED     vectors of 4 elements of each accumulator that a lane owns: DIM <= 128 * OWNED
 *   SPLIT_FN(name)  makes the name of a function or struct of this shape
 * The file that includes it (split_kernel.cuh) defines where tiles come from: struct split_source,
 * source_wait() and source_release().
 *
 * A tile is 8 keys. For the scores, four lanes share a key: each multiplies a quarter of the row by
 * the queries, 16 bytes at a time, and exchanges its sums with the other three, so that lane
 * 4 * key + i ends up with the score of query head i. Softmax is done once a tile, for all heads
 * at a time: each lane has one score. For the values, a lane owns whole vectors of the
 * accumulators, and the weights go through shared memory.
 */
#define ALL_HEADS (HEADS * PASSES)
#define VECTORS (DIM / 16)              /* of a row that a lane multiplies */
/* Up to 4 queries of up to 128 elements stay in registers. */
#define KEPT (PASSES == 1 && OWNED == 1)

struct SPLIT_FN(state) {
#if KEPT
	float4 query[HEADS][8];                 /* the lane's vectors */
#endif
	float max[PASSES], sum[PASSES];         /* of the lane's head, lane % HEADS */
	float4 acc[ALL_HEADS][OWNED];           /* vectors lane + 32 * i */
};

/* The lane's vector i of query head h of pass p. */
#if KEPT
#define QUERY(h, i) state->query[h][i]
#else
#define QUERY(h, i) \
	((const float4 *)s->query)[(p * HEADS + (h)) * (DIM / 4) + ((i) ^ swap) * SPLIT_LANES \
				   + part]
#endif

/* The lane's part of the scores of HEADS query heads, then its own score: of head lane % HEADS for
 * key lane / 4. `row` is the key. */
INLINE_PIECE float SPLIT_FN(score)(const struct SPLIT_FN(state) *state,
					const struct split *s, const float4 *row, int p, int swap)
{
	int part = threadIdx.x % SPLIT_LANES;
	float even[HEADS], odd[HEADS];

	(void)state, (void)s, (void)p;
#pragma unroll
	for (int h = 0; h < HEADS; h++)
		even[h] = odd[h] = 0.0f;
#pragma unroll
	for (int first = 0; first < VECTORS; first += SPLIT_LOADS) {
		float4 k[SPLIT_LOADS];

#pragma unroll
		for (int i = 0; i < SPLIT_LOADS; i++)
			if (first + i < VECTORS)
				k[i] = row[((first + i) ^ swap) * SPLIT_LANES + part];
#pragma unroll
		for (int i = 0; i < SPLIT_LOADS; i++) {
			if (first + i >= VECTORS)
				continue;
#pragma unroll
			for (int h = 0; h < HEADS; h++) {
				float4 q = QUERY(h, first + i);

				even[h] = fmaf(q.x, k[i].x, even[h]);
				odd[h] = fmaf(q.y, k[i].y, odd[h]);
				even[h] = fmaf(q.z, k[i].z, even[h]);
				odd[h] = fmaf(q.w, k[i].w, odd[h]);
			}
		}
	}
#if HEADS == 4
	bool upper = part & 2, second = part & 1;
	float give0 = upper ? even[0] + odd[0] : even[2] + odd[2];
	float give1 = upper ? even[1] + odd[1] : even[3] + odd[3];
	float keep0 = upper ? even[2] + odd[2] : even[0] + odd[0];
	float keep1 = upper ? even[3] + odd[3] : even[1] + odd[1];

	keep0 += __shfl_xor_sync(FULL_WARP, give0, 2);
	keep1 += __shfl_xor_sync(FULL_WARP, give1, 2);
	return (second ? keep1 : keep0)
		+ __shfl_xor_sync(FULL_WARP, second ? keep0 : keep1, 1);
#elif HEADS == 2
	bool second = part & 1;
	float give = second ? even[0] + odd[0] : even[1] + odd[1];
	float keep = second ? even[1] + odd[1] : even[0] + odd[0];

	keep += __shfl_xor_sync(FULL_WARP, give, 1);
	return keep + __shfl_xor_sync(FULL_WARP, keep, 2);
#else
	float sum = even[0] + odd[0];

	sum += __shfl_xor_sync(FULL_WARP, sum, 1);
	return sum + __shfl_xor_sync(FULL_WARP, sum, 2);
#endif
}

/* Scores a tile of `count` keys: leaves the weights and the factors that rescale the accumulators
 * in the warp's shared memory, and updates the running maxima and sums. */
INLINE_PIECE void SPLIT_FN(weigh)(struct SPLIT_FN(state) *state, const struct split *s,
				       const float4 *keys, int count)
{
	int lane = threadIdx.x, key = lane / SPLIT_LANES, head = lane % HEADS;
	int swap = SPLIT_SWAP(DIM, key);
	const float4 *row = keys + min(key, count - 1) * (DIM / 4);

#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		float score = SPLIT_FN(score)(state, s, row, p, swap);

		if (key >= count)
			score = -INFINITY;
		float tile_max = score;
#pragma unroll
		for (int step = SPLIT_LANES; step < WARP; step *= 2)
			tile_max = fmaxf(tile_max, __shfl_xor_sync(FULL_WARP, tile_max, step));

		/* The guards give exp(-inf) = 0 where the plain formula has -inf - -inf = NaN. */
		float new_max = fmaxf(state->max[p], tile_max);
		float rescale = state->max[p] == -INFINITY ? 0.0f : expf(state->max[p] - new_max);
		float weight = score == -INFINITY ? 0.0f : expf(score - new_max);
		float tile_sum = weight;
#pragma unroll
		for (int step = SPLIT_LANES; step < WARP; step *= 2)
			tile_sum += __shfl_xor_sync(FULL_WARP, tile_sum, step);

		state->sum[p] = fmaf(state->sum[p], rescale, tile_sum);
		state->max[p] = new_max;
		if (lane % SPLIT_LANES < HEADS) {
			s->weights[key * ALL_HEADS + p * HEADS + head] = weight;
			if (key == 0)
				s->rescale[p * HEADS + head] = rescale;
			if (p * HEADS + head < s->G) {
				if (key < count)
					POINT(score, score, weight);
				if (key == 0)
					POINT(softmax, new_max, rescale, state->sum[p]);
			}
		}
	}
}

/* Loads the values of HEADS heads at once. */
INLINE_PIECE void SPLIT_FN(load)(float *to, const float *from)
{
#if HEADS == 4
	float4 all = *(const float4 *)from;

	to[0] = all.x;
	to[1] = all.y;
	to[2] = all.z;
	to[3] = all.w;
#elif HEADS == 2
	float2 both = *(const float2 *)from;

	to[0] = both.x;
	to[1] = both.y;
#else
	to[0] = from[0];
#endif
}

INLINE_PIECE void SPLIT_FN(rescale)(struct SPLIT_FN(state) *state,
							 const struct split *s)
{
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		float rescale[HEADS];

		SPLIT_FN(load)(rescale, s->rescale + p * HEADS);
#pragma unroll
		for (int h = 0; h < HEADS; h++)
#pragma unroll
			for (int i = 0; i < OWNED; i++) {
				float4 *acc = &state->acc[p * HEADS + h][i];

				acc->x *= rescale[h];
				acc->y *= rescale[h];
				acc->z *= rescale[h];
				acc->w *= rescale[h];
			}
	}
}

/* acc = acc + weight * value, for keys [first, first + count) of the tile, one after another. */
INLINE_PIECE void SPLIT_FN(add)(struct SPLIT_FN(state) *state,
						     const struct split *s, const float4 *values,
						     int first, int count)
{
#pragma unroll
	for (int key = first; key < first + count; key += SPLIT_ROWS) {
		float4 v[SPLIT_ROWS][OWNED];

		/* Past the last vector, that one is loaded again. */
#pragma unroll
		for (int r = 0; r < SPLIT_ROWS; r++)
#pragma unroll
			for (int i = 0; i < OWNED; i++)
				if (key + r < first + count)
					v[r][i] = values[(key + r) * (DIM / 4)
							 + min((int)threadIdx.x + WARP * i,
							       DIM / 4 - 1)];
#pragma unroll
		for (int r = 0; r < SPLIT_ROWS; r++) {
			if (key + r >= first + count)
				continue;
#pragma unroll
			for (int p = 0; p < PASSES; p++) {
				float weight[HEADS];

				SPLIT_FN(load)(weight, s->weights + (key + r) * ALL_HEADS
						       + p * HEADS);
#pragma unroll
				for (int h = 0; h < HEADS; h++)
#pragma unroll
					for (int i = 0; i < OWNED; i++) {
						float4 *acc = &state->acc[p * HEADS + h][i];

						acc->x = fmaf(weight[h], v[r][i].x, acc->x);
						acc->y = fmaf(weight[h], v[r][i].y, acc->y);
						acc->z = fmaf(weight[h], v[r][i].z, acc->z);
						acc->w = fmaf(weight[h], v[r][i].w, acc->w);
					}
			}
		}
	}
}

/* Attends to the warp's tiles, every SPLIT_WARPS-th one of the split, and leaves its state in
 * s->merged. All threads of the block must call it. */
INLINE_PIECE void SPLIT_FN(attend)(const struct split *s)
{
	struct SPLIT_FN(state) state;
	struct split_source source;
	const float4 *values;
	int lane = threadIdx.x, warp = threadIdx.y;

#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		state.max[p] = -INFINITY;
		state.sum[p] = 0.0f;
	}
#pragma unroll
	for (int h = 0; h < ALL_HEADS; h++)
#pragma unroll
		for (int i = 0; i < OWNED; i++)
			state.acc[h][i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	source_begin(&source, s, DIM);
	split_load_query(s);
	__syncthreads();
#if KEPT
#pragma unroll
	for (int h = 0; h < HEADS; h++)
#pragma unroll
		for (int i = 0; i < 8; i++)
			if (i < VECTORS)
				state.query[h][i] = ((const float4 *)s->query)
					[h * (DIM / 4) + (i ^ SPLIT_SWAP(DIM, lane / SPLIT_LANES))
					 * SPLIT_LANES + lane % SPLIT_LANES];
#endif
	for (int key = s->begin + warp * SPLIT_TILE; key < s->end; key += SPLIT_UNIT) {
		int count = min(s->end - key, SPLIT_TILE);

		SPLIT_FN(weigh)(&state, s, source_wait(&source, s->k, key, DIM), count);
		__syncwarp();           /* the weights are written, and the keys were read */
		source_release(&source, s, DIM);
		values = source_wait(&source, s->v, key, DIM);
		SPLIT_FN(rescale)(&state, s);
		if (count == SPLIT_TILE)
			SPLIT_FN(add)(&state, s, values, 0, SPLIT_TILE);
		else
			for (int i = 0; i < count; i++)
				SPLIT_FN(add)(&state, s, values, i, 1);
		__syncwarp();           /* the weights and the values were read */
		source_release(&source, s, DIM);
	}
	__syncthreads();                /* s->merged may be where tiles were */

#pragma unroll
	for (int p = 0; p < PASSES; p++)
		if (lane < HEADS) {
			s->maxima[warp * ALL_HEADS + p * HEADS + lane] = state.max[p];
			s->sums[warp * ALL_HEADS + p * HEADS + lane] = state.sum[p];
		}
#pragma unroll
	for (int h = 0; h < ALL_HEADS; h++)
#pragma unroll
		for (int i = 0; i < OWNED; i++)
			if (lane + WARP * i < DIM / 4)
				((float4 *)s->merged)[(warp * ALL_HEADS + h) * (DIM / 4)
						      + lane + WARP * i] = state.acc[h][i];
	__syncthreads();
}
#undef ALL_HEADS
#undef VECTORS
#undef KEPT
#undef QUERY
#undef SIZE
#undef DIM
#undef OWNED
