/* cub.cu - CUB's block and warp collectives: sums of floats in CUB's order, sorts, exchanges. */
#include <cub/cub.cuh>

/* 96 threads: sum, maximum, sum of the first 70, sum of five items each; sums of 16 lanes. */
__global__ void reduce(const float *in, float *out)
{
	typedef cub::BlockReduce<float, 96> Block;
	typedef cub::WarpReduce<float, 16> Warp;
	__shared__ typename Block::TempStorage temp;
	__shared__ typename Warp::TempStorage lanes[6];
	int t = threadIdx.x;
	float items[5], sum, part, whole, greatest, of_lanes;

	for (int i = 0; i < 5; i++)
		items[i] = in[t * 5 + i];
	sum = Block(temp).Sum(in[t]);
	__syncthreads();
	greatest = Block(temp).Reduce(in[t], [](float a, float b) { return a < b ? b : a; });
	__syncthreads();
	part = Block(temp).Sum(in[t], 70);
	__syncthreads();
	whole = Block(temp).Sum(items);
	of_lanes = Warp(lanes[t / 16]).Sum(in[t]);
	if (t == 0) {
		out[0] = sum;
		out[1] = greatest;
		out[2] = part;
		out[3] = whole;
	}
	if (t % 16 == 0)
		out[4 + t / 16] = of_lanes;
}

/* THREADS threads: inclusive and exclusive sums, the sum of all, and the same of three items. CUB's
 * own names have its version in them on a GPU, so no parameter is of its types. */
template <int THREADS, bool BY_WARPS>
__global__ void scan(const float *in, float *out)
{
	typedef cub::BlockScan<float, THREADS, BY_WARPS ? cub::BLOCK_SCAN_WARP_SCANS
			       : cub::BLOCK_SCAN_RAKING> Block;
	__shared__ typename Block::TempStorage temp;
	int t = threadIdx.x;
	float items[3], result[3], sum, all;

	Block(temp).InclusiveSum(in[t], sum);
	out[t] = sum;
	__syncthreads();
	Block(temp).ExclusiveSum(in[t], sum, all);
	out[THREADS + t] = sum;
	if (t == 0)
		out[2 * THREADS] = all;
	for (int i = 0; i < 3; i++)
		items[i] = in[t * 3 + i];
	__syncthreads();
	Block(temp).InclusiveSum(items, result);
	for (int i = 0; i < 3; i++)
		out[2 * THREADS + 1 + t * 3 + i] = result[i];
	__syncthreads();
	Block(temp).ExclusiveSum(items, result);
	for (int i = 0; i < 3; i++)
		out[5 * THREADS + 1 + t * 3 + i] = result[i];
}

/* 64 threads with three keys each: descending with values, and ascending by bits 4 to 11. */
__global__ void sort(const float *in, float *keys, int *values, int *by_bits)
{
	typedef cub::BlockRadixSort<float, 64, 3, int> Pairs;
	typedef cub::BlockRadixSort<int, 64, 3> Keys;
	__shared__ typename Pairs::TempStorage pairs;
	__shared__ typename Keys::TempStorage whole;
	int t = threadIdx.x, number[3], some[3];
	float key[3];

	for (int i = 0; i < 3; i++) {
		number[i] = t * 3 + i;
		key[i] = in[number[i]];
		some[i] = (number[i] * 7919 + 13) % 5000 - 2500;
	}
	Pairs(pairs).SortDescending(key, number);
	Keys(whole).Sort(some, 4, 12);
	for (int i = 0; i < 3; i++) {
		keys[t * 3 + i] = key[i];
		values[t * 3 + i] = number[i];
		by_bits[t * 3 + i] = some[i];
	}
}

/* 64 threads: 150 of 192 items striped, blocked by an exchange; differences, heads. */
__global__ void move(const int *in, int *out)
{
	typedef cub::BlockLoad<int, 64, 3, cub::BLOCK_LOAD_STRIPED> Load;
	typedef cub::BlockExchange<int, 64, 3> Exchange;
	typedef cub::BlockAdjacentDifference<int, 64> Difference;
	typedef cub::BlockDiscontinuity<int, 64> Heads;
	typedef cub::BlockStore<int, 64, 3, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
	__shared__ typename Load::TempStorage load;
	__shared__ typename Exchange::TempStorage exchange;
	__shared__ typename Difference::TempStorage difference;
	__shared__ typename Heads::TempStorage heads;
	__shared__ typename Store::TempStorage store;
	int items[3], less[3], flags[3];

	Load(load).Load(in, items, 150, -1);
	Exchange(exchange).StripedToBlocked(items);
	Difference(difference).SubtractLeft(items, less, [](int a, int b) { return a - b; });
	Heads(heads).FlagHeads(flags, items, [](int a, int b) { return a / 10 != b / 10; });
	Store(store).Store(out, items);
	__syncthreads();
	Store(store).Store(out + 192, less);
	__syncthreads();
	Store(store).Store(out + 384, items);
	__syncthreads();
	Store(store).Store(out + 384, flags, 190);
}
