#!/bin/sh
# test_view_ladder.sh - screens of the ladder's launches, in traces of a GPU (tests/h200), and of
# the clusters of rung 10 on the simulator too.
#
# Each trace attends for two query heads of one KV head: in slot 0 with one key, in slot 1 with
# several chunks of keys, the same in every trace. Shapes, addresses and numbers that screens must
# show are read from the trace by SQL.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

trace() {
	[ "$1" = simulated ] && echo simulated.twin || echo "$srcdir/tests/h200/ladder-$1.twin"
}

# sql RUNG QUERY: runs a query on the trace of a rung.
sql() {
	"$flashtwin" sql "$(trace "$1")" "$2"
}

# shown RUNG SCREEN ADDRESS [OPTION]: draws a screen into ./out, from what was recorded alone.
shown() {
	run view "$(trace "$1")" --plain --no-replay --screen "$2" --at "$3" ${4:+"$4"}
}

# has WHAT PATTERN: the screen has a line that matches.
has() {
	result "$1" "$(grep -q -e "$2" out || cat out err)"
}

# shows WHAT PATTERN VALUE...: a line matches Python's pattern, and its groups are these values, as
# rounded there.
shows() {
	local what=$1
	shift
	result "$what" "$(python3 - "$@" <<'PYTHON'
import re, sys
pattern, *wanted = sys.argv[1:]
wanted = [float(value) for value in wanted]
screen = open("out").read()

def agrees(shown, value):
    unit = 10.0 ** -len(shown.partition(".")[2])
    return abs(float(shown) - value) <= unit / 2 + abs(value) * 2e-7

for line in screen.splitlines():
    found = re.search(pattern, line)
    if found and len(wanted) == re.compile(pattern).groups and \
            all(map(agrees, found.groups(), wanted)):
        sys.exit()
print("expected", *wanted, "at", pattern)
print(screen, open("err").read())
PYTHON
)"
}

# merge_of RUNG: numbers of slot 1, head 1, of which the trace has two chunks: sum and share of the
# first; maximum, factor and share of the second, its first key and its last; sum and acc[0] of the
# merge. Shares are in percent. The merge is what a GPU published; rung 10 does not publish it, and
# must have the bits of rung 9.
merge_of() {
	local rung=$1
	sql "$rung" "SELECT max, sum, key_begin, key_end - 1 FROM v_partial
		WHERE slot = 1 AND head = 1 AND NOT empty ORDER BY chunk" >partials
	[ "$rung" = 4 ] || rung=9
	sql $rung "SELECT v1, v2 FROM v_point JOIN v_launch USING (launch) WHERE name = 'reduce'
		AND block = $heads + 1 AND warp = 0 AND lane = 0 ORDER BY sequence DESC LIMIT 1" >merge
	python3 - <<'PYTHON'
import math
first, second = ([float(word) for word in line.split()] for line in open("partials"))
total, acc = open("merge").read().split()
top = max(first[0], second[0])
factors = [math.exp(chunk[0] - top) for chunk in (first, second)]
shares = [100 * f * chunk[1] / float(total) for f, chunk in zip(factors, (first, second))]
print(first[1], shares[0], second[0], factors[1], shares[1], *map(int, second[2:]), total, acc)
PYTHON
}

# place RUNG LAUNCH CONDITION: the first place that published a softmax of a chunk for which the
# condition on v_partial p holds.
place() {
	sql "$1" "SELECT 'L' || o.launch || '.b' || block || '.w' || warp || '.l' || lane || '.p' ||
		sequence FROM v_point o JOIN v_partial p USING (launch) WHERE name = 'softmax'
		AND launch = $2 AND v0_bits = p.max_bits AND $3 LIMIT 1"
}

# merged RUNG ADDRESS LABEL: three values that a merge gave, at a label of the reduction.
merged() {
	shown "$1" reduce "$2" --number=full
	sed -n '/^ out/,$p' out | sed -n "s/^ *$3  *//p" | awk '{ print $1, $2, $3 }'
}

