/* split_attend.cuh - a warp attends to its tiles of a split, for all query heads of a KV head.
 *
 * Included once for each shape of a group of query heads, with
 *   HEADS     query heads that are scored together: 1, 2 or 4
 *   PASSES    how often, so that HEADS * PASSES query heads have room
 *   DIM       the head size; may be a constant
 *   LANES     lanes that share a key for its scores: DIM <= 8 * LANES
 *   SPLIT_FN(name)  makes the name of a function or struct of this shape
 * The file that includes it (split_kernel.cuh) says where tiles come from: struct split_source,
 * source_wait(), source_release() and source_fill().
 *
 * For the scores of 8 keys, a lane multiplies two vectors of 4 elements of KEYS keys by the same
 * elements of the queries. The lanes that share a key then add up their sums, and halve what each
 * of them holds with every exchange, so that lane 4 * key + i ends up with the score of query head
 * i. Each lane takes keys and heads in an order of its own, so that what it gives away is always
 * the second half of its sums. Softmax is done once a tile, of one or two times 8 keys. For the
 * values, a lane owns whole vectors of the accumulators, and the weights go through shared memory.
 */
#define ALL_HEADS (HEADS * PASSES)
#define KEYS (LANES / 4)
#define OWNED (LANES == 32 ? 2 : 1)     /* vectors of an accumulator: lane + 32 * i */
#define AT_ONCES (SPLIT_TILE(8 * LANES) / SPLIT_KEYS_AT_ONCE)
#define KEPT SPLIT_KEPT(ALL_HEADS)

struct SPLIT_FN(state) {
#if KEPT
	float4 query[ALL_HEADS][2];             /* the lane's vectors */
#endif
	float max[PASSES], sum[PASSES];         /* of the lane's head, lane % HEADS */
	float4 acc[ALL_HEADS][OWNED];
};

INLINE_PIECE void SPLIT_FN(begin)(struct SPLIT_FN(state) *state)
{
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		state->max[p] = -INFINITY;
		state->sum[p] = 0.0f;
	}
#pragma unroll
	for (int h = 0; h < ALL_HEADS; h++)
