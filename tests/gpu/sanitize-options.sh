# sanitize-options.sh - the part of run.sh that runs rungs 5, 6, 7, 9 and 10 under compute-sanitizer: all
# types of keys and values with each size of the kernels, and all options at once.
#
# SANITIZE_TOOLS, SANITIZE_SIZES and SANITIZE_TYPES name some of the tools, head sizes and types.
# Sourced by run.sh, whose functions and variables it uses.

# rungs_of TYPE: that have kernels of their own.
rungs_of() {
	[ "$1" = f32 ] && echo 5 6 9 10 || echo 5 6 7 9 10
}

# sanitize_rungs TOOL WHAT TYPE FILES Q OPTION...: FILES is kv or pool, of ladder_tensors.py.
sanitize_rungs() {
	tool=$1 form=$2 type=$3 files=$4 q=$5
	shift 5
	for rung in $(rungs_of "$type"); do
		sanitize "$tool" "rung $rung, $type, $form" "$flashtwin" attend --path ladder \
			--rung "$rung" --kv-dtype "$type" --q "$work/$q.npy" \
			--k "$work/${files}_k.$type.npy" --v "$work/${files}_v.$type.npy" \
			--out "$work/out.npy" --device cuda --no-record "$@"
	done
}

# Sequences of two splits, so that partials are merged, and of a few keys.
sanitize_options() {
	for D in ${SANITIZE_SIZES:-64 128 256}; do
		python3 "$source/tests/gpu/ladder_tensors.py" "$work" "$D" 8 160
		for type in ${SANITIZE_TYPES:-f32 f16 bf16 e4m3}; do
			[ "$type" = f32 ] || sanitize_rungs "$1" "D $D" "$type" kv q --lengths 160,33
			[ "$D" -ne 64 ] || sanitize_rungs "$1" "D $D, all options but pages" "$type" \
				kv q --lengths 160,33 --window 100 --sinks 5 --softcap 3 \
				--lse "$work/lse.npy"
			[ "$D" -ne 128 ] || sanitize_rungs "$1" "D $D, all options, 4 queries" "$type" \
				pool q4 --page-table "$work/table.npy" --lengths 160,33 \
				--window 100 --sinks 5 --softcap 3 --lse "$work/lse.npy"
		done
	done
}

for tool in ${SANITIZE_TOOLS:-memcheck racecheck initcheck synccheck}; do
	if [ -x "$sanitizer" ] && command -v python3 >/dev/null 2>&1; then
		sanitize_options "$tool"
	else
		result SKIP "compute-sanitizer $tool, options" 'no compute-sanitizer or python3 here'
	fi
done
