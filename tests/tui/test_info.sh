#!/bin/sh
# test_info.sh - `flashtwin info` about the program, the machine and a trace.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run info
expect 'info names version, devices, kernels and paths' 0 '^flashtwin [0-9]' '^  sim:0 ' \
	'profile h200' '^  cuda' '^  flash_decode_chunk: ' 'const int \*seq_lens' \
	'1152 bytes of static shared' '^  flash-decoding: ' 'SQLite 3'
run info --json
expect 'info --json has the same' 0 '"profile": "h200"' '"name": "flash_decode_reduce"' \
	'"static_shared_bytes": 1152' '"memory_bytes": 150109880320' '"sqlite": "3'

# Fake compilers for launch, in directories that hold nothing else.
mkdir gcc_alone both
for program in gcc_alone/cc gcc_alone/gcc both/cc both/g++ both/nvcc; do
	printf '#!/bin/sh\n' >$program && chmod +x $program
done
# compilers WHAT PATH CXX NVCC SIM CUDA: with these variables (-: not set), info shows SIM and CUDA
# as compilers, as text and as JSON.
compilers() {
	(
		unset CXX CC NVCC
		[ "$3" = - ] || export CXX="$3"
		[ "$4" = - ] || export NVCC="$4"
		export PATH="$2"
		"$flashtwin" info >out 2>err && "$flashtwin" info --json >json 2>>err
	)
	code=$?
	expect "$1" 0 "^  sim      $5\$" "^  cuda     $6\$"
	cp json out
	expect "$1, as JSON" 0 "^ *\"\(compiler\|missing\)\": \"${5%, as C}\"" \
		"^ *\"\(compiler\|missing\)\": \"$6\""
}
here=$(pwd -P)
compilers 'info shows the compilers of launch' "$here/both" - - "$here/both/g++" "$here/both/nvcc"
compilers 'compilers from CXX and NVCC' "$here/gcc_alone" "$here/both/g++" "$here/both/nvcc" \
	"$here/both/g++" "$here/both/nvcc"
compilers 'an empty CXX selects the C compiler' "$here/both" '' - "$here/both/cc, as C" \
	"$here/both/nvcc"
compilers 'a CXX of two words' "$here/both" 'cc g++' - "$here/both/cc g++" "$here/both/nvcc"
compilers 'no C++ compiler' "$here/gcc_alone" - no-such-nvcc \
	'needs a C++ compiler: apt-get install g++' 'needs nvcc, .* (NVCC=no-such-nvcc: no such program)'

run info --device sim
expect 'info --device sim' 0 '^  sim:0 '
run info --device cuda
if [ "$code" -eq 77 ]; then
	expect 'info --device cuda without a GPU' 77 '^flashtwin info: no GPU'
	[ ! -s out ] || code=99
	expect 'info --device cuda without a GPU: nothing on stdout' 77
else
	expect 'info --device cuda with a GPU' 0 '^  cuda:0 ' 'multiprocessors'
	run info --device cuda --json
	expect 'info --device cuda with a GPU, as JSON' 0 '"driver": "CUDA '
fi
run info --verify-math rsqrtf
if [ "$code" -eq 77 ]; then
	expect 'info --verify-math without a GPU' 77 '^flashtwin info: no GPU'
else
	expect 'info --verify-math on a GPU' 0 '^ok    rsqrtf ' '^1 passed, 0 failed' '^sm_'
fi
run info --verify-math --device sim no_such_function
expect 'info --verify-math of no function' 2 "no function's name contains 'no_such_function'"
run info --jobs 2
expect 'info --jobs without --verify-math' 2 '--jobs needs --verify-math'
run info --device tpu
expect 'a device that is not there' 2 '^flashtwin info: --device: expected sim or cuda, got tpu'

# Variants of kernels, which must all give the same bits.
run_kernels() {
	export FLASHTWIN_KERNELS="$1"
	shift
	run "$@"
	unset FLASHTWIN_KERNELS
}
run_kernels baseline info
expect 'FLASHTWIN_KERNELS is shown' 0 '^  FLASHTWIN_KERNELS=baseline$'
run_kernels '' info --device sim
expect 'an empty FLASHTWIN_KERNELS counts as unset' 0
run_kernels fastest info --device sim
one_line 'flashtwin info: FLASHTWIN_KERNELS=fastest: expected baseline, avx2 or debug$'
expect 'an unknown variant' 2
run_kernels fastest decode --prompt 'ROMEO:' -n 1 --no-record
one_line 'flashtwin decode: FLASHTWIN_KERNELS=fastest: expected baseline, avx2 or debug$'
expect 'an unknown variant for a command that launches kernels' 2
run info --json --device sim
if grep -q '"debug_kernels": true' out; then
	run_kernels debug info --device sim
	expect 'debug kernels that were built' 0 'also for debuggers'
else
	run_kernels debug decode --prompt 'ROMEO:' -n 1 --no-record
	one_line 'flashtwin decode: FLASHTWIN_KERNELS=debug: these kernels were not built'
	expect 'a variant that was not built' 2 'configure with --enable-debug-kernels$'
fi
for variant in baseline avx2 debug; do
	run_kernels "$variant" decode --prompt 'ROMEO:' -n 12 --no-record
	if [ "$code" -eq 2 ]; then
		skip "$variant decodes the same text" "$(cat err)"
		continue
	fi
	cp out "$variant"
	same "$variant decodes the same text" baseline out
done

run info missing.twin
expect 'a missing trace' 2 'missing.twin'
echo 'this is no trace' >foreign.twin
run info foreign.twin
expect 'a file that is not a trace' 6 'foreign.twin'
run decode --prompt 'ROMEO:' -n 2 --log points -o t.twin
run info t.twin
expect 'a trace' 0 '^t.twin: [0-9]* bytes, 1 run$' 'decode by flash-decoding on sim' \
	'level points' '2 steps; complete, ended OK'
run info t.twin --json
expect 'a trace as JSON' 0 '"complete": true' '"steps": 2' '"level": "points"' '"driver": null'
run info t.twin --device sim
expect 'a trace and a device' 2 '--device and a trace are mutually exclusive'
run info --sample demo.twin
expect 'the path of a sample' 0 '/demo.twin$'
result 'the sample exists' "$([ -s "$(cat out)" ] || cat out)"
run info --sample demo
expect 'a sample that is not there' 2 '--sample: expected demo.twin, merge.cu, vectorAdd.cu or shakespeare, got demo'
run info --sample demo.twin --json
expect 'a sample and another option' 2 '--sample demo.twin cannot be used with other options'

plan
