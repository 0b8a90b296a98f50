#!/bin/sh
# test_runtime_headers.sh - the runtime's headers in C and C++, what is absent, what is exported.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
headers=$srcdir/sim/cuda/include
warnings="-Wall -Wextra -Wstrict-prototypes -Werror"

# compiles WHAT COMPILER... FILE
compiles() {
	what=$1
	shift
	result "$what" "$("$@" -I"$srcdir" -I"$headers" -c -o out.o 2>&1)"
}

cat >host.c <<'EOF'
#include <cuda_runtime.h>
int main(void)
{
	dim3 grid = { 1, 1, 1 };
	enum cudaMemcpyKind kind = cudaMemcpyDefault;
	struct cudaDeviceProp prop;
	void *memory;

	(void)grid;
	return cudaGetDeviceProperties(&prop, 0) || cudaMalloc(&memory, 4)
		|| cudaMemcpy(memory, &kind, 4, kind) != cudaSuccess;
}
EOF
compiles 'C' ${CC:-cc} -std=gnu11 $warnings host.c

cat >host.cpp <<'EOF'
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include <driver_types.h>
__attribute__((noinline)) void kernel(float *, int) { }
static int variable;
__host__ __device__ int both(int);
static __forceinline__ int inlined(int x) { return x; }
struct __align__(16) aligned { float x; };
static_assert(alignof(aligned) == 16, "__align__");
int main()
{
	float *memory;
	int grid, block;
	cudaLaunchConfig_t config = {};
	cudaGraphExec_t exec;
	cudaGraph_t graph = nullptr;

	cudaMalloc(&memory, 4);
	cudaMallocManaged(&memory, 4);
	cudaMallocHost(&memory, 4);
	cudaMallocAsync(&memory, 4, 0);
	cudaMemcpyAsync(memory, &grid, 4, cudaMemcpyHostToDevice);
	cudaMemcpyToSymbol(variable, &grid, 4);
	cudaMemPrefetchAsync(memory, 4, cudaCpuDeviceId);
	cudaMemPrefetchAsync(memory, 4, cudaMemLocation{ cudaMemLocationTypeDevice, 0 }, 0);
	cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
	cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
	cudaLaunchKernelEx(&config, kernel, nullptr, 3u);
	cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
	return ft_configure(3, 32) + inlined(0);
}
EOF
for standard in 11 14 17 20; do
	compiles "C++$standard" ${CXX:-c++} -std=c++$standard -Wall -Wextra -Werror host.cpp
done

printf '#include <cuda_runtime.h>\n#define N 4\n' >absent.cpp
printf 'int main() { cudaMipmappedArray_t a; return cudaGetMipmappedArrayLevel(&a, a, N); }\n' \
	>>absent.cpp
${CXX:-c++} -I"$srcdir" -I"$headers" -c absent.cpp -o out.o 2>err
wanted="absent.cpp:3:[0-9:]* error: .*cudaGetMipmappedArrayLevel is not in flashtwin's runtime"
wanted="$wanted: it has no mipmapped arrays"
result 'an absent call is one error with its line' \
	"$([ "$(grep -c "error:" err)" -eq 1 ] && grep -q "$wanted" err || cat err)"

# Every call of CUDA 13 is there, or refused by name, if a toolkit is here to compare with.
toolkit=${CUDA_HOME:-/usr/local/cuda}/include/cuda_runtime_api.h
if grep -q '^#define CUDART_VERSION *13' "$toolkit" 2>/dev/null; then
	cat "$headers"/*.h | tr -c 'A-Za-z0-9_' '\n' | sort -u >words
	unknown=$(sed -n 's/.*CUDARTAPI *\(cuda[A-Za-z0-9_]*\)(.*/\1/p' "$toolkit" | sort -u | comm -23 - words)
	result "no call of the toolkit's is unknown" "$unknown"
else
	skip "no call of the toolkit's is unknown" 'no CUDA 13 here'
fi

# Every call that the headers declare as present is exported by the program.
declared=$(sed -n 's/^cudaError_t \(cuda[A-Za-z0-9]*\)(.*/\1/p' "$headers/cuda_runtime_api.h" \
	"$headers/cuda_graph_api.h" | sort -u)
nm -D --defined-only "$flashtwin" | awk '{ print $3 }' | sort >exported
missing=$(for call in $declared ft_configure ft_stub cudaGetErrorString; do
	grep -qx "$call" exported || echo "$call"
done)
result 'every call is exported' "$missing"
plan
