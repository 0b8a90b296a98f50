# ladder-repeats.sh - the part of run.sh that checks what the rungs of the ladder promise on any GPU.
#
# A row alone has the bits of the row in a batch, a graph those of separate launches at any length,
# and 1,000 repeats those of the first, while another process keeps the GPU busy; also for rows of the
# matrix that are too long for the simulator. Takes up to 4 minutes; sourced by run.sh, whose functions
# and variables it uses.

rows=$build/tests/gpu/ladder_rows

"$rows" load cuda 600 >>"$log" 2>&1 &
load=$!
run 240 "$rows" repeat cuda 1000
if kill -0 "$load" 2>>"$log"; then
	passed 'rungs, ragged batches, 1,000 repeats under load'
else
	result FAIL 'rungs, ragged batches, 1,000 repeats under load' 'the load has ended'
fi
kill "$load" 2>>"$log"
wait "$load"

run 300 "$rows" large cuda "${LADDER_LARGE_SECONDS:-100}"
sed -n 's/^# left out: rung [0-9]*, //p' "$work/stdout" >"$out/ladder-large-left-out.txt"
passed "rungs, rows of over 2 million scores, $(wc -l <"$out/ladder-large-left-out.txt") left out"
