#!/bin/sh
# test_paths_cli.sh - `decode` and `attend`: options for paths, slots and masks.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
reference=$srcdir/doc/samples/shakespeare/reference/short

# The likeliest byte is always clear enough for every path to choose the same one.
run decode --prompt 'ROMEO:' -n 16
cp out wanted
for path in prefill incremental incremental-multiwarp batched auto 'auto --chunk 0' \
	'flash-decoding --warps 2'; do
	# shellcheck disable=SC2086
	run decode --prompt 'ROMEO:' -n 16 --path $path
	same "decode by $path" wanted out
done

run decode --prompt 'ROMEO:' --prompt 'O' --prompt 'KING:' -n 16,5,16 --slots 2 --out-dir replies \
	--path batched --log partials -o t.twin
same 'three prompts in two slots' wanted replies/0.txt
run replay t.twin
expect 'their replay' 0 ' 0 bits differ'
run sql t.twin 'SELECT count(*) FROM v_step'
expect 'a prompt is one step, which starts when a slot is free' 0 '^21$'
run sql t.twin "SELECT count(*), count(DISTINCT step), max(layer) FROM v_launch
	WHERE kernel = 'attention_prefill'"
expect 'a launch for each prompt and layer' 0 '^12	2	3$'
run sql t.twin "SELECT count(*) FROM v_kv WHERE slot = 0 AND layer = 0 AND tensor = 'k' AND
	kv_head = 0 AND launch < (SELECT min(launch) FROM v_launch WHERE step = 1)"
expect 'all rows of a prompt are in the trace' 0 '^6$'

run sql t.twin 'SELECT slot, max(position), count(*) FROM v_token WHERE step = 5 AND prompt'
expect 'the waiting prompt takes the free slot' 0 '^1	4	5$'
run decode --prompt 'ROMEO:' --prompt 'O' --json -n 16,5,3
expect 'more numbers than prompts' 2 '-n 16,5,3: 3 numbers for 2 prompts'
run decode --prompt 'ROMEO:' -n 16,
expect 'a number that is missing' 2 '-n: expected an integer from 0 to 16777216, got nothing'
run decode --prompt 'ROMEO:' --chunk 0
expect 'no chunks in flash decoding' 2 'a chunk of 1 to 1048576 keys, got 0'

tensors="--q $reference/layer1_q.npy --k $reference/layer1_k.npy --v $reference/layer1_v.npy"
# shellcheck disable=SC2086
run attend --path prefill --causal $tensors
expect 'attend by prefill' 0 \
	'^prefill: 8 query heads on 2 KV heads, 96 queries, 96 keys, D 64, Dv 64'
# shellcheck disable=SC2086
run attend --path prefill-tiled --causal $tensors
expect 'attend by tiled prefill' 0 \
	'^prefill-tiled: 8 query heads on 2 KV heads, 96 queries, 96 keys, D 64, Dv 64'
# shellcheck disable=SC2086
run attend --path prefill-tiled --lengths 4 $tensors
expect 'lengths for tiled prefill' 2 'lengths is of decode steps, --path prefill-tiled'
# shellcheck disable=SC2086
run attend --path prefill --causal=diagonal $tensors
expect 'an alignment that is not there' 2 '--causal: expected top-left or bottom-right, got diagonal'
# shellcheck disable=SC2086
run attend --path batched --causal $tensors
expect 'a mask for a decode step' 2 'causal needs --path prefill'
# shellcheck disable=SC2086
run attend --path prefill --lengths 4 $tensors
expect 'lengths for prefill' 2 'lengths is of decode steps'

plan
