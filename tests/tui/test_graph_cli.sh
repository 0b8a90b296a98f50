#!/bin/sh
# test_graph_cli.sh - `decode` and `attend` with --graph: the same text and bits as without.
#
# Also checks the errors of paths that cannot use graphs.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
reference=$srcdir/doc/samples/shakespeare/reference

# --- one prompt ---

run decode --prompt 'ROMEO:' -n 16
cp out wanted
for options in 'flash-decoding-graph' 'flash-decoding-graph --graph manual' \
	'flash-decoding --graph capture --warps 2 --chunk 5' 'incremental --graph manual' \
	'incremental-multiwarp --graph capture' 'batched --graph capture --seed 4'; do
	# shellcheck disable=SC2086
	run decode --prompt 'ROMEO:' -n 16 --path $options
	same "decode by $options" wanted out
done

# --- more prompts than slots ---

# The third prompt takes the slot of the second while the first is still being decoded.
set -- --prompt 'ROMEO:' --prompt 'O' --prompt 'KING:' -n 12,3,7 --slots 2
for options in 'flash-decoding --chunk 4' batched incremental; do
	# shellcheck disable=SC2086
	run decode "$@" --out-dir one_by_one --path $options
	for mode in capture manual; do
		# shellcheck disable=SC2086
		run decode "$@" --out-dir "$mode" --path $options --graph "$mode"
		cat "$mode"/* >got
		cat one_by_one/* >wanted_replies
		same "three prompts in two slots, $options, $mode" wanted_replies got
	done
done

# --- tensors ---

tensors="--q $reference/romeo/layer0_q.npy --k $reference/romeo/layer0_k.npy"
tensors="$tensors --v $reference/romeo/layer0_v.npy"
for options in 'flash-decoding --chunk 7' incremental incremental-multiwarp batched; do
	# shellcheck disable=SC2086
	run attend $tensors --out one_by_one.npy --path $options
	for mode in capture manual; do
		# shellcheck disable=SC2086
		run attend $tensors --out "$mode.npy" --path $options --graph "$mode"
		same "attend by $options, $mode" one_by_one.npy "$mode.npy"
	done
done

# --- traces ---

set -- --prompt 'ROMEO:' --prompt 'O' -n 4 --chunk 4 --json --log points -o t.twin
run decode "$@"
run decode "$@" --append --graph capture --seed 3
expect 'a captured run is recorded' 0
run decode "$@" --append --graph manual
expect 'a run with a graph built by hand is recorded' 0

# in_all_runs WHAT VIEW COLUMNS: each row of VIEW occurs once in each of the three runs.
in_all_runs() {
	run sql t.twin "SELECT count(*) > 50 AND min(n) = 3 AND max(n) = 3 FROM
		(SELECT count(*) AS n FROM $2 GROUP BY $3)"
	expect "$1" 0 '^1$'
}
in_all_runs 'the same points' v_point 'launch, block, warp, lane, sequence, name, v0_bits, v1_bits'
in_all_runs 'the same partials' v_partial 'launch, slot, head, chunk, max_bits, sum_bits'
in_all_runs 'the same new rows of the cache' v_kv 'launch, tensor, layer, slot, kv_head, position'
for recorded in 2 3; do
	run replay t.twin --run "$recorded" --seed 5
	expect "replay of run $recorded" 0 ' 0 bits differ'
done

run replay t.twin --all-orders 3
expect 'replay in other orders' 0 ' 0 bits differ'
[ "$(grep -c ' 0 bits differ' out)" -eq 9 ] && wrong= || wrong=$(cat out)
result 'a line for each run and order' "$wrong"

# --- errors ---

for path in prefill cached auto; do
	# shellcheck disable=SC2086
	run attend $tensors --path "$path" --graph capture
	expect "no graph of $path" 2 "$path: cannot run from a graph (capture), because"
done
run decode --prompt 'ROMEO:' --path flash-decoding-graph --graph none
expect 'a graph path without a graph' 2 '--graph none cannot be used with --path flash-decoding-graph'
run decode --prompt 'ROMEO:' --graph full
expect 'an unknown graph mode' 2 '--graph: expected none, capture or manual, got full'

plan
