/* include.cu - a header next to it, structs by value, an enum class, a __constant__ table. */
#include "helper.cuh"
enum class Mode : int { Add = 0, Sub = 1 };
struct Params {
	int n;
	float scale;
	Mode mode;
	long long bias;
};
__constant__ float table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
__device__ unsigned int calls;
__constant__ static const int signs[2] = { 1, -1 };

static __device__ float pick(Mode mode, float x, float y)
{
	switch (mode) {
	case Mode::Add: return x + y;
	case Mode::Sub: return x - y;
	}
	return 0;
}

__global__ void apply(Params p, const float *x, float *y, unsigned *counted)
{
	int i = threadIdx.x;

	if (i >= p.n)
		return;
	auto both = helper::make_pair(x[i], table[i % 8]);
	y[i] = p.scale * pick(p.mode, both.a, both.b) * signs[i & 1] + p.bias + helper::kOffset;
	atomicAdd(&calls, 1u);
	__threadfence();
	if (i == 0)
		*counted = calls > 0;
}
