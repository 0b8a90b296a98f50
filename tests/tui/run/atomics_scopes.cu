// atomics_scopes.cu - atomics of a block and of the whole system, of each type that CUDA has them
// for, contended by all threads: final values that are known whatever the order, and old values
// that show that none was lost. Those of a block are in shared memory, those of the system in
// managed memory, which kernels of two streams change.
#include <cuda_runtime.h>

#include <climits>
#include <cstdint>

#include "counted.h"

enum { THREADS = 192, BLOCKS = 3, GRIDS = 2, ALL = THREADS * BLOCKS * GRIDS };

/* The value of a thread: no two of fewer than 2^32 have the same, and they are in no order. */
__host__ __device__ inline unsigned mixed(unsigned i)
{
	i = (i ^ i >> 7) * 0x9e3779b1u;
	return (i ^ i >> 13) * 0x85ebca6bu;
}

template <class T> __host__ __device__ inline T value_of(unsigned i)
{
	return (T)((unsigned long long)mixed(i) << 32 | mixed(i + 77));
}
template <> __host__ __device__ inline int value_of(unsigned i) { return (int)mixed(i); }
template <> __host__ __device__ inline unsigned value_of(unsigned i) { return mixed(i); }
/* Sums of these are exact in any order. */
template <> __host__ __device__ inline float value_of(unsigned i)
{
	return (float)(i % 64) - 20.0f;
}
template <> __host__ __device__ inline double value_of(unsigned i) { return (double)i * 0.25; }

enum {
	ADD, SUB, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC,
	SUM_OF_OLD,             /* of the exchanges, modulo 2^n */
	CELLS
};
enum { LIMIT = 100 };           /* of inc and dec */

/* Clears or sets a bit of its own modulo 64 only. */
template <class T> __host__ __device__ inline T bit(unsigned i)
{
	return (T)((unsigned long long)1 << i * 5 % (8 * sizeof(T)));
}

/* --- what the values are afterwards --- */

template <class T> static void begin(T *cells)
{
	for (int i = 0; i < CELLS; i++)
		cells[i] = 0;
	cells[MIN] = cells[MAX] = value_of<T>(0);
	cells[AND] = (T)~(T)0;
}

/* All changes of `count` threads, one after the other. */
template <class T> static void change(T *cells, unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++) {
		T v = value_of<T>(i);

		cells[ADD] = (T)((unsigned long long)cells[ADD] + (unsigned long long)v);
		cells[SUB] = (T)((unsigned long long)cells[SUB] - (unsigned long long)v);
		cells[MIN] = v < cells[MIN] ? v : cells[MIN];
		cells[MAX] = v > cells[MAX] ? v : cells[MAX];
		if (i % 3 == 0)
			cells[AND] = (T)(cells[AND] & ~bit<T>(i));
		if (i % 3 == 0)
			cells[OR] = (T)(cells[OR] | bit<T>(i));
		cells[XOR] = (T)(cells[XOR] ^ v);
		cells[SUM_OF_OLD] = cells[ADD];
		cells[CAS] = (T)((unsigned long long)cells[CAS] + i);
		/* CUDA: ((old >= limit) ? 0 : (old + 1)), and back */
		cells[INC] = (unsigned long long)cells[INC] >= LIMIT ? 0 : cells[INC] + 1;
		cells[DEC] = cells[DEC] == 0 || (unsigned long long)cells[DEC] > LIMIT
			? (T)LIMIT : cells[DEC] - 1;
	}
}

/* What was exchanged in last, and all that came out before, are all the values. */
template <class T> static bool exchanged(const T *cells, const T *wanted)
{
	return (T)((unsigned long long)cells[SUM_OF_OLD] + (unsigned long long)cells[EXCH])
		== wanted[SUM_OF_OLD];
}