#pragma unroll
		for (int i = 0; i < OWNED; i++)
			state->acc[h][i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Place h of the lane's sums is that of head h ^ swap. */
INLINE_PIECE int SPLIT_FN(swap)(void)
{
	return threadIdx.x % HEADS;
}

INLINE_PIECE void SPLIT_FN(load_query)(struct SPLIT_FN(state) *state, const struct split *s)
{
#if KEPT
#pragma unroll
	for (int h = 0; h < ALL_HEADS; h++)
#pragma unroll
		for (int i = 0; i < 2; i++)
			state->query[h][i] = split_query(s, h ^ SPLIT_FN(swap)(),
							 threadIdx.x % LANES + LANES * i);
#else
	(void)state;
	split_load_query(s);
	__syncthreads();
#endif
}

/* The lane's vector `i` of the query head in place `h`; beyond the row, anything. */
INLINE_PIECE float4 SPLIT_FN(query)(const struct SPLIT_FN(state) *state, const struct split *s,
				    int h, int i)
{
#if KEPT
	(void)s;
	return state->query[h][i];
#else
	(void)state;
	return ((const float4 *)s->query)[(h ^ SPLIT_FN(swap)()) * (DIM / 4)
					  + min((int)threadIdx.x % LANES + LANES * i, DIM / 4 - 1)];
#endif
}

/* Exchanges sums with the lane `step` away: of 2 * `count` sums, the first `count` are left. */
INLINE_PIECE void SPLIT_FN(exchange)(float *sums, int count, int step)
{
#pragma unroll
	for (int i = 0; i < count; i++)
		sums[i] += __shfl_xor_sync(FULL_WARP, sums[i + count], step);
}

/* The lane's score, of KEYS * HEADS sums. */
INLINE_PIECE float SPLIT_FN(reduce)(float *sums)
{
#if LANES == 32
	SPLIT_FN(exchange)(sums, 4 * HEADS, 16);
#endif
#if LANES >= 16
	SPLIT_FN(exchange)(sums, 2 * HEADS, 8);
#endif
	SPLIT_FN(exchange)(sums, HEADS, 4);
	/* Now of one key. */
#if HEADS == 4
	SPLIT_FN(exchange)(sums, 2, 2);
	SPLIT_FN(exchange)(sums, 1, 1);
	return sums[0];
#elif HEADS == 2
	SPLIT_FN(exchange)(sums, 1, 1);
	return sums[0] + __shfl_xor_sync(FULL_WARP, sums[0], 2);
#else
	sums[0] += __shfl_xor_sync(FULL_WARP, sums[0], 1);
	return sums[0] + __shfl_xor_sync(FULL_WARP, sums[0], 2);
#endif
}

/* Scores 8 keys of a tile, from key `from` on, for all query heads: score[p * AT_ONCES] of pass p
 * is that of head p * HEADS + lane % HEADS for key from + lane / 4, or -inf past the last key. */
INLINE_PIECE void SPLIT_FN(score)(const struct SPLIT_FN(state) *state, const struct split *s,
				  split_tile tile, int from, int count, float *score)
{
	int part = threadIdx.x % LANES, first = threadIdx.x / LANES * KEYS, swap = part / 4;
	float4 k[KEYS][2];

#pragma unroll
	for (int key = 0; key < KEYS; key++) {
		/* Past the last key, that one is multiplied again. */
		const split_vector *row = split_row(
			tile, min(from + first + (key ^ swap), count - 1), DIM);

		k[key][0] = split_widen(row[part]);
		k[key][1] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		if (part + LANES < DIM / 4)
			k[key][1] = split_widen(row[part + LANES]);
	}
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		float sums[KEYS * HEADS];

#pragma unroll
		for (int h = 0; h < HEADS; h++) {
			float4 q0 = SPLIT_FN(query)(state, s, p * HEADS + h, 0);
			float4 q1 = SPLIT_FN(query)(state, s, p * HEADS + h, 1);

#pragma unroll
			for (int key = 0; key < KEYS; key++) {
				float sum = q0.x * k[key][0].x;

				sum = fmaf(q0.y, k[key][0].y, sum);
				sum = fmaf(q0.z, k[key][0].z, sum);
				sum = fmaf(q0.w, k[key][0].w, sum);
				sum = fmaf(q1.x, k[key][1].x, sum);
				sum = fmaf(q1.y, k[key][1].y, sum);
				sum = fmaf(q1.z, k[key][1].z, sum);
				sums[key * HEADS + h] = fmaf(q1.w, k[key][1].w, sum);
			}
		}
		score[p * AT_ONCES] = split_cap(s, SPLIT_FN(reduce)(sums));
		if (from + (int)threadIdx.x / 4 >= count)
			score[p * AT_ONCES] = -INFINITY;
	}
}

/* The lane's part of softmax for pass `p`: updates the running maximum and sum, and leaves the
 * weights and the factor that rescales the accumulators in the warp's shared memory. */
INLINE_PIECE void SPLIT_FN(soften)(struct SPLIT_FN(state) *state, const struct split *s,
				   const float *score, int p, int count)
{
	int lane = threadIdx.x, key = lane / 4, head = p * HEADS + lane % HEADS;
	bool own = lane % 4 < HEADS;    /* with fewer heads, lanes repeat others */
	float weight[AT_ONCES], tile_max = score[0], tile_sum;

#pragma unroll
	for (int g = 1; g < AT_ONCES; g++)
		tile_max = fmaxf(tile_max, score[g]);
#pragma unroll
	for (int step = 4; step < WARP; step *= 2)
		tile_max = fmaxf(tile_max, __shfl_xor_sync(FULL_WARP, tile_max, step));

	/* The guards give exp(-inf) = 0 where the plain formula has -inf - -inf = NaN. */
	float new_max = fmaxf(state->max[p], tile_max);
	float rescale = state->max[p] == -INFINITY ? 0.0f : expf(state->max[p] - new_max);

#pragma unroll
	for (int g = 0; g < AT_ONCES; g++)
		weight[g] = score[g] == -INFINITY ? 0.0f : expf(score[g] - new_max);
	tile_sum = weight[0];
#pragma unroll
	for (int g = 1; g < AT_ONCES; g++)
		tile_sum += weight[g];
#pragma unroll
	for (int step = 4; step < WARP; step *= 2)
		tile_sum += __shfl_xor_sync(FULL_WARP, tile_sum, step);
	state->sum[p] = fmaf(state->sum[p], rescale, tile_sum);
	state->max[p] = new_max;

	if (!own)
		return;
#pragma unroll
	for (int g = 0; g < AT_ONCES; g++)
		s->weights[(g * SPLIT_KEYS_AT_ONCE + key) * ALL_HEADS + head] = weight[g];
	if (key == 0)
		s->rescale[head] = rescale;
	if (head >= s->G)
		return;
#pragma unroll
	for (int g = 0; g < AT_ONCES; g++)
		if (g * SPLIT_KEYS_AT_ONCE + key < count)
			POINT(score, score[g], weight[g]);
	if (key == 0)
		POINT(softmax, new_max, rescale, state->sum[p]);
}

