#!/bin/sh
# test_recompute.sh - screens of traces without points, which the simulator recomputes.
#
# What they show must be what a trace recorded at level points shows, apart from the line that says
# where it is from.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

mark=' recomputed on the simulator'

# view TRACE ARG...: the screen, without the line that says so; the Step screen has it in place of an
# empty line.
view() {
	"$flashtwin" view "$@" --plain >out 2>err
	code=$?
	grep -v "^$mark\$" out | grep . >seen
}

# alike WHAT LOW HIGH ARG...: both traces show the same, and only the first one says so.
alike() {
	local what=$1 low=$2 high=$3

	shift 3
	view "$high" "$@"
	cp seen wanted
	result "$what: recorded points are not recomputed" "$(grep "$mark" out)"
	view "$low" "$@"
	expect "$what: says that it is recomputed" 0 "^$mark\$"
	same "$what: shows the same" wanted seen
	rm -f seen
}

# record NAME ARG...: NAME.launch.twin and NAME.points.twin.
record() {
	local name=$1

	shift
	for level in launch points; do
		"$flashtwin" decode --prompt 'ROMEO:' -n 12 "$@" --log $level -o $name.$level.twin \
			>out 2>err || cat err
	done
}

record chunks --chunk 4
record graph --chunk 4 --graph manual
record warps --path incremental-multiwarp
record rows --path batched --prompt JULIET: --json
for name in chunks graph warps rows; do
	alike "$name: frames of a step" $name.launch.twin $name.points.twin --play --at s5
	for screen in step chunks points text; do
		alike "$name: $screen" $name.launch.twin $name.points.twin --screen $screen --at s5
	done
done
alike 'a merge' chunks.launch.twin chunks.points.twin --screen reduce --at s5
launch=$("$flashtwin" sql --plain chunks.launch.twin "SELECT max(launch) FROM v_launch
	WHERE step = 5 AND kernel = 'flash_decode_chunk'")
alike 'a row of a merge' chunks.launch.twin chunks.points.twin --screen reduce \
	--at L$((launch + 1)).b2
alike 'a chunk' chunks.launch.twin chunks.points.twin --screen chunks --at L$launch.b3
alike 'a point' chunks.launch.twin chunks.points.twin --screen points --at L$launch.b3.w0.l0.p0
run view chunks.launch.twin --plain --screen points --at L$launch.b3.w0.l0.p99
expect 'a point that does not exist' 2 "L$launch.b3.w0.l0 has points p0 to p[0-9]*, not p99"

# --- level partials, exports, the file ---

"$flashtwin" decode --prompt 'ROMEO:' -n 12 --chunk 4 --log partials -o chunks.partials.twin >out
alike 'a trace with partials' chunks.partials.twin chunks.points.twin --play --at s5
before=$(cksum <chunks.launch.twin)
run export chunks.launch.twin --as svg --screen step --at s5
expect 'a slide' 0 'recomputed on the simulator'
run export chunks.launch.twin --as html --at s5 -o page.html
expect 'a page of a step' 0
run export chunks.launch.twin --as html --at s5 --no-replay -o bare.html
expect 'a page without' 0
result 'has less' "$([ "$(wc -c <page.html)" -gt "$(wc -c <bare.html)" ] || wc -c page.html bare.html)"
run export chunks.launch.twin --as svg --screen step --at s5 --no-replay
expect 'export --no-replay' 0 'recorded at level launch'
run export chunks.launch.twin --as svg --no-replay --trust
expect 'export --no-replay --trust' 2 '^flashtwin export: --no-replay and --trust are mutually exclusive$'
result 'the trace is not changed' "$([ "$(cksum <chunks.launch.twin)" = "$before" ] || echo changed)"
mkdir scratch
TMPDIR=$work/scratch run view chunks.launch.twin --plain --screen step --at s5
result 'no temporary files are left' "$(ls scratch)"

# --- refusals: one line, and what was recorded ---

run view chunks.launch.twin --plain --screen step --at s5 --no-replay
expect '--no-replay' 0 'run 1 was recorded at level launch'
result 'recomputes nothing' "$(grep recomputed out)"
TMPDIR=$work/none run view chunks.launch.twin --plain --screen step --at s5
expect 'without a place for temporary files' 0 '^ not recomputed: .*No such file or directory' \
	'run 1 was recorded at level launch'
cp chunks.partials.twin other.twin
python3 - <<'PY'
import sqlite3
trace = sqlite3.connect("other.twin")
trace.execute("UPDATE t_digest SET digest = digest + 1 WHERE NOT after_step")
trace.execute("DELETE FROM t_sum")
trace.commit()
PY
view other.twin --screen step --at s5
expect 'other digests' 0 '^ not recomputed: run 1: on the simulator, L[0-9]* does not write what was' \
	'KV CACHE'
result 'a refusal is one line' "$([ "$(grep -c 'not recomputed' out)" -eq 1 ] || cat out)"
cat >k.cu <<'CU'
#include "kernels/points.h"
__global__ void halve(float *y)
{
	y[threadIdx.x] = 0.5f * threadIdx.x;
	POINT(half, y[threadIdx.x]);
}
CU
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
	run launch k.cu --kernel halve --grid 1 --block 32 --arg 'y=>y.npy:f32[32]' -o user.twin
	run view user.twin --plain --screen points --at L0
	expect "a user's kernel" 0 '^ not recomputed: .*--trust allows it'
	run view user.twin --plain --screen step --at L0
	expect 'Step of it says where it is shown' 0 '^STEP of L0 halve$' '^  --screen launch  *1 ' \
		'^  --screen points  *0 ' '^  --screen findings  *0 '
	run view user.twin --plain --screen kv --at L0
	expect 'and KV that its buffers have no known meaning' 0 'what a kernel of yours keeps'
	run view user.twin --plain --screen points --at L0 --trust
	expect 'with --trust' 0 "^$mark\$" ' half  *32 points of 32 threads'
else
	skip "a user's kernel" 'no compiler'
fi

plan
