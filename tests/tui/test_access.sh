#!/bin/sh
# test_access.sh - tests --log access: its options, that its rows agree with --count for every kernel,
# and the Memory screen.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run() {
	timeout "$(limit 60)" "$flashtwin" "$@" >lines 2>err
	code=$?
	tr -d '\r"' <lines >out     # CSV has CRLF line ends, and quotes around texts
}
# npy FILE SHAPE COUNT: writes an .npy file of f32 zeros.
npy() {
	{
		printf '\223NUMPY\001\000\166\000'
		printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': $2, }"
		head -c $(($3 * 4)) /dev/zero
	} >"$1"
}
npy in.npy '(2048,)' 2048
npy q.npy '(4, 32)' 128
npy k.npy '(2, 70, 32)' 4480
cp "$srcdir/tests/counters/known.cu" .

# launch KERNEL [OPTION...]: launches it with --log access, all of its only block.
launch() {
	kernel=$1
	shift
	run launch known.cu --kernel "$kernel" --grid 1 --block 64 --arg in=@in.npy \
		--arg 'out=>out.npy:f32[2048]' --log access --log-at L0.b0 -o t.twin --force "$@"
}
# sql WHAT QUERY VALUES: checks what a query prints last.
sql() {
	[ "$code" -eq 0 ] && run sql t.twin --csv "$2"
	expect "$1" 0 "^$3\$"
}

# --- options ---

record="attend --q q.npy --k k.npy --v k.npy -o t.twin --force"
# shellcheck disable=SC2086 # a list of words
{
	run $record --log access
	expect 'access without blocks' 2 \
		'--log access needs --log-at with blocks, such as L4.b0..L4.b7'
	run $record --log access --log-at L2
	expect 'access of a launch without blocks' 2 'every load and store, got L2$'
	run $record --log access --log-at L2.b0 --device cuda
	expect 'access on a GPU' 2 '--log access needs the simulator: --device sim or both'
	run $record --log points --log-at L2.b0
	expect 'blocks at another level' 2 'L2.b0: blocks need --log access'
	run $record --log access --log-at L2.b0..L3.b1
	expect 'blocks of two launches' 2 "expected blocks of one launch, got 'L2.b0..L3.b1'"
	run $record --log access --log-at L2.b1,L2.b0
	expect 'blocks that do not ascend' 2 "windows must ascend, but 'L2.b0' does not"
	run $record --log access --log-at L2.b0,L3
	expect 'windows with and without blocks' 2 'with and without blocks cannot be mixed'
	run $record --log access --log-at L2.b999
	expect 'a block that the launch lacks' 2 'launch L2 has no block b999: its last one is b'
	run $record --log access --log-at L999.b0
	expect 'a launch that is not reached' 0 'no launch L999 was reached'
	run run known.cu --log access -o t.twin
	expect 'run takes it too' 2 '--log access needs --log-at with blocks'
}

# --- rows ---

launch copy
sql 'a copy: 2 requests load, 2 store, 32 lanes each' "SELECT group_concat(kind || ' ' || lanes
	|| ' ' || sectors || ' ' || lines, ', ') FROM (SELECT * FROM v_request ORDER BY warp, request)" \
	'load 32 4 1, store 32 4 1, load 32 4 1, store 32 4 1'
sql 'each lane its own float' "SELECT count(*), sum(offset = (warp * 32 + lane) * 4 AND bytes = 4
	AND bits = 0 AND buffer > 0) FROM v_access" 128,128
sql 'the line that accesses' "SELECT DISTINCT substr(file, -8) || ':' || line FROM v_access" \
	known.cu:6
sql 'every thread reached it' "SELECT count(*) FROM v_line WHERE line = 6" 64
launch stride32
sql 'every 32nd float: 28 of 32 bytes are wasted' \
	"SELECT sectors, wasted FROM v_access_line WHERE kind = 'load'" 64,1792
launch 'transpose<32>'
sql 'a column of a tile: 31 conflicts in a request' \
	"SELECT max(conflicts), sum(conflicts) FROM v_request WHERE space = 'shared'" 31,992
launch uniform
sql 'a request of the lanes that take part' \
	"SELECT count(*) = sum(lanes = (SELECT count(*) FROM v_access a WHERE a.warp = r.warp
	AND a.request = r.request)) FROM v_request r" 1

