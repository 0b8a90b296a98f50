# ladder.sh - the part of run.sh that attends with each rung of the ladder on both devices.
#
# Head sizes, groups of query heads and lengths near the boundaries of tiles and splits, with random
# tensors: no bit of caches, partials, points and outputs may differ between the devices, and rungs
# from 5 up must give each other's output; with keys and values of 8 and 16 bits, those from 7 up.
# LADDER_TYPES names some of the types of keys and values.
# Sourced by run.sh, whose functions and variables it uses.

# climb SLOTS KV_HEADS GROUP HEAD_DIM KEYS LENGTHS RUNG...: compares these rungs.
climb() {
	shape="$1 x $(($2 * $3))/$2 heads, D $4, keys $6"
	tensor "$work/q.npy" 1 "$1, $(($2 * $3)), $4"
	tensor "$work/k.npy" 2 "$1, $2, $5, $4"
	tensor "$work/v.npy" 3 "$1, $2, $5, $4"
	lengths=$6
	shift 6
	first=
	for rung; do
		run 240 "$flashtwin" attend --path ladder --rung "$rung" --q "$work/q.npy" \
			--k "$work/k.npy" --v "$work/v.npy" --lengths "$lengths" \
			--device both --log points --out "$work/out.npy"
		compared "rung $rung, $shape"
		[ "$rung" -ge 5 ] || continue
		if [ -z "$first" ]; then
			first=$rung
			cp "$work/out.npy" "$work/first.npy"
		elif ! cmp -s "$work/out.npy" "$work/first.npy"; then
			result FAIL "rung $rung, $shape" "not the output of rung $first"
		fi
	done
}

# narrow TYPE KV_HEADS GROUP HEAD_DIM KEYS LENGTHS: keys and values of a type on the rungs that use
# tensor cores, from launches and from a graph; all must give the output of rung 7.
narrow() {
	type=$1 slots=$(echo "$6" | tr ',' '\n' | wc -l)
	shape="$type, $slots x $(($2 * $3))/$2 heads, D $4, keys $6"
	tensor "$work/q.npy" 1 "$slots, $(($2 * $3)), $4"
	for seed in 2 3; do
		tensor "$work/wide.npy" "$seed" "$slots, $2, $5, $4"
		narrow_tensor "$type" "$work/wide.npy" "$work/$seed.npy" "$slots, $2, $5, $4"
	done
	for rung in 7 9 10; do
		for graph in none capture; do
			run 240 "$flashtwin" attend --path ladder --rung "$rung" --kv-dtype "$type" \
				--q "$work/q.npy" --k "$work/2.npy" --v "$work/3.npy" --lengths "$6" \
				--graph "$graph" --device both --log points --out "$work/out.npy"
			compared "rung $rung, graph $graph, $shape"
			[ "$rung$graph" != 7none ] || cp "$work/out.npy" "$work/first.npy"
			cmp -s "$work/out.npy" "$work/first.npy" ||
				result FAIL "rung $rung, graph $graph, $shape" 'not the output of rung 7'
		done
	done
}

wide_rungs() {
	for D in 64 80 96 128 256; do
		climb 1 1 4 "$D" 1025 1025 4 5 6 9 10
		climb 3 2 1 "$D" 129 129,0,7 5 6 9 10
		# Too many sequences for clusters.
		climb 9 1 2 "$D" 300 300,0,7,1,129,16,128,255,2 5 9 10
	done
	for G in 2 3 6 7 8 16; do
		climb 2 1 "$G" 128 1100 1100,63 4 5 6 9 10
	done
	for n in 1 8 9 15 16 17 127 128 129 2047 2048 2049 4097; do
		climb 1 2 4 64 "$n" "$n" 5 6 9 10
	done
	climb 17 1 4 128 65 1,2,3,4,5,6,7,8,9,15,16,17,31,33,63,64,65 5 6 9 10
}

# narrow_rungs TYPE
narrow_rungs() {
	for D in 64 80 96 128 256; do
		narrow "$1" 2 4 "$D" 1100 1100,0,17
	done
	for G in 1 2 3 6 7 8 16; do
		narrow "$1" 1 "$G" 128 300 300,129,1,0,8
	done
	# Too many sequences for clusters.
	narrow "$1" 1 5 128 300 300,0,7,1,129,16,128,255,2
	# More splits than multiprocessors.
	for D in 64 80 96 128; do
		narrow "$1" 34 4 "$D" 300 300,0,129,17
	done
	for G in 1 2 3 5 6 7 8; do
		narrow "$1" 67 "$G" 128 130 130,128
	done
}

if command -v python3 >/dev/null 2>&1; then
	for type in ${LADDER_TYPES:-f32 f16 bf16 e4m3}; do
		case $type in
		f32) wide_rungs ;;
		*) narrow_rungs "$type" ;;
		esac
	done
else
	result SKIP 'ladder' 'no python3 to make tensors'
fi
