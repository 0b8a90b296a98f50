# decode.sh - the part of run.sh that decodes the reference prompts and attends to the reference
# tensors on both devices.
#
# No bit may differ between the devices; texts must equal the reference, and attention must be close
# to float64. Sourced by run.sh, whose functions and variables it uses.

# every STEP LAST: prints "s0,sSTEP,...,sLAST".
every() {
	awk -v step="$1" -v last="$2" 'BEGIN {
		for (s = 0; s < last; s += step)
			printf "s%d,", s
		printf "s%d\n", last
	}'
}

decode short 64 'every point' --log points
decode romeo 200 'every point' --log points
decode romeo 200 'every partial, chunk 16' --log partials --chunk 16
decode short 64 'path cached, every point' --path cached --log points
decode long 200 'every buffer' --log launch
decode long 200 'points of 51 steps' --log points --log-at "$(every 4 199)"

# --- caches of 8 and 16 bits, whose rows each step rounds; the text may be another ---

for type in f16 bf16 e4m3; do
	for page in 0 16; do
		run 240 "$flashtwin" decode --model "$samples" --prompt-file "$work/prompt" -n 60 \
			--path ladder --kv-dtype "$type" $([ "$page" = 0 ] || echo --page "$page") \
			--device both --log points
		compared "decode long, cache of $type, pages of $page"
	done
done

# --- attention alone ---

# attend NAME LAYER OPTION...: attends to reference tensors on both devices.
attend() {
	name=$1 layer=$2
	shift 2
	reference=$samples/reference/$name
	query=$reference/layer${layer}_q.npy
	if [ "$name" = short ]; then
		last_rows "$query" 8 96 >"$work/q.npy"
		query=$work/q.npy
	fi
	what="attend $name, layer $layer${*:+, $*}"
	run 120 "$flashtwin" attend --path flash-decoding --q "$query" \
		--k "$reference/layer${layer}_k.npy" --v "$reference/layer${layer}_v.npy" \
		--device both --log points --out "$work/out.npy" "$@"
	compared "$what"
	[ "$code" -eq 0 ] || return
	error=$(max_error "$work/out.npy" "$reference/layer${layer}_out64.npy")
	if [ "$(awk -v e="$error" 'BEGIN { print (e != "inf" && e + 0 <= 2e-6) }')" = 1 ]; then
		result PASS "$what: error" "at most $error off float64"
	else
		result FAIL "$what: error" "$error off float64, the maximum is 2e-6"
	fi
}

attend romeo 0
attend romeo 2
attend long 0
attend long 2
attend short 1
for chunk in 1 16 33 95 96 97; do
	attend romeo 0 --chunk "$chunk"
done
