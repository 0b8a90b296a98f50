# record.sh - the part of run.sh that records traces on a GPU and replays each on the simulator, and
# the short ones the other way round.
#
# `make check` replays them without a GPU: three of the reference prompts, and a short trace of
# every path. Sourced by run.sh, whose functions and variables it uses.

# replayed_on_gpu WHAT COMMAND OPTION...: records on the simulator and replays on the GPU.
replayed_on_gpu() {
	what=$1
	shift
	run 240 "$flashtwin" "$@" --device sim --force -o "$work/sim.twin"
	run 240 "$flashtwin" replay "$work/sim.twin" --device cuda
	compared "replay $what of the simulator on the GPU"
	rm -f "$work/sim.twin"
}

# record NAME COMMAND OPTION...
record() {
	trace=$out/$1.twin what=$1.twin
	shift
	run 240 "$flashtwin" "$@" --device cuda --force -o "$trace"
	if [ "$code" -ne 0 ]; then
		result FAIL "record $what" "exit code $code: $(tail -n 1 "$work/stderr")"
		return
	fi
	result PASS "record $what" "$(wc -c <"$trace") bytes"
	run 240 "$flashtwin" replay "$trace" --device sim
	compared "replay $what on the simulator"
	case $what in
	demo.twin | romeo.twin | long.twin) ;;
	*) replayed_on_gpu "$what" "$@" ;;
	esac
}

# record_decode NAME PROMPT_FILE OPTION...
record_decode() {
	name=$1 prompt=$2
	shift 2
	record "$name" decode --model "$samples" --prompt-file "$prompt" "$@"
}

# record_attend NAME LEVEL QUERIES.npy KEYS_OF LAYER OPTION...
record_attend() {
	name=$1 level=$2 query=$3 keys=$samples/reference/$4/layer$5
	shift 5
	record "$name" attend --q "$query" --k "${keys}_k.npy" --v "${keys}_v.npy" \
		--out "$work/out.npy" --log "$level" "$@"
}

printf 'ROMEO:\nO, she do' >"$work/demo"
# The trace of it that `make check` has stays: the tour and many tests name its launches.
record_decode demo "$work/demo" -n 64 --chunk 32 --log points
npy_data "$samples/reference/romeo/tokens.npy" | bytes_of_i32 >"$work/romeo"
# Only some steps are recorded, to save space: the queries, keys, values, partials and outputs of
# all 200 steps of romeo are 10 MB of f32, which no compressor reduces below 85 %. Step 0 is the
# prompt, which the demo's trace has too.
record_decode romeo "$work/romeo" -n 200 --log partials --log-at s1..s12,s196..s199
npy_data "$samples/reference/long/tokens.npy" | bytes_of_i32 >"$work/long"
record_decode long "$work/long" -n 64 --log launch --log-at s1,s2,s63

# A short trace of every path. Paths that take several prompts get three in two slots: the third
# waits for the second's slot while the first is still being decoded.
short() {
	record_decode "$1" "$work/first" -n 5 --log points --path "$@"
}
several() {
	name=$1
	shift
	rm -rf "$work/texts"
	record_decode "$name" "$work/first" --prompt-file "$work/second" \
		--prompt-file "$work/third" --slots 2 --out-dir "$work/texts" -n 4,2,3 \
		--log points "$@"
}
short incremental
short incremental-multiwarp
short auto
short flash-decoding --warps 2 --chunk 8
short flash-decoding-graph --chunk 8
several manual-graph --path flash-decoding --graph manual --chunk 8
several batched --path batched
several batched-graph --path batched --graph capture
record_attend cached points "$work/q2.npy" romeo 0 --path cached
# prefill-top-left has the points of the same kernel.
record_attend prefill partials "$samples/reference/short/layer1_q.npy" long 0 --path prefill \
	--causal
record_attend prefill-tiled points "$samples/reference/short/layer1_q.npy" romeo 0 \
	--path prefill-tiled --causal
record_attend prefill-top-left points "$samples/reference/short/layer1_q.npy" romeo 2 --path prefill \
	--causal=top-left

