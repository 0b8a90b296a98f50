/* prefill_tile.cuh - attention_prefill_tiled for one head size.
 *
 * Included only by attention_prefill_tiled.cu, which defines DIM, the head size, and TILED, the
 * name of the function.
 *
 * A thread has 8 rows, and the lanes of its group share them: lane l owns keys l, l + LANES and so
 * on of a tile, and the groups of four elements l, l + LANES and so on of the outputs. So it
 * computes 8 x OWN scores, and 8 x 4 * QUADS outputs, in registers. It passes weights on to the
 * other lanes in shared memory that belongs to its warp.
 *
 * Lanes that read the same group of four elements of different rows would all read from the same
 * banks: groups of queries and keys are permuted in each row.
 */
#define LANES PREFILL_LANES(DIM)
#define GROUPS PREFILL_GROUPS(DIM)
#define OWN PREFILL_OWN(DIM)
#define TILE_KEYS PREFILL_KEYS(DIM)
#define THREADS PREFILL_THREADS(DIM)
#define PADDED (PREFILL_PADDED(DIM) / 4)        /* groups of four floats from row to row */
#define UNITS (DIM / 4)                         /* of them with elements */
#define QUADS ((UNITS + LANES - 1) / LANES)
#define WEIGHTS (2 * GROUPS)                    /* float4 of weights for one key */
/* The n-th group that a lane owns. Lanes without read one that is there. */
#if UNITS % LANES
#define QUAD(lane, n) min((lane) + (n) * LANES, UNITS - 1)
#else
#define QUAD(lane, n) ((lane) + (n) * LANES)
#endif
#define HAS_UNIT(unit) (UNITS % 8 == 0 || (unit) < UNITS)
#define TILED_FN_(a, b) a##_##b
#define TILED_FN__(a, b) TILED_FN_(a, b)
#define TILED_FN(name) TILED_FN__(TILED, name)

/* Row and group that a thread copies n-th. */
#define COPIED_ROW(thread, n) \
	(THREADS % UNITS ? ((thread) + (n) * THREADS) / UNITS \
	 : (thread) / UNITS + (n) * (THREADS / UNITS))
#define COPIED_UNIT(thread, n) \
	(THREADS % UNITS ? ((thread) + (n) * THREADS) % UNITS : (thread) % UNITS)

/* Starts to copy `count` rows to shared memory, with zeros in place of those from `valid` on. Group
 * u of row r becomes group u ^ (r / per) % 8, or stays if `per` is 0. */
INLINE_PIECE void TILED_FN(load)(float4 *to, const float *from, int count, int valid, int per)
{
	int thread = (int)threadIdx.x % THREADS;
	const float *source = from + thread * 4;

	if (valid >= count) {
#pragma unroll
		for (int n = 0; n < count * UNITS / THREADS; n++) {
			int row = COPIED_ROW(thread, n), unit = COPIED_UNIT(thread, n);
			int swap = per ? row / per & 7 : 0;

			async_copy16(to + row * PADDED + (unit ^ swap), source + n * THREADS * 4);
		}
	} else {
#pragma unroll 1
		for (int n = 0; n < count * UNITS / THREADS; n++) {
			int row = COPIED_ROW(thread, n), unit = COPIED_UNIT(thread, n);
			int swap = per ? row / per & 7 : 0;

			async_copy16_part(to + row * PADDED + (unit ^ swap),
					  row < valid ? source + n * THREADS * 4 : from,
					  row < valid ? 16 : 0);
		}
	}
	async_commit();
}

/* Four elements of each of the thread's rows and keys. */
struct TILED_FN(operands) {
	float4 q[8], k[OWN];
};

/* Group `low` of the eight groups at the byte offsets `query` and `key`, as they are permuted. */
INLINE_PIECE void TILED_FN(fetch)(struct TILED_FN(operands) *to, const float *shared, int query,
				  int key, int low)
{
	const char *q = (const char *)shared + (query ^ low * 16);
	const char *k = (const char *)shared + (key ^ low * 16);

#pragma unroll
	for (int i = 0; i < 8; i++)
		to->q[i] = *(const float4 *)(q + i * PADDED * 16);
#pragma unroll
	for (int j = 0; j < OWN; j++)
		to->k[j] = *(const float4 *)(k + j * LANES * PADDED * 16);
}

