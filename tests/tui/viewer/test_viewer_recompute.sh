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
shows 'and has the merge' 'out\[0\] = [-0-9.]* / '
type_keys d d d d
shows 'keys typed ahead are not lost' '^STEP 9 '
shows 'the last step is recomputed' '^ recomputed on the simulator'
for screen in '3 chunks CHUNKS' '4 reduce REDUCTION' '8 attention ATTENTION' 'P points POINTS'; do
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

plan