# first RUNG LAUNCH: the address of the block that attends to slot 1, head 0, chunk 0.
first() {
	place "$1" "$2" 'slot = 1 AND head = 0 AND chunk = 0' | sed 's/\.w.*//'
}

run replay "$(trace cluster)" --seed 8 -o simulated.twin
expect 'clusters have the same bits in another order' 0 ' 0 bits differ$'

for rung in 4 5 6 9 10 cluster simulated; do
	launch=$(sql $rung 'SELECT min(launch) FROM v_partial')
	merge=$(case $rung in 10 | cluster | simulated) echo "$launch" ;; *) echo $((launch + 1)) ;; esac)
	slots=$(sql $rung "SELECT json_extract(shape, '\$[0]') FROM v_buffer WHERE name = 'q'")
	heads=$(sql $rung "SELECT json_extract(shape, '\$[1]') FROM v_buffer WHERE name = 'q'")
	blocks=$(sql $rung "SELECT grid_x FROM v_launch WHERE launch = $launch")

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
	numbered="block = KV head + 1 KV heads x (slot + $slots slots x"
	has "rung $rung: how blocks are numbered" "$(case $rung in
		4) echo "^ $numbered chunk), warp = head of its 2\$" ;;
		5 | 6) echo "^ $numbered chunk), for its 2 query heads\$" ;;
		cluster | simulated) echo "^ $numbered rank in its cluster), for its" ;;
		*) echo "^ the plan gives each of $blocks blocks a run of chunks, for 2 query heads each\$" ;;
	esac)"

	### the step, the reduction and the text of the second head of the longer sequence

	# shellcheck disable=SC2046
	set -- $(merge_of $rung)
	first_sum=$1 first_share=$2 max=$3 factor=$4 share=$5 key=$6 last=$7 sum=$8 acc=$9
	at=$(place $rung "$launch" 'slot = 1 AND head = 1 AND chunk = 1')
	shown $rung step "$at"
	of=$(case $rung in cluster | simulated) echo 10 ;; *) echo "$rung" ;; esac)
	has "rung $rung: the step of a place's head and slot, and its rung" \
		"^STEP 0  layer 0  head 1 (kv head 0)  slot 1 of $slots  $((last + 1)) keys  rung $of\$"
	shows "rung $rung: its chunks" '^ +0 \.[^|]*\|  ?0 #[#=]* *([0-9.]+)% \|.* ([0-9.]+)$' \
		"$first_share" "$first_sum"
	shows "rung $rung: its merge" '\|  ?1 .* ([0-9.]+)% \| -\+-x([0-9.]+) +([0-9.]+)$' \
		"$share" "$factor" "$sum"
	shows "rung $rung: its output" \
		'out\[0\] = acc\[0\] / sum = ([-0-9.]+) / ([0-9.]+) = ([-0-9.]+)$' \
		"$acc" "$sum" "$(awk "BEGIN { printf \"%.9g\", $acc / $sum }")"
	shown $rung source "$at"
	has "rung $rung: the line that published it" "^ kernels/$([ $rung = 4 ] && echo attend_keys ||
		echo split_attend).cuh  f"
	shown $rung reduce "$at"
	has "rung $rung: the place leads to its merge" "^REDUCTION of L$merge "
	has "rung $rung: of the same head" '^ slot 1 head 1: 2 chunks merged'
	shows "rung $rung: with its factor" \
		"^>* *1 $key\\.\\.$last +([-0-9.]+) +[0-9.]+ ([0-9.]+) +([0-9.]+) %.* ([0-9.]+)\$" \
		"$max" "$factor" "$share" "$sum"
	shown $rung reduce "L$merge"
	shows "rung $rung: all merges" \
		"^ L$merge\\.b[0-9]+ +1 +1 +1 ([0-9.]+) +([0-9.]+) % +\\|[#=]* +([0-9.]+) +([-0-9.]+)\$" \
		"$factor" "$share" "$sum" "$acc"
	shown $rung text "$at"
	has "rung $rung: the text of the place's slot and head" "^ slot 1, $((last + 1)) keys"
	has "rung $rung: the largest weights" '^ head 1 looks most at'
	shown $rung kv "$at"
	has "rung $rung: which keys the chunk reads" "^ R read by L$launch, keys $key..$last "
	shown $rung points "$at"
	result "rung $rung: a point says what it is about" "$([ $rung = 4 ] &&
		grep -q "softmax .* from key $key\$" out ||
		grep -q "softmax .* from key $key, head 1\$" out || cat out)"
