/* attention.cu - decode attention in three correct ways, and with one of 26 bugs.
 *
 * One block of 32 threads computes out[version, row, head] for one row and query head. Version 0
 * makes three passes over the scores, 1 is the online softmax over tiles of `tile` keys, 2 merges
 * chunks of `tile` keys. Version 3 + b has bug b, in one of these: see BUG. d <= 32, n <= 128.
 */
#define MAX_KEYS 128
#define MAX_CHUNKS 17                   /* tile >= 8, and one that is empty */
#define FIRST_BUG 3
#define BUG(number, wrong, right) (bug == (number) ? (wrong) : (right))

/* The first bug of the online softmax, and of the merge. */
#define ONLINE_BUGS 16
#define MERGE_BUGS 21

struct row {
	const float *q, *k, *v;
	float *out;
	int length, n, d, tile, t;
};

static __device__ int kv_head_of(int head, int heads, int kv_heads, int bug)
{
	int group = heads / kv_heads;

	if (bug == 0)                           /* kv-head-modulo */
		return head % kv_heads;
	if (bug == 1)                           /* kv-head-first */
		return 0;
	return BUG(2, min(head, kv_heads - 1), head / group);   /* kv-head-no-groups */
}

static __device__ int length_of(const int *lengths, int row, int n, int bug)
{
	int length = BUG(3, lengths[0], lengths[row]);          /* length-of-first-row */

	if (bug == 4)                           /* length-ignored */
		return n;
	if (bug == 5)                           /* one-key-too-many */
		return length > 0 ? min(length + 1, n) : 0;
	if (bug == 6)                           /* one-key-too-few */
		return length > 1 ? length - 1 : length;
	return BUG(7, max(length, 1), length);  /* empty-row-has-a-key */
}

static __device__ float scale_of(float scale, int d, int bug)
{
	if (bug == 8)                           /* scale-forgotten */
		return 1.0f;
	return BUG(9, 1.0f / d, scale);         /* scale-not-rooted */
}

/* Thread t computes scores t, t + 32, ... */
static __device__ void score(const struct row *r, float *s, float scale, int bug)
{
	int last = BUG(10, r->d / 4 * 4, r->d); /* dimensions-by-four */

	for (int i = r->t; i < r->length; i += 32) {
		float sum = 0.0f;

		for (int j = 0; j < last; j++)
			sum += r->q[j] * r->k[i * r->d + j];
		s[i] = sum * scale;
	}
	__syncthreads();
}

/* Thread t computes column t of the output. */
static __device__ void three_passes(const struct row *r, const float *s, int bug)
{
	float m = BUG(11, 0.0f, -INFINITY), sum = 0.0f, acc = 0.0f;    /* maximum-from-zero */
	int seen = BUG(12, min(r->tile, r->length), r->length);         /* maximum-of-first-tile */

	for (int i = 0; i < seen; i++)
		m = fmaxf(m, s[i]);
	if (bug == 13)                          /* no-maximum */
		m = 0.0f;
	for (int i = 0; i < r->length; i++)
		sum += expf(s[i] - m);
	for (int i = 0; i < r->length; i++)
		acc += expf(s[i] - m) * r->v[i * r->d + r->t];
	if (bug == 14)                          /* empty-row-divides */
		r->out[r->t] = acc / sum;
	else if (bug == 15 && r->t >= 16)       /* columns-from-16 */
		r->out[r->t] = 0.0f;
	else
		r->out[r->t] = r->length > 0 ? acc / sum : 0.0f;
}

/* Where the tiles end: a last tile is part of the row even if it is not full, or just full. */
static __device__ int online_end(const struct row *r, int bug)
{
	if (bug == 16)                          /* tail-dropped */
		return r->length > r->tile ? r->length / r->tile * r->tile : r->length;
	return BUG(17, r->length > r->tile && r->length % r->tile == 0 ? r->length - r->tile
		   : r->length, r->length);     /* full-tail-dropped */
}

