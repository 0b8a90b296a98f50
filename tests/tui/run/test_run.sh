#!/bin/sh
# test_run.sh - `flashtwin run`: how programs end, what they are given, what is reported.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/"*.cu .
last=$XDG_STATE_HOME/flashtwin/last.twin
TMPDIR=$work/temporary
mkdir "$TMPDIR"
export TMPDIR

# quiet: sets code to 99 if anything was written to stderr.
quiet() {
	[ -z "$(said)" ] || code=99
}
# nothing_but TEXT: sets code to 99 unless TEXT is all of stdout.
nothing_but() {
	[ "$(cat out)" = "$1" ] || code=99
}
# ended: prints how the last run ended, and whether it is complete.
ended() {
	"$flashtwin" sql --plain "$@" "SELECT ended, complete FROM v_run" 2>&1
}
after='atexit: 0 5
destructor: 0'

# --- a program ---

run run vector_add.cu
quiet
nothing_but '0 wrong'
expect 'a program runs, and nothing is added to its output' 0
run view --plain "$last"
expect 'it is kept as the last run' 0 'r1  run ' 'add'
run replay
one_line 'flashtwin replay: '
expect 'whose kernels are not run without --trust' 2 '--trust allows it'
run replay --trust
quiet
expect 'a replay runs its kernels again' 0 '^replayed .* 0 bits differ$'
run run vector_add.cu --check
quiet
expect 'no finding' 0
run run vector_add.cu --check -- r
nothing_but '0 wrong
cudaSuccess'
expect 'a finding is the exit code' 4 'race-' '^flashtwin run: 1 finding$' \
	'^flashtwin run: the program ended with exit code 0$'
run run vector_add.cu --check --exit program -- r
expect 'unless --exit says otherwise' 0 '^flashtwin run: 1 finding$'
run run vector_add.cu --check --report found -- r
grep -q 'race-' found && ! grep -q 'race-' err || code=99
expect '--report has the findings, as text' 4
run run vector_add.cu --check --json --report found.json -- r
expect '--report with --json' 4
result 'is one object' "$(python3 - 2>&1 <<'PY'
import json
found = json.load(open("found.json"))
assert found["files"] == ["vector_add.cu"] and found["args"] == ["r"], found
assert found["program"] == {"exit": 0} and found["exit"] == 4, found
assert found["verdict"] == "FINDING" and len(found["findings"]) == 1, found
PY
)"
run run vector_add.cu --check -- r crash
expect 'and of a program that crashes' 4 'race-' '^flashtwin run: 1 finding$' 'signal 11 (SIGSEGV)$'
[ "$(grep -c 'leak' err)" -eq 0 ] || code=99
expect 'whose memory does not count as leaked' 4
run run vector_add.cu -- b
expect 'a launch that faults is the program'"'"'s business' 0 'cudaErrorIllegalAddress' \
	'^flashtwin run: a launch faulted, .*(700).* in beyond, block (0,0,0) .*vector_add.cu:[0-9]'
run run vector_add.cu --steps 10
expect 'a launch out of steps is not' 5
cat >crash.cu <<'END'
__global__ void spin(volatile int *x) { while (*x == 0) ; }
int main()
{
	int *d;

	cudaMalloc(&d, 4);
	cudaMemset(d, 0, 4);
	spin<<<1, 1>>>(d);
	cudaDeviceSynchronize();
	*(volatile int *)nullptr = 3;
}
END
run run crash.cu --steps 10000
expect 'nor is one of a program that dies of a signal then' 5
result 'stderr has both' "$(grep -q 'step budget of 10000 .* ran out in spin' err &&
	grep -q 'killed by signal 11 (SIGSEGV)' err || cat err)"

# --- volatile without __syncwarp() ---

cat >lockstep.cu <<'CU'
#include <cstdio>
__global__ void sum(volatile float *out)
{
	__shared__ volatile float s[32];

	s[threadIdx.x] = 1.0f;
	if (threadIdx.x < 16)
		s[threadIdx.x] += s[threadIdx.x + 16];
	out[threadIdx.x] = s[threadIdx.x];
}
int main()
{
	float *out;

	cudaMalloc(&out, 128);
	sum<<<1, 32>>>(out);
	printf("%d\n", cudaDeviceSynchronize());
}
CU
echo 'int part() { return 0; }' >part.cpp
run run lockstep.cu part.cpp
one_line 'flashtwin run: '
expect 'is one line' 0 '^0$' \
	'^flashtwin run: lockstep.cu:2: volatile without __syncwarp().*--check finds'
run run lockstep.cu --check
! grep -q 'volatile without' err || code=99
expect 'but not with --check' 4 'race-shared'
"$flashtwin" cc -o lockstep lockstep.cu part.cpp
run run lockstep
expect 'also of an executable of cc' 0 '^flashtwin run: .*lockstep.cu:2: volatile without'
sed 's/^	if/	__syncwarp();&/' lockstep.cu >ordered.cu
run run ordered.cu
quiet
expect 'not with __syncwarp()' 0

# --- ends ---

