#!/bin/sh
# test_step.sh - the Step screen: its numbers are those of the trace, and its frames are complete.
. "${abs_srcdir:-$(dirname "$0")/../../../..}/tests/tap.sh"

traces=$srcdir/tests/h200

# step TRACE [ARG...]: prints the Step screen into ./out.
step() {
	trace=$1
	shift
	run view "$traces/$trace.twin" --plain --screen step "$@"
}

### flash decoding

step demo --at s78
expect 'a step of the demo' 0 "^STEP 78  layer 3  head 0 (kv head 0)  79 keys -> 'h'" \
	'KV CACHE 79/96  new 78 ' '^   0 ROMEO:.O, she doth she see the s |' 'not written yet' \
	"looks at  'y' at 76 86.4%"
"$flashtwin" sql --csv "$traces/demo.twin" "SELECT printf('%d %5.1f%%', chunk, 100 * p.share)
	FROM v_partial p JOIN v_launch l USING (run, launch) WHERE step = 78 AND layer = 3 AND head = 0
	AND slot = 0 AND NOT empty ORDER BY chunk" | tr -d '"\r' | sed 1d >wanted
sed -n 's/^[^|]*| \([0-9]*\) [#= ]*\( [0-9.]*%\).*/\1 \2/p' out | tr -s ' ' >got
tr -s ' ' <wanted >wanted.squeezed
result 'shares are those of v_partial' "$(diff wanted.squeezed got)"
step demo --at L1262.b7
expect 'the address chooses the head' 0 'layer 3  head 7 (kv head 1)'
step demo --at L1018.b9
expect 'and the chunk' 0 '^>  *[0-9]* .*| 1 '

run view "$traces/demo.twin" --plain --screen step --at L1262.b4
awk '/^```/ { if (inside) exit; inside = 1; next } inside' "$srcdir/README.md" >picture
result 'README begins with this picture' "$(sed '1d;s/ *$//' out | diff picture -)"

### every path

step flash-decoding
expect 'two warps' 0 'MERGE' 'out\[0\] = '
step incremental
expect 'incremental: one warp, whose tiles have running numbers' 0 'KEY TILES .*running max, sum' \
	'^ *0 .*| 0 #* *100.0%'
result 'and no merge' "$(grep -E 'MERGE|WARPS' out)"
step incremental-multiwarp
expect 'four warps' 0 '| 3 .*x0\.' '| 0 .*x0\.'
step batched
expect 'a slot that goes on where another has ended' 0 'slot 1 of 2'
for trace in auto batched-graph flash-decoding-graph manual-graph romeo; do
	step $trace
	expect "$trace has the screen" 0 'STEP [0-9]*  layer 3  head 0'
done

### graphs

for trace in flash-decoding-graph manual-graph batched-graph; do
	step $trace
	expect "$trace says what its nodes do" 0 '^ graph 4, nodes  0 append   1 append   2 '
done
run view "$traces/manual-graph.twin" --plain --play --at s4
expect 'the node of each frame is marked' 0 '^ graph 4, nodes \[0 append\]  1 append   2 chunks   3 merge' \
	'^ graph 4, nodes  0 append   1 append   2 chunks  \[3 merge\]'

### prefill

# A prompt of more than a tile of keys and of queries, and another slot.
"$flashtwin" decode --path prefill --prompt 'ROMEO: O, she doth teach the torches to burn bright! It seems she hangs' \
	--prompt 'To be' -n 3 --log points --json -o prefill.twin >/dev/null
run view prefill.twin --plain --screen step --at L23
expect 'the last query of a prompt' 0 \
	"^STEP 0  layer 3  head 0 (kv head 0)  query 4 of 5  slot 1 of 2  5 keys" 'KEY TILES' 'QUERIES of tile 0: 0..4'
run view prefill.twin --plain --screen step --at L11.b2
expect 'the block chooses head and tile of queries' 0 \
	'head 2 (kv head 0)  query 63 of 71  slot 0 of 2  64 keys' '^>\*    63 '
run view prefill.twin --plain --screen step --at L11.b10.w0.l4
expect 'the lane chooses the query' 0 'head 2 (kv head 0)  query 66 of 71  slot 0 of 2  67 keys' \
	'^   0 ROMEO: O, she doth teach the tor | 0 ' '^  64 e h .*| 2 ' '^>\*    66 ' '^  67\.\.70 masked'
"$flashtwin" sql --csv prefill.twin "SELECT printf('%.5f', v2) FROM v_point WHERE launch = 11
	AND block = 10 AND warp = 0 AND lane = 4 AND name = 'softmax' ORDER BY sequence" |
	tr -d '"\r' | sed 1d >wanted
