/* split_tensor.cuh - a warp attends to its tiles of a split on tensor cores, for all query heads of
 * a KV head: rungs of the ladder from 7 up, with keys and values of f16, bf16 or e4m3.
 *
 * Included once for each shape of a group of query heads, with
 *   PASSES    1, 2 or 4: for up to 4 * PASSES query heads
 *   DIM       the head size; on the simulator s->D, if a function is for several
 *   DIM_MAX   the largest of them, a constant
 *   SPLIT_FN(name)  makes the name of a function or struct of this shape
 * It takes the place of split_attend.cuh, and tiles come from the same sources.
 *
 * mma.sync multiplies matrices of 16 x 16 and 16 x 8 (PTX ISA, mma.m16n8k16). Keys are the 16 rows,
 * and query heads the 8 columns, because a group has few of them. In registers, lane 4 * g + c has
 * rows g and g + 8, and columns 2 * c and 2 * c + 1 of the product:
 *   scores = keys [16 keys, elements] * queries [elements, 8 heads]
 *   sums += values, transposed [16 elements, keys] * weights [keys, 8 heads]
 * Which element of a row is which of the 16 that an instruction adds up does not matter, as long as
 * both matrices agree: a lane loads EIGHT elements of a row at once and uses them as they are. The
 * lane's columns are heads c and c + 4, so that what a lane has of the scores is what it has of the
 * sums, and which lane has which score is as in split_attend.cuh. Only the weights change lanes,
 * through shared memory.
 *
 * Queries and weights are in float: each becomes the sum of two numbers of the elements' type,
 * `high` and `low`, with 16 bits of bf16 or 22 of f16, which are multiplied one after the other. So
 * the error is close to that of sums in float. Elements of e4m3 become f16 first, exactly, and
 * queries and weights the nearest number of f16: the error of that is far below e4m3's own.
 */
#define EIGHT 8                         /* elements that a lane loads at once */
#define VECTORS (DIM / EIGHT)           /* of a row */
#define SLICES ((VECTORS + 3) / 4)      /* lane c loads vectors c + 4 * slice of a key */
#define PARTS ((VECTORS + 7) / 8)       /* lane g loads vectors g + 8 * part of a value */
#define SLICES_MAX ((DIM_MAX / EIGHT + 3) / 4)
#define PARTS_MAX ((DIM_MAX / EIGHT + 7) / 8)
#define COLUMNS ((PASSES + 1) / 2)      /* 8 query heads each */
#define ROOM (4 * PASSES)
#define KEPT (PASSES <= 2)              /* queries are in registers, else in shared memory */
#if SPLIT_TILE(DIM_MAX) == 16
#define WHOLE 1                         /* else a tile has 8 keys */
#define VALUES TENSOR_K16
#else
#define WHOLE 0
#define VALUES TENSOR_K8
#endif

struct SPLIT_FN(state) {
#if KEPT
	tensor_four query[SLICES_MAX][2];           /* see query() */
#endif
	float max[PASSES], sum[PASSES];         /* of query head 4 * pass + c */
	/* [][element 8 * vector + 2 * i and the next][column]: rows g and g + 8 of a product */
	uint32_t acc[COLUMNS][PARTS_MAX][4][4];
};

INLINE_PIECE void SPLIT_FN(begin)(struct SPLIT_FN(state) *state)
{
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		state->max[p] = -INFINITY;
		state->sum[p] = 0.0f;
	}
#pragma unroll
	for (int i = 0; i < COLUMNS * PARTS_MAX * 16; i++)
		state->acc[i / (PARTS_MAX * 16)][i / 16 % PARTS_MAX][i / 4 % 4][i % 4] = 0;
}

/* Four elements of a query head. */
INLINE_PIECE tensor_four SPLIT_FN(split_query)(const struct split *s, int head, int vector,
					       int half)
{
	float4 q = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

	if (head < s->G && vector < VECTORS)
		q = ((const float4 *)s->q)[head * (DIM / 4) + 2 * vector + half];
	return tensor_four_of(q);
}

/* Where shared memory has the two halves of a vector of 8 elements of the head of a column. */
INLINE_PIECE tensor_four *SPLIT_FN(query_place)(const struct split *s, int column, int vector,
						int half)
{
	return (tensor_four *)s->query + (column * 2 + half) * VECTORS + vector;
}

#if KEPT
INLINE_PIECE void SPLIT_FN(load_kept)(const struct split *s, tensor_four query[][2])
{
	int g = threadIdx.x / 4, c = threadIdx.x % 4;

#pragma unroll
	for (int j = 0; j < SLICES; j++)
#pragma unroll
		for (int half = 0; half < 2; half++)
			query[j][half] = SPLIT_FN(split_query)(s, TENSOR_HEAD(g), c + 4 * j, half);
}
#endif

