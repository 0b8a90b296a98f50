#!/bin/sh
# test_double_sass.sh - a GPU's double functions are made of IEEE operations and modelled guesses.
#
# The instructions are those that tests/h200/double_sass.txt has for each function; with nvcc and
# cuobjdump, also those of kernels/verify_double.cu compiled here.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

script=$srcdir/tests/gpu/double_sass.py
recorded=$srcdir/tests/h200/double_sass.txt

python3 "$script" --lines "$recorded" >out 2>err
result 'recorded instructions are IEEE or modelled' "$([ $? = 0 ] || cat err)"
sed -n 's/^\tX(\(double_[a-z0-9_]*\),.*/\1/p' "$srcdir/kernels/double_list.h" | sort >listed
grep -v '^#' "$recorded" | cut -d ' ' -f 1 | sort >found
result 'every double function has its instructions' \
	"$([ -s listed ] || echo none; diff listed found)"

# refused WHAT FUNCTION'S LINES: exit code 1 and the name of the last word of WHAT.
refused() {
	printf '%b' "$2" | python3 "$script" $3 >out 2>err
	code=$?
	result "$1" "$([ "$code" = 1 ] && grep -q "${1##* }" err || cat out err)"
}
sass='\t\tFunction : math_double_f\n\t/*0000*/  @!P0 DFMA R2, R4, R6, R8 ; /* 0x0 */\n'
sass="$sass\t/*0010*/  HFMA2.MMA R3, -RZ, RZ, 1.5, 0 ; /* 0x0 */\n\t/*0020*/  IADD3 R1, R1, R2, RZ ;\n"
printf '%b' "$sass" | python3 "$script" >out 2>&1
result 'what cuobjdump prints is read' "$(echo 'double_f DFMA' | diff - out)"
refused 'a guess without a model is refused: MUFU.SIN' 'double_f DADD MUFU.SIN\n' --lines
refused 'so is an operation that flushes subnormals: FMUL.FTZ' \
	"$sass\t/*0030*/  FMUL.FTZ R1, R2, R3 ; /* 0x0 */\n"
refused 'so are halves: HFMA2' "$sass\t/*0030*/  @P1 HFMA2 R1, R2, R3, R4 ; /* 0x0 */\n"
refused 'so is nothing: functions' ''

nvcc=$(PATH=$PATH:/usr/local/cuda/bin; command -v nvcc)
cuobjdump=$(PATH=$PATH:/usr/local/cuda/bin; command -v cuobjdump)
if [ -n "$nvcc" ] && [ -n "$cuobjdump" ] &&
	"$nvcc" -O3 -fmad=false -I"$srcdir" -arch=sm_90 -cubin -o double.cubin \
		"$srcdir/kernels/verify_double.cu" 2>err; then
	"$cuobjdump" -sass double.cubin | python3 "$script" >out 2>err
	result 'the instructions of this nvcc too' "$([ $? = 0 ] || cat err)"
else
	skip 'the instructions of this nvcc too' 'no nvcc with sm_90, or no cuobjdump'
fi
plan
