#!/bin/sh
# test_launch_headers.sh - headers of frameworks and of a toolkit in users' files.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

# --- frameworks ---

cat >bound.cu <<'CU'
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>
extern void filled_elsewhere(torch::Tensor, const at::Tensor &);
__global__ void set(float *p) { p[threadIdx.x] = __half2float(half(1.5f)) * float(__nv_bfloat16(1)); }
torch::Tensor filled(torch::Tensor x)
{
	set<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
	return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("filled", &filled); }
CU
run launch bound.cu --kernel set --grid 1 --block 32 --arg 'p=>p.npy:f32[32]'
expect 'a kernel with host code for a framework' 0 \
	'^warning: bound.cu: <torch/extension.h> is left out: kernels do not need it$' \
	'^warning: bound.cu: <ATen/cuda/CUDAContext.h> is left out'
result 'is named once' "$([ "$(said | grep -c '^warning')" = 2 ] || cat err)"
# Without a GPU, nvcc compiles the kernel before the missing GPU is an error.
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if command -v "$nvcc" >/dev/null; then
	run launch bound.cu --kernel set --grid 1 --block 32 --arg 'p=>p.npy:f32[32]' --device both
	[ "$code" != 77 ] || code=0
	expect 'nvcc compiles it without the host code' 0 'bound.cu: <torch/extension.h> is left out'
else
	skip 'nvcc compiles it without the host code' "no $nvcc"
fi
cat >whole.cu <<'CU'
#include <torch/types.h>
#include <cstdio>
__global__ void set(float *p) { *p = 1.5f; }
int main()
{
	float *p;
	cudaMallocManaged(&p, 4);
	set<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("%g\n", *p);
	cudaFree(p);
}
CU
run run whole.cu
expect 'a program' 0 '^1.5$' '^warning: whole.cu: <torch/types.h> is left out'
mkdir -p own/torch
echo 'static inline int own_header() { return 0; }' >own/torch/types.h
run run whole.cu -I own
result 'a header that is there is used' "$(grep warning err)"

# --- headers that only a toolkit has ---

# A compiler that looks nowhere by itself for what is not the system's.
cat >plain-c++ <<'SH'
#!/bin/sh
exec c++ -nostdinc $(echo | c++ -x c++ -E -v - 2>&1 |
	sed -n '/^#include <...> search/,/^End/s|^ /|-isystem /|p' | grep -v /usr/local/include) "$@"
SH
chmod +x plain-c++
cat >marked.cu <<'CU'
#include <builtin_types.h>
#include <common_functions.h>
#include <crt/host_defines.h>
#include <cuda_device_runtime_api.h>
#include <device_atomic_functions.h>
#include <device_double_functions.h>
#include <device_functions.h>
#include <device_types.h>
#include <host_defines.h>
#include <math_functions.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <cstdio>
__global__ void set(float *p) { *p = 1.5f; }
int main()
{
	nvtxEventAttributes_t event = {};
	float *p;

	event.version = NVTX_VERSION;
	event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.message.ascii = "all";
	nvtxRangePushEx(&event);
	nvtxRangePush("set");
	cudaMallocManaged(&p, 4);
	set<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	nvtxRangePop();
	printf("%g %d\n", *p, nvtxRangePop());
	return cudaFree(p);
}
CU
CXX=$PWD/plain-c++ run run marked.cu
expect 'ranges for a profiler, and headers that cuda_runtime.h stands for' 0 '^1.5 -2$'

# --- a toolkit where the compiler looks by itself ---

mkdir toolkit
cat >toolkit/host_defines.h <<'H'
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#define __global__ __attribute__((unused))
#define __device__
#define __host__
#endif
H
cat >toolkit/vector_types.h <<'H'
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
#include "host_defines.h"
struct float4 { float x, y, z, w; };
#endif
H
printf '#include "vector_types.h"\nstruct scaled { float4 v; };\n' >toolkit/scaled.h
cat >kernel.cu <<'CU'
#include <scaled.h>
__global__ void set(float4 *p) { p[threadIdx.x] = make_float4(1, 2, 3, 4); }
CU
CPLUS_INCLUDE_PATH=$PWD/toolkit
export CPLUS_INCLUDE_PATH
run launch kernel.cu --kernel set --grid 1 --block 32 --arg 'p=>p.npy:f32[128]'
expect 'a header of a toolkit does not hide the kernels' 0
echo 'int main() { set<<<1, 1>>>(nullptr); }' >>kernel.cu
run run kernel.cu
expect 'in a program' 0 'illegal address in set'
unset CPLUS_INCLUDE_PATH

# --- headers of flashtwin's kernels, whose functions are __device__ under nvcc only ---

cat >pieces.cu <<'CU'
#include "kernels/online_softmax.cuh"
INLINE_PIECE float twice(float x) { return 2.0f * x; }
__global__ void both(const float *x, float *out, int n) { *out = twice(dot(x, x, n)); }
CU
run launch pieces.cu --kernel both --grid 1 --block 1 -I "$srcdir" --arg 'x=>x.npy:f32[8]' \
	--arg 'out=>out.npy:f32[1]' --arg n=i32:8
expect 'headers of kernels' 0
cat >kernel.cu <<'CU'
#include "kernels/split_direct.cuh"
__global__ void one(float *out) { *out = 1.0f; }
CU
run launch kernel.cu --kernel one --grid 1 --block 1 --arg 'out=>out.npy:f32[1]'
expect 'those that come with flashtwin' 0
plan