INLINE_PIECE void TILED_FN(multiply)(float score[8][OWN], const struct TILED_FN(operands) *from)
{
#pragma unroll
	for (int j = 0; j < OWN; j++) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			score[i][j] = fmaf(from->q[i].x, from->k[j].x, score[i][j]);
#pragma unroll
		for (int i = 0; i < 8; i++)
			score[i][j] = fmaf(from->q[i].y, from->k[j].y, score[i][j]);
#pragma unroll
		for (int i = 0; i < 8; i++)
			score[i][j] = fmaf(from->q[i].z, from->k[j].z, score[i][j]);
#pragma unroll
		for (int i = 0; i < 8; i++)
			score[i][j] = fmaf(from->q[i].w, from->k[j].w, score[i][j]);
	}
}

/* The scores of the thread's rows and keys, before they are scaled. `query` and `key` are the byte
 * offsets of the first of them. The next operands are loaded before the last ones are used. */
INLINE_PIECE void TILED_FN(scores)(float score[8][OWN], const float *shared, int query, int key)
{
	struct TILED_FN(operands) operands[2];

#pragma unroll
	for (int i = 0; i < 8; i++)
#pragma unroll
		for (int j = 0; j < OWN; j++)
			score[i][j] = 0.0f;
	TILED_FN(fetch)(&operands[0], shared, query, key, 0);
#pragma unroll 1
	for (int base = 0; base < UNITS; base += 8) {
		int next = base + 8 < UNITS ? 128 : 0;

#pragma unroll
		for (int low = 0; low < 8; low++) {
			if (low == 7) {
				query += next;
				key += next;
			}
			if (low == 7 || HAS_UNIT(base + low + 1))
				TILED_FN(fetch)(&operands[(low + 1) % 2], shared, query, key,
						(low + 1) % 8);
			if (HAS_UNIT(base + low))
				TILED_FN(multiply)(score, &operands[low % 2]);
		}
	}
}

/* The sum of what the lanes of the group have. */
INLINE_PIECE float TILED_FN(add_lanes)(float sum)
{
	for (int step = LANES / 2; step > 0; step /= 2)
		sum += __shfl_xor_sync(FULL_WARP, sum, step);
	return sum;
}

/* Turns the scores of the tile at key `first` into weights, and rescales what the rows have summed
 * up. If `all`, every row sees every key of the tile. */
INLINE_PIECE void TILED_FN(softmax)(float score[8][OWN], struct tiled_rows *rows,
				    float4 acc[8][QUADS], const struct tiled *t, int first,
				    bool all)
{
	int lane = (int)threadIdx.x % LANES;

#pragma unroll
	for (int i = 0; i < 8; i++) {
		int visible = min(rows->first + i + t->offset + 1, t->limit);
		float tile_max = -INFINITY, tile_sum = 0.0f;

#pragma unroll
		for (int j = 0; j < OWN; j++) {
			score[i][j] *= t->scale;
			if (!all && first + lane + j * LANES >= visible)
				score[i][j] = -INFINITY;
			tile_max = fmaxf(tile_max, score[i][j]);
		}
		for (int step = LANES / 2; step > 0; step /= 2)
			tile_max = fmaxf(tile_max, __shfl_xor_sync(FULL_WARP, tile_max, step));

		float new_max = fmaxf(rows->max[i], tile_max);
		/* Gives exp(-inf) = 0 where the plain formula has -inf - -inf = NaN. */
		float base = new_max == -INFINITY ? 0.0f : new_max;
		float rescale = expf(rows->max[i] - base);

#pragma unroll
		for (int j = 0; j < OWN; j++) {
			score[i][j] = expf(score[i][j] - base);
			tile_sum += score[i][j];
		}
		rows->sum[i] = fmaf(rows->sum[i], rescale, tile_sum);
		rows->max[i] = new_max;
#pragma unroll
		for (int n = 0; n < QUADS; n++) {
			acc[i][n].x *= rescale;
			acc[i][n].y *= rescale;
			acc[i][n].z *= rescale;
			acc[i][n].w *= rescale;
		}
#ifdef FLASHTWIN_PROBE
		float sum = TILED_FN(add_lanes)(rows->sum[i]);

		if (lane == i && first < visible && rows->first + i < t->Nq)
			POINT(softmax, new_max, rescale, sum);
#endif
	}
}