# agrees WHAT: the sums of the requests of each launch that was recorded, by all of its blocks, are
# the counters.
agrees() {
	[ "$code" -eq 0 ] && run sql t.twin --csv "WITH r AS (SELECT launch,
		sum(kind IN ('load', 'bulk read') AND space = 'global') AS a,
		sum(iif(kind IN ('load', 'bulk read'), sectors, 0)) AS b,
		sum(kind IN ('store', 'bulk write') AND space = 'global') AS c,
		sum(iif(kind IN ('store', 'bulk write'), sectors, 0)) AS d,
		sum(kind IN ('load', 'bulk read') AND space = 'shared') AS e,
		sum(iif(kind IN ('load', 'bulk read'), conflicts, 0)) AS f,
		sum(kind IN ('store', 'bulk write') AND space = 'shared') AS g,
		sum(iif(kind IN ('store', 'bulk write'), conflicts, 0)) AS h
		FROM v_request WHERE counted GROUP BY launch)
	SELECT count(*) || ' launches, ' || sum((a, coalesce(b, 0), c, coalesce(d, 0), e,
		coalesce(f, 0), g, coalesce(h, 0)) IS (load_requests, load_sectors,
		store_requests, store_sectors, shared_load_requests, shared_load_conflicts,
		shared_store_requests, shared_store_conflicts)) || ' agree'
	FROM r JOIN v_counter USING (launch)"
	expect "$1" 0 "^$2 launches, $2 agree\$"
}
for kernel in copy stride2 stride32 copy4 broadcast 'transpose<32>' 'transpose<33>' shared4 branch \
	uniform; do
	launch "$kernel" --count
	agrees "$kernel: the requests are those that --count counts" 1
done

# blocks PATH [OPTION...]: attends, and records every block of the launches of attention.
blocks() {
	path=$1
	shift
	run attend --path "$path" --q q.npy --k k.npy --v k.npy --chunk 16 --log launch -o t.twin \
		--force "$@"
	[ "$code" -eq 0 ] && run sql t.twin --csv "SELECT group_concat('L' || launch || '.b0..L'
		|| launch || '.b' || (grid_x * grid_y * grid_z - 1), ',') FROM v_launch"
	at=$(tail -n 1 out)
	[ "$code" -eq 0 ] && run attend --path "$path" --q q.npy --k k.npy --v k.npy --chunk 16 \
		--log access --log-at "$at" --count -o t.twin --force "$@"
}
blocks flash-decoding
agrees 'flash-decoding: every launch agrees with --count' 4
run verify t.twin
expect 'the trace verifies' 0 'nothing is wrong'
cp t.twin seed0.twin
blocks flash-decoding --seed 9
run sql t.twin --csv 'SELECT launch, block, warp, request, lane, kind, space, buffer, offset, bytes,
	bits, line FROM v_access'
cp out seed9
run sql seed0.twin --csv 'SELECT launch, block, warp, request, lane, kind, space, buffer, offset,
	bytes, bits, line FROM v_access'
result 'the seed changes no row' "$(cmp out seed9 2>&1)"
blocks flash-decoding --graph capture
agrees 'a captured graph: every launch agrees with --count' 4
blocks flash-decoding --warps 2
agrees 'two warps: every launch agrees with --count' 4
blocks incremental
agrees 'incremental: every launch agrees with --count' 3
blocks incremental --warps 2
agrees 'incremental with two warps: every launch agrees with --count' 3
blocks batched
agrees 'batched: every launch agrees with --count' 3
blocks batched --warps 2
agrees 'batched with two warps: every launch agrees with --count' 3
npy q64.npy '(4, 64)' 256
npy k64.npy '(2, 70, 64)' 8960
# rung NUMBER: attends on that rung, and records every block.
rung() {
	one="attend --path ladder --rung $1 --q q64.npy --k k64.npy --v k64.npy"
	# shellcheck disable=SC2086 # a list of words
	{
		run $one --log launch -o t.twin --force
		run sql t.twin --csv "SELECT group_concat('L' || launch || '.b0..L' || launch
			|| '.b' || (grid_x * grid_y * grid_z - 1), ',') FROM v_launch"
		at=$(tail -n 1 out)
		run $one --log access --log-at "$at" --count -o t.twin --force
	}
}
rung 6
agrees 'rung 6: every launch agrees with --count' 4
# K and V are 2 x 2 x 70 rows of 256 bytes: 143,360 bytes, which are 280 times 32 pieces.
sql 'a bulk copy: requests of up to 32 pieces, which waste nothing' \
	"SELECT space, sum(bytes), max(lanes), sum(sectors) * 32, sum(conflicts) FROM v_request
	WHERE kind LIKE 'bulk%' GROUP BY space" 'shared,71680,32,,0'
result 'and as many bytes from global memory' "$(grep -q '^global,71680,32,71680,$' out || cat out)"
sql 'lane 0 issues them all: pieces are numbered from 0 on' "SELECT count(*) FROM v_request r
	WHERE kind = 'bulk read' AND lanes <> 1 + (SELECT max(lane) FROM v_access a
	WHERE (a.launch, a.block, a.warp, a.request) = (r.launch, r.block, r.warp, r.request))" 0
