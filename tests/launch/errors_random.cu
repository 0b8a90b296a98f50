/* errors_random.cu - a normal number of double. */
#include <curand_kernel.h>
__global__ void k(double *out)
{
	curandState state;
	curand_init(1, 2, 3, &state);
	out[0] = curand_normal_double(&state);
}
