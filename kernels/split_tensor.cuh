/* split_tensor.cuh - a warp attends to its tiles of a split on tensor cores, for all query heads of
 * a KV head: rungs of the ladder from 7 up, with keys and values of f16, bf16 or e4m3.
 *
 * Included once for each shape of a group of query heads, with
 *   PASSES    1, 2 or 4: for up to 4 * PASSES query heads
 *   DIM       the head size; on the simulator s->D, if a function is for several
 *   DIM_MAX   the largest of them, a constant
 *   SPLIT_FN(name)  makes the name of a function or struct of this shape
 * It takes the place of split_attend.cuh, and tiles come from split_lanes.cuh.
 *
 * mma.sync multiplies matrices of 16 x 16 and 16 x 8 (PTX ISA, mma.m16n8k16). In registers, lane
 * 4 * g + c has rows g and g + 8, and columns 2 * c and 2 * c + 1 of the product:
 *   scores = queries [8 heads, twice; elements] * keys, transposed [elements, 8 keys]
 *   sums += values, transposed [16 elements, keys] * weights, transposed [keys, 8 heads]
 * A group has few query heads, so that 8 of them fill a matrix: in scores, rows g and g + 8 are one
 * head. Which element of a row is which of the 16 that an instruction adds up does not matter, as
 * long as both matrices agree: a lane loads EIGHT elements of a row at once and uses them as they
 * are. What a lane has of the scores, head g and keys 2 * c, 2 * c + 1 and the two that are 8
 * further on, is what it must have of the weights: they stay in its registers.
 *
 * Queries and weights are in float: each becomes the sum of two numbers of the elements' type,
 * `high` and `low`, with 16 bits of bf16 or 22 of f16. In scores, the low numbers of a head are the
 * second of its rows; weights are multiplied one after the other. So the error is close to that of
 * sums in float. Elements of e4m3 become f16 first, exactly, and weights the nearest number of f16:
 * the error of that is far below e4m3's own.
 */
#define EIGHT 8                         /* elements that a lane loads at once */
#define VECTORS (DIM / EIGHT)           /* of a row */
#define SLICES ((VECTORS + 3) / 4)      /* lane c loads vectors c + 4 * slice of a key */
#define PARTS ((VECTORS + 7) / 8)       /* lane g loads vectors g + 8 * part of a value */
#define PARTS_MAX ((DIM_MAX / EIGHT + 7) / 8)
#define COLUMNS ((PASSES + 1) / 2)      /* 8 query heads each */
#define ROOM (4 * PASSES)
#define PLACES SOURCE_PLACES(ROOM, DIM)    /* of a warp in the ring of tiles */
#define KEPT (PASSES <= 2)              /* queries are in registers, else in shared memory */
#define EIGHTS (SPLIT_TILE(DIM_MAX) / 8)        /* of keys of a tile: 2 or 1 */
#if SPLIT_TILE(DIM_MAX) == 16
#define VALUES TENSOR_K16
#else
#define VALUES TENSOR_K8
#endif

struct SPLIT_FN(state) {
	float max[COLUMNS], sum[COLUMNS];       /* of the head of column 8 * [] + g */
	/* [][element 8 * vector + 2 * i and the next][column]: rows g and g + 8 of a product */
	uint32_t acc[COLUMNS][PARTS_MAX][4][4];
};

