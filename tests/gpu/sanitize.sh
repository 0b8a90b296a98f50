# sanitize.sh - the part of run.sh that has compute-sanitizer look at every path.
#
# Four tools: memcheck, racecheck, initcheck, synccheck; no report of any is allowed. Sourced by
# run.sh after record.sh, whose prompts and queries it takes.

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
# sanitize TOOL WHAT COMMAND...: no report, also not of the processes that tests fork.
sanitize() {
	tool=$1 what="compute-sanitizer $1, $2"
	shift 2
	run 240 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 "$@"
	line=$(cat "$work/stdout" "$work/stderr" | grep -a 'SUMMARY\|Error:' |
		grep -av 'SUMMARY: 0 errors\|SUMMARY: 0 hazards' | tail -n 1 | sed 's/.*========= //')
	if [ "$code" -eq 0 ] && [ -z "$line" ]; then
		result PASS "$what" 'no report'
	elif [ "$code" -eq 0 ] || [ "$code" -eq 9 ]; then
		result FAIL "$what" "$line"
	else
		result SKIP "$what" "it does not run here: exit code $code $line"
	fi
}

# sanitize_decode TOOL WHAT OPTION...
sanitize_decode() {
	tool=$1 what=$2
	shift 2
	sanitize "$tool" "$what" "$flashtwin" decode --model "$samples" \
		--prompt-file "$work/first" -n 3 --chunk 4 --device cuda --no-record "$@"
}

# sanitize_attend TOOL QUERIES.npy OPTION...
sanitize_attend() {
	tool=$1 query=$2
	shift 2
	sanitize "$tool" "attend $*" "$flashtwin" attend --q "$query" \
		--k "$samples/reference/romeo/layer0_k.npy" \
		--v "$samples/reference/romeo/layer0_v.npy" --out "$work/out.npy" \
		--device cuda --no-record "$@"
}

# Every path, and a test of random shapes on them.
sanitize_all() {
	for path in incremental incremental-multiwarp auto flash-decoding-graph; do
		sanitize_decode "$1" "$path" --path "$path"
	done
	sanitize_decode "$1" "flash-decoding, 2 warps" --path flash-decoding --warps 2
	for path in flash-decoding batched; do
		for graph in none capture manual; do
			rm -rf "$work/texts"
			sanitize_decode "$1" "$path, 3 prompts, graph $graph" \
				--prompt-file "$work/second" --prompt-file "$work/third" \
				--slots 2 --out-dir "$work/texts" --path "$path" --graph "$graph"
		done
	done
	sanitize_attend "$1" "$work/q2.npy" --path cached
	sanitize_attend "$1" "$samples/reference/short/layer1_q.npy" --path prefill --causal
}

for tool in memcheck racecheck initcheck synccheck; do
	if [ -x "$sanitizer" ]; then
		sanitize_all "$tool"
	else
		result SKIP "compute-sanitizer $tool" 'no compute-sanitizer here'
	fi
done
