#!/bin/sh
# test_cc.sh - `flashtwin cc`: makefiles like those of CUDA's samples, objects and executables that
# are moved, and options of nvcc.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }
command -v make >/dev/null || { echo '1..0 # SKIP no make'; exit 0; }

mkdir -p Common Samples/parts Samples/one
cat >Common/helper.h <<'H'
#ifdef __CUDACC__
#define CHECK(call) do { if ((call) != cudaSuccess) return 2; } while (0)
#endif
int thrice(int x);
#define PART 7
H
cat >Samples/parts/main.cu <<'CU'
#include <cstdio>
#include <helper.h>
extern "C" int twice(int);
__global__ void fill(int *x) { x[threadIdx.x] = PART * N; }
int main(int argc, char **argv)
{
	int *d, h[4];

	CHECK(cudaMalloc((void **)&d, sizeof h));
	fill<<<1, 4>>>(d);
	CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	if (argc > 1)
		fill<<<1, 5>>>(d);
	cudaFree(d);
	printf("%s: %d %d %d %d\n", argv[0], h[3], twice(2), thrice(3), argc);
	return argc > 1 ? 3 : 0;
}
CU
cat >Samples/parts/host.cpp <<'CPP'
#include "helper.h"
int thrice(int x) { return 3 * x; }
CPP
echo 'int twice(int x) { return 2 * x; }' >Samples/parts/plain.c
cat >Samples/parts/Makefile <<'M'
CUDA_PATH ?= /usr/local/cuda
NVCC := $(CUDA_PATH)/bin/nvcc -ccbin g++
NVCCFLAGS := -m64 --threads 0 --std=c++11 -DN=3
ALL_CCFLAGS := $(NVCCFLAGS) -Xcompiler -Wall,-O2
GENCODE_FLAGS := -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90
INCLUDES := -I../../Common
parts: main.o host.o plain.o
	$(NVCC) $(ALL_CCFLAGS) $(GENCODE_FLAGS) -o $@ $+ -L. -lcudart -lm
%.o: %.cu
	$(NVCC) $(INCLUDES) $(ALL_CCFLAGS) $(GENCODE_FLAGS) -lineinfo -o $@ -c $<
%.o: %.cpp
	$(NVCC) $(INCLUDES) $(ALL_CCFLAGS) $(GENCODE_FLAGS) -o $@ -c $<
%.o: %.c
	$(NVCC) $(INCLUDES) $(ALL_CCFLAGS) $(GENCODE_FLAGS) -o $@ -c $<
M
cat >Samples/one/Makefile <<'M'
NVCC = nvcc
all: one
one: one.cu
	$(NVCC) -O3 -arch=native --use_fast_math --expt-relaxed-constexpr -lineinfo -res-usage \
		-isystem ../parts -Wno-deprecated-gpu-targets -Werror all-warnings $< -o $@
M
cat >Samples/one/one.cu <<'CU'
__global__ void nothing() { }
int main() { nothing<<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU

# with CODE COMMAND...: runs a command.
with() {
	"$@" >out 2>err
	code=$?
}
cc="$flashtwin cc"

# --- makefiles ---

with make -C Samples/parts NVCC="$cc"
expect 'several files, like a sample' 0
with make -C Samples/one NVCC="$cc"
expect 'one file in one step' 0 '^flashtwin cc: -use_fast_math is not modelled'
with Samples/one/one
expect 'an executable runs' 0

# --- moved ---

mkdir away
mv Samples/parts/parts away
mv Samples/parts/main.o Samples/parts/host.o Samples/parts/plain.o away
mv Samples moved
mv Common gone
with away/parts
[ ! -s err ] || code=99
expect 'the sources are in it' 0 '^away/parts: 21 4 9 1$'
with away/parts a
expect 'arguments and the exit code' 3 '^away/parts: 21 4 9 2$'
FLASHTWIN_RUN='--check --seed 3' with away/parts a
expect 'options of run' 4 '^oob in fill' '[( ,]Samples/parts/main.cu:4' '^away/parts: 21 4 9 2$'
FLASHTWIN_RUN='-o t.twin' with away/parts
run replay t.twin --trust
expect 'its trace is replayed' 0 ' 0 bits differ$'
with $cc -o again away/main.o away/host.o away/plain.o
expect 'objects link elsewhere' 0
with ./again
expect 'and run' 0 '^./again: 21 4 9 1$'

# --- the default stream ---

cat >default.cpp <<'CPP'
#include <cstdio>
#include <cuda_runtime.h>
int main()
{
	unsigned long long id;

	cudaStreamGetId(0, &id);
	std::printf("%llu\n", id);
}
CPP
for stream in legacy:1 per-thread:2; do
	with $cc --default-stream "${stream%:*}" -o default default.cpp
	expect "--default-stream ${stream%:*}" 0
	with ./default
	expect "is the stream ${stream#*:}" 0 "^${stream#*:}\$"
done
with $cc -c -default-stream=per-thread default.cpp
with $cc -o default default.o
with ./default
expect 'which an object keeps' 0 '^2$'
with "$flashtwin" run -D CUDA_API_PER_THREAD_DEFAULT_STREAM default.cpp
expect 'the macro alone' 0 '^2$'
with $cc --default-stream=mine default.cpp
one_line 'flashtwin cc: '
expect 'another name' 2 'expected legacy or per-thread, got mine$'

# --- errors ---

with $cc
one_line 'flashtwin cc: '
expect 'no file' 2 'expected files'
with $cc -o x missing.cu
one_line 'flashtwin cc: '
expect 'a missing file' 2 'missing.cu: No such file'
with $cc --strange x.cu
one_line 'flashtwin cc: '
expect 'an unknown option' 2 '--strange: unknown option$'
echo '__global__ void k() { oh; } int main() { k<<<1, 1>>>(); }' >wrong.cu
with $cc -c wrong.cu
expect 'an error in a file' 3 'wrong.cu:1' 'wrong.cu did not compile'
[ ! -e wrong.o ] || code=99
expect 'leaves no object' 3
with $cc -o x away/main.o
with ./x
expect 'a function that is nowhere is an error of the start' 3 'thrice\|twice'
with $cc -o x moved/one/one.cu -l nowhere
expect 'a missing library' 3 'nowhere'
echo hello >text.o
with $cc -o x text.o
expect 'no object' 2
head -c 300 again >cut
chmod +x cut
with "$flashtwin" run cut
expect 'a damaged executable' 6 'cut: not a file that flashtwin cc has made$'
plan
