/* softmax.cu - one row per block, with cooperative groups and cg::reduce, in the style of llm.c. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <float.h>
namespace cg = cooperative_groups;

__device__ float& vec_at(float4& vec, int index) { return reinterpret_cast<float*>(&vec)[index]; }
__device__ float vec_at(const float4& vec, int index) { return reinterpret_cast<const float*>(&vec)[index]; }

__global__ void softmax_forward(float* out, const float* inp, int N, int C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = inp + idx * C;
    float maxval = -FLT_MAX;
    for (int i = warp.thread_rank(); i < C; i += warp.size())
        maxval = fmaxf(maxval, x[i]);
    maxval = cg::reduce(warp, maxval, cg::greater<float>{});
    float sumval = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size())
        sumval += expf(__ldcs(&x[i]) - maxval);
    sumval = cg::reduce(warp, sumval, cg::plus<float>{});
    float norm = 1.0f / sumval;
    for (int i = warp.thread_rank(); i < C; i += warp.size())
        __stcs(&out[idx * C + i], expf(__ldcs(&x[i]) - maxval) * norm);
}
