/* errors_gridsync.cu - a grid group. */
#include <cooperative_groups.h>
__global__ void k(int *out)
{
	auto grid = cooperative_groups::this_grid();
	out[grid.thread_rank()] = 1;
	grid.sync();
}
