#!/bin/sh
# test_view_h200.sh - views of traces from an H200: the invariants of every chunk hold.
#
# Also checks the views of attention, the KV cache, the timeline and reductions, and what they show
# where nothing was recorded.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

traces=$srcdir/tests/h200

# sql TRACE QUERY: runs a query on a recorded trace.
sql() {
	"$flashtwin" sql "$traces/$1" "$2"
}

# shown TRACE SCREEN ADDRESS: prints a screen into ./out.
shown() {
	run view "$traces/$1" --plain --screen "$2" --at "$3" ${4:+"$4"}
}

### chunks: with one warp, with two, and of kernels without chunks

for trace in flash-decoding flash-decoding-graph manual-graph incremental incremental-multiwarp \
		batched batched-graph auto; do
	sql "$trace.twin" "SELECT launch FROM v_launch WHERE (kernel GLOB 'flash_decode_chunk*'
		OR kernel GLOB 'attention_[ib]*') ORDER BY launch DESC LIMIT 3" >launches
	wrong= checked=0
	for launch in $(cat launches); do
		for block in 0 5 8; do
			shown "$trace.twin" chunks "L$launch.b$block"
			grep -q 'FAIL\|WRONG\| why \|not recorded' out && wrong="$wrong L$launch.b$block"
			grep -q 'acc = sum exp(s-m) v: ok' out && checked=$((checked + 1))
		done
	done
	result "$trace: every check of its chunks holds" \
		"$([ -z "$wrong" ] && [ "$checked" -gt 2 ] || echo "$checked checked, wrong:$wrong")"
done
shown flash-decoding.twin chunks L30.b0
result 'the two warps of a chunk are shown separately and merged' \
	"$(grep -q ' warp 1, keys 4..7' out && grep -q '  all     max 2.51412964' out || cat out)"
shown incremental-multiwarp.twin chunks L59.b3
result 'so are four warps' "$(grep -q ' warp 3, keys 9..9' out || cat out)"

# The merge does not depend on how many chunks there are between the address and the largest share.
shown romeo.twin chunks "L$(sql romeo.twin "SELECT launch FROM v_partial WHERE share > 0.9 AND
	chunk >= 2 ORDER BY launch DESC LIMIT 1").b0"
result 'all chunks of a row are listed' "$(awk '/ chunk keys/ { table = 1; next } !/\|/ { table = 0 }
	table { sub(/ %.*/, ""); sum += $NF } END { exit !(sum > 99 && sum < 101) }' out || cat out)"

### attention, for every path

for place in demo:L1018.b1:RICHARD flash-decoding:L30.b0:ROMEO incremental:L59.b0:ROMEO \
		incremental-multiwarp:L59.b3:ROMEO batched:L83.b9:'To be t'; do
	trace=${place%%:*} text=${place##*:} at=${place#*:}
	shown "$trace.twin" attention "${at%%:*}"
	result "$trace: attention is shown below the text" \
		"$(grep -q " $text" out && grep -q '^>head' out && grep -q 'looks most at' out || cat out)"
done

### the cache

shown demo.twin kv L1018.b9
result 'the cache shows the text' \
	"$(grep -q '  0  ROMEO:\$O, she doth she see the sea' out || cat out)"
result 'this step wrote the last key' "$(grep -q '^ written #\{63\}W$' out || cat out)"
result 'chunk 1 reads its 32 keys' "$(grep -q '^ read    \{33\}R\{32\}$' out || cat out)"
result 'the next rows are poison' "$(grep -q '^ \.    64   7fa0dead in every' out || cat out)"

shown demo.twin kv L12
result 'a V that is not written yet is shown as poison, not as NaN' \
	"$(grep -q '^ W     0 .* L12$' out && grep '^ W     0' out | grep -q '7fa0dead  7fa0dead' &&
		! grep -q 'shown as nan' out || cat out)"

### missing data

# missing TRACE SCREEN ADDRESS PATTERN: the screen explains why it shows nothing.
missing() {
	shown "$1.twin" "$2" "$3" --no-replay
	result "$1 $3 $2: explains why nothing is shown" "$(grep -q -e "$4" out || cat out)"
}