INLINE_PIECE void SPLIT_FN(begin)(struct SPLIT_FN(state) *state)
{
#pragma unroll
	for (int t = 0; t < COLUMNS; t++) {
		state->max[t] = -INFINITY;
		state->sum[t] = 0.0f;
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

/* Makes the queries of the split ready, unless those of the split before are the same. */
INLINE_PIECE void SPLIT_FN(load_query)(const struct split *s, struct split_source *source)
{
	if (s->same)
		return;
#if KEPT
	SPLIT_FN(load_kept)(s, source->query);
#else
	(void)source;
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
INLINE_PIECE tensor_four SPLIT_FN(query)(const struct split_source *source, const struct split *s,
					 int column, int slice, int half)
{
#if KEPT
	(void)s, (void)column;
	return source->query[slice][half];
#else
	int vector = (int)threadIdx.x % 4 + 4 * slice;

	(void)source;
	if (vector >= VECTORS)
		return make_uint4(0, 0, 0, 0);
	return *SPLIT_FN(query_place)(s, 8 * column + threadIdx.x / 4, vector, half);
#endif
}

/* The sum of the products of high and of low numbers. An infinite element makes the first infinite,
 * and may make NaN of a low number that is 0. */
INLINE_PIECE float SPLIT_FN(total)(uint32_t high_sum, uint32_t low_sum)
{
	float high = __uint_as_float(high_sum), low = __uint_as_float(low_sum);

	return fabsf(high) == INFINITY ? high : high + low;
}

/* Scores a tile: score[t][i][r] is that of the head of column 8 * t + g for key 2 * c + r + 8 * i,
 * or -inf past the last key. */
INLINE_PIECE void SPLIT_FN(score)(const struct split_source *source, const struct split *s,
				  split_tile tile, int count, float score[COLUMNS][EIGHTS][2])
{
	int c = threadIdx.x % 4;
	uint32_t sums[COLUMNS][EIGHTS][4];

#pragma unroll
	for (int n = 0; n < COLUMNS * EIGHTS * 4; n++)
		sums[n / (EIGHTS * 4)][n / 4 % EIGHTS][n % 4] = 0;
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		uint4 k[EIGHTS];

#pragma unroll
		for (int i = 0; i < EIGHTS; i++)
			k[i] = VECTORS % 4 == 0 || c + 4 * j < VECTORS
				? tensor_eight(*lanes_key(tile, i, j, DIM))
				: make_uint4(0, 0, 0, 0);
#pragma unroll
		for (int n = 0; n < 2 * COLUMNS * EIGHTS; n++) {
			int half = n / (COLUMNS * EIGHTS), t = n / EIGHTS % COLUMNS, i = n % EIGHTS;
			tensor_four q = SPLIT_FN(query)(source, s, t, j, half);
			uint32_t query[4] = { q.x, q.y, q.z, q.w };
			uint32_t keys[2] = { half ? k[i].z : k[i].x, half ? k[i].w : k[i].y };

			TENSOR_MULTIPLY(TENSOR_K16, sums[t][i], query, keys);
		}
	}
#pragma unroll
	for (int n = 0; n < COLUMNS * EIGHTS * 2; n++) {
		int t = n / (EIGHTS * 2), i = n / 2 % EIGHTS, r = n % 2;
		float sum = SPLIT_FN(total)(sums[t][i][r], sums[t][i][2 + r]);

		score[t][i][r] = 2 * c + r + 8 * i < count ? split_cap(s, sum * s->scale)
			: -INFINITY;
	}
}

/* exp(x - max); 0 for x = -inf, where the plain formula may have -inf - -inf = NaN. The exponential
 * is computed for any x, so that no branch keeps those of other scores waiting. */
INLINE_PIECE float SPLIT_FN(weight)(float x, float max)
{
	float weight = expf(x - max);

	return x == -INFINITY ? 0.0f : weight;
}

/* The points of the lane's scores of column 8 * t + g. */
INLINE_PIECE void SPLIT_FN(points)(const struct SPLIT_FN(state) *state, const struct split *s,
				   float score[EIGHTS][2], float weight[EIGHTS][2], float rescale,
				   int t, int count)
{
	int key = threadIdx.x % 4 * 2;

	if (TENSOR_HEAD(8 * t + (int)threadIdx.x / 4) >= s->G)
		return;
#pragma unroll
	for (int i = 0; i < EIGHTS; i++)
#pragma unroll
		for (int r = 0; r < 2; r++)
			if (key + r + 8 * i < count)
				POINT(score, score[i][r], weight[i][r]);
	if (key == 0)
		POINT(softmax, state->max[t], rescale, state->sum[t]);
}

/* The lane's part of softmax for the head of column 8 * t + g: makes weights of its scores and
 * updates the running maximum and sum. Returns the factor that rescales the accumulators. */
INLINE_PIECE float SPLIT_FN(soften)(struct SPLIT_FN(state) *state, const struct split *s,
				    float score[EIGHTS][2], int t, int count)
{
	float max = -INFINITY, rescale, weight[EIGHTS][2], sum[2] = { 0.0f, 0.0f };

#pragma unroll
	for (int n = 0; n < EIGHTS * 2; n++)
		max = fmaxf(max, score[n / 2][n % 2]);
	max = fmaxf(max, __shfl_xor_sync(FULL_WARP, max, 1));
	max = fmaxf(max, __shfl_xor_sync(FULL_WARP, max, 2));
	max = fmaxf(max, state->max[t]);
	rescale = SPLIT_FN(weight)(state->max[t], max);
#pragma unroll
	for (int n = 0; n < EIGHTS * 2; n++) {
		int i = n / 2, r = n % 2;

		weight[i][r] = tensor_weight(SPLIT_FN(weight)(score[i][r], max));
		sum[r] = i > 0 ? sum[r] + weight[i][r] : weight[i][r];
	}
	/* Keys k and k + 8 are added, then pairs of keys that differ in bit 0, 1 and 2. */
	sum[0] += sum[1];
	sum[0] += __shfl_xor_sync(FULL_WARP, sum[0], 1);
	sum[0] += __shfl_xor_sync(FULL_WARP, sum[0], 2);
	state->sum[t] = fmaf(state->sum[t], rescale, sum[0]);
	state->max[t] = max;
	SPLIT_FN(points)(state, s, score, weight, rescale, t, count);
#pragma unroll
	for (int n = 0; n < EIGHTS * 2; n++)
		score[n / 2][n % 2] = weight[n / 2][n % 2];
	return rescale;
}

/* Scores a tile of `count` keys, makes weights of the scores, and rescales the accumulators. */
INLINE_PIECE void SPLIT_FN(weigh)(struct SPLIT_FN(state) *state, const struct split *s,
				  const struct split_source *source, int count,
				  float weight[COLUMNS][EIGHTS][2])
{
	SPLIT_FN(score)(source, s, source_tile(source, false, DIM), count, weight);
#pragma unroll
	for (int t = 0; t < COLUMNS; t++) {
		float rescale = SPLIT_FN(soften)(state, s, weight[t], t, count);

#pragma unroll
		for (int p = 2 * t; p < PASSES && p < 2 * t + 2; p++) {
			/* The lane's columns of sums are 2 * c and 2 * c + 1. */
			float factor = __shfl_sync(FULL_WARP, rescale,
						   4 * (threadIdx.x % 4 * 2 + p % 2));

#pragma unroll
			for (int i = 0; i < PARTS * 8; i++) {
				uint32_t *sum = &state->acc[t][i / 8][i / 2 % 4][i % 2 * 2 + p % 2];

				*sum = __float_as_uint(__uint_as_float(*sum) * factor);
			}
		}
	}
}

/* acc = acc + values * weights, for elements 2 * i and 2 * i + 1 of a vector of the lane: `rows`
 * are those of keys 2 * c and 2 * c + 1, and of the two that are 8 further on. */
INLINE_PIECE void SPLIT_FN(add_two)(struct SPLIT_FN(state) *state, int part, int i,
				    const tensor_row *rows,
				    uint32_t weights[COLUMNS][TENSOR_NUMBERS][EIGHTS])
{
	uint2 near = tensor_columns(rows[0], rows[1], i), far = tensor_columns(rows[2], rows[3], i);
	uint32_t values[4] = { near.x, near.y, far.x, far.y };

#pragma unroll
	for (int t = 0; t < COLUMNS; t++)
#pragma unroll
		for (int n = 0; n < TENSOR_NUMBERS; n++)
			TENSOR_MULTIPLY(VALUES, state->acc[t][part][i], values, weights[t][n]);
}

/* acc = acc + values * weights, for a tile. Values past the last key are zeros. */
INLINE_PIECE void SPLIT_FN(add)(struct SPLIT_FN(state) *state, const struct split *s,
				split_tile tile, float weight[COLUMNS][EIGHTS][2])
{
	int g = threadIdx.x / 4;
	uint32_t weights[COLUMNS][TENSOR_NUMBERS][EIGHTS];      /* of pairs of keys */

	(void)s;
#pragma unroll
	for (int t = 0; t < COLUMNS; t++)
#pragma unroll
		for (int i = 0; i < EIGHTS; i++) {
			const float *pair = weight[t][i];

			weights[t][0][i] = tensor_pair(pair[0], pair[1]);
#if TENSOR_NUMBERS == 2
			weights[t][1][i] = tensor_rest(pair[0], pair[1], weights[t][0][i]);
#endif
		}
#pragma unroll
	for (int part = 0; part < PARTS; part++) {
		bool none = VECTORS % 8 != 0 && g + 8 * part >= VECTORS;
		tensor_row rows[4];

#pragma unroll
		for (int i = 0; i < 4; i++)
			rows[i] = none || i >= 2 * EIGHTS ? tensor_row_zeros()
				: *lanes_value(tile, i, part, DIM);
#pragma unroll
		for (int i = 0; i < 4; i++)
			SPLIT_FN(add_two)(state, part, i, rows, weights);
	}
}

/* Leaves the warp's state in s->merged. */
INLINE_PIECE void SPLIT_FN(leave)(const struct SPLIT_FN(state) *state, const struct split *s)
{
	int g = threadIdx.x / 4, c = threadIdx.x % 4, warp = threadIdx.y;

#pragma unroll
	for (int t = 0; t < COLUMNS; t++) {
		int head = TENSOR_HEAD(8 * t + g);

		if (c == 0 && head < ROOM) {
			s->maxima[warp * ROOM + head] = state->max[t];
			s->sums[warp * ROOM + head] = state->sum[t];
		}
	}
#pragma unroll
	for (int p = 0; p < PASSES; p++) {
		int row = warp * ROOM + 4 * p + c;

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
	SPLIT_FN(load_query)(s, source);
	for (int key = s->begin + (int)threadIdx.y * SPLIT_TILE(DIM); key < s->end;
	     key += SPLIT_STEP(DIM)) {
		int count = min(s->end - key, SPLIT_TILE(DIM));
		float weight[COLUMNS][EIGHTS][2];

		source_wait(source, false, PLACES);
		SPLIT_FN(weigh)(&state, s, source, count, weight);
		source_release_keys(source, DIM, PLACES);
		source_wait(source, true, PLACES);
		SPLIT_FN(add)(&state, s, source_tile(source, true, DIM), weight);
		source_release_values(source, DIM, PLACES);
	}
	__syncthreads();                /* all have read the states of an earlier split */
	SPLIT_FN(leave)(&state, s);
	__syncthreads();
}
#undef EIGHT
#undef VECTORS
#undef SLICES
#undef PARTS
#undef PARTS_MAX
#undef COLUMNS
#undef ROOM
#undef PLACES
#undef EIGHTS
#undef KEPT
#undef VALUES
#undef SIZE
#undef DIM
#undef DIM_MAX