run verify t.twin
expect 'a trace with bulk copies verifies' 0 'nothing is wrong'
run sql t.twin --csv "SELECT 'L' || launch || '.b0.w0.a' || request FROM v_request
	WHERE kind = 'bulk read' AND block = 0 AND warp = 0 LIMIT 1"
run view t.twin --plain --screen memory --at "$(tail -n 1 out)"
expect 'a bulk copy on the screen' 0 ': bulk read of global memory in 32 pieces, 16 bytes each$'
expect 'its cost' 0 '^  512 bytes in 16 sectors of 32 (512 moved), 4 lines of 128: 0 wasted, 0%$'
expect 'its pieces' 0 '^  k_cache.0+0 .*| pieces 0 to 7$'
expect 'in the summary' 0 '^[ >]*split_ring.cuh:[0-9]* *bulk *16.0 *0% '
rung 9
agrees 'rung 9: every launch agrees with --count' 5
rung 10
agrees 'rung 10: every launch agrees with --count' 3
run decode --prompt 'ROMEO: what light' -n 1 --log access --log-at L0.b0..L0.b33,L2.b0..L2.b7 \
	--count -o t.twin --force
agrees 'prefill and its rows of K: both agree with --count' 2

# --- the screen ---

run view seed0.twin --plain --screen memory --at L2
expect 'the chunk kernel: K is the line with the most waste' 0 \
	'^ b0.w0.a[0-9]* of a0 to a[0-9]*: load of global memory by 16 lanes, 16 bytes each$'
expect 'its source line' 0 '^  online_softmax.cuh:[0-9]*  k\[i\] = '
expect 'what it costs' 0 \
	'^  256 bytes in 16 sectors of 32 (512 moved), 16 lines of 128: 256 wasted, 50%$'
expect 'each lane has its own row' 0 '^  k_cache.0+128  *|1111....|        |        |        | lane 1$'
expect 'in the summary too' 0 '^  online_softmax.cuh:101  *load .* 50% .* 0123456789abcdef----'
expect 'said in a few words' 0 '^  each lane in a line of its own$'
expect 'V below K, to compare' 0 '^ b0.w0.a[0-9]*: load of global memory by 32 lanes, 4 bytes each$'
expect 'V as coalesced' 0 '^  coalesced: all bytes that are moved are accessed$'
expect 'with its line' 0 '^  v_cache.0+0 *|01234567|89abcdef|ghijklmn|opqrstuv| lanes 0 to 31$'
expect 'V is coalesced: all lanes in one line' 0 '^  attend_keys.cuh:[0-9]*  *load .* 0\{32\}$'
run sql seed0.twin --csv "SELECT 'L2.b' || block || '.w' || warp || '.a' || request
	FROM v_request WHERE launch = 2 AND file LIKE '%attend_keys.cuh' AND space = 'global' LIMIT 1"
run view seed0.twin --plain --screen memory --at "$(tail -n 1 out)"
expect 'a request of V: a whole line' 0 \
	'^  v_cache.0+[0-9]*  *|01234567|89abcdef|ghijklmn|opqrstuv| lanes 0 to 31$'
expect 'which wastes nothing' 0 '^  128 bytes in 4 sectors of 32 (128 moved), 1 line of 128: 0 wasted'
run view seed0.twin --plain --screen memory --at L2.b0.w0.a9999
expect 'a request that does not exist' 2 'L2 has no request a9999 here'
launch 'transpose<32>'
run view t.twin --plain --screen memory --at L0
run sql t.twin --csv "SELECT 'L0.b0.w' || warp || '.a' || request FROM v_request
	WHERE conflicts = 31 LIMIT 1"
run view t.twin --plain --screen memory --at "$(tail -n 1 out)"
expect 'a column of a tile: 32 passes' 0 '^  32  *|v       |        |        |        | lane 31$'
expect 'its conflicts' 0 '^  128 bytes, 32 lanes at a time: 31 conflicts$'
# words WHAT COUNT: how many words conflict on the slide of the first load of shared memory.
words() {
	run sql t.twin --csv "SELECT 'L0.b0.w' || warp || '.a' || request FROM v_request
		WHERE kind = 'load' AND space = 'shared' LIMIT 1"
	run export t.twin --as svg --screen memory --at "$(tail -n 1 out)" -o words.svg --force
	result "$1" "$(grep -c '<rect.*fill="#d9480f"' words.svg | grep -v "^$2\$")"
}
words 'the slide: 31 words of a bank conflict' 31
launch shared4
words 'and none where a quarter of the lanes has one word of each' 0
run attend --q q.npy --k k.npy --v k.npy -o t.twin --force
run view t.twin --plain --screen memory --at L2
expect 'a run without: how to record it' 0 '--log access --log-at L2.b0 -o T2.twin'
run export seed0.twin --as svg --screen memory --at L2 -o m.svg
result 'the screen is exported' "$([ "$code" -eq 0 ] && grep -q 'online_softmax.cuh' m.svg || cat err)"