/* Makes the queries of the split ready. A run has several splits of a KV head, one after the other:
 * where two blocks share a multiprocessor, which have runs of many, they are loaded once. */
INLINE_PIECE void SPLIT_FN(load_query)(struct SPLIT_FN(state) *state, const struct split *s,
				       struct split_source *source)
{
#if KEPT && defined(SPLIT_PAIR)
	if (!s->same)
		SPLIT_FN(load_kept)(s, source->query);
#pragma unroll
	for (int i = 0; i < SLICES * 2; i++)
		state->query[i / 2][i % 2] = source->query[i / 2][i % 2];
#elif KEPT
	(void)source;
	SPLIT_FN(load_kept)(s, state->query);
#else
	(void)state, (void)source;
	for (int i = threadIdx.x + WARP * threadIdx.y; i < 8 * COLUMNS * VECTORS * 2;
	     i += SPLIT_THREADS) {
		int column = i / (VECTORS * 2), vector = i / 2 % VECTORS, half = i % 2;
		tensor_four query = SPLIT_FN(split_query)(s, TENSOR_HEAD(column), vector, half);

		*SPLIT_FN(query_place)(s, column, vector, half) = query;
	}
	__syncthreads();
#endif
}

/* Four elements of the queries: of the head of column g. */
INLINE_PIECE tensor_four SPLIT_FN(query)(const struct SPLIT_FN(state) *state, const struct split *s,
					 int column, int slice, int half)
{
#if KEPT
	(void)s, (void)column;
	return state->query[slice][half];
#else
	int vector = (int)threadIdx.x % 4 + 4 * slice;

	(void)state;
	if (vector >= VECTORS)
		return tensor_four_zeros();
	return *SPLIT_FN(query_place)(s, 8 * column + threadIdx.x / 4, vector, half);
#endif
}

/* Vector `vector` of a row of a tile; zeros past the last one and with `none`. */
INLINE_PIECE uint4 SPLIT_FN(eight)(const struct split *s, split_tile tile, int row, int vector,
				   bool none)
{
	(void)s;
	if (none || vector >= VECTORS)
		return make_uint4(0, 0, 0, 0);
	return tensor_eight(split_row(tile, row, DIM) + 2 * vector);
}

#if TENSOR_NUMBERS == 2
/* The sum of the products of high and of low numbers. An infinite element makes the first infinite,
 * and may make NaN of a low number that is 0. */
INLINE_PIECE float SPLIT_FN(total)(float high, float low)
{
	return fabsf(high) == INFINITY ? high : high + low;
}
#endif

/* Scores a tile: score[p][i] is that of head 4 * p + c for key g + 8 * i, or -inf past the last
 * key. */
INLINE_PIECE void SPLIT_FN(score)(const struct SPLIT_FN(state) *state, const struct split *s,
				  split_tile tile, int count, float score[PASSES][2])
{
	int g = threadIdx.x / 4, c = threadIdx.x % 4;
	uint32_t sums[COLUMNS][TENSOR_NUMBERS][4];      /* of high and low numbers */

#pragma unroll
	for (int i = 0; i < COLUMNS * TENSOR_NUMBERS * 4; i++)
		sums[i / (TENSOR_NUMBERS * 4)][i / 4 % TENSOR_NUMBERS][i % 4] = 0;
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		/* Past the last key, that one is multiplied again. */
		uint4 k0 = SPLIT_FN(eight)(s, tile, min(g, count - 1), c + 4 * j, false);
		uint4 k1 = SPLIT_FN(eight)(s, tile, min(g + 8, count - 1), c + 4 * j, !WHOLE);
		uint32_t keys[2][4] = { { k0.x, k1.x, k0.y, k1.y }, { k0.z, k1.z, k0.w, k1.w } };

#pragma unroll
		for (int half = 0; half < 2; half++)
#pragma unroll
			for (int t = 0; t < COLUMNS; t++) {
				tensor_four q = SPLIT_FN(query)(state, s, t, j, half);
				uint32_t high[2] = { q.x, q.y };

				TENSOR_MULTIPLY(TENSOR_K16, sums[t][0], keys[half], high);
#if TENSOR_NUMBERS == 2
				uint32_t low[2] = { q.z, q.w };

				TENSOR_MULTIPLY(TENSOR_K16, sums[t][1], keys[half], low);
#endif
			}
	}
#pragma unroll
	for (int p = 0; p < PASSES; p++)
#pragma unroll
		for (int i = 0; i < 2; i++) {
			int t = p / 2, at = 2 * i + p % 2;
			float sum = __uint_as_float(sums[t][0][at]);

#if TENSOR_NUMBERS == 2
			sum = SPLIT_FN(total)(sum, __uint_as_float(sums[t][1][at]));
#endif
			score[p][i] = split_cap(s, sum * s->scale);
			if (g + 8 * i >= count)
				score[p][i] = -INFINITY;
		}
}

