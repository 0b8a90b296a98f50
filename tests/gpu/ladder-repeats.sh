# ladder-repeats.sh - the part of run.sh that checks what the rungs of the ladder promise on any GPU.
#
# A row alone has the bits of the row in a batch, a graph those of separate launches at any length,
# and 1,000 repeats those of the first, while another process keeps the GPU busy; also for rows of the
# matrix that are too long for the simulator. For each type of keys and values, of LADDER_TYPES. Takes up
# to 5 minutes for each; sourced by run.sh, whose functions and variables it uses.

rows=$build/tests/gpu/ladder_rows

# repeat TYPE
repeat() {
	"$rows" load cuda 600 >>"$log" 2>&1 &
	load=$!
	run 240 "$rows" repeat cuda "$1" 1000
	if kill -0 "$load" 2>>"$log"; then
		passed "rungs, $1, ragged batches, 1,000 repeats under load"
	else
		result FAIL "rungs, $1, ragged batches, 1,000 repeats under load" 'the load has ended'
	fi
	kill "$load" 2>>"$log"
	wait "$load"
}

# compare_large TYPE: three processes at once, whose rows fill a quarter of the memory each.
compare_large() {
	for part in 0 1 2; do
		( "$rows" large cuda "$1" "$part" 3 "${LADDER_LARGE_SECONDS:-100}" \
			>"$work/large.$part" 2>&1 ||
			echo "not ok 0 - exit code $?" >>"$work/large.$part" ) &
	done
	wait
	cat "$work"/large.? >"$work/stdout"
	sed -n 's/^# left out: rung [0-9]*, //p' "$work/stdout" >"$work/left"
	cat "$work/left" >>"$out/ladder-large-left-out.txt"
	code=$(grep -c '^not ok\|^Bail out' "$work/stdout")
	count=$(sed -n 's/^ok.*: \([0-9]* rows\).*/\1/p' "$work/stdout" |
		awk '{ n += $1 } END { print n + 0 }')
	passed "rungs, $1, rows of over 2 million scores, $count rows, $(wc -l \
		<"$work/left") left out"
}

: >"$out/ladder-large-left-out.txt"
for type in ${LADDER_TYPES:-f32 f16 bf16 e4m3}; do
	repeat "$type"
	compare_large "$type"
done
