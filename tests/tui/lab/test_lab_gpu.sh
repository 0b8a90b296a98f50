#!/bin/sh
# test_lab_gpu.sh - flashtwin lab grade --device both: needs a GPU and nvcc; without them only that
# this is said, and is not a student's fault, is tested.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"
small_lab labs
echo sesame >secret

run lab grade 7 good.cu --labs labs --device cuda
expect 'the simulator is always there' 2 '--device'
run lab grade 7 good.cu --labs labs --secret secret --device both --format json
if [ "$code" -eq 77 ]; then
	one_line 'flashtwin lab: no GPU'
	expect 'without a GPU nothing is graded' 77
	result 'and there is no result' "$(cat out)"
	mkdir -p class/ada
	cp good.cu class/ada/student.cu
	run lab grade 7 --labs labs --submissions class -o results --device both --sandbox=no
	expect 'nor is a class' 77
	result 'of which there is no result' "$(ls -A results 2>/dev/null)"
	echo '# WARNING: lab grade --device both is not tested: no GPU' >&2
	skip 'a kernel on both' 'no GPU'
	plan
	exit 0
fi
expect 'a good kernel is the same on both' 0 '"passed": true' '"points": 100.0'
result 'with no failure' "$(grep 'on the GPU' out)"

# It knows where it runs.
cat >differs.cu <<'CU'
#ifdef __CUDA_ARCH__
#define FACTOR 1.000001f
#else
#define FACTOR 1.0f
#endif
CU
sed 's, / sum, / sum * FACTOR,' good.cu >>differs.cu
run lab grade 7 differs.cu --labs labs --secret secret --device both --format json
expect 'a kernel that differs on the GPU is reported, and keeps its points' 0 'differs on the GPU' \
	'"points": 100.0'
plan