/* exp(x - max); 0 for x = -inf, where the plain formula may have -inf - -inf = NaN. The exponential
 * is computed for any x, so that no branch keeps those of other scores waiting. */
INLINE_PIECE float SPLIT_FN(weight)(float x, float max)
{
	float weight = expf(x - max);

	return x == -INFINITY ? 0.0f : weight;
}

/* The points of pass `p` for the lane's scores. */
INLINE_PIECE void SPLIT_FN(points)(const struct SPLIT_FN(state) *state, const struct split *s,
				   const float *score, const float *weight, float rescale, int p,
				   int count)
{
	int key = threadIdx.x / 4;

	if (4 * p + (int)threadIdx.x % 4 >= s->G)
		return;
#pragma unroll
	for (int i = 0; i < 2; i++)
		if (key + 8 * i < count)
			POINT(score, score[i], weight[i]);
	if (key == 0)
		POINT(softmax, state->max[p], rescale, state->sum[p]);
}

/* The lane's part of softmax: updates the running maxima and sums, leaves the weights in the warp's
 * shared memory, and sets the factors that rescale the accumulators. Passes are in step, so that a
 * shuffle of one waits while that of another is on its way. */
INLINE_PIECE void SPLIT_FN(soften)(struct SPLIT_FN(state) *state, const struct split *s,
				   float score[PASSES][2], int count, float rescale[PASSES])
{
	float max[PASSES], weight[PASSES][2], sum[PASSES];
	int key = threadIdx.x / 4;

#pragma unroll
	for (int p = 0; p < PASSES; p++)
		max[p] = fmaxf(score[p][0], score[p][1]);
#pragma unroll
	for (int step = 4; step < WARP; step *= 2)
#pragma unroll
		for (int p = 0; p < PASSES; p++)
			max[p] = fmaxf(max[p], __shfl_xor_sync(FULL_WARP, max[p], step));
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		max[p] = fmaxf(state->max[p], max[p]);
		rescale[p] = SPLIT_FN(weight)(state->max[p], max[p]);
#pragma unroll
		for (int i = 0; i < 2; i++)
			weight[p][i] = tensor_weight(SPLIT_FN(weight)(score[p][i], max[p]));
		sum[p] = weight[p][0] + weight[p][1];
	}
#pragma unroll
	for (int step = 4; step < WARP; step *= 2)
#pragma unroll
		for (int p = 0; p < PASSES; p++)
			sum[p] += __shfl_xor_sync(FULL_WARP, sum[p], step);
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		state->sum[p] = fmaf(state->sum[p], rescale[p], sum[p]);
		state->max[p] = max[p];
#pragma unroll
		for (int i = 0; i < 1 + WHOLE; i++)
			s->weights[(key + 8 * i) * ROOM + 4 * p + threadIdx.x % 4] = weight[p][i];
		SPLIT_FN(points)(state, s, score[p], weight[p], rescale[p], p, count);
	}
}

/* Scores a tile of `count` keys, does its softmax, and rescales the accumulators. */
INLINE_PIECE void SPLIT_FN(weigh)(struct SPLIT_FN(state) *state, const struct split *s,
				  split_tile keys, int count)
{
	float score[PASSES][2], rescale[PASSES];

	SPLIT_FN(score)(state, s, keys, count, score);
	SPLIT_FN(soften)(state, s, score, count, rescale);
#pragma unroll
	for (int p = 0; p < PASSES; p++)
#pragma unroll
		for (int i = 0; i < PARTS * 8; i++) {
			uint32_t *sum = &state->acc[p / 2][i / 8][i / 2 % 4][i % 2 * 2 + p % 2];

			*sum = __float_as_uint(__uint_as_float(*sum) * rescale[p]);
		}
}

/* The weights of the head of column g for keys 2 * c + 8 * i and the next one. */
INLINE_PIECE float2 SPLIT_FN(weights)(const struct split *s, int column, int i)
{
	int head = TENSOR_HEAD(8 * column + threadIdx.x / 4), key = threadIdx.x % 4 * 2 + 8 * i;

	if (head >= ROOM || (i == 1 && !WHOLE))
		return make_float2(0.0f, 0.0f);
	return make_float2(s->weights[key * ROOM + head], s->weights[(key + 1) * ROOM + head]);
}

/* acc = acc + values * weights, for elements 2 * i and 2 * i + 1 of a vector of the lane: `values`
 * are those of keys 2 * c and 2 * c + 1, and of the two that are 8 further on. */