sed -n 's/^.*-+[- ]x[0-9.]*  *\([0-9.]*\) *$/\1/p' out | awk '{ printf "%.5f\n", $1 }' >got
result 'sums are those of the points' "$([ "$(wc -l <got)" -eq 3 ] && diff wanted got)"
awk '/QUERIES/ { inside = 1 } inside && $NF ~ /%$/ { sum = 0; for (i = 3; i <= NF; i++)
	if ($i ~ /%$/) sum += $i; if (sum < 98 || sum > 102) print }' out >wrong
result 'the weights of a query add up to 1' "$(cat wrong)"
run view prefill.twin --plain --play --at L11
expect 'its frames' 0 '^frame 1 of 7, at L9: K is appended' '^frame 2 of 7, at L10: V is appended' \
	'^frame 3 of 7, at L11.b8.w0.l12.p0: tile 0 of query 70' 'frame 6 of 7, at L11.end: output'
run view prefill.twin --plain --play --at s2
expect 'frames of one query' 0 'at L[0-9]*.b0.w0.l0.p0: tile 0 of query 0' 'at s2.end: next byte'
step prefill --no-replay
expect 'without points, max and sum are recomputed' 0 'query 95 of 96  700 keys' \
	'; max and sum recomputed' 'out\[0\] = 0.02153627'
run view "$traces/prefill.twin" --plain --play --no-replay
expect 'and tiles have no frame' 0 '^frame 1 of 1, at L0.end: output'
step prefill-top-left --at L0.b0.w0.l0
expect 'aligned top-left, the first query sees one key' 0 'query 0 of 96  1 key$' '| 0 #* *100.0%'

### prefill with tiles in registers

# random FILE SHAPE: writes an .npy file of f32 values.
random() {
	python3 - "$1" "$2" <<'END'
import array, math, random, sys
random.seed(sys.argv[1])
shape = tuple(int(extent) for extent in sys.argv[2].split("x"))
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
with open(sys.argv[1], "wb") as file:
	file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.encode())
	array.array("f", (random.gauss(0, 1) for _ in range(math.prod(shape)))).tofile(file)
END
}
# tiled D: 300 queries of 2 heads, with points and without.
tiled() {
	random q.npy "2x300x$1"
	random k.npy "1x330x$1"
	for level in points launch; do
		"$flashtwin" attend --q q.npy --k k.npy --v k.npy --path prefill-tiled --causal \
			--log $level -o tiled-$level.twin --force >/dev/null
	done
}
# sums: those of the tiles in ./out.
sums() {
	sed -n 's/^.*-+[- ]x[0-9.]*  *\([0-9.]*\) *$/\1/p' out | awk '{ printf "%.3f\n", $1 }'
}
# of PLACE QUERY HEAD: that place is of this query, with the sums that its q and K give.
of() {
	run view tiled-launch.twin --plain --screen step --no-replay --at "$1"
	sums >wanted
	run view tiled-points.twin --plain --screen step --at "$1"
	expect "$1 is query $2 of head $3" 0 "head $3 (kv head 0)  query $2 of 300  "
	sums >got
	result 'and its thread published its sums' "$(test -s got && diff wanted got)"
}
tiled 64
of L0 299 0
of L0.b4 127 0
of L0.b5.w1.l9 41 1
of L0.b2.w3.l31 255 0
expect 'by tiles of 32 keys' 0 'QUERIES of tile 1: 128..255 of 300; weight by tile of 32 keys'
run view tiled-points.twin --plain --play --at L0
expect 'its frames are at the thread that published' 0 \
	'^frame 1 of [0-9]*, at L0.b0.w1.l11.p0: tile 0 of query 299'
tiled 128
of L0 299 0
of L0.b7.w2.l17 105 1
tiled 256
of L0.b9.w7.l4 60 1
expect 'by tiles of 64 keys' 0 'QUERIES of tile 0: 0..63 of 300; weight by tile of 64 keys'

### attention on the host

"$flashtwin" decode --path cached --prompt 'ROMEO:' -n 3 --log points -o cached.twin >/dev/null
run view cached.twin --plain --screen step
expect 'attention on the host' 0 "^STEP 2  layer 3  head 0  8 keys -> ' '" 'KV CACHE 8/128  new 7' \
	'HOST SOFTMAX' "looks at  ':' at 5 72.3%  'O' at 4 24.6%"