/* Scores a tile of `count` keys, and does its softmax. */
INLINE_PIECE void SPLIT_FN(weigh)(struct SPLIT_FN(state) *state, const struct split *s,
				  split_tile keys, int count)
{
	float score[PASSES * AT_ONCES];

#pragma unroll
	for (int g = 0; g < AT_ONCES; g++)
		SPLIT_FN(score)(state, s, keys, g * SPLIT_KEYS_AT_ONCE, count, score + g);
#pragma unroll
	for (int p = 0; p < PASSES; p++)
		SPLIT_FN(soften)(state, s, score + p * AT_ONCES, p, count);
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

INLINE_PIECE void SPLIT_FN(rescale)(struct SPLIT_FN(state) *state, const struct split *s)
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
INLINE_PIECE void SPLIT_FN(add)(struct SPLIT_FN(state) *state, const struct split *s,
				split_tile values, int first, int count)
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
					v[r][i] = split_widen(
						split_row(values, key + r, DIM)
						[min((int)threadIdx.x + WARP * i, DIM / 4 - 1)]);
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

/* Leaves the warp's state in s->merged. */
INLINE_PIECE void SPLIT_FN(leave)(const struct SPLIT_FN(state) *state, const struct split *s)
{
	int lane = threadIdx.x, warp = threadIdx.y;

#pragma unroll
	for (int p = 0; p < PASSES; p++)
		if (lane < HEADS) {
			s->maxima[warp * ALL_HEADS + p * HEADS + lane] = state->max[p];
			s->sums[warp * ALL_HEADS + p * HEADS + lane] = state->sum[p];
		}
#pragma unroll
	for (int h = 0; h < ALL_HEADS; h++)
#pragma unroll
		for (int i = 0; i < OWNED; i++)
			if (lane + WARP * i < DIM / 4)
				((float4 *)s->merged)[(warp * ALL_HEADS + h) * (DIM / 4)
						      + lane + WARP * i] = state->acc[h][i];
}

/* Attends to the warp's tiles, every SPLIT_WARPS-th one of the split, and leaves its state in
 * s->merged. All threads of the block must call it. */
INLINE_PIECE void SPLIT_FN(attend)(const struct split *s, struct split_source *source)
{
	struct SPLIT_FN(state) state;

	SPLIT_FN(begin)(&state);
	SPLIT_FN(load_query)(&state, s);
	for (int key = s->begin + (int)threadIdx.y * SPLIT_TILE(DIM); key < s->end;
	     key += SPLIT_STEP(DIM)) {
		int count = min(s->end - key, SPLIT_TILE(DIM));
		split_tile values;

		SPLIT_FN(weigh)(&state, s, source_wait(source, s->k, key, DIM), count);
		__syncwarp();           /* the weights are written, and the keys were read */
		source_release(source);
		values = source_wait(source, s->v, key, DIM);
		SPLIT_FN(rescale)(&state, s);
		if (count == SPLIT_TILE(DIM))
			SPLIT_FN(add)(&state, s, values, 0, SPLIT_TILE(8 * LANES));
		else
			for (int i = 0; i < count; i++)
				SPLIT_FN(add)(&state, s, values, i, 1);
		__syncwarp();           /* the weights and the values were read */
		source_release(source);
	}
	source_fill(source, DIM);
	__syncthreads();                /* all have read the states of an earlier split */
	SPLIT_FN(leave)(&state, s);
	__syncthreads();
}
#undef ALL_HEADS
#undef KEYS
#undef AT_ONCES
#undef KEPT
#undef SIZE
#undef DIM
#undef LANES
#undef OWNED