# --- limits, and other commands ---

cat >many.cu <<'END'
__global__ void many(float *out)
{
	for (int i = 0; i < 4000; i++)
		out[threadIdx.x] = (float)i;
}
END
run launch many.cu --kernel many --grid 1 --block 512 --arg 'out=>out.npy:f32[512]' \
	--log access --log-at L0.b0 -o many.twin
expect 'more rows than a trace holds' 5 \
	'2048000 loads and stores up to launch L0, and a trace holds at most 2000000'
run replay seed0.twin
expect 'a replay without --check compares the rest' 0 '0 bits differ'
run replay seed0.twin --check -o again.twin
run diff seed0.twin again.twin
expect 'a checked replay equals the run' 0 ' [1-9][0-9,]* loads and stores compared, 0 bits differ'
run sql again.twin --csv 'SELECT launch, block, warp, request, lane, kind, space, buffer, offset,
	bytes, bits, line FROM v_access'
cp out again
run sql seed0.twin --csv 'SELECT launch, block, warp, request, lane, kind, space, buffer, offset,
	bytes, bits, line FROM v_access'
result 'with the same accesses' "$(cmp out again 2>&1)"
# changed SQL TEXT: verify finds that what follows from other rows does not.
changed() {
	cp seed0.twin changed.twin
	python3 -c 'import sqlite3, sys
db = sqlite3.connect("changed.twin")
db.execute(sys.argv[1])
db.commit()' "$1"
	run verify changed.twin
	expect "verify: $1" 6 "$2"
}
changed 'DELETE FROM t_access WHERE launch = 2 AND warp = 1 AND request = 4' \
	't_request.lanes does not follow from t_access: launch 2 warp 1 request 4'
changed 'UPDATE t_request SET sectors = 3 WHERE launch = 2 AND warp = 1 AND request = 4' \
	't_request.sectors does not follow from t_access: launch 2 warp 1 request 4'
changed 'UPDATE t_access SET offset = 0 WHERE launch = 2 AND lane = 3 AND request = 4' \
	't_request.[a-z]* does not follow from t_access: launch 2'
changed 'UPDATE t_access_line SET sectors = 1 WHERE launch = 2' \
	't_access_line does not follow from t_request'
changed 'UPDATE t_access SET lane = 40 WHERE launch = 2 AND lane = 3 AND request = 4' \
	't_request.lanes does not follow from t_access'
changed 'DELETE FROM t_request WHERE launch = 2 AND warp = 0' \
	't_access.request does not follow from t_request'

# Launches without a grid, because they refer to another operation.
cp seed0.twin changed.twin
python3 -c 'import sqlite3
db = sqlite3.connect("changed.twin")
db.execute("UPDATE t_launch SET op = 1")
db.commit()'
run view changed.twin --plain --screen memory --at L2
expect 'a launch without threads is drawn' 0 'MEMORY of L2'
run export changed.twin --as svg --screen memory --at L2
expect 'and exported' 0 '<svg'

python3 - q.npy <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[-4:] = struct.pack('<f', 1)
open('q1.npy', 'wb').write(data)
END
run attend --q q1.npy --k k.npy --v k.npy --chunk 16 --log access --log-at L2.b0..L2.b3 -o one.twin
run attend --q q.npy --k k.npy --v k.npy --chunk 16 --log access --log-at L2.b2..L2.b5 -o other.twin
run diff one.twin other.twin
expect 'diff names the lane that loads something else' 1 \
	'L2.b3.w0.l31.a[0-9]* .*bits of an access.* 0x3f800000 .*0x0'
result 'and nothing of blocks that one run left out' "$(grep -E 'L2.b[0145].*access' out)"
# --- a source line that is wider than its column ---

printf '%s\n' 'extern "C" __global__ void wide(const float *in, float *out) {' \
	'out[threadIdx.x] = in[threadIdx.x] + 1.0f + 2.0f + 3.0f + 4.0f + 5.0f + 6.0f + 7.0f + 8.0f;' \
	'}' >wide.cu
run launch wide.cu --kernel wide --grid 1 --block 32 --arg in=@in.npy --arg 'out=>out.npy:f32[32]' \
	--log access --log-at L0.b0 -o wide.twin --force
[ "$code" -ne 0 ] || run view wide.twin --plain --trust --screen memory --at L0
expect 'a line that is cut ends in dots' 0 'wide.cu:2  out.threadIdx.x. = in.*\.\.\.$'

plan
