#!/bin/sh
# test_plan.sh - `info --plan`: splits, tiles, blocks and bytes against what the path does, the times
# against the device's memory, and its errors.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

# number NAME: prints a member of the last run's JSON.
number() {
	sed -n "s/^  \"$1\": \([0-9.]*\),*$/\1/p" out
}

# at WHAT NAME WANTED: checks a member of the last run's JSON, to three decimals.
at() {
	result "$1" "$(awk -v got="$(number "$2")" -v wanted="$3" 'BEGIN {
		d = got - wanted
		if (got == "" || d > 0.0005 || d < -0.0005) print got " instead of " wanted }')"
}

run info --plan 1,32/8,128,1K
expect 'the plan of one sequence' 0 \
	'^path ladder, 1,32/8,128,1K: 1 sequence, 4 query heads of each of 8 KV heads, head size 128' \
	'^        1024          1       8              128$' '^\*       128    16 ' \
	'^splits  *64 of all' '^blocks  *64 with keys, on 132 multiprocessors' '^tiles of a warp  *1 where' \
	'^keys and values  *8.389 MB$' '^bandwidth  4814 GB/s: memory clock 3201 MHz and 6016 bits of h200$' \
	'^floor  *3.7 us: reads get 4598 GB/s after 1.9 us' '^expected  *[0-9.]* us, [0-9]* % of the ceiling'
run info --plan 3,8/2,64,1+70+1000
expect 'the plan of a ragged batch' 0 '^           1          1       1 ' \
	'^          70          1       1 ' '^        1000          1       8 ' '^splits  *20 of all'
run info --plan 4,8/2,64,7+3x9 --rung 10 --json
expect 'the plan as JSON' 0 '"shape": "4,8/2,64,7+3x9"' '"profile": "h200"' '"tiles_in_flight": 6'
at 'bytes of keys and values' kv_bytes $(((7 + 27) * 2 * 2 * 64 * 4))
at 'bytes of queries and outputs' io_bytes $((4 * 8 * 64 * 4 * 2))
at 'bytes of partials, which clusters only write' partial_bytes $((4 * 8 * 66 * 4))
at 'the floor' floor_us "$(awk 'BEGIN { print 1.9 + 34 * 2 * 2 * 64 * 4 / (0.955 * 4814304) }')"
at 'the percentage' expected_percent "$(awk -v a="$(number floor_us)" -v b="$(number expected_us)" \
	'BEGIN { print 100 * a / b }')"

run info --plan 4,8/2,64,7+3x9 --rung 9 --json
at 'bytes of partials, written and read' partial_bytes $((4 * 8 * 66 * 4 * 2))
at 'and no clusters' clusters 0

# Other types of keys and values: their bytes, and more tiles in the memory of as many of f32.
for type in 'f16 2 6' 'bf16 2 6' 'e4m3 1 12'; do
	set -- $type
	run info --plan 1,32/8,128,1K --kv-dtype "$1"
	expect "the plan with $1" 0 "head size 128, $1\$" "^\\*       128    16  *$3 " '^rung  *10, '
	run info --plan 1,32/8,128,1K --kv-dtype "$1" --json
	at "bytes of keys and values of $1" kv_bytes $((1024 * 2 * 8 * 128 * $2))
	at "bytes of queries and outputs with $1" io_bytes $((32 * 128 * 4 * 2))
done
run info --plan 1,32/8,64,1K --kv-dtype e4m3 --rung 6
expect 'at most 16 tiles' 0 '^\*        64    16                  16 '

# With tensor cores and more splits than multiprocessors each of those has two blocks, with smaller
# rings.
for form in 'bf16 32,32/8,128,4K 2 264' 'e4m3 32,32/8,128,4K 6 264' 'bf16 1,32/8,128,4K 6 128' \
	'bf16 32,72/8,128,4K 4 132'; do
	set -- $form
	for rung in 9 10; do
		case $rung$2 in
		101,*) continue ;;      # has clusters
		esac
		run info --plan "$2" --kv-dtype "$1" --rung "$rung"
		expect "blocks of $1, $2, rung $rung" 0 "^\\* *128    16 *$3 " \
			"^blocks  *$4 with keys, on 132 " \
			"$([ "$4" = 264 ] && echo ', 2 at a time' || echo ', 1 at a time')"
	done
done

# Registers allow no more blocks, whatever shared memory does.
for form in '64,28/4,96,4K bf16 best 2' '32,32/8,64,4K f32 5 1' '32,32/8,128,4K bf16 7 1'; do
	set -- $form
	run info --plan "$1" --kv-dtype "$2" --rung "$3"
	expect "blocks at once: $1, $2, rung $3" 0 "^blocks .* on 132 multiprocessors, $4 at a time on each\$"
done

# The tiles are those of the rung: rung 5 loads them when it needs them, and its blocks have no ring.
run info --plan 1,32/8,128,1K --rung 5
expect 'the plan of rung 5' 0 '^tiles of rung 5; ' '^\*       128    16                   0 ' '^rung  *5$'
run info --plan 1,32/8,128,1K --rung 10
expect 'the plan of rung 10' 0 '^tiles of rung 10; ' '^\*       128    16                   3 ' '^rung  *10$' \
	'^clusters  *8 of 8 blocks; at most 8, of any length for one sequence$' '^blocks  *64 with keys' \
	'^partials, written  *0.133 MB$'