template <class T> static void compare(const char *scope, const T *cells, const T *wanted,
				       bool has_sub, bool has_count)
{
	char what[64];

	for (int i = ADD; i <= DEC; i++) {
		bool right = i == EXCH ? exchanged(cells, wanted) : cells[i] == wanted[i];

		if ((i == SUB && !has_sub) || ((i == INC || i == DEC) && !has_count))
			continue;
		snprintf(what, sizeof what, "%s, %zu bytes, operation %d", scope, sizeof(T), i);
		check_at(right, what, __LINE__);
	}
}

/* --- types without some operations: CUDA has atomicSub() of int and unsigned, Inc and Dec of
 * unsigned, Add and bits of unsigned long long --- */

template <class T> struct also {
	static __device__ void block(T *, unsigned) { }
	static __device__ void system(T *, unsigned) { }
};
template <> struct also<int> {
	static __device__ void block(int *cells, unsigned i)
	{
		atomicSub_block(&cells[SUB], value_of<int>(i));
	}
	static __device__ void system(int *cells, unsigned i)
	{
		atomicSub_system(&cells[SUB], value_of<int>(i));
	}
};
template <> struct also<unsigned> {
	static __device__ void block(unsigned *cells, unsigned i)
	{
		atomicSub_block(&cells[SUB], value_of<unsigned>(i));
		atomicInc_block(&cells[INC], LIMIT);
		atomicDec_block(&cells[DEC], LIMIT);
	}
	static __device__ void system(unsigned *cells, unsigned i)
	{
		atomicSub_system(&cells[SUB], value_of<unsigned>(i));
		atomicInc_system(&cells[INC], LIMIT);
		atomicDec_system(&cells[DEC], LIMIT);
	}
};

template <class T> __device__ void block_changes(T *cells, unsigned i)
{
	T v = value_of<T>(i), old;

	atomicAdd_block(&cells[ADD], v);
	atomicMin_block(&cells[MIN], v);
	atomicMax_block(&cells[MAX], v);
	if (i % 3 == 0) {
		atomicAnd_block(&cells[AND], (T)~bit<T>(i));
		atomicOr_block(&cells[OR], bit<T>(i));
	}
	atomicXor_block(&cells[XOR], v);
	atomicAdd_block(&cells[SUM_OF_OLD], atomicExch_block(&cells[EXCH], v));
	do
		old = atomicCAS_block(&cells[CAS], (T)0, (T)0);
	while (atomicCAS_block(&cells[CAS], old, (T)(old + (T)i)) != old);
	also<T>::block(cells, i);
}

template <class T> __device__ void system_changes(T *cells, unsigned i)
{
	T v = value_of<T>(i), old;

	atomicAdd_system(&cells[ADD], v);
	atomicMin_system(&cells[MIN], v);
	atomicMax_system(&cells[MAX], v);
	if (i % 3 == 0) {
		atomicAnd_system(&cells[AND], (T)~bit<T>(i));
		atomicOr_system(&cells[OR], bit<T>(i));
	}
	atomicXor_system(&cells[XOR], v);
	atomicAdd_system(&cells[SUM_OF_OLD], atomicExch_system(&cells[EXCH], v));
	do
		old = atomicCAS_system(&cells[CAS], (T)0, (T)0);
	while (atomicCAS_system(&cells[CAS], old, (T)(old + (T)i)) != old);
	also<T>::system(cells, i);
}

template <class T> __global__ void of_blocks(const T *first, T *out)
{
	__shared__ T cells[CELLS];

	for (int i = (int)threadIdx.x; i < CELLS; i += THREADS)
		cells[i] = first[i];
	__syncthreads();
	block_changes(cells, blockIdx.x * THREADS + threadIdx.x);
	__syncthreads();
	for (int i = (int)threadIdx.x; i < CELLS; i += THREADS)
		out[blockIdx.x * CELLS + i] = cells[i];
}

template <class T> __global__ void of_system(T *cells, unsigned first)
{
	system_changes(cells, first + blockIdx.x * THREADS + threadIdx.x);
}

