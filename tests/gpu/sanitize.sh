# sanitize.sh - the part of run.sh that runs every path under compute-sanitizer.
#
# The tools memcheck, racecheck, initcheck and synccheck must report nothing; SANITIZE_TOOLS names
# some of them. Sourced by run.sh, whose functions and variables it uses.

# sanitize_decode TOOL WHAT OPTION...
sanitize_decode() {
	tool=$1 what=$2
	shift 2
	sanitize "$tool" "$what" "$flashtwin" decode --model "$samples" \
		--prompt-file "$work/first" -n 3 --chunk 4 --device cuda --no-record "$@"
}

# sanitize_attend TOOL WHAT QUERIES.npy KEYS_AND_VALUES OPTION...: the last without _k.npy, _v.npy.
sanitize_attend() {
	tool=$1 what="attend, $2" query=$3 keys=$4
	shift 4
	sanitize "$tool" "$what, $*" "$flashtwin" attend --q "$query" --k "${keys}_k.npy" \
		--v "${keys}_v.npy" --out "$work/out.npy" --device cuda --no-record "$@"
}

# Kernels have separate code for heads of more than 64 and more than 128 elements. Their inputs
# are the same floats as fewer, longer rows. For prefill, values are shorter than keys.
romeo=$samples/reference/romeo/layer0
for D in 128 256; do
	rows=$((2 * 96 * 64 / D))
	for tensor in k v; do
		{ npy_header "1, $rows, $D"; npy_data "${romeo}_$tensor.npy"; } >"$work/d${D}_$tensor.npy"
	done
	cp "$work/d${D}_k.npy" "$work/prefill${D}_k.npy"
	{ npy_header "1, $rows, 40"; npy_data "${romeo}_v.npy" | head -c $((rows * 160)); } \
		>"$work/prefill${D}_v.npy"
	{ npy_header "$((512 / D)), $D"; npy_data "${romeo}_q.npy"; } >"$work/d${D}_q.npy"
	{ npy_header "1, $((512 / D)), $D"; npy_data "${romeo}_q.npy"; } >"$work/prefill${D}_q.npy"
done

# Too many KV heads for clusters.
for tensor in k v; do
	{ npy_header '12, 16, 64'; npy_data "${romeo}_$tensor.npy"; } >"$work/wide_$tensor.npy"
done
{ npy_header '12, 64'; npy_data "${romeo}_q.npy"; npy_data "${romeo}_q.npy" | head -c 1024; } \
	>"$work/wide_q.npy"

# The rungs of the ladder that are kernels of their own.
sanitize_ladder() {
	sanitize_attend "$1" 'rung 10 without clusters' "$work/wide_q.npy" "$work/wide" --path ladder \
		--rung 10
	for rung in 4 5 6 9 10; do
		rm -rf "$work/texts"
		sanitize_decode "$1" "rung $rung, 3 prompts, captured" \
			--prompt-file "$work/second" --prompt-file "$work/third" --slots 2 \
			--out-dir "$work/texts" --path ladder --rung "$rung" --graph capture
		for D in 128 256; do
			sanitize_attend "$1" "D $D" "$work/d${D}_q.npy" "$work/d$D" --path ladder \
				--rung "$rung"
		done
	done
}

# Tensor cores: keys and values of 8 and 16 bits.
sanitize_narrow() {
	for type in f16 bf16 e4m3; do
		for rung in 7 9 10; do
			rm -rf "$work/texts"
			sanitize_decode "$1" "rung $rung, $type, 3 prompts, captured" \
				--prompt-file "$work/second" --prompt-file "$work/third" --slots 2 \
				--out-dir "$work/texts" --path ladder --rung "$rung" \
				--kv-dtype "$type" --graph capture
		done
	done
}

# So many splits that rungs 9 and 10 have two blocks for each multiprocessor, and some have two splits.
sanitize_pairs() {
	tensor "$work/pair_q.npy" 1 '1, 280, 64'
	for type in f16 bf16 e4m3; do
		for letter in k v; do
			tensor "$work/wide.npy" 2 '1, 140, 300, 64'
			narrow_tensor "$type" "$work/wide.npy" "$work/pair_$letter.npy" '1, 140, 300, 64'
		done
		for rung in 9 10; do
			sanitize_attend "$1" "140 KV heads, $type" "$work/pair_q.npy" \
				"$work/pair" --path ladder --rung "$rung" --kv-dtype "$type"
		done
	done
}

# Every path from launches and graphs, and every size of the kernels.
sanitize_all() {
	sanitize_ladder "$1"
	sanitize_narrow "$1"
	! command -v python3 >/dev/null 2>&1 || sanitize_pairs "$1"
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
	for path in incremental incremental-multiwarp; do
		for graph in capture manual; do
			sanitize_decode "$1" "$path, graph $graph" --path "$path" --graph "$graph"
		done
	done
	sanitize_attend "$1" 'D 64' "$work/q2.npy" "$romeo" --path cached
	sanitize_attend "$1" 'D 64' "$samples/reference/short/layer1_q.npy" "$romeo" \
		--path prefill --causal
	sanitize_attend "$1" 'D 64, tiled' "$samples/reference/short/layer1_q.npy" "$romeo" \
		--path prefill-tiled --causal
	for D in 128 256; do
		for options in 'flash-decoding --chunk 7' 'flash-decoding --warps 2 --chunk 31' \
			incremental incremental-multiwarp 'batched --graph capture'; do
			# shellcheck disable=SC2086
			sanitize_attend "$1" "D $D" "$work/d${D}_q.npy" "$work/d$D" --path $options
		done
		sanitize_attend "$1" "D $D" "$work/prefill${D}_q.npy" "$work/prefill$D" \
			--path prefill --causal=top-left
	done
}

for tool in ${SANITIZE_TOOLS:-memcheck racecheck initcheck synccheck}; do
	if [ -x "$sanitizer" ]; then
		sanitize_all "$tool"
	else
		result SKIP "compute-sanitizer $tool" 'no compute-sanitizer here'
	fi
done
