#!/bin/sh
# test_viewer_recompute.sh - the viewer on a trace without points, which are recomputed while keys
# are answered.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"

trace=t.twin
run decode --prompt 'ROMEO:' -n 12 --chunk 4 --log launch -o t.twin
expect 'a trace' 0
mkdir scratch
TMPDIR=$work/scratch
export TMPDIR

start 100 30 t.twin --ascii --at s5
shows 'the Step screen is recomputed' '^ recomputed on the simulator'
shows 'and has the merge' 'out\[0\] = acc\[0\] / sum = [-0-9.]* / '
type_keys d d d d
shows 'keys typed ahead are not lost' '^STEP 9 '
shows 'the last step is recomputed' '^ recomputed on the simulator'
for screen in '3 chunks CHUNKS' '4 reduce REDUCTION' '8 text ATTENTION' 'P points POINTS'; do
	set -- $screen
	keys "$1"
	shows "$2" "^$3 "
	shows "$2 is recomputed" '^ recomputed on the simulator'
done
keys Q
shows 'it ends' '^ended 0'
start 100 30 t.twin --ascii --at s5
keys .
shows 'a step is played, with its tiles' 'frame [0-9]* of 1[0-9]'
shows 'to the end' 'frame \([0-9]*\) of \1$'
# Before the first replay has ended.
start 100 30 t.twin --ascii --at s5
type_keys d Q
shows 'it ends while it recomputes' '^ended 0'
result 'and leaves no temporary files' "$(ls scratch)"
start 100 30 t.twin --ascii --at s5 --no-replay
shows '--no-replay' 'run 1 was recorded at level launch'
result 'recomputes nothing' "$(screen; grep recomputed captured)"

# A user's kernel has no step: the viewer opens on what its address is about.
cat >k.cu <<'CU'
__global__ void halve(float *y)
{
	y[threadIdx.x] = 0.5f * threadIdx.x;
}
CU
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
	run launch k.cu --kernel halve --grid 1 --block 32 --arg 'y=>y.npy:f32[32]' -o user.twin
	for place in 'L0 Time' 'L0.b0.w0.l0 Points' 'L0.n3 Source'; do
		start 100 30 user.twin --ascii --at ${place% *}
		shows "a user's kernel at ${place% *}" "\\[.${place#* }\\]"
	done
	keys 1
	shows 'its Step screen names the screens that show more' '^  P Points  *0  values'
else
	skip "a user's kernel" 'no compiler'
fi

plan