/* Hands the thread's weights to the lanes of its group. */
INLINE_PIECE void TILED_FN(share)(float4 *weights, float score[8][OWN])
{
	int lane = (int)threadIdx.x % LANES;

#pragma unroll
	for (int j = 0; j < OWN; j++) {
		float4 *to = weights + (lane + j * LANES) * WEIGHTS;

		to[0] = make_float4(score[0][j], score[1][j], score[2][j], score[3][j]);
		to[1] = make_float4(score[4][j], score[5][j], score[6][j], score[7][j]);
	}
	__syncwarp();
}

INLINE_PIECE float4 TILED_FN(add)(float4 a, float weight, float4 value)
{
	a.x = fmaf(weight, value.x, a.x);
	a.y = fmaf(weight, value.y, a.y);
	a.z = fmaf(weight, value.z, a.z);
	a.w = fmaf(weight, value.w, a.w);
	return a;
}

/* The weights of a key for the thread's rows, and its elements of the value. */
struct TILED_FN(terms) {
	float4 low, high, value[QUADS];
};

INLINE_PIECE void TILED_FN(fetch_terms)(struct TILED_FN(terms) *to, const float4 *weights,
					const float4 *values, int key)
{
	int lane = (int)threadIdx.x % LANES;

	to->low = weights[key * WEIGHTS];
	to->high = weights[key * WEIGHTS + 1];
#pragma unroll
	for (int n = 0; n < QUADS; n++)
		to->value[n] = values[key * PADDED + QUAD(lane, n)];
}

/* Adds the terms to those rows i with `key` < min(left + i, limit). */
INLINE_PIECE void TILED_FN(add_terms)(float4 acc[8][QUADS], const struct TILED_FN(terms) *from,
				      int key, int left, int limit)
{
	float weight[8] = { from->low.x, from->low.y, from->low.z, from->low.w,
			    from->high.x, from->high.y, from->high.z, from->high.w };

#pragma unroll
	for (int n = 0; n < QUADS; n++)
#pragma unroll
		for (int i = 0; i < 8; i++)
			if (key < min(left + i, limit))
				acc[i][n] = TILED_FN(add)(acc[i][n], weight[i], from->value[n]);
}

/* acc += weight * value of the tile's keys, all of which all rows see. */
INLINE_PIECE void TILED_FN(values)(float4 acc[8][QUADS], const float4 *weights,
				   const float4 *values)
{
	struct TILED_FN(terms) terms[2];

	TILED_FN(fetch_terms)(&terms[0], weights, values, 0);
#pragma unroll 1
	for (int base = 0; base < TILE_KEYS; base += 8) {
#pragma unroll
		for (int low = 0; low < 8; low++) {
			int next = base + low + 1;

			if (low == 7)
				next = min(next, TILE_KEYS - 1);
			TILED_FN(fetch_terms)(&terms[(low + 1) % 2], weights, values, next);
			TILED_FN(add_terms)(acc, &terms[low % 2], 0, TILE_KEYS, TILE_KEYS);
		}
	}
}

/* The same of the tile at key `first`, of the keys that each row sees: others may be NaN. */
INLINE_PIECE void TILED_FN(edge)(float4 acc[8][QUADS], const float4 *weights,
				 const float4 *values, const struct tiled *t, int row, int first)
{
	int left = row + t->offset + 1 - first, limit = min(t->limit - first, TILE_KEYS);
	int warp_left = row / (8 * GROUPS) * (8 * GROUPS) + t->offset + 1 - first;
	int all_see = min(warp_left, limit), end = min(warp_left + 8 * GROUPS - 1, limit);
	struct TILED_FN(terms) terms;

#pragma unroll 2
	for (int key = 0; key < all_see; key++) {
		TILED_FN(fetch_terms)(&terms, weights, values, key);
		TILED_FN(add_terms)(acc, &terms, 0, TILE_KEYS, TILE_KEYS);
	}
#pragma unroll 1
	for (int key = max(0, all_see); key < end; key++) {
		TILED_FN(fetch_terms)(&terms, weights, values, key);
		TILED_FN(add_terms)(acc, &terms, key, left, limit);
	}
}

