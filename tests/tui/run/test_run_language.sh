#!/bin/sh
# test_run_language.sh - `flashtwin run`: C++ around kernels, as programs write it.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/language.cu" .
wanted='fill: 3, linkage: 7 8
qualifiers: 21 6
templates: 3 3 6 42
overloads: 26 0.5
members: 373 16
lambdas: 10 4
managed: 18 18 1 3.5 1.5
no error'

run run language.cu -o language.twin
result 'a program of many forms' "$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
run sql --plain language.twin "SELECT DISTINCT kernel FROM v_launch ORDER BY 1"
expect 'kernels of one name are numbered' 0 '^apply<main()::<lambda(int)>>$' \
	'^apply<main()::<lambda(int)>>#2$' '^plain$' '^plain#2$'
run run language.cu --check
result 'and under the checker' "$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"

# --- __constant__ variables ---

cp "$srcdir/tests/tui/run/constants.cu" .
run run constants.cu --check
expect 'a kernel counts the constants of its file, without gaps' 0 '^264 bytes, 3, no error$'
run run constants.cu --check -- write
expect 'none of which it may write' 4 \
	'^constant-write in write, L0: 4 bytes at byte 0 of the __constant__ variable count$' \
	'^264 bytes, -1, an illegal memory access was encountered$'

# --- memory that kernels allocate ---

cp "$srcdir/tests/tui/run/heap.cu" .
wanted='lists: 6 286
objects: 12
full: 7 1
no error'
for options in '' --check; do
	run run heap.cu $options -- right
	result "malloc, free, new and delete $options" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
done
wanted='default: 8388608
larger than the memory: 0
large: 0
set: 33554433, 0
in use: 1
still: 33554433, 1
fits: 0 0
odd: 0
reset: 0, 0, 8388608 1024, 0
too small: 1
odd: 0, in use: 1
too small: 1
odd: 0, in use: 1
no error'
for options in '' --check; do
	run run heap.cu $options -- limits
	result "the size of the heap $options" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
done
run run heap.cu -o heap.twin -- limits
run sql --plain heap.twin "SELECT code, bytes, pattern FROM v_op WHERE kind = 'heap'"
result 'the trace has its sizes' "$(diff - out <<'EOF'
0	1099511627776	0
0	33554433	0
1	67108864	0
0	8388608	1
0	1000004	0
1	67108864	0
1	67108864	0
EOF
)"
run replay --trust heap.twin
expect 'which a replay sets too' 0 ' 0 bits differ$'
run verify heap.twin
expect 'the trace is sound' 0
run run heap.cu --check -- past
expect 'an index past the end' 4 'oob in past_the_end, L0: in the kernels. heap' 'heap.cu:130$'
run run heap.cu --check -- unwritten
expect 'a read of what was never written' 4 "uninit in unwritten, L0: 4 bytes at byte 4 of the kernels"
run run heap.cu --check -- stale
expect 'a read of what was freed' 4 'oob in read, L2: in the kernels. heap'
run run heap.cu -- twice
expect 'freed twice' 0 'unspecified launch failure' 'free() in a kernel: the pointer is not'

# --- launches by device code ---

cp "$srcdir/tests/tui/run/nested.cu" .
wanted='parent 0
sum 28
sum 6
sum 1
free 0
last 7
7 7, 9 8
no error'
for options in '' --check; do
	run run nested.cu $options -- order
	result "launches in device code run in the order of their streams $options" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
	run run nested.cu $options -- heap
	expect "and allocate $options" 0 '^heap 48$' '^no error$'
done
for seed in 1 2 3; do
	run run nested.cu --seed $seed --no-record -- order
	[ "$code" = 0 ] && [ "$(sort out)" = "$(echo "$wanted" | sort)" ] || cat out err
	sed -n 6,8p out
done >orders
result 'in another order by seed, the tail last' \
	"$([ "$(uniq orders)" = "$(echo "$wanted" | sed -n 6,8p)" ] ||
	   [ "$(sort -u orders)" = "$(echo "$wanted" | sed -n 6,8p | sort)" ] || cat orders)"
