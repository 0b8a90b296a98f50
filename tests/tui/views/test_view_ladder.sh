#!/bin/sh
# test_view_ladder.sh - screens of the ladder's launches, in traces of an H100 (tests/h200).
#
# Each trace attends for two query heads of one KV head in two slots, with 1 and with 130 keys.
# Numbers on screens are compared with those that SQL reads from the same trace.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

traces=$srcdir/tests/h200

# sql RUNG QUERY: runs a query on the trace of a rung.
sql() {
	"$flashtwin" sql "$traces/ladder-$1.twin" "$2"
}

# shown RUNG SCREEN ADDRESS [OPTION]: draws a screen into ./out, from what was recorded alone.
shown() {
	run view "$traces/ladder-$1.twin" --plain --no-replay --screen "$2" --at "$3" ${4:+"$4"}
}

# has WHAT PATTERN: the screen has a line that matches.
has() {
	result "$1" "$(grep -q -e "$2" out || cat out err)"
}

for rung in 4 5 6 9 10; do
	launch=$(sql $rung 'SELECT min(launch) FROM v_partial')
	merge=$([ $rung = 10 ] && echo "$launch" || echo $((launch + 1)))

	### every chunk of every head, at the thread that published its softmax

	sql $rung "SELECT 'L' || launch || '.b' || block || '.w' || warp || '.l' || lane || '.p' ||
		sequence FROM v_point WHERE name = 'softmax' AND launch = $launch" >places
	checked=0 wrong=
	while read -r at; do
		shown $rung chunks "$at"
		grep -q 'FAIL\|WRONG\| why \|not recorded' out && wrong="$wrong $at"
		grep -q 'acc = sum exp(s-m) v: ok' out && checked=$((checked + 1))
		# One tile is at this place: the max of its warp is the recorded one.
		[ "$(grep -c '^>.* -> ' out)" = 1 ] || wrong="$wrong $at(mark)"
	done <places
	result "rung $rung: every check of its chunks holds" \
		"$([ -z "$wrong" ] && [ "$checked" = "$(wc -l <places)" ] && [ "$checked" -ge 6 ] ||
			echo "$checked checked, wrong:$wrong")"

	### max and sum of each chunk, as the trace has them

	shown $rung chunks "L$launch" --number=full
	sql $rung "SELECT slot, head, chunk, printf('%.9g %.9g', max, sum) FROM v_partial
		WHERE launch = $launch AND NOT empty ORDER BY 1, 2, 3" >want
	awk '$1 ~ /^L[0-9]+\.b/ { print $2 "\t" $3 "\t" $5 "\t" $7 " " $8 }' out >got
	result "rung $rung: all chunks, with the recorded numbers" \
		"$(python3 - want got <<'PYTHON'
import sys
want, got = ([line.split() for line in open(name)] for name in sys.argv[1:])
if len(want) != 6 or len(got) != len(want):
    print(len(want), "chunks recorded,", len(got), "shown")
for a, b in zip(want, got):
    if a[:3] != b[:3] or any(abs(float(x) - float(y)) > 1e-7 * abs(float(x))
                             for x, y in zip(a[3:], b[3:])):
        print("recorded", *a, "shown", *b)
PYTHON
)"
	has "rung $rung: how blocks are numbered" "$(case $rung in
		4) echo '^ block = KV head + 1 KV heads x (slot + 2 slots x chunk), warp = head of its 2$' ;;
		5|6) echo '^ block = KV head + 1 KV heads x (slot + 2 slots x chunk), for its 2 query heads$' ;;
		*) echo '^ the plan gives each of 32 blocks a run of chunks, for 2 query heads each$' ;;
	esac)"

	### the step, the reduction and the text of the second head of the longer sequence

	at=$(sql $rung "SELECT 'L' || launch || '.b' || block || '.w' || warp || '.l' || lane || '.p' ||
		sequence FROM v_point JOIN v_partial p USING (launch) WHERE name = 'softmax'
		AND slot = 1 AND head = 1 AND chunk = 1 AND v0_bits = p.max_bits AND launch = $launch
		LIMIT 1")
	shown $rung step "$at"
	has "rung $rung: the step of a place's head and slot" \
		'^STEP 0  layer 0  head 1 (kv head 0)  slot 1 of 2  130 keys$'
	has "rung $rung: its chunks" '^  *0 ...* \(with\|0 #*\) *99.6%\|| *0 #* *99.6%'
	has "rung $rung: its merge" 'x0.0440[0-9]* *13.819'
	has "rung $rung: its output" 'out\[0\] = acc\[0\] / sum = 1.409.* / 13.819.* = 0.101968'
	shown $rung source "$at"
	has "rung $rung: the line that published it" "^ kernels/$([ $rung = 4 ] && echo attend_keys ||
		echo split_attend).cuh  f"
	shown $rung reduce "$at"
	has "rung $rung: the place leads to its merge" "^REDUCTION of L$merge "
	has "rung $rung: of the same head" '^ slot 1 head 1: 2 chunks merged'
	has "rung $rung: with its factor" '^>* *1 128..129 *-0.3710 .* 0.044055 '
	shown $rung reduce "L$merge"
	has "rung $rung: all merges" "^ L$merge.b[0-9]*  *1  *1  *1 0.044055 *0.4 %"
	shown $rung text "$at"
	has "rung $rung: the text of the place's slot and head" '^ slot 1, 130 keys'
	has "rung $rung: the largest weights" '^ head 1 looks most at'
	shown $rung kv "$at"
	has "rung $rung: which keys the chunk reads" "^ R read by L$launch, keys 128..129 "
	shown $rung points "$at"
	result "rung $rung: a point says what it is about" "$([ $rung = 4 ] &&
		grep -q 'softmax .* from key 128$' out ||
		grep -q 'softmax .* from key 128, head 1$' out || cat out)"
done

shown 9 step L3.b4
has 'what a plan leaves out is not called empty' '2..15 not planned'
shown 10 reduce L3.b4 --number=full
has 'a merge in the last block says where its numbers come from' \
	"^ factors and sums are the last block's, recomputed"
sed -n '/^ out/,$p' out | grep 'from partials' | awk '{ print $3, $4, $5 }' >ten
shown 9 reduce L4.b2 --number=full
sed -n '/^ out/,$p' out | grep 'GPU r1' | awk '{ print $3, $4, $5 }' >nine
result 'and has the bits that rung 9 published' "$(cmp nine ten && [ -s nine ] || cat nine ten)"
shown 10 chunks L3.b1
has 'a block without a chunk' 'the plan gives block b1 no chunk'

plan