INLINE_PIECE void TILED_FN(store)(const struct tiled *t, const struct tiled_rows *rows,
				  float4 acc[8][QUADS])
{
	int lane = (int)threadIdx.x % LANES;

#pragma unroll
	for (int i = 0; i < 8; i++) {
		float *row = t->out + (long long)(rows->first + i) * DIM;
		float sum = TILED_FN(add_lanes)(rows->sum[i]);

#pragma unroll
		for (int n = 0; n < QUADS; n++) {
			float4 a = acc[i][n];

			a.x = sum == 0.0f ? 0.0f : a.x / sum;
			a.y = sum == 0.0f ? 0.0f : a.y / sum;
			a.z = sum == 0.0f ? 0.0f : a.z / sum;
			a.w = sum == 0.0f ? 0.0f : a.w / sum;
			if (rows->first + i < t->Nq && lane + n * LANES < UNITS)
				*(float4 *)(row + (lane + n * LANES) * 4) = a;
		}
	}
}

/* All threads of the block must call it. */
INLINE_PIECE void TILED(const struct tiled *t, float *shared)
{
	int lane = (int)threadIdx.x % LANES, group = (int)threadIdx.x / LANES;
	float4 *query = (float4 *)shared;
	float4 *keys = query + PREFILL_ROWS(DIM) * PADDED, *values = keys + TILE_KEYS * PADDED;
	float4 *weights = values + TILE_KEYS * PADDED
		+ group / GROUPS * (TILE_KEYS * WEIGHTS) + group % GROUPS * 2;
	/* Keys that any row of the block sees, and that all of its rows see. */
	int block_keys = max(0, min(t->block_row + PREFILL_ROWS(DIM) + t->offset, t->limit));
	int all_see = min(t->block_row + t->offset + 1, t->limit);
	struct tiled_rows rows;
	float4 acc[8][QUADS];

	rows.first = t->block_row + group * 8;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		rows.max[i] = -INFINITY;
		rows.sum[i] = 0.0f;
#pragma unroll
		for (int n = 0; n < QUADS; n++)
			acc[i][n] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	}
	if (block_keys > 0) {
		TILED_FN(load)(query, t->q + (long long)t->block_row * DIM, PREFILL_ROWS(DIM),
			       t->Nq - t->block_row, 8);
		TILED_FN(load)(keys, t->k, TILE_KEYS, t->Nk, 1);
		async_wait(0);
		__syncthreads();
		TILED_FN(load)(values, t->v, TILE_KEYS, t->Nk, 0);
	}
	for (int first = 0; first < block_keys; first += TILE_KEYS) {
		int next = first + TILE_KEYS;
		float score[8][OWN];

		TILED_FN(scores)(score, shared, (group * 8 * PADDED + (group & 7)) * 16,
				 ((PREFILL_ROWS(DIM) + lane) * PADDED + (lane & 7)) * 16);
		async_wait(0);          /* for the values */
		__syncthreads();        /* the keys have been read */
		if (next < block_keys)
			TILED_FN(load)(keys, t->k + (long long)next * DIM, TILE_KEYS,
				       t->Nk - next, 1);
		if (next <= all_see) {
			TILED_FN(softmax)(score, &rows, acc, t, first, true);
			TILED_FN(share)(weights, score);
			TILED_FN(values)(acc, weights, values);
		} else {
			TILED_FN(softmax)(score, &rows, acc, t, first, false);
			TILED_FN(share)(weights, score);
			TILED_FN(edge)(acc, weights, values, t, rows.first, first);
		}
		async_wait(0);          /* for the next keys */
		__syncthreads();        /* the values have been read */
		if (next < block_keys)
			TILED_FN(load)(values, t->v + (long long)next * DIM, TILE_KEYS,
				       t->Nk - next, 0);
	}
	TILED_FN(store)(t, &rows, acc);
}
#undef COPIED_UNIT
#undef COPIED_ROW
#undef TILED_FN
#undef TILED_FN__
#undef TILED_FN_
#undef QUAD
#undef HAS_UNIT
#undef WEIGHTS
#undef QUADS
#undef UNITS
#undef PADDED
#undef THREADS
#undef TILE_KEYS
#undef OWN
#undef GROUPS
#undef LANES
#undef TILED
#undef DIM
