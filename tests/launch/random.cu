/* random.cu - cuRAND's device interface: generators from any point on, and distributions. */
#include <curand_kernel.h>

template <class State>
__global__ void integers(unsigned long long seed, const unsigned long long *subsequence,
			 const unsigned long long *offset, unsigned *out)
{
	State state;

	curand_init(seed, subsequence[threadIdx.x], offset[threadIdx.x], &state);
	for (int i = 0; i < 6; i++)
		out[6 * threadIdx.x + i] = curand(&state);
}

/* Numbers of two calls at once, in the order of one call after another. */
__global__ void vectors(unsigned *out, float *uniform)
{
	curandStatePhilox4_32_10_t state, same;
	uint4 x;
	float4 u;

	curand_init(1234, threadIdx.x, threadIdx.x, &state);
	same = state;
	x = curand4(&state);
	u = curand_uniform4(&state);
	out[8 * threadIdx.x] = x.x;
	out[8 * threadIdx.x + 1] = x.y;
	out[8 * threadIdx.x + 2] = x.z;
	out[8 * threadIdx.x + 3] = x.w;
	for (int i = 0; i < 4; i++)
		out[8 * threadIdx.x + 4 + i] = curand(&same);
	uniform[8 * threadIdx.x] = u.x;
	uniform[8 * threadIdx.x + 1] = u.y;
	uniform[8 * threadIdx.x + 2] = u.z;
	uniform[8 * threadIdx.x + 3] = u.w;
	for (int i = 0; i < 4; i++)
		uniform[8 * threadIdx.x + 4 + i] = curand_uniform(&same);
}

/* Numbers made of integers, which go along. */
template <class State>
__global__ void distributions(unsigned *in, float *normal, float *log_normal, double *uniform)
{
	State state, same;

	curand_init(99, threadIdx.x, 0, &state);
	same = state;
	for (int i = 0; i < 8; i++)
		in[8 * threadIdx.x + i] = curand(&same);
	uniform[threadIdx.x] = curand_uniform_double(&state);
	curand_init(99, threadIdx.x, 2, &state);
	normal[2 * threadIdx.x] = curand_normal(&state);
	normal[2 * threadIdx.x + 1] = curand_normal(&state);
	log_normal[2 * threadIdx.x] = curand_log_normal(&state, 0.5f, 0.25f);
	log_normal[2 * threadIdx.x + 1] = curand_log_normal(&state, 0.5f, 0.25f);
}

/* Two by single calls, two at once, then the same of log-normal numbers. */
template <class State> __global__ void doubles(double *normal, double *log_normal)
{
	State state;
	double2 two;

	curand_init(0x10000000005, threadIdx.x, 1, &state);
	normal += 4 * threadIdx.x;
	log_normal += 4 * threadIdx.x;
	normal[0] = curand_normal_double(&state);
	normal[1] = curand_normal_double(&state);
	two = curand_normal2_double(&state);
	normal[2] = two.x;
	normal[3] = two.y;
	log_normal[0] = curand_log_normal_double(&state, 0.5, 0.25);
	log_normal[1] = curand_log_normal_double(&state, 0.5, 0.25);
	two = curand_log_normal2_double(&state, 0.5, 0.25);
	log_normal[2] = two.x;
	log_normal[3] = two.y;
}

__device__ bool same(double4 x, double a, double b, double c, double d)
{
	return x.x == a && x.y == b && x.z == c && x.w == d;
}

__global__ void quads(int *agree)
{
	curandStatePhilox4_32_10_t state, single;
	double a, b, c, d;
	double4 x;

	curand_init(1, threadIdx.x, threadIdx.x, &state);
	single = state;
	x = curand_normal4_double(&state);
	a = curand_normal_double(&single);
	b = curand_normal_double(&single);
	c = curand_normal_double(&single);
	d = curand_normal_double(&single);
	agree[threadIdx.x] = same(x, a, b, c, d);
	x = curand_log_normal4_double(&state, 1.0, 2.0);
	a = curand_log_normal_double(&single, 1.0, 2.0);
	b = curand_log_normal_double(&single, 1.0, 2.0);
	c = curand_log_normal_double(&single, 1.0, 2.0);
	d = curand_log_normal_double(&single, 1.0, 2.0);
	agree[threadIdx.x] &= same(x, a, b, c, d);
}
