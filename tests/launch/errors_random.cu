/* errors_random.cu - a Poisson number. */
#include <curand_kernel.h>
__global__ void k(unsigned *out)
{
	curandState state;
	curand_init(1, 2, 3, &state);
	out[0] = curand_poisson(&state, 4.0);
}