run info --plan 1,32/8,128,1100 --rung 10
expect 'blocks of a cluster with several splits' 0 '^blocks  *64 with keys' '^tiles of a warp  *2 where'
run info --plan 2,8/2,64,1+300 --rung 10
expect 'blocks of a cluster without keys' 0 '^clusters  *4 of 8 blocks; at most 8, with at most 3072 keys each$' \
	'^blocks  *8 with keys'
run info --plan 1,32/8,128,8193
expect 'clusters for a long sequence' 0 '^rung  *10, by the shape table$' '^clusters  *8 of 8 blocks'
run info --plan 1,20/5,128,8193 --rung 10
expect 'no clusters, because of keys' 0 '^clusters  *none: up to 8193 keys, at most 3072 ' \
	'^partials, both ways '
run info --plan 3,32/8,128,1K --rung 10
expect 'no clusters, because of sequences' 0 '^clusters  *none: 24 would be needed, at most 8 are used$'
run info --plan 1,16/1,256,1K --rung 10
expect 'no clusters, because of shared memory' 0 '^clusters  *none: too little shared memory'
run info --plan 1,32/8,128,1K --rung 9
result 'rung 9 says nothing of clusters' "$(grep clusters out)"
for rung in 13 best; do
	run info --plan 1,128/8,128,1K --rung "$rung"
	expect "the plan of rung $rung" 0 '^tiles of rung 10; ' '^rung  *10, by the shape table$'
	run info --plan 1,128/8,128,1025 --rung "$rung"
	expect "the plan of rung $rung, longer" 0 '^tiles of rung 9; ' '^rung  *9, by the shape table$'
done

# As many splits get keys when the path runs, and the launch takes as much shared memory.
npy q.npy '(3, 4, 64)' 768
npy k.npy '(3, 2, 1100, 64)' 422400
for form in '10 in no block' 'best not in the plan'; do
	run attend --path ladder --q q.npy --k k.npy --v k.npy --lengths 1,70,1100 -o t.twin --force \
		--log partials --rung "${form%% *}"
	run view t.twin --plain --screen chunks
	expect "splits that rung ${form%% *} leaves out" 0 "no keys in chunks 1\\.\\.15, ${form#* }\$"
	result 'they are not called wrong' "$(grep WRONG out)"
done
run sql t.twin 'SELECT count(*) FROM v_partial WHERE sum > 0'
rows=$(cat out)
run sql t.twin "SELECT max(shared_bytes) FROM v_launch"
bytes=$(cat out)
run info --plan 3,4/2,64,1+70+1100 --json
at 'splits with keys are those that publish partials' units $((rows / 2))
at 'shared memory is that of the launch' shared_bytes "$bytes"

# The shape table: the kernel that a rung launches for a shape.
picked() {
	run attend --path ladder --rung "$2" --q "$3" --k "$4" --v "$4" -o t.twin --force --log launch
	run sql t.twin "SELECT kernel FROM v_launch WHERE block_y = 8"
	expect "the shape table, $1" 0 "^$5\$"
}
npy q8.npy '(1, 8, 64)' 512
npy q9.npy '(1, 9, 64)' 576
npy k130.npy '(1, 1, 130, 64)' 8320
npy k9x20.npy '(1, 9, 20, 64)' 11520
picked '8 query heads' best q8.npy k130.npy flash_decode_cluster
picked '8 query heads, by number' 13 q8.npy k130.npy flash_decode_cluster
picked '9 KV heads' best q9.npy k9x20.npy flash_decode_fused
picked '9 query heads' best q9.npy k130.npy flash_decode_cluster
picked 'a rung of its own' 9 q8.npy k130.npy flash_decode_planned
run attend --path ladder --rung 8 --q q8.npy --k k130.npy --v k130.npy
expect 'a rung that there is not' 2 \
	'expected best, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11 or 13, got 8$'

# One line for what is no shape, or not one of the ladder's.
for shape in 1,32/8,128 1,32/8,128,1K,5 2,32/8,128,5+6+7 1,32/5,128,1K 1,32/8,72,1K 1,256/8,128,1K \
	70000,32/8,128,1K ''; do
	usage_error info --plan "$shape"
done
for arguments in '--rung 6' '--plan 1,8/8,64,1 --rung 4' '--sample demo.twin --rung 6' \
	'--kv-dtype f16' '--plan 1,8/8,64,1 --kv-dtype i8' \
	'--sample demo.twin --kv-dtype f16' '--plan 1,8/8,64,1 --verify-math' '--plan 1,8/8,64,1 t.twin' '--plan' \
	'--sample demo.twin --plan 1,8/8,64,1'; do
	usage_error info $arguments
done
"$flashtwin" info --device cuda >out 2>err
if [ $? -eq 77 ]; then
	run info --plan 1,8/8,64,1 --device cuda
	expect 'the plan for a GPU without one' 77
else
	run info --plan 1,32/8,128,32K --device cuda
	expect 'the plan for the GPU' 0 '^bandwidth ' '^floor '
fi
plan
