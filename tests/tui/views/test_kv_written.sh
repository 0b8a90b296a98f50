#!/bin/sh
# test_kv_written.sh - the bytes of the cache that the KV screen says a step wrote are those of v_kv,
# for every path, and for a cache whose rows are in pages.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

traces=$srcdir/tests/h200

# decode NAME ARG...: records a short run as ./NAME.twin.
decode() {
	name=$1
	shift
	"$flashtwin" decode -o "$name.twin" --json -n 3 "$@" >/dev/null 2>err ||
		result "records $name" "$(cat err)"
}

# screen_ranges: prints "buffer slot begin end" for each range in ./out, with the end exclusive.
screen_ranges() {
	awk '/^ written in / { inside = 1; next } /^$/ { inside = 0 } inside {
		if ($2 ~ /^slot/) { buffer = $1; slot = $3; sub(/.* B: /, "") }
		count = split($0, ranges, /[, ]+/)
		for (i = 1; i <= count; i++)
			if (split(ranges[i], ends, /\.\./) == 2)
				print buffer, slot, ends[1], ends[2] + 1
	}' out | sort
}

# row_ranges TRACE STEP LAYER: the same from the rows of v_kv; those that follow each other are one.
row_ranges() {
	"$flashtwin" sql --csv "$1" "SELECT DISTINCT b.name, k.slot, k.offset, k.offset + k.bytes
		FROM v_kv k JOIN v_op o USING (run, op) JOIN v_buffer b ON b.run = k.run
		AND b.buffer = k.buffer WHERE k.run = 1 AND o.step = $2 AND k.layer = $3
		AND b.name GLOB '[kv]_cache.*' ORDER BY 1, 2, 3" | tr -d '"\r' | sed 1d |
		awk -F, '{ if ($1 == name && $2 == slot && $3 <= end) { if ($4 > end) end = $4; next }
			if (name) print name, slot, begin, end
			name = $1; slot = $2; begin = $3; end = $4 }
			END { if (name) print name, slot, begin, end }' | sort
}

# written WHAT TRACE STEP LAYER [RANGES]: the bytes on the screen are those of the rows.
written() {
	run view "$2" --plain --screen kv --all --at "s$3"
	screen_ranges >got
	row_ranges "$2" "$3" "$4" >wanted
	result "$1: $(wc -l <got) ranges" "$([ "$(wc -l <got)" -ge "${5:-4}" ] && diff wanted got ||
		cat out err)"
	bytes=$(awk '{ sum += $4 - $3 } END { print sum + 0 }' wanted)
	result "$1: and their sum" "$(grep -q "^ written in step $3: $bytes B of layer $4, " out || cat out)"
}

decode prefill --path prefill --prompt 'ROMEO: O, she doth teach' --prompt 'To be'
decode cached --path cached --prompt 'ROMEO: O'
written 'flash decoding' "$traces/demo.twin" 20 3
written 'two slots' "$traces/batched.twin" 3 3 8
written 'a graph of two slots' "$traces/batched-graph.twin" 3 3 8
written 'a graph that was built by hand' "$traces/manual-graph.twin" 4 3
written 'a step that appended a prompt' prefill.twin 0 3 8
written 'the step after it' prefill.twin 1 3 8
written 'rows uploaded by the host' cached.twin 1 3 16

run view prefill.twin --plain --screen kv --at s0
expect 'positions of several rows' 0 '^   k_cache.3  slot 0  positions 0..[0-9]*  by L9  [0-9]* B: 0\.\.' \
	'^   v_cache.3  slot 1  positions 0..4  by L22  2560 B: '
run view cached.twin --plain --screen kv --at s1
expect 'what does not fit on the line is counted' 0 '^   k_cache.3  slot 0  position 8  by op .*, [0-9]* more$'
result 'in 100 columns' "$(awk 'length($0) > 100' out)"
run view "$traces/demo.twin" --plain --screen kv --at L1018
expect 'a launch within a step' 0 '^ written in step 63 up to L1018: 1024 B of layer 2, 3072 B of 3 layers$'
run view "$traces/demo.twin" --plain --screen kv --at 'op 1500'
expect 'an operation before its step appends' 0 '^ written in step 45 up to op 1500: nothing$'
result 'marks nothing as written now' "$(grep '^ written .*W' out)"
run view "$traces/demo.twin" --plain --screen kv --at 'op 5'
expect 'an operation before all rows' 0 '^ no row of a cache is written yet$'
run view "$traces/demo.twin" --plain --screen kv --at s16
expect 'one position is not several' 0 '^  \.\.\. 1 position before: --all shows them$'
run view "$traces/cached.twin" --plain --screen kv --at s0
expect 'a trace that has uploads only as operations' 0 \
	'^   k_cache.0  slot 0  position 95  by op 14 and later  512 B: 24320..24575, 48896..49151$' '^ written =*$'

# A paged cache: rows are wherever their page is.
if command -v sqlite3 >/dev/null; then
	cp "$traces/demo.twin" paged.twin
	chmod u+w paged.twin
	sqlite3 paged.twin "UPDATE t_kv SET offset = offset / 4096 * 4096 + 4095 - offset % 4096 - 255"
	written 'pages' paged.twin 20 3
	result 'are not where they would be without' \
		"$(row_ranges "$traces/demo.twin" 20 3 | cmp -s wanted - && cat wanted)"
	sqlite3 paged.twin "UPDATE t_kv SET offset = 0x7ffffffffffffff0 WHERE position = 20"
	run view paged.twin --plain --screen kv --at s20
	expect 'an offset that cannot be' 0 '^ written in step 20: '
else
	skip 'a paged cache' 'no sqlite3'
fi

plan
