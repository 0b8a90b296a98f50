/* read_bulk.cu - reads memory by bulk copies to shared memory, to measure what the memory gives.
 *
 * Grid (any), block (32, READ_WARPS), READ_RING_BYTES of dynamic shared memory. from: 16-byte
 * vectors [vectors]. sums: u32 [grid * READ_WARPS], the exclusive or of the words that each warp
 * has read. A warp reads consecutive tiles through a ring of its own, as the rungs of the ladder
 * do. Needs sm_90.
 */
#include "kernels/read_sum.cuh"
#include "sim/cuda/async.h"

/* The tiles of a warp. */
struct read_ring {
	const uint4 *from;
	uint4 *tiles;                   /* [READ_STAGES] */
	uint64_t *landed;               /* [READ_STAGES] */
	long long next, end;            /* tiles to be issued */
	long long vectors;
};

static __device__ unsigned read_size(const struct read_ring *ring, long long tile)
{
	return (unsigned)min((long long)READ_TILE, ring->vectors - tile * READ_TILE);
}

static __device__ void read_issue(struct read_ring *ring, int place)
{
	unsigned bytes = read_size(ring, ring->next) * (unsigned)sizeof(uint4);

	mbarrier_expect(&ring->landed[place], bytes);
	async_bulk_load(ring->tiles + place * READ_TILE, ring->from + ring->next * READ_TILE, bytes,
			&ring->landed[place]);
	ring->next++;
}

KERNEL __launch_bounds__(32 * READ_WARPS)
read_bulk(const unsigned *from, unsigned *sums, long long vectors)
{
	extern __shared__ __align__(16) unsigned shared[];
	__shared__ uint64_t landed[READ_WARPS * READ_STAGES];
	long long tiles = (vectors + READ_TILE - 1) / READ_TILE;
	long long warps = (long long)gridDim.x * READ_WARPS, each = (tiles + warps - 1) / warps;
	long long warp = (long long)blockIdx.x * READ_WARPS + threadIdx.y;
	long long begin = min(warp * each, tiles), end = min(begin + each, tiles);
	struct read_ring ring = {
		(const uint4 *)from, (uint4 *)shared + threadIdx.y * READ_STAGES * READ_TILE,
		landed + threadIdx.y * READ_STAGES, begin, end, vectors,
	};
	unsigned sum = 0;
	int place = 0;
	bool parity = false;

	if (threadIdx.x == 0) {
		for (int i = 0; i < READ_STAGES; i++)
			mbarrier_init(&ring.landed[i], 1);
		mbarrier_init_fence();
		for (int i = 0; i < READ_STAGES && ring.next < end; i++)
			read_issue(&ring, i);
	}
	__syncwarp();
	for (long long tile = begin; tile < end; tile++) {
		mbarrier_wait(&ring.landed[place], parity);
		for (unsigned i = threadIdx.x; i < read_size(&ring, tile); i += 32)
			sum ^= read_fold(ring.tiles[place * READ_TILE + i]);
		__syncwarp();
		if (threadIdx.x == 0 && ring.next < end)
			read_issue(&ring, place);
		if (++place == READ_STAGES) {
			place = 0;
			parity = !parity;
		}
	}
	read_publish(sums, sum);
}