# values FILE SEED SHAPE: random values that are multiples of 1 / 32, so that a trace is smaller, and
# zeros from the third sequence on.
values() {
	tensor "$1" "$2" "$3"
	python3 -c '
import array, sys
slots = int(sys.argv[2].split(",")[0])
with open(sys.argv[1], "r+b") as file:
    header, numbers = file.read(128), array.array("f")
    numbers.frombytes(file.read())
    file.seek(len(header))
    kept = len(numbers) // slots * 2
    array.array("f", (round(x * 32) / 32 if i < kept else 0.0
                      for i, x in enumerate(numbers))).tofile(file)
' "$1" "$3"
}

# Each rung of the ladder: a sequence of one key beside one of several splits, the same in every
# trace of a type of keys and values but that of rung 0, which has one of 130 keys.
# tests/tui/views/test_view_ladder.sh compares those of f32 from rung 4 up.
if command -v python3 >/dev/null 2>&1; then
	# climbed NAME RUNG SLOTS LENGTHS TYPE OPTION...: GROUP query heads for each KV head. To save
	# space, not every trace is kept for `make check`.
	climbed() {
		name=$1 rung=$2 slots=$3 lengths=$4 type=$5 room=130 level=points
		shift 5
		# Room for three splits: of many sequences, more than there are multiprocessors.
		[ "$slots" -lt 45 ] || room=257 level=partials
		values "$work/ladder_q.npy" 1 "$slots, $GROUP, 64"
		for letter in k v; do
			kv=$work/ladder_$letter.npy
			values "$kv" "$([ "$letter" = k ] && echo 2 || echo 3)" "$slots, 1, $room, 64"
			[ "$type" = f32 ] || {
				mv "$kv" "$work/wide.npy"
				narrow_tensor "$type" "$work/wide.npy" "$kv" "$slots, 1, $room, 64"
			}
		done
		record "$name" attend --path ladder --rung "$rung" --lengths "$lengths" \
			--kv-dtype "$type" --q "$work/ladder_q.npy" --k "$work/ladder_k.npy" \
			--v "$work/ladder_v.npy" --out "$work/out.npy" --log "$level" "$@"
		case $name in
		ladder-10-bf16 | ladder-10-e4m3 | ladder-pair-9-* | ladder-pair-10-f16 | ladder-options-10*)
			rm -f "$out/$name.twin"
			return
			;;
		esac
		[ -f "$out/$name.twin" ] || return
		bytes=$(wc -c <"$out/$name.twin")
		[ "$bytes" -le 250000 ] || result FAIL "size of $name.twin" \
			"$bytes bytes, the maximum is 250000"
	}
	# Rung 0 takes one sequence, and a KV head for each query head.
	GROUP=1
	climbed ladder-0 0 1 130 f32
	GROUP=2
	for rung in 1 2 3; do
		climbed "ladder-$rung" "$rung" 2 1,130 f32
	done
	features='--window 100 --sinks 3 --softcap 5 --lse'
	for type in f32 f16 bf16 e4m3; do
		suffix=-$type
		[ "$type" != f32 ] || suffix=
		for rung in 4 5 6 7 9; do
			case $type$rung in
			f32[4569] | [!f]*[5679] | f16[5679]) ;;
			*) continue ;;
			esac
			climbed "ladder-$rung$suffix" "$rung" 2 1,130 "$type"
		done
		climbed "ladder-cluster$suffix" 10 2 1,130 "$type"
		# Too many sequences for clusters, more splits than multiprocessors, and features: not
		# on each rung of each type.
		climbed "ladder-10$suffix" 10 9 1,130,0,0,0,0,0,0,0 "$type"
		case $type in
		f32) pairs='' options='6 10' ;;
		f16) pairs='9 10' options=9 ;;
		bf16) pairs='9 10' options=7 ;;
		e4m3) pairs='9 10' options=10 ;;
		esac
		for rung in $pairs; do
			climbed "ladder-pair-$rung-$type" "$rung" 45 \
				"1,130$(printf ',0%.0s' $(seq 43))" "$type"
		done
		for rung in $options; do
			# shellcheck disable=SC2086
			climbed "ladder-options-$rung$suffix" "$rung" 2 1,130 "$type" $features \
				"$work/lse.npy"
		done
	done
else
	result SKIP 'record traces of the ladder' 'no python3 to make tensors'
fi

size=$(cat "$out"/*.twin | wc -c)
if [ "$size" -le 24000000 ]; then
	result PASS 'size of the traces' "$size bytes"
else
	result FAIL 'size of the traces' "$size bytes, the maximum is 24000000"
fi
