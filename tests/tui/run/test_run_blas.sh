#!/bin/sh
# test_run_blas.sh - `flashtwin run`: programs that call cuBLAS, which the host's BLAS computes.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }
for library in libopenblas.so.0 libopenblas.so libblas.so.3; do
	python3 -c "import ctypes; ctypes.CDLL('$library')" 2>/dev/null && found=$library
done
[ -n "$found" ] || { echo '1..0 # SKIP no BLAS library'; exit 0; }

cp "$srcdir/tests/tui/run/blas.cu" .
run run blas.cu -o blas.twin
expect 'calls of cuBLAS keep the order of their stream' 0 '^0 wrong, -5, 2.44949$'
run verify blas.twin
expect 'the trace has their results' 0
run run blas.cu --check
[ ! -s err ] || code=99
expect 'and nothing is found' 0
cp "$srcdir/tests/tui/run/blas_lt.cu" .
run run blas_lt.cu
expect 'products of cuBLASLt with batches, a bias and an activation' 0 '^1: 0 wrong$' '^4: 0 wrong$' \
	'^2: 0 wrong$' '^6: 0 wrong$' '^36: 0 wrong$'
expect 'what is not there is not supported' 0 'AlgoGetHeuristic.*: the functionality is not supported$' \
	'^backward: 1 wrong$' '^7$'
cp "$srcdir/tests/tui/run/blas_ex.cu" .
run run blas_ex.cu
expect 'products of half and bfloat16 are rounded once' 0 '^half: 0 wrong$' \
	'^half to float: 0 wrong$' '^in half: 0 wrong$' '^bfloat16: 0 wrong$' \
	'^bfloat16 to float: 0 wrong$' '^float: 0 wrong$' '^double: 0 wrong$' '^Hgemm: 3 3$'
expect 'other pairs of types are not supported' 0 '^bfloat16 to half: 15$'
cp "$srcdir/tests/tui/run/blas_all.cu" .
run run blas_all.cu
for type in float double; do
	expect "functions of $type" 0 "^$type products: 0 0 0\$" "^$type gemv: 0\$" \
		"^$type axpy and scal: 0\$" "^$type dot and nrm2: 0 0\$" \
		"^$type every second element: 9 8 7, 0 kept\$"
done
expect 'products of half in a batch, settings, and no call failed' 0 '^half: 9 25$' \
	'^settings: 0 0, then 1 1 1$' '^0 calls failed$'
echo '#include <cublas_v2.h>
__global__ void set(float *p) { *p = 1; }
int main() { cublasHandle_t h; cublasCreate(&h); }' >part.cu
run launch part.cu --kernel set --grid 1 --block 1 --arg 'p=>p.npy:f32[1]'
expect 'a kernel in a file with the header' 0
mkdir none
for library in libopenblas.so.0 libopenblas.so libblas.so.3; do
	: >"none/$library"
done
LD_LIBRARY_PATH=$PWD/none
export LD_LIBRARY_PATH
run run part.cu
[ "$(grep -c . err)" -le 2 ] || code=99
expect 'without a library' 2 '^cuBLAS needs a BLAS library: apt-get install libopenblas-dev$'
unset LD_LIBRARY_PATH
sed -i 's/cublasCreate/cublasHerk/' part.cu
run run part.cu
expect 'a call that is not there' 3 'part.cu:3.*cublasHerk'
plan
