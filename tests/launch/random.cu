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
