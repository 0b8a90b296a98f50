# ladder-options.sh - the part of run.sh that attends with rungs 5, 6, 7, 9 and 10 on both devices, with
# keys and values of each type, softcap, windows, sinks, log-sum-exps, pages and several queries.
#
# Head sizes, groups and lengths near tiles, windows and page borders, with random tensors: no bit
# may differ between the devices, and rungs must give the output and log-sum-exps of the lowest one that
# has the same arithmetic: 5, and 7 with tensor cores. LADDER_SIZES, LADDER_HEADS and
# LADDER_TYPES name some of the head sizes, numbers of query heads and types of keys and values, so
# that several runs share the work.
# Sourced by run.sh, whose functions and variables it uses.

# attends WHAT TYPE FILES Q OPTION...: all rungs; FILES is kv or pool.
attends() {
	what="$2, $1" type=$2 files=$3 q=$4
	shift 4
	for rung in 5 6 7 9 10; do
		[ "$type$rung" != f327 ] || continue
		run 240 "$flashtwin" attend --path ladder --rung "$rung" --kv-dtype "$type" \
			--q "$work/$q.npy" --k "$work/${files}_k.$type.npy" \
			--v "$work/${files}_v.$type.npy" --device both --log points \
			--out "$work/out.$rung.npy" --lse "$work/lse.$rung.npy" "$@"
		compared "rung $rung, $what"
	done
	for rung in 6 9 10; do
		like=5
		[ "$type" = f32 ] || [ "$rung" -lt 7 ] || like=7
		cmp -s "$work/out.$like.npy" "$work/out.$rung.npy" &&
			cmp -s "$work/lse.$like.npy" "$work/lse.$rung.npy" ||
			result FAIL "rung $rung, $what" "not the output or log-sum-exps of rung $like"
	done
}

types=${LADDER_TYPES:-f32 f16 bf16 e4m3}
if command -v python3 >/dev/null 2>&1; then
	for D in ${LADDER_SIZES-64 80 96 128 256}; do
		python3 "$source/tests/gpu/ladder_tensors.py" "$work" "$D" 6 300
		for type in $types; do
			attends "D $D" "$type" kv q --lengths 300,17
			attends "D $D, window 40, sinks 5, softcap 3" "$type" kv q \
				--lengths 300,129 --window 40 --sinks 5 --softcap 3
			attends "D $D, pages" "$type" pool q --page-table "$work/table.npy" \
				--lengths 289,16
			attends "D $D, pages, window 130, sinks 20" "$type" pool q \
				--page-table "$work/table.npy" --lengths 300,161 --window 130 --sinks 20
			# New keys in two splits, and fewer keys than queries.
			attends "D $D, 4 queries" "$type" kv q4 --lengths 130,3
			attends "D $D, 4 queries, pages, window 130, sinks 20, softcap 3" "$type" \
				pool q4 --page-table "$work/table.npy" --lengths 300,161 \
				--window 130 --sinks 20 --softcap 3
			[ "$D" != 128 ] || attends "D $D, 4 queries, pages, window 130, softcap 3, a graph" \
				"$type" pool q4 --page-table "$work/table.npy" --lengths 300,161 \
				--window 130 --softcap 3 --graph capture
		done
	done
	for heads in ${LADDER_HEADS-2 4 8 14 32}; do
		python3 "$source/tests/gpu/ladder_tensors.py" "$work" 128 "$heads" 1100
		for type in f32 bf16; do
			case " $types " in
			*" $type "*) ;;
			*) continue ;;
			esac
			attends "$heads/2 heads" "$type" kv q --lengths 1100,0
			attends "$heads/2 heads, 4 queries" "$type" kv q4 --lengths 1100,130
			attends "$heads/2 heads, pages, window 1000" "$type" pool q \
				--page-table "$work/table.npy" --lengths 1100,1 --window 1000
		done
	done
else
	result SKIP 'options of the ladder' 'no python3 to make tensors'
fi
