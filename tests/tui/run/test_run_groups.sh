#!/bin/sh
# test_run_groups.sh - `flashtwin run`: groups of threads that need a whole program, and a thread
# that waits for ever.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/grid.cu" .

# --- a barrier of the grid ---

for blocks in 1 64 500; do
	run run grid.cu -- $blocks
	expect "a grid of $blocks blocks waits for all" 0 '^cudaSuccess 29995$'
done
run run grid.cu --seed 7 -- 70
expect 'in another order' 0 '^cudaSuccess 29995$'
run run grid.cu --check -- 20
[ ! -s err ] || code=99
expect 'the checker knows its order' 0 '^cudaSuccess 29995$'
run run grid.cu --check -- 20 race
expect 'and finds that it is missing' 4 '^race-grid in sum' 'grid.cu:20$' 'grid.cu:28$'
run run grid.cu --check -- 70
expect 'a grid that is too large for the checker is named' "$code" \
	': --check: a barrier of a grid of 70 blocks; the maximum is 64$'
run run grid.cu -- 16 plain
expect 'a launch that is not cooperative' 0 '^cudaErrorLaunchFailure 0$' \
	'(719): a barrier of the grid in a launch that is not cooperative$'
run run grid.cu -- 100000
expect 'more blocks than the device holds' 0 '^cudaErrorCooperativeLaunchTooLarge 0$'

# --- its arrivals apart from its waits ---

cp "$srcdir/tests/tui/run/grid_arrive.cu" .
for options in '' '--seed 7'; do
	for blocks in 1 70; do
		run run grid_arrive.cu $options -- $blocks
		expect "$blocks blocks arrive, then wait $options" 0 '^cudaSuccess 0 wrong$'
	done
done
run run grid_arrive.cu --check -- 20
[ ! -s err ] || code=99
expect 'the checker knows what an arrival orders' 0 '^cudaSuccess 0 wrong$'
run run grid_arrive.cu --check -- 20 late
expect 'and finds a store after it' 4 '^race-grid in rounds' 'grid_arrive.cu:30$' 'grid_arrive.cu:25$'
run run grid_arrive.cu --check -- 20 early
expect 'and a load before the wait' 4 '^race-grid in rounds' 'grid_arrive.cu:20$' 'grid_arrive.cu:30$'

# --- asynchronous copies of a group ---

run run "$srcdir/tests/tui/run/group_copy.cu"
expect 'a block copies asynchronously' 0 '^0 wrong$'

# --- a kernel that polls for ever: what the thread waited at before is not where it is ---

run run "$srcdir/tests/tui/run/latch.cu"
expect 'a deadlock names a thread that polls' 0 '^cudaErrorLaunchTimeout$' \
	'lanes 0 poll memory that does not change; exited: 31 lanes$'

# --- a kernel that waits for a store of the host ---

cp "$srcdir/tests/tui/run/host_latch.cu" .
for options in --check '--no-record --seed 3' '-o latch.twin'; do
	run run host_latch.cu $options
	expect "work after a launch that waits for the host: $options" 0 '^150$' '^no error$' '^301$'
done
run run host_latch.cu --no-record -- never
expect 'a host that never stores there' 0 '^0$' '702.*deadlock in wait_for'

plan
