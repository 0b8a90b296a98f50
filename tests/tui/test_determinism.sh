#!/bin/sh
# test_determinism.sh - a trace depends on the seed alone, and results do not depend on the seed.
#
# Runs with the same seed must give byte-equal logical dumps for any --jobs. Other seeds, recording
# levels and runs without recording must give the same output bits.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

samples=$srcdir/doc/samples/shakespeare/reference/long
one='--prompt ROMEO:'

# decode NAME OPTION...: writes NAME.twin, NAME.txt and NAME.npy.
decode() {
	name=$1
	shift
	run decode -n 24 --chunk 16 --logits "$name.npy" -o "$name.twin" "$@"
	cp out "$name.txt"
	[ $code -eq 0 ] || sed 's/^/# /' err
}
dump() {
	"$flashtwin" sql "$1.twin" --dump >"$1.dump" 2>err && [ -s "$1.dump" ] || cat err
}
# same_trace WHAT A B
same_trace() {
	result "$1" "$(dump "$2"; dump "$3"; cmp "$2.dump" "$3.dump" 2>&1)"
}
# same_bits WHAT A B: the chosen bytes, the logits and everything in both traces are equal.
same_bits() {
	run diff "$2.twin" "$3.twin"
	expect "$1: diff" 0 '^[0-9,]* operations: .* buffers.* compared, 0 bits differ'
	result "$1: outputs" "$(cmp "$2.txt" "$3.txt" 2>&1; cmp "$2.npy" "$3.npy" 2>&1)"
}

decode a --log points --seed 5 $one
decode b --log points --seed 5 $one
same_trace 'the same seed again' a b
decode jobs2 --log points --seed 5 --jobs 2 $one
same_trace '--jobs 2' a jobs2
decode other --log points --seed 5 --prompt 'JULIET'
result 'another prompt gives another trace' \
	"$(dump other; ! cmp -s a.dump other.dump || echo 'equal dumps')"

for seed in 0 1 2 3; do
	decode "seed$seed" --log points --seed $seed $one
	[ $seed -eq 0 ] || same_bits "seed $seed as seed 0" seed0 "seed$seed"
done
decode plain --log launch --seed 2 $one
same_bits 'without probes' seed0 plain
run decode -n 24 --chunk 16 --logits unrecorded.npy $one
cp out unrecorded.txt
result 'without recording' \
	"$(cmp seed0.txt unrecorded.txt 2>&1; cmp seed0.npy unrecorded.npy 2>&1)"

# Two prompts of different lengths in one run.
for name in m1 m2 m3; do
	jobs=1 seed=7
	[ $name != m2 ] || jobs=2
	[ $name != m3 ] || seed=8
	run decode -n 24 --chunk 16 --log points --seed $seed --jobs $jobs --out-dir $name \
		--logits $name.npy -o $name.twin --prompt 'ROMEO:' --prompt 'JULIET: Good night'
	cat $name/0.txt $name/1.txt >$name.txt
done
same_trace 'two prompts, --jobs 2' m1 m2
same_bits 'two prompts, another seed' m1 m3
result 'a prompt decoded alone or with another' "$(cmp seed0.txt m1/0.txt 2>&1)"

for seed in 0 1 2 3; do
	run attend --q "$samples/layer0_q.npy" --k "$samples/layer0_k.npy" \
		--v "$samples/layer0_v.npy" --out out$seed.npy --seed $seed --jobs $((1 + seed % 2))
	expect "attend, seed $seed" 0
	[ $seed -eq 0 ] || result "attend, seed $seed: same output" "$(cmp out0.npy out$seed.npy 2>&1)"
done
plan