run run nested.cu --check --count -o nested.twin -- order
run verify nested.twin
expect 'a trace has them as parts of the launch that made them' 0
run run nested.cu -- many
expect 'with too many threads' 0 '^unspecified launch failure$' \
	'launch of free_of_all in device code: block.x: expected 1 to 1024, got 2048$'
run run nested.cu -- deep
expect 'nested too deep' 0 'deep: a launch in device code: the maximum nesting depth is 24$'
run run nested.cu --check -- wrong
expect 'a wrong access in a launch of device code' 4 '^oob in fill, L0: '

# Of kernels of another file; the sum is 0 + 1 + ... + 47 and the number of the call.
cp "$srcdir/tests/tui/run/nested_far.cu" "$srcdir/tests/tui/run/nested_far_other.cu" .
wanted='parent: no error, cudaSuccess
errors: cudaErrorIllegalAddress, invalid device function
sum 9032, filled 5, last 47
sum 1130, no error'
for options in '' --check '--seed 5 --no-record'; do
	run run nested_far.cu nested_far_other.cu $options
	result "launches in device code of kernels of another file $options" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
done
cat >caller.cu <<'EOF'
#include "add.h"
__global__ void caller(int *p) { add<<<1, 32>>>(p); }
int main()
{
	int *p;

	cudaMalloc(&p, 32 * sizeof *p);
	cudaMemset(p, 0, 32 * sizeof *p);
	caller<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
EOF
cat >add.cu <<'EOF'
#include "add.h"
__global__ void add(int *p) { p[threadIdx.x] += threadIdx.x; }
EOF
echo '__global__ void add(int *p);' >add.h
run run caller.cu add.cu -o far.twin
run replay --trust far.twin
expect 'a trace has the sources of both files' 0 ' 0 bits differ$'
run sql --plain far.twin "SELECT group_concat(file) FROM v_source"
expect 'and of headers, but nothing else' 0 '^caller.cu,add.h,add.cu$'
FLASHTWIN_DATADIR=$work/nowhere "$flashtwin" replay --trust far.twin >out 2>err
code=$?
one_line 'flashtwin replay: '
expect 'a replay without the folder of headers' 2 'nowhere.* has no sim/cuda/user.h'
run run nested_far.cu --no-record
expect 'without that file' 3 \
	'nested_far.cu:[0-9]*: [a-z]*, linked as .* cannot be used in a kernel: no file of the program'
run run nested_far.cu nested_far_other.cu --check -- past
expect 'a wrong access in one of them' 4 '^oob in sum, L0: ' 'nested_far_other.cu:14$'

# --- the bytes of parameters ---

cat >wide.cu <<'EOF'
struct wide { char bytes[BYTES]; };
__global__ void sum(char first, int *out, wide w)
{
	*out = first + w.bytes[0] + w.bytes[BYTES - 1];
}
int main()
{
	wide w = {};
	int *out, found = 0;

	w.bytes[0] = 3;
	w.bytes[BYTES - 1] = 4;
	cudaMalloc(&out, sizeof *out);
	sum<<<1, 1>>>(5, out, w);
	cudaMemcpy(&found, out, sizeof found, cudaMemcpyDefault);
	cudaFree(out);
	return found != 12;
}
EOF
run run wide.cu -D BYTES=32748 --no-record
expect 'as many as CUDA allows' 0
run run wide.cu -D BYTES=32749 --no-record
one_line 'flashtwin run: '
expect 'one more' 3 'wide.cu: the parameters of sum have 32765 bytes; the maximum is 32764$'
run launch wide.cu --kernel sum --grid 1 --block 1 --arg first=i8:1 \
	--arg 'out=>out.npy:i32[1]' --arg w=null -D BYTES=40000 --no-record
expect 'in launch' 3 'wide.cu: the parameters of sum have 40016 bytes; the maximum is 32764$'

# --- variables after a reset ---

cp "$srcdir/tests/tui/run/reset.cu" .
wanted='first: 3 7 0 11
changed: 203 100 2 12
reset: 3 7 0 11
again: 3 7 0 11
set: 100 7 0 11
no error'
for options in '-o reset.twin' --check; do
	run run reset.cu $options
	result "variables have their first values after cudaDeviceReset $options" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
done
run replay --trust reset.twin
expect 'also in a replay' 0 ' 0 bits differ$'
cat >address.cu <<'EOF'
__device__ int a = 5;
__device__ int *z = &a;
__global__ void k(int *out) { *out = *z; }
int main() { int *out; cudaMalloc(&out, 4); k<<<1, 1>>>(out); return cudaDeviceSynchronize(); }
EOF
run run address.cu -o address.twin
run replay --trust address.twin
expect 'a first value that is an address' 0 ' 0 bits differ$'

# --- integers of <cuda/cmath> ---

cp "$srcdir/tests/tui/run/integers.cu" .
wanted='unsigned: 43 divisors, 0 wrong on the host, 0 on the device
int: 43 divisors, 0 wrong on the host, 0 on the device
unsigned long long: 43 divisors, 0 wrong on the host, 0 on the device
long long: 43 divisors, 0 wrong on the host, 0 on the device
unsigned short: 43 divisors, 0 wrong on the host, 0 on the device
signed char: 43 divisors, 0 wrong on the host, 0 on the device
1: 1 0 0 0
3: 3 0xaaaaaaab 0 1
7: 7 0x92492492 1 2
16: 16 0 0 4
5 20 16 1 32 16 4 5 34 16
no error'
run run integers.cu --no-record
result 'division by a number known before, and functions of integers' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"

# Every header of sim/cuda/include, in one file; three are parts of cuda_runtime_api.h.
cp "$srcdir/tests/tui/run/headers.cu" .
(cd "$srcdir/sim/cuda/include" && find . -type f | sed 's,^\./,,' |
	grep -v '^cuda_\(array\|graph\|refused\)_api.h$' | LC_ALL=C sort) >there
sed -n 's/^#include <\(.*\)>$/\1/p' headers.cu | LC_ALL=C sort >included
result 'a file with every header' "$(diff there included 2>&1)"
run run headers.cu --no-record
result 'compiles and runs' "$([ "$code" = 0 ] || cat err)"

# A call that is not there is named, also if it takes a type of its own.
cat >ipc.cu <<'EOS'
int main()
{
	cudaIpcMemHandle_t handle;
	int *x;

	cudaMalloc(&x, 4);
	return cudaIpcGetMemHandle(&handle, x);
}
EOS
run run ipc.cu --no-record
result 'a call between processes is refused by name, in one line' \
	"$([ "$code" = 3 ] && grep -q "^ipc.cu:7:.*cudaIpcGetMemHandle is not in flashtwin's runtime" err &&
		[ "$(grep -c error err)" = 1 ] || cat err)"

# --- a compiler that links the C++ library statically ---

# Host code once used the copy in the kernels' object, which nothing initialises.
cat >static.cu <<'END'
#include <iostream>
__global__ void set(int *p) { *p = 7; }
int main()
{
	int *p, got = 0;

	cudaMalloc(&p, sizeof *p);
	set<<<1, 1>>>(p);
	cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost);
	std::cout << "got " << got << std::endl;
}
END
printf '#!/bin/sh\nexec c++ -static-libstdc++ "$@"\n' >static-c++
chmod +x static-c++
(
	XDG_CACHE_HOME=$work/static-cache
	CXX=$work/static-c++
	export XDG_CACHE_HOME CXX
	run run static.cu
	echo "$code" >code
)
code=$(cat code)
expect 'a program whose C++ library is static' 0 '^got 7$'
for object in "$work"/static-cache/flashtwin/objects/*; do
	! readelf -d "$object" 2>/dev/null | grep -q 'soname: \[device' ||
		readelf -hW --dyn-syms "$object" 2>&1
done >symbols
result 'and the object of its kernels exports nothing of it' \
	"$(grep -q 'Type: *DYN' symbols || echo 'no such object'
	grep ' FUNC .* _ZNS[ost]' symbols | grep -v UND)"
plan