static __device__ void online(const struct row *r, const float *s, int bug)
{
	float m = -INFINITY, sum = 0.0f, acc = 0.0f;
	int end = online_end(r, bug);

	for (int first = 0; first < end; first += r->tile) {
		int last = min(first + r->tile, end);
		float m_new = m, alpha;

		for (int i = first; i < last; i++)
			m_new = fmaxf(m_new, s[i]);
		alpha = BUG(20, first >= 2 * r->tile ? 1.0f : expf(m - m_new),
			    expf(m - m_new));   /* rescaled-once */
		sum = BUG(18, sum, sum * alpha);        /* sum-not-rescaled */
		acc = BUG(19, acc, acc * alpha);        /* output-not-rescaled */
		for (int i = first; i < last; i++) {
			float p = expf(s[i] - m_new);

			sum += p;
			acc += p * r->v[i * r->d + r->t];
		}
		m = m_new;
	}
	r->out[r->t] = r->length > 0 ? acc / sum : 0.0f;
}

struct partial {
	float m, sum, acc;
};

static __device__ struct partial part_of(const struct row *r, const float *s, int chunk)
{
	struct partial p = { -INFINITY, 0.0f, 0.0f };
	int first = chunk * r->tile, last = min(first + r->tile, r->length);

	for (int i = first; i < last; i++)
		p.m = fmaxf(p.m, s[i]);
	for (int i = first; i < last; i++) {
		p.sum += expf(s[i] - p.m);
		p.acc += expf(s[i] - p.m) * r->v[i * r->d + r->t];
	}
	return p;
}

/* Merges as many chunks as a row of n keys has: some are empty in a shorter row. */
static __device__ void merge(const struct row *r, const float *s, int bug)
{
	struct partial parts[MAX_CHUNKS];
	int count = (r->n + r->tile - 1) / r->tile;
	float g = -INFINITY, sum = 0.0f, acc = 0.0f;

	for (int c = 0; c < count; c++) {
		parts[c] = part_of(r, s, c);
		if (bug == 21 && parts[c].sum == 0.0f)  /* empty-chunk-counts */
			parts[c].m = 0.0f;
		if (bug == 22)                          /* maximum-of-last-chunk */
			g = parts[c].sum > 0.0f ? parts[c].m : g;
		else
			g = fmaxf(g, parts[c].m);
	}
	for (int c = 0; c < BUG(23, min(count, 2), count); c++) {       /* two-chunks-only */
		float factor = parts[c].m == -INFINITY ? 0.0f : expf(parts[c].m - g);
		float mean = parts[c].sum > 0.0f ? parts[c].acc / parts[c].sum : 0.0f;

		if (bug == 24) {                        /* chunks-averaged */
			sum += parts[c].sum > 0.0f;
			acc += mean;
		} else if (bug == 25) {                 /* sums-not-weighted */
			sum += factor;
			acc += factor * mean;
		} else {
			sum += factor * parts[c].sum;
			acc += factor * parts[c].acc;
		}
	}
	r->out[r->t] = r->length > 0 ? acc / sum : 0.0f;
}

__global__ void attention(const float *q, const float *k, const float *v, const int *lengths,
			  float *out, int heads, int kv_heads, int n, int d, float scale,
			  int version, int tile)
{
	__shared__ float s[MAX_KEYS];
	int row = blockIdx.x, head = blockIdx.y, bug = version - FIRST_BUG;
	int kv = row * kv_heads + kv_head_of(head, heads, kv_heads, bug);
	struct row r = {
		q + (row * heads + head) * d, k + kv * n * d, v + kv * n * d,
		out + ((version * (int)gridDim.x + row) * heads + head) * d,
		length_of(lengths, row, n, bug), n, d, tile, (int)threadIdx.x,
	};

	score(&r, s, scale_of(scale, d, bug), bug);
	if (r.t >= d)
		return;
	if (version == 1 || (bug >= ONLINE_BUGS && bug < MERGE_BUGS))
		online(&r, s, bug);
	else if (version == 2 || bug >= MERGE_BUGS)
		merge(&r, s, bug);
	else
		three_passes(&r, s, bug);
}