run run ends.cu
quiet
expect 'a program that returns 0' 0
run run ends.cu -- return 3
quiet
nothing_but "$after"
expect 'one that returns 3; exit handlers and destructors use the device' 3
run run ends.cu -- exit 3
quiet
nothing_but "$after"
expect 'exit()' 3
result 'has a complete trace' "$(ended | grep -vx 'OK	1')"
run run ends.cu -- quick_exit 4
quiet
nothing_but ''
expect 'quick_exit()' 4
result 'has a complete trace' "$(ended | grep -vx 'OK	1')"
run run ends.cu -- fork 5
[ "$(grep -c '^atexit: 0 5$' out)" -ge 1 ] || code=99
expect 'a program whose copy ends before it' 5
result 'has a complete trace' "$(ended | grep -vx 'OK	1')"
for how in abort assert throw; do
	run run ends.cu -- $how
	expect "$how" 134 'killed by signal 6 (SIGABRT)$'
	result 'has a complete trace' "$(ended | grep -vx 'OK	1')"
done
run run ends.cu -- _exit 5
expect '_exit()' 5 'ended with exit code 5, but not by exit()$' 'not kept as the last run'
result 'leaves no last run' "$(ls "$last" 2>/dev/null)"
for how in '_exit 5' 'segfault 139' 'kill 137' 'exec 6'; do
	run run ends.cu -o "${how% *}.twin" -- ${how% *} 5
	expect "${how% *}, recorded" "${how#* }" ": ${how% *}.twin ends at its last commit$"
	result 'has what was recorded' "$(ended "${how% *}.twin" | grep -vx '	0'
		ls | grep 'twin.')"
	run verify "${how% *}.twin"
	expect 'and is sound' 0
done
run run ends.cu --exit verdict -- return 3
expect '--exit=verdict' 0 '^flashtwin run: the program ended with exit code 3$'
run run ends.cu --json -- segfault
tail -n 1 err >object
expect '--json ends stderr' 139
result 'with one object' "$(python3 - 2>&1 <<'PY'
import json
found = json.loads(open("object").read())
assert found["program"] == {"signal": 11, "name": "SIGSEGV"} and found["exit"] == 139, found
PY
)"

# --- signals and time ---

for signal in 'INT 130' 'TERM 143' 'HUP 129'; do
	env --default-signal "$flashtwin" run ends.cu -- wait >out 2>err &
	until_true grep -q ready out
	kill -"${signal% *}" $!
	wait $!
	code=$?
	expect "SIG${signal% *} goes to the program" "${signal#* }"
done
env --default-signal "$flashtwin" run ends.cu -- wait catch >out 2>err &
until_true grep -q ready out
kill -TERM $!
wait $!
code=$?
quiet
expect 'which may catch it' 9 '^caught 15$'
seconds=$(($$ + 100000))
run run ends.cu --timeout "$(limit 10)" -o late.twin -- wait sleeper $seconds
expect '--timeout' 5 "^flashtwin run: not finished within --timeout $(limit 10) s\$"
result 'ends what the program has started' "$(ps -eo args | grep "^sleep $seconds\$")"
result 'and keeps the trace' "$(ended late.twin | grep -vx '	0')"

# --- what a program is given ---

mkdir folder
cat >folder/show.cu <<'CU'
#include <cstdio>
#include "part.h"
extern "C" int twice(int);
int thrice(int);
int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("[%s]", argv[i]);
	printf("%d %d %d %s\n", argc, twice(VALUE), thrice(PART), argv[argc] ? "?" : "");
}
CU
echo 'int thrice(int x) { return 3 * x; }' >thrice.cpp
echo 'int twice(int x) { return 2 * x; }' >twice.c
mkdir include
echo '#define PART 7' >include/part.h
run run folder/show.cu thrice.cpp twice.c -I include -D VALUE=4 --std c++20 -l m -- --seed -o 'a b'
quiet
nothing_but '[folder/show][--seed][-o][a b]4 8 21 '
expect 'files, options and arguments' 0
printf 'in\nput' >input
run run ends.cu -- cat <input
[ "$(head -n 2 out)" = 'in
putatexit: 0 5' ] || code=99
expect 'standard input' 0
result 'no temporary file is left' "$(ls -A "$TMPDIR")"

# --- errors ---

echo 'int main() { return missing; }' >bad.cu
run run bad.cu
expect 'a file that does not compile' 3 '^bad.cu:1:.*missing' '^flashtwin run: bad.cu '
run run missing.cu
one_line 'flashtwin run: missing.cu: '
expect 'a missing file' 2
run run
one_line 'flashtwin run: expected FILE'
expect 'no file' 2
run run ends.cu exit 3
one_line 'flashtwin run: exit: '
expect 'arguments without --' 2 'after --$'

# --- a GPU ---

"$flashtwin" info --device cuda >/dev/null 2>&1
if [ $? -eq 77 ]; then
	for device in cuda both; do
		run run ends.cu --device $device
		one_line 'flashtwin run: '
		expect "--device $device without a GPU" 77 'no GPU'
	done
else
	run run ends.cu --device cuda
	expect 'on a GPU' 0
	run run ends.cu --device both
	expect 'on a GPU and the simulator' 0 ', 0 bits differ$'
fi
run run ends.cu --device cuda --check
one_line 'flashtwin run: '
expect 'a GPU is not checked' 2 'needs the simulator'
run run ends.cu -o late.twin
one_line 'flashtwin run: late.twin: file exists'
expect 'an existing trace' 2
run run ends.cu --report missing/found
one_line 'flashtwin run: missing/found'
expect 'a report that cannot be written' 2
run run ends.cu --append -o late.twin
expect '--append' 0
result 'adds a run' "$("$flashtwin" sql --plain late.twin 'SELECT count(*) FROM v_run' | grep -vx 2)"
run run folder/show.cu -D a-b
expect '-D with a name that no macro can have' 2 '^flashtwin run: -D a-b: expected NAME or NAME=VALUE$'

plan