done

launch=$(sql 9 'SELECT min(launch) FROM v_partial')
shown 9 step "$(first 9 "$launch")"
has 'what a plan leaves out is not called empty' '2..15 not planned'
merged 9 "L$((launch + 1)).b$heads" 'GPU r1' >nine
launch=$(sql 10 'SELECT min(launch) FROM v_partial')
merged 10 "$(first 10 "$launch")" 'from partials' >ten
has 'a merge in the last block says where its numbers come from' \
	"^ factors and sums are the last block's, recomputed"
result 'a merge in the last block has the bits that rung 9 published' \
	"$(cmp nine ten && [ -s nine ] || cat nine ten)"
merged 10 "$(first 10 "$launch")" 'GPU r1' >written
result 'and those that the block wrote' "$(cmp written ten || cat written ten)"
idle=$(sql 10 "SELECT min(n) FROM t_byte WHERE n NOT IN (SELECT block FROM v_point
	WHERE launch = $launch AND name = 'softmax')")
shown 10 chunks "L$launch.b$idle"
has 'a block without a chunk' "the plan gives block b$idle no chunk"

### clusters

launch=$(sql 5 'SELECT min(launch) FROM v_partial')
shown 5 launch "L$launch"
has 'rung 5: a launch has no clusters' '^  grid (1, 2, 16)  block (32, 8, 1)  '
launch=$(sql cluster 'SELECT min(launch) FROM v_partial')
for rung in cluster simulated; do
	device=$([ $rung = cluster ] && echo 'GPU r1' || echo 'SIM r1 seed 8')
	at=$(first $rung "$launch")
	shown $rung launch "L$launch"
	has "$rung: a launch has clusters" '^  grid (1, 2, 8) in clusters of (1, 1, 8)  block (32, 8, 1)  '
	shown $rung step "$at"
	has "$rung: chunks that no block of a cluster has are not called empty" '2..15 in no block'
	has "$rung: the step of a block of a cluster, whose merge is recomputed" \
		"the cluster's merge, recomputed"
	merged $rung "$at" 'from partials' >computed
	has "$rung: a merge in a cluster says where its numbers come from" \
		"^ factors and sums are the cluster's, recomputed"
	result "$rung: its merge has the bits that rung 9 published" \
		"$(cmp nine computed || cat nine computed)"
	merged $rung "$at" "$device" >written
	result "$rung: and those that its blocks wrote" "$(cmp written computed || cat written computed)"
	shown $rung reduce "L$launch"
	has "$rung: a title says who merges" 'the cluster of each KV head$'
	shown $rung chunks "L$launch.b5"
	has "$rung: a block of a cluster without a chunk" '  block b5 of the cluster has no chunk$'

	# Both heads have 32 vectors of 4 elements: each block of a cluster merges 4 of them, and the
	# block of rank 4 begins with head 1.
	shown $rung points "L$launch.b9.w0.l0"
	shows "$rung: points of a merge say which chunk and head" \
		"^ L$launch\\.b9\\.w0\\.l0\\.p1 .*reduce +factor ([0-9.]+) .* chunk 1, head 1\$" "$factor"
done
run view "$(trace cluster)" simulated.twin --plain --screen diff --at "L$launch.o1.e195"
has 'a value says which block merged it' \
	"^ provenance  out\[1,1,3\] written by L$launch.b9: slot 1, head 1$"

plan