result 'without chunks or merge' "$(grep -E 'MERGE|CHUNKS' out)"
run view cached.twin --plain --play
expect 'its frames' 0 '^frame 1 of 4, at op 283: K is appended' '^frame 2 of 4, at op 284: V is appended' \
	'^frame 3 of 4, at op 315: softmax on the host' '^frame 4 of 4, at s2.end: next byte'
awk '/^frame/ { frame++ } frame < 3 && / (looks|out)/ { print }' out >wrong
result 'what comes later is not shown' "$(cat wrong)"
"$flashtwin" decode --path incremental --prompt 'ROMEO:' -n 3 --log points -o incremental.twin >/dev/null
run view incremental.twin --plain --screen step
expect 'a kernel has the same weights' 0 "looks at  ':' at 5 72.3%  'O' at 4 24.6%"
run view cached.twin --plain --screen step --at 'op 286'
expect 'an upload belongs to what reads it, and to its head' 0 'STEP 2  layer 3  head 1  8 keys'
step cached
expect 'longer sequences of cached use a kernel' 0 'head 0  query 95 of 96  96 keys' 'new 95'

### without points or partials

step long --no-replay
expect 'a run without partials says so' 0 'recorded at level launch, which keeps no partials'

### frames

run view "$traces/demo.twin" --plain --play --at s78
expect 'frames of a step' 0 '^frame 1 of 13, at L1260: K is appended' \
	'^frame 3 of 13, at L1262.b0.w0.l0.p1: tile 0 of chunk 0' \
	'^frame 4 of 13, at L1262.b0: partial of chunk 0' \
	': merge of chunk 2' ': output' '^frame 13 of 13, at s78.end: next byte'
result 'all of them' "$([ "$(grep -c '^frame ' out)" -eq "$(sed -n 's/^frame 1 of \([0-9]*\),.*/\1/p' out)" ] ||
	grep '^frame ' out)"
awk '/^frame/ { shown = 0 } /x[0-9.]* / { shown++ } /^frame 1 / { first = 1 }
	/^ weight/ { if (first && shown) print "the first frame has a merge"; first = 0 }' out >wrong
result 'the first frame has no merge yet' "$(cat wrong)"
grep '^frame' out | sed 's/.* at \([^:]*\):.*/\1/' >addresses
wrong=
while read -r at; do
	"$flashtwin" view "$traces/demo.twin" --plain --screen step --at "$at" >/dev/null 2>err ||
		wrong="$wrong $at: $(cat err)"
done <addresses
result 'every frame has an address' "$wrong"

### two runs

"$flashtwin" decode --prompt 'ROMEO:' -n 3 --path flash-decoding --chunk 4 --log points -o a.twin >/dev/null
"$flashtwin" decode --prompt 'ROMEO:' -n 3 --path flash-decoding --chunk 4 --log points --seed 3 -o b.twin >/dev/null
"$flashtwin" decode --prompt 'ROMEA:' -n 3 --path flash-decoding --chunk 4 --log points -o c.twin >/dev/null
run view a.twin b.twin --plain --screen step
expect 'two runs that agree' 0 'both runs are equal' 'other run  *[0-9.]*%'
run view a.twin c.twin --plain --screen step
expect 'two that do not' 0 'differs first: '
run view a.twin cached.twin --plain --screen step
expect 'a run without this step' 0 'the other run has no such step'

# changed WHAT VERDICT SQL: another run of which one value was changed.
changed() {
	cp a.twin changed.twin
	sqlite3 changed.twin "$3; DELETE FROM t_sum WHERE run = 1; INSERT INTO t_sum (run, \"table\") VALUES (1, '')"
	run view a.twin changed.twin --plain --screen step --at L42
	expect "a changed $1 is named" 0 "differs first: $2"
}
if command -v sqlite3 >/dev/null; then
	changed maximum 'max of chunk 1' 'UPDATE t_partial SET max = max + 1 WHERE launch = 42 AND head = 0 AND chunk = 1'
	changed sum 'sum of chunk 0' 'UPDATE t_partial SET sum = sum + 1 WHERE launch = 42 AND head = 0 AND chunk = 0'
	changed score 'score of key 1' "UPDATE t_point SET v0 = v0 + 1 WHERE launch = 42 AND thread = 1
		AND name = (SELECT name FROM t_point_name WHERE content = 'score')"
	changed merge 'merge of chunk 1' 'UPDATE t_point SET v1 = v1 + 1 WHERE launch = 43 AND thread = 0 AND sequence = 1'
	changed 'row of K' 'what L40 wrote' 'UPDATE t_digest SET digest = digest + 1 WHERE after_step = 0
		AND op = (SELECT op FROM t_op WHERE launch = 40)'
else
	skip 'changed runs' 'no sqlite3'
fi

plan