template <class T> static void integers(bool has_sub, bool has_count)
{
	T wanted[CELLS], *first, *out;
	cudaStream_t streams[GRIDS];

	cudaMallocManaged(&first, CELLS * sizeof(T));
	cudaMallocManaged(&out, BLOCKS * CELLS * sizeof(T));
	begin(first);
	of_blocks<T><<<BLOCKS, THREADS>>>(first, out);
	OK(cudaDeviceSynchronize());
	for (unsigned b = 0; b < BLOCKS; b++) {
		begin(wanted);
		change(wanted, b * THREADS, THREADS);
		compare("block", out + b * CELLS, wanted, has_sub, has_count);
	}
	begin(first);
	for (unsigned g = 0; g < GRIDS; g++) {
		cudaStreamCreateWithFlags(&streams[g], cudaStreamNonBlocking);
		of_system<T><<<BLOCKS, THREADS, 0, streams[g]>>>(first, g * BLOCKS * THREADS);
	}
	OK(cudaDeviceSynchronize());
	begin(wanted);
	change(wanted, 0, ALL);
	compare("system", first, wanted, has_sub, has_count);
	for (cudaStream_t stream : streams)
		cudaStreamDestroy(stream);
	cudaFree(first);
	cudaFree(out);
}

/* --- old values: each number once --- */

__global__ void take(int *tickets, int *shared_seen, int *system_seen)
{
	__shared__ int ticket;
	int mine;

	if (threadIdx.x == 0)
		ticket = 0;
	__syncthreads();
	mine = atomicAdd_block(&ticket, 1);
	shared_seen[blockIdx.x * THREADS + mine] += 1;
	system_seen[atomicSub_system(tickets, 1) - 1] += 1;
}

static void tickets(void)
{
	int *memory, once = 0;

	cudaMallocManaged(&memory, (1 + 2 * BLOCKS * THREADS) * sizeof *memory);
	for (int i = 1; i <= 2 * BLOCKS * THREADS; i++)
		memory[i] = 0;
	memory[0] = BLOCKS * THREADS;
	take<<<BLOCKS, THREADS>>>(memory, memory + 1, memory + 1 + BLOCKS * THREADS);
	OK(cudaDeviceSynchronize());
	for (int i = 1; i <= 2 * BLOCKS * THREADS; i++)
		once += memory[i] == 1;
	CHECK(memory[0] == 0);
	CHECK(once == 2 * BLOCKS * THREADS);
	cudaFree(memory);
}

/* --- sums of floats that are exact in any order --- */

template <class T> __global__ void sums(T *of_block, T *of_system)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;

	atomicAdd_block(&of_block[blockIdx.x], value_of<T>(i));
	atomicAdd_system(of_system, value_of<T>(i));
}

template <class T> static void floats(void)
{
	T *memory, wanted[BLOCKS + 1] = { 0 };

	cudaMallocManaged(&memory, (BLOCKS + 1) * sizeof(T));
	for (int i = 0; i <= BLOCKS; i++)
		memory[i] = 0;
	for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
		wanted[i / THREADS] += value_of<T>(i);
		wanted[BLOCKS] += value_of<T>(i);
	}
	sums<T><<<BLOCKS, THREADS>>>(memory, memory + BLOCKS);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i <= BLOCKS; i++)
		CHECK(memory[i] == wanted[i]);
	cudaFree(memory);
}

__global__ void exchange_floats(float *cell, float *sum)
{
	atomicAdd_system(sum, atomicExch_system(cell, (float)threadIdx.x));
}

static void float_exchange(void)
{
	float *memory;

	cudaMallocManaged(&memory, 2 * sizeof *memory);
	memory[0] = 1000.0f;
	memory[1] = 0.0f;
	exchange_floats<<<1, 64>>>(memory, memory + 1);
	OK(cudaDeviceSynchronize());
	CHECK(memory[0] + memory[1] == 1000.0f + 63 * 64 / 2);
	cudaFree(memory);
}

int main()
{
	integers<int>(true, false);
	integers<unsigned>(true, true);
	integers<unsigned long long>(false, false);
	tickets();
	floats<float>();
	floats<double>();
	float_exchange();
	return counted();
}
