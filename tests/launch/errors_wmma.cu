/* errors_wmma.cu - a shape of tensor cores that the simulator does not have. */
#include <mma.h>
using namespace nvcuda;
__global__ void k(double *c)
{
	wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
	wmma::fill_fragment(sum, 0.0);
}
