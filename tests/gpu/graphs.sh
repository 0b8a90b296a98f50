# graphs.sh - the part of run.sh that decodes and attends from CUDA graphs, captured and built by hand.
#
# Results must equal those of single launches on the simulator. Sourced by run.sh, whose functions
# and variables it uses.

# graph_decode NAME BYTES OPTION...: decodes on the GPU; the text must equal the reference.
graph_decode() {
	name=$1 bytes=$2
	shift 2
	what="decode $name, $*"
	npy_data "$samples/reference/$name/tokens.npy" | bytes_of_i32 >"$work/prompt"
	npy_data "$samples/reference/$name/greedy.npy" | head -c "$bytes" >"$work/greedy"
	run 120 "$flashtwin" decode --model "$samples" --prompt-file "$work/prompt" -n "$bytes" \
		--device cuda "$@"
	if [ "$code" -eq 0 ] && cmp -s "$work/stdout" "$work/greedy"; then
		result PASS "$what" "$bytes bytes equal greedy.npy"
	else
		result FAIL "$what" "exit code $code: $(tail -n 1 "$work/stderr")"
	fi
}

# attend_romeo OUT OPTION...: attends to the reference tensors of romeo.
attend_romeo() {
	to=$1 reference=$samples/reference/romeo
	shift
	run 60 "$flashtwin" attend --q "$reference/layer0_q.npy" --k "$reference/layer0_k.npy" \
		--v "$reference/layer0_v.npy" --out "$to" "$@"
}

# graph_attend PATH [OPTION...]: in every graph mode, the GPU gives the bits of single launches on
# the simulator.
graph_attend() {
	attend_romeo "$work/one_by_one.npy" --path "$@"
	for mode in none capture manual; do
		attend_romeo "$work/graph.npy" --path "$@" --graph "$mode" --device cuda
		if [ "$code" -eq 0 ] && cmp -s "$work/one_by_one.npy" "$work/graph.npy"; then
			result PASS "attend by $*, --graph $mode" 'the bits of the simulator'
		else
			result FAIL "attend by $*, --graph $mode" \
				"exit code $code: $(tail -n 1 "$work/stderr")"
		fi
		rm -f "$work/graph.npy"
	done
}

# First with recording, then without: the recorder adds nodes to a graph.
decode romeo 200 'captured, every point' --path flash-decoding-graph --log points
decode romeo 200 'built by hand, every partial' --graph manual --log partials --chunk 16
decode short 64 'batched, captured' --path batched --graph capture --log points
decode short 64 'incremental, by hand' --path incremental --graph manual --log points
graph_decode romeo 200 --path flash-decoding-graph
graph_decode romeo 200 --graph manual
graph_decode long 200 --graph capture --chunk 16 --warps 2
graph_decode short 64 --path incremental --graph capture
graph_decode short 64 --path incremental-multiwarp --graph manual
graph_decode short 64 --path batched --graph capture
graph_attend flash-decoding --chunk 7
graph_attend flash-decoding --warps 2
graph_attend incremental
graph_attend incremental-multiwarp
graph_attend batched
