// integers.cu - <cuda/cmath> on both sides: division by a number known before, for all kinds of
// divisors and dividends, and integer functions. Prints a line for each.
#include <cstdio>
#include <cstring>
#include <cuda/cmath>

/* Numbers near powers of two and near the maximum, which need every form of the division. */
template <class T> __host__ __device__ T number(int i)
{
	const T most = (T)(((T)1 << (8 * sizeof(T) - 2)) - 1) * 2 + 1;
	const int bits = 8 * sizeof(T) - 1, at = i / 3 % (2 * bits);

	if (i < 24)
		return i;
	if (at >= bits)
		return (T)((T)-1 < 0 ? most : (T)-1) / (at - bits + 1) - i % 3;
	return (T)(((T)1 << (at - (at > 2))) - 1 + i % 3) & most;
}

/* How many of the quotients and remainders by the divisor are wrong. */
template <class T> __host__ __device__ int wrong(const cuda::fast_mod_div<T> &fast, T divisor)
{
	int count = fast != divisor;

	for (int i = 0; i < 600; i++) {
		T n = number<T>(i);
		auto both = cuda::div(n, fast);

		count += n / fast != n / divisor || n % fast != n % divisor
			|| both.first != n / divisor || both.second != n % divisor;
	}
	return count;
}

template <class T> __global__ void divide(cuda::fast_mod_div<T> fast, T divisor, int *count)
{
	atomicAdd(count, wrong(fast, divisor) + wrong(cuda::fast_mod_div<T>(divisor), divisor));
}

template <class T> void divide(const char *type)
{
	int *count, host = 0, tried = 0;

	cudaMallocManaged(&count, sizeof *count);
	for (int i = 1; i < 600; i += i < 24 ? 1 : 29) {
		T divisor = number<T>(i) > 0 ? number<T>(i) : 1;
		const cuda::fast_mod_div<T> fast(divisor);

		host += wrong(fast, divisor);
		divide<<<1, 1>>>(fast, divisor, count);
		tried++;
	}
	cudaDeviceSynchronize();
	printf("%s: %d divisors, %d wrong on the host, %d on the device\n", type, tried, host,
	       *count);
	cudaFree(count);
}

/* What a trace has of a parameter. */
static void bytes(unsigned divisor)
{
	const cuda::fast_mod_div<unsigned> fast(divisor);
	unsigned words[4];

	static_assert(sizeof fast == sizeof words, "four words");
	memcpy(words, &fast, sizeof words);
	printf("%u: %u %#x %u %u\n", divisor, words[0], words[1], words[2], words[3]);
}

__global__ void functions(int *out, int n)
{
	out[0] = cuda::ceil_div(n, 4);
	out[1] = cuda::round_up(n, 4);
	out[2] = cuda::round_down(n, 4);
	out[3] = cuda::is_power_of_two(n) * 2 + cuda::is_power_of_two(n - 1);
	out[4] = cuda::next_power_of_two(n);
	out[5] = cuda::prev_power_of_two(n);
	out[6] = cuda::ilog2(n);
	out[7] = cuda::ceil_ilog2(n);
	out[8] = cuda::uabs(-n) + cuda::uabs(n);
	out[9] = cuda::mul_hi(0xffffffffu, (unsigned)n);
}

int main()
{
	int *out;

	divide<unsigned>("unsigned");
	divide<int>("int");
	divide<unsigned long long>("unsigned long long");
	divide<long long>("long long");
	divide<unsigned short>("unsigned short");
	divide<signed char>("signed char");
	bytes(1);
	bytes(3);
	bytes(7);
	bytes(16);
	cudaMallocManaged(&out, 10 * sizeof *out);
	functions<<<1, 1>>>(out, 17);
	cudaDeviceSynchronize();
	for (int i = 0; i < 10; i++)
		printf(i < 9 ? "%d " : "%d\n", out[i]);
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