missing demo points L1018.b17 'none by this block, whose chunk holds no keys'
missing demo points L1018.b17.w0.l0 'none by this thread, whose chunk holds no keys'
missing demo points L1016 'at level points, and kv_scatter published no points here'
missing demo chunks L1016 'the next launch that does: L1018 flash_decode_chunk'
missing demo reduce L1016 'the next launch that does: L1019 flash_decode_reduce'
shown demo.twin reduce L1018.b3
result 'chunks lead to their reduction' "$(grep -q '^REDUCTION of L1019 ' out && grep -q ' head 3: ' out || cat out)"
shown demo.twin chunks L1019.b3
result 'a reduction leads to its chunks' "$(grep -q '^CHUNKS of L1018 ' out && grep -q 'L1018.b3 ' out || cat out)"
missing prefill chunks L0.b0 'at level points, and attention_prefill published no partials'
missing prefill text L0 'at level points, and attention_prefill published no scores'
missing incremental-multiwarp reduce L59 'attends to all keys of a row: there are no chunks to merge'
missing batched reduce s3 'attention_batched attends to all keys of a row: there are no chunks to merge'
for screen in chunks reduce text points; do
	missing long "$screen" L15.b0 'flashtwin replay long.twin --log points -o T2.twin'
done
run replay "$traces/long.twin" --log points -o points.twin
result 'that command records the points, with the same bits' \
	"$(grep -q ', 0 bits differ' out || cat out err)"
run view "$traces/long.twin" points.twin --plain --screen chunks --at L14.b0 --no-replay
result 'both traces are shown side by side' \
	"$(grep -q 'at level launch, which keeps no partials' out && grep -q '^ check  m = max s: ok' out || cat out)"
run replay "$traces/long.twin" --log points
result 'a level without an output file is an error' \
	"$([ "$code" = 2 ] && grep -q -e '--log needs -o' err || cat err)"

### the timeline

shown demo.twin time L1018
result 'bars show measured times' "$(grep -q '^ bars: measured us' out || cat out)"
result 'blocks without keys are marked' \
	"$(grep -q '^          blocks      0 \.\{8\} \.\{8\} e\{8\}$' out || cat out)"

### the reduction

shown demo.twin reduce L1019.b1
result 'the merge is the one that the kernel recorded' \
	"$(grep -q '^     0 0..31  *3.7079   5.7262 0.034291   6.5 %  |# *-+    0.196355$' out || cat out)"
run view "$traces/demo.twin" --plain --screen reduce --at L1019.b1 --number full
result 'with all digits too' \
	"$(grep -q '^     0  *3.7079194  *5.7261796  *0.03429078   6.5 % -+  *0.19635516 *-0.0117507605$' out || cat out)"
shown demo.twin reduce L1263.b4.w0.l0.p1
result 'a point moves the merge' \
	"$(grep -q ': 2 of 3 chunks merged so far' out && grep -q '^>    1 32..63 .* -+-   5.578923$' out &&
		grep -q '^     2 64..78 .*|####$' out || cat out)"
shown demo.twin reduce L1019.b1
result 'the GPU and float64 are shown next to each other' \
	"$(grep -q '^    GPU r1            -0.06765588   0.10422361' out &&
		grep -q '^    f64              -0.0676558777  0.104223615' out || cat out)"
shown demo.twin reduce L1019.b1 --all
result 'other orders and one split are measured' \
	"$(grep -q 'as executed (this run)  *7 ' out && grep -q 'one split: all keys, no merge  *7 ' out || cat out)"

# The same run on the simulator: its rows and verdicts are shown next to the GPU's.
cp "$traces/flash-decoding.twin" two.twin
chmod u+w two.twin
"$flashtwin" replay "$traces/flash-decoding.twin" -o two.twin --append >/dev/null 2>err
run view two.twin --plain --screen reduce --at L63.b1
result 'a second run has its own row' \
	"$(grep -q '^    GPU r1            0.041740213 ' out &&
		grep -q '^    SIM r2 seed 0     0.041740213 ' out || cat out)"
run view two.twin --plain --screen time --at L63
result 'each launch has a verdict' "$(grep -q '^>L63 .* equal ' out || cat out)"
result 'the legend of differing blocks is shown' \
	"$(grep -q '  d differs in the other run' out || cat out)"
run diff two.twin
result 'points that the older kernels lack are left out, and said so' \
	"$(grep -q 'kernels lack (softmax of attention_prefill, reduce of flash_decode_chunk_2warp): ' out &&
		grep -q ', 0 bits differ$' out || cat out err)"
run diff two.twin --json
result 'JSON lists them too' "$(grep -q '"points_lacking": "softmax of attention_prefill, ' out || cat out)"
run view two.twin --plain --screen points --at r2.L62.b0.w0.l0
result 'points of the merge of warps name the warp' \
	"$(grep -q 'p3  *reduce  factor 0.59311867  sum 4.9218125  acc0 0.94628465  warp 1$' out || cat out)"
run view two.twin --plain --screen diff
result 'nor are they a difference on the screen' "$(grep -q '^  0 differences, 0 bits$' out || cat out)"
run view two.twin "$traces/flash-decoding.twin" --plain --screen reduce --at r2.L63.b1
result 'a second trace is compared as well' \
	"$(grep -q '^ the same in .*flash-decoding.twin' out || cat out err)"

plan
