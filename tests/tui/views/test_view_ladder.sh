#!/bin/sh
# test_view_ladder.sh - screens of the ladder's launches, in traces of an H100 (tests/h200), and of the
# clusters of rung 10, in one of the simulator.
#
# Each trace attends for two query heads of one KV head in two slots, with 1 and with 130 keys.
# Numbers on screens are compared with those that SQL reads from the same trace.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

traces=$srcdir/tests/h200

# tensor FILE SEED SHAPE: the tensors of those traces, as tests/gpu/run.sh makes them.
tensor() {
	python3 - "$@" <<'PYTHON'
import array, math, random, struct, sys
name, seed, shape = sys.argv[1:]
random.seed(int(seed))
count = math.prod(int(n) for n in shape.split(","))
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}".ljust(117) + "\n"
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    array.array("f", (random.gauss(0, 1) for _ in range(count))).tofile(file)
PYTHON
}
tensor q.npy 1 '2, 2, 64'
tensor k.npy 2 '2, 1, 130, 64'
tensor v.npy 3 '2, 1, 130, 64'
run attend --path ladder --rung 10 --lengths 1,130 --q q.npy --k k.npy --v v.npy -o cluster.twin \
	--log points
expect 'clusters attend' 0

trace() {
	[ "$1" = cluster ] && echo cluster.twin || echo "$traces/ladder-$1.twin"
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

for rung in 4 5 6 9 10 cluster; do
	launch=$(sql $rung 'SELECT min(launch) FROM v_partial')
	merge=$([ $rung = 10 ] || [ $rung = cluster ] && echo "$launch" || echo $((launch + 1)))

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
		cluster) echo '^ block = KV head + 1 KV heads x (slot + 2 slots x rank in its cluster), for its' ;;
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

### clusters

launch=$(sql cluster 'SELECT min(launch) FROM v_partial')
shown cluster launch "L$launch"
has 'a launch has clusters' '^  grid (1, 2, 8) in clusters of (1, 1, 8)  block (32, 8, 1)  '
shown 5 launch L2
has 'or not' '^  grid (1, 2, 16)  block (32, 8, 1)  '
shown cluster step "L$launch.b3"
has 'chunks that no block of a cluster has are not called empty' '2..15 in no block'
has 'the step of a block of a cluster, whose merge is recomputed' "the cluster's merge, recomputed"
shown cluster reduce "L$launch.b3" --number=full
has 'a merge in a cluster says where its numbers come from' \
	"^ factors and sums are the cluster's, recomputed"
sed -n '/^ out/,$p' out | grep 'from partials' | awk '{ print $3, $4, $5 }' >computed
sed -n '/^ out/,$p' out | grep 'SIM r1' | awk '{ print $5, $6, $7 }' >written
result 'and has the bits that rung 9 published' "$(cmp nine computed || cat nine computed)"
result 'and those that it wrote' "$(cmp written computed && [ -s written ] || cat written computed)"
shown cluster reduce "L$launch"
has 'a title says who merges' 'the cluster of each KV head$'
shown cluster chunks "L$launch.b5"
has 'a block of a cluster without a chunk' '  block b5 of the cluster has no chunk$'

# Both heads have 32 vectors of 4 elements: each block of a cluster merges 4 of them, and the block of
# rank 4 begins with head 1.
shown cluster points "L$launch.b9.w0.l0"
has 'points of a merge say which chunk and head' \
	"^ L$launch.b9.w0.l0.p1 .*reduce  *factor 0\\.0440.* chunk 1, head 1$"
run replay cluster.twin --seed 8 -o replayed.twin
expect 'clusters have the same bits in another order' 0 ' 0 bits differ$'
run view cluster.twin replayed.twin --plain --screen diff --at "L$launch.o1.e195"
has 'a value says which block merged it' \
	"^ provenance  out\[1,1,3\] written by L$launch.b9: slot 1, head 1$"

plan