INLINE_PIECE void SPLIT_FN(add_two)(struct SPLIT_FN(state) *state, int part, int i,
				    const uint32_t *values,
				    uint32_t weights[COLUMNS][TENSOR_NUMBERS][2])
{
	uint32_t first[4] = {
		tensor_low(values[0], values[1]), tensor_high(values[0], values[1]),
		tensor_low(values[2], values[3]), tensor_high(values[2], values[3]),
	};

#pragma unroll
	for (int t = 0; t < COLUMNS; t++)
#pragma unroll
		for (int n = 0; n < TENSOR_NUMBERS; n++)
			TENSOR_MULTIPLY(VALUES, state->acc[t][part][i], first,
					weights[t][n]);
}

/* acc = acc + values * weights, for a tile of `count` keys. What is past the last key may be
 * anything in memory, and is zero here. */
INLINE_PIECE void SPLIT_FN(add)(struct SPLIT_FN(state) *state, const struct split *s,
				split_tile tile, int count)
{
	int g = threadIdx.x / 4, key = threadIdx.x % 4 * 2;
	uint32_t weights[COLUMNS][TENSOR_NUMBERS][2];   /* of pairs of keys */

#pragma unroll
	for (int t = 0; t < COLUMNS; t++)
#pragma unroll
		for (int i = 0; i < 2; i++) {
			float2 pair = SPLIT_FN(weights)(s, t, i);

			weights[t][0][i] = tensor_pair(pair.x, pair.y);
#if TENSOR_NUMBERS == 2
			weights[t][1][i] = tensor_rest(pair.x, pair.y, weights[t][0][i]);
#endif
		}
#pragma unroll
	for (int part = 0; part < PARTS; part++) {
		uint4 v[4];

#pragma unroll
		for (int i = 0; i < 4; i++) {
			int row = key + i % 2 + i / 2 * 8;

			v[i] = SPLIT_FN(eight)(s, tile, row, g + 8 * part,
					       row >= count || (i >= 2 && !WHOLE));
		}
		uint32_t values[4][4] = {
			{ v[0].x, v[1].x, v[2].x, v[3].x }, { v[0].y, v[1].y, v[2].y, v[3].y },
			{ v[0].z, v[1].z, v[2].z, v[3].z }, { v[0].w, v[1].w, v[2].w, v[3].w },
		};

#pragma unroll
		for (int i = 0; i < 4; i++)
			SPLIT_FN(add_two)(state, part, i, values[i], weights);
	}
}

/* Leaves the warp's state in s->merged. */
INLINE_PIECE void SPLIT_FN(leave)(const struct SPLIT_FN(state) *state, const struct split *s)
{
	int g = threadIdx.x / 4, c = threadIdx.x % 4, warp = threadIdx.y;

#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		int row = warp * ROOM + 4 * p + c;

		if (g == 0) {
			s->maxima[row] = state->max[p];
			s->sums[row] = state->sum[p];
		}
#pragma unroll
		for (int i = 0; i < 2 * PARTS; i++) {
			int vector = g + 8 * (i / 2);
			const uint32_t (*acc)[4] = state->acc[p / 2][i / 2] + i % 2 * 2;

			if (vector < VECTORS)
				((float4 *)s->merged)[row * (DIM / 4)
						       + SPLIT_LEFT(row, 2 * vector + i % 2, DIM)]
					= make_float4(__uint_as_float(acc[0][p % 2]),
						      __uint_as_float(acc[0][2 + p % 2]),
						      __uint_as_float(acc[1][p % 2]),
						      __uint_as_float(acc[1][2 + p % 2]));
		}
	}
}

/* Attends to the warp's tiles, every SPLIT_WARPS-th one of the split, and leaves its state in
 * s->merged. All threads of the block must call it. */
INLINE_PIECE void SPLIT_FN(attend)(const struct split *s, struct split_source *source)
{
	struct SPLIT_FN(state) state;

	SPLIT_FN(begin)(&state);
	SPLIT_FN(load_query)(&state, s, source);
	for (int key = s->begin + (int)threadIdx.y * SPLIT_TILE(DIM); key < s->end;
	     key += SPLIT_STEP(DIM)) {
		int count = min(s->end - key, SPLIT_TILE(DIM));

		SPLIT_FN(weigh)(&state, s, source_wait(source, s->k, key, DIM), count);
		__syncwarp();           /* the weights are written, and the keys were read */
		source_release(source);
		SPLIT_FN(add)(&state, s, source_wait(source, s->v, key, DIM), count);
		__syncwarp();           /* the weights and the values were read */
		source_release(source);
	}
	source_fill(source, DIM);
	__syncthreads();                /* all have read the states of an earlier split */
	SPLIT_FN(leave)(&state, s);
	__syncthreads();
}
#undef EIGHT
#undef VECTORS
#undef SLICES
#undef SLICES_MAX
#undef PARTS
#undef PARTS_MAX
#undef COLUMNS
#undef ROOM
#undef WHOLE
#undef KEPT
#undef VALUES
#undef SIZE
#undef DIM
#undef DIM_MAX
