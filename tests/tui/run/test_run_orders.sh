#!/bin/sh
# test_run_orders.sh - `flashtwin run`: device variables, --all-orders, replays of its traces, and
# refused launches.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

mkdir -p project/src project/include
cp "$srcdir/tests/tui/run/variables.cu" project/src
echo '#define SCALE 2' >project/include/scale.h
cd project/src || exit 99

quiet() {
	[ -z "$(said)" ] || code=99
}
# says TEXT: sets code to 99 unless TEXT is all of stdout.
says() {
	[ "$(cat out)" = "$1" ] || code=99
}
printed='in a kernel
in a kernel
6 256, 7, 7, 2'

# --- recorded ---

run run variables.cu -I ../include -o v.twin
quiet
says "$printed"
expect 'device variables' 0
[ "$("$flashtwin" sql v.twin "SELECT name FROM v_buffer WHERE op IN (SELECT op FROM v_op
	WHERE kind = 'variable') ORDER BY 1" | tr '\n' ' ')" = 'counter factors hidden last ' ] || code=99
expect 'are buffers of the trace' 0
[ "$("$flashtwin" sql v.twin 'SELECT kernel FROM v_launch' | tr '\n' ' ')" = \
	'apply(float *) apply(int *) apply(float *) ' ] || code=99
expect 'overloads have names of their own' 0
run verify v.twin
expect 'the trace is sound' 0

# --- replayed ---

run replay v.twin
one_line 'flashtwin replay: '
expect 'not without --trust' 2 '--trust allows it'
mkdir elsewhere
mv v.twin elsewhere
mv ../include ../other
cd elsewhere || exit 99
run replay v.twin --trust
quiet
expect 'a replay compiles what the trace holds' 0 '^replayed .* 0 bits differ$' '^in a kernel$'
run replay v.twin --trust --check --all-orders 2
expect 'under other orders, checked' 0 '^seeds 1 to 2: no bit changed$'
"$flashtwin" sql v.twin "SELECT 1" >/dev/null
"$flashtwin" info --device cuda >/dev/null 2>&1
if [ $? -eq 77 ]; then          # or there is no nvcc
	run replay v.twin --trust --device cuda
	[ $code -eq 2 ] || [ $code -eq 77 ]
	result 'not on a GPU that is not there' "$([ $? -eq 0 ] || echo "exit code $code")"
else
	run replay v.twin --trust --device cuda
	expect 'on a GPU' 0 ', 0 bits differ$'
fi
cd ..
mv ../other ../include

# --- all orders ---

run run variables.cu -I ../include --all-orders 3
says "$printed"
expect 'the program runs once' 0 '^3 orders: the same bits$'
run run variables.cu -I ../include --all-orders 3 -- race
expect 'bits that change' 1 '^seeds 0 and [1-3] differ' '^race-block in race<int>' \
	'^flashtwin run: outputs of [1-3] of 3 orders differ from those recorded'
run run variables.cu -I ../include --all-orders 3 --exit program -- race
expect 'with the exit code of the program' 0
run run variables.cu -I ../include --all-orders 1 --check -- race
expect 'a finding comes first' 4 '^flashtwin run: '

# --- what depends on clock() is not compared ---

cp "$srcdir/tests/tui/run/clock.cu" .
run run clock.cu -o clock.twin
[ "$(cat out)" = 'more rounds take longer' ] || code=99
expect 'the clock counts steps' 0
run replay clock.twin --trust --seed 3
expect 'clocks of another order are left out' 0 \
	' 2 buffers compared, 0 bits differ, 3 buffers that depend on clock() left out$'
run run clock.cu --all-orders 2 -- race
expect 'a race beside them is not' 1 '^seeds 0 and [12] differ.* cudaMalloc.2' '^race-block in race, '

# --- refused launches ---

for how in 'threads block.x: expected 1 to 1024, got 2000' 'shared shared' 'grid grid (0,1,1)'; do
	run run variables.cu -I ../include -- ${how%% *}
	[ "$(said | wc -l)" -eq 1 ] || code=99
	expect "too much: ${how%% *}" 0 \
		"^flashtwin run: a launch was refused, and the program never asked.*${how#* }"
done
run run variables.cu -I ../include -- asks
quiet
expect 'nothing if the program asks' 0 '^cudaErrorInvalidValue$'
run run variables.cu -I ../include --json -- threads
result 'as JSON' "$(tail -n 1 err | python3 -c 'import json, sys
found = json.load(sys.stdin)["launch_refused"]
assert found["code"] == 1 and "block.x" in found["message"], found' 2>&1)"

# --- named points ---

cp "$srcdir/tests/tui/run/points.cu" .
run run points.cu
quiet
says 8
expect 'points do nothing if they are not recorded' 0
run run points.cu --log points -o p.twin
quiet
says 8
expect '--log points' 0
[ "$("$flashtwin" sql p.twin "SELECT group_concat(v_point.name || ' ' || n, ',') FROM (SELECT name,
	count(*) AS n FROM v_point GROUP BY name) AS v_point" 2>&1)" = 'after 4,before 4,first_of_all 2' ] ||
	{ code=99; "$flashtwin" sql p.twin 'SELECT * FROM v_point' >>err 2>&1; }
expect 'records them all' 0
run replay p.twin --trust
quiet
expect 'a replay compares them' 0 ' 10 named points compared, 0 bits differ$'
run run points.cu --log points -o q.twin --check --all-orders 2
expect 'checked, under other orders' 0 '2 orders: the same bits'

# --- a folder that hides headers ---

mkdir -p sim/cuda
echo '#error this one' >sim/cuda/program.h
run run variables.cu -I ../include --check
expect 'headers of the working folder' 2 'has a sim/cuda/program.h, which would hide'
plan
