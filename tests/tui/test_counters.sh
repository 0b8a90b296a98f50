#!/bin/sh
# test_counters.sh - tests --count on kernels whose counters were worked out by hand, and --steps.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

# Some of these kernels would never end by themselves.
run() {
	timeout "$(limit 60)" "$flashtwin" "$@" >lines 2>err
	code=$?
	tr -d '\r' <lines >out      # CSV has CRLF line ends
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

# counted KERNEL [OPTION...]: launches it with --count.
counted() {
	kernel=$1
	shift
	run launch known.cu --kernel "$kernel" --grid 1 --block 64 --arg in=@in.npy \
		--arg 'out=>out.npy:f32[2048]' --count -o t.twin --force "$@"
}
# row WHAT COLUMNS VALUES: checks columns of the counted launch.
row() {
	[ "$code" -eq 0 ] && run sql t.twin --csv "SELECT $2 FROM v_counter"
	expect "$1" 0 "^$3\$"
}
global=load_requests,load_sectors,store_requests,store_sectors
shared=shared_load_requests,shared_load_conflicts,shared_store_requests,shared_store_conflicts

counted copy
row 'a coalesced copy: 4 sectors per request' "$global" 2,8,2,8
row 'a coalesced copy: all bytes are distinct' \
	load_bytes,store_bytes,load_distinct_bytes,reuse,left_out 256,256,256,1,0
counted stride2
row 'every second element: 8 sectors' "$global" 2,16,2,16
counted stride32
row 'every 32nd: 32 sectors' "$global" 2,64,2,8
counted copy4
row 'float4: 16 sectors' "$global" 2,32,2,32
counted broadcast
row 'one element for all lanes: 1 sector' "$global" 2,2,2,8
row 'one element for all lanes: used 64 times' load_bytes,load_distinct_bytes,reuse 256,4,64
counted 'transpose<32>'
row 'a column of a 32 x 32 tile: 32 words in one bank' "$shared" 32,992,32,0
counted 'transpose<33>'
row 'a column of a 32 x 33 tile: no conflicts' "$shared" 32,0,32,0
row 'a transpose has one barrier' barriers,shuffles 1,0
counted shared4
row 'float4 in quarter warps: no conflicts' "$shared" 2,0,2,0
counted branch
row 'both warps diverge' divergent_branches 2
row 'divergence: two stores, each by half of the lanes' "$global" 2,8,4,16
counted uniform
row 'branches that are uniform in a warp do not diverge' divergent_branches,load_requests 0,1
counted meet
row 'barriers count per block, shuffles per warp, atomics per thread' \
	barriers,shuffles,atomics,shared_atomics 6,10,64,0
counted early --arg n=i32:40
row 'lanes that returned early are not waited for' "$global" 2,5,2,5
counted staggered
row 'lanes that leave an inner loop early wait for the others' \
	"$global,left_out" 8,8,2,8,0
counted structs
row 'a struct of three floats is three loads, as on a GPU' "$global" 6,72,6,72
counted copies
row 'memcpy is split by its alignment' "$global" 8,128,8,128
counted asynchronous
row 'an asynchronous copy of 16 bytes is one load' "$global,shared_load_conflicts" 2,32,2,8,6
counted atomics
row 'atomics do not count as loads' "$global,atomics,shared_atomics" 2,8,1,1,64,64
counted pairs
row 'pairs of lanes: 7 conflicts per request' \
	shared_load_requests,shared_load_conflicts 2,14
counted copy --seed 5
row 'another order gives the same counters' "$global,left_out" 2,8,2,8,0
run sql t.twin --csv "SELECT hits FROM v_hit WHERE line = 6"
expect 'each thread executed its line' 0 '^64$'
run view t.twin --plain --screen counters
expect 'the counters screen shows it' 0 'copy .* 256 .*4.00' ' 64  .*known.cu:6'
grep -v 'known.cu:' out | awk 'length > 79 { exit 1 }' || code=99
expect 'its tables fit into 80 columns' 0 'divergent' 'left out'
run launch known.cu --kernel early --grid 1 --block 64 --arg in=@in.npy \
	--arg 'out=>out.npy:f32[2048]' --arg n=i32:0 --check -o lines.twin
lines="SELECT group_concat(line || ':' || hits, ' ') FROM v_hit"
run sql lines.twin --csv "$lines"
expect '--check alone records executed lines' 0 '^80:64 81:64$'
run sql lines.twin --csv 'SELECT count(*) FROM v_counter'
expect '--check alone records no counters' 0 '^0$'
run view lines.twin --plain --screen counters
expect 'the screen says that counters are missing' 0 'not recorded with --count' ' 64  .*known.cu:81'
run launch known.cu --kernel early --grid 1 --block 64 --arg in=@in.npy \
	--arg 'out=>out.npy:f32[2048]' --arg n=i32:40 --check -o lines.twin --force
run sql lines.twin --csv "$lines"
expect '--check alone records the threads per line' 0 '80:64 81:64 83:40$'
run launch known.cu --kernel copy --grid 1 --block 64 --arg in=@in.npy \
	--arg 'out=>out.npy:f32[2048]' --count --json
expect 'counters as JSON' 0 '"load_sectors": 8' '"hits": 64'
run launch known.cu --kernel copy --grid 1 --block 64 --arg in=@in.npy \
	--arg 'out=>out.npy:f32[2048]' --count
expect '--count without an output for counters' 2 '--count needs -o or --json'
run attend --q q.npy --k k.npy --v k.npy --out plain.npy
run attend --q q.npy --k k.npy --v k.npy --out counted.npy --count -o a.twin
cmp -s plain.npy counted.npy || code=99
expect 'counting changes no bit' 0
run sql a.twin --csv 'SELECT count(*), min(load_requests) > 0, max(left_out) FROM v_counter'
expect 'every launch of a path has a row' 0 '^4,1,0$'
run replay a.twin --count --json
expect 'a replay counts too' 0 '"load_sectors"'

# bounded KERNEL STEPS [OPTION...]: launches it with a step budget.
bounded() {
	kernel=$1 steps=$2
	shift 2
	run launch known.cu --kernel "$kernel" --grid 1 --block 64 --arg in=@in.npy \
		--arg 'out=>never.npy:f32[2048]' --steps "$steps" "$@"
}
place='block (0,0,0) thread'
bounded endless 100000
expect 'an empty loop ends' 5 "endless, $place (3,0,0), known.cu:8[0-9]"
bounded wait_plain 100000 --check
expect 'a wait for a value that is never written ends' 5 \
	"wait_plain, $place (0,0,0), known.cu:9[0-9]"
bounded looping 500
expect 'a step budget that is too small' 5 "500 basic blocks ran out in looping, $place (0,0,0)"
[ ! -e never.npy ] || code=99
expect 'no output is written when steps run out' 5
bounded looping 500 --seed 3
expect 'a step budget that is too small, in another order' 5 'ran out in looping'
bounded looping 10000000 -o ok.twin
expect 'a step budget that is large enough' 0
run replay ok.twin --trust --steps 100
expect 'a replay with a step budget' 5 'ran out in looping'
run attend --q q.npy --k k.npy --v k.npy --steps 100
expect 'a path with a step budget' 5 'the step budget of 100 basic blocks ran out in flash_decode_chunk'
run attend --q q.npy --k k.npy --v k.npy --steps 100 --device cuda
expect 'a GPU has no step budget' 2 '--steps needs the simulator'

# tests/gpu/counters.sh must parse ncu's output: it sums launches, removes thousands separators and
# cuts signatures to kernel names.
cat >ncu.csv <<'CSV'
==PROF== Connected to process 1
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","1","chunk(const float *, int)","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","","1,000"
"0","1","chunk(const float *, int)","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","","4,000"
"1","1","chunk(const float *, int)","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","","2,000"
CSV
printf '%s\r\n' 'kernel,load_requests,load_sectors,c,d,e,f,g,h' 'chunk,1000,3000,0,0,0,0,0,0' \
	'chunk,0,1500,0,0,0,0,0,0' >sim.csv
COUNTERS_CSV=ncu.csv COUNTERS_SIM=sim.csv sh "$srcdir/tests/gpu/counters.sh" >out 2>err
code=$?
expect 'the table of GPU and simulator counters' 0 '| chunk | load_requests | 1000 | 1000 | - |' \
	'| chunk | load_sectors | 6000 | 4500 | -25.0 % |'
plan
