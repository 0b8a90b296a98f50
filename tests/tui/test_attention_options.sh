#!/bin/sh
# test_attention_options.sh - `--softcap`, `--window`, `--sinks` and `--lse` of attend and decode: results
# against float64 in Python, wrong options, and traces: checked, replayed, compared, drawn.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}

# 2 sequences, 8 query heads on 2 KV heads, 300 keys.
cp "$srcdir/tests/tui/npy.py" . || exit 99
python3 - <<'PY' || exit 99
import npy

npy.write('k', (2, 2, 300, 64), npy.noise(2 * 2 * 300 * 64))
npy.write('v', (2, 2, 300, 64), npy.noise(2 * 2 * 300 * 64))
npy.write('q', (2, 8, 64), npy.noise(2 * 8 * 64))
npy.write('q1', (8, 64), npy.read('q')[:8 * 64])
npy.write('k1', (2, 300, 64), npy.read('k')[:2 * 300 * 64])
npy.write('v1', (2, 300, 64), npy.read('v')[:2 * 300 * 64])
PY

# right OUT LSE SOFTCAP WINDOW SINKS LENGTHS...: fails with a message unless the results are accurate.
cat >right.py <<'PY'
import math, sys, npy

softcap, window, sinks = float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
q, k, v = npy.read('q'), npy.read('k'), npy.read('v')
out, lse = npy.read(sys.argv[1]), npy.read(sys.argv[2])
lengths = [int(n) for n in sys.argv[6:]]
assert len(out) == len(lengths) * 8 * 64 and len(lse) == len(lengths) * 8, (len(out), len(lse))
for slot, n in enumerate(lengths):
    for head in range(8):
        row, cache = (slot * 8 + head) * 64, (slot * 2 + head // 4) * 300 * 64
        seen = [i for i in range(n) if not window or i >= n - window or i < sinks]
        scores = []
        for i in seen:
            score = sum(q[row + d] * k[cache + i * 64 + d] for d in range(64)) / 8
            scores.append(softcap * math.tanh(score / softcap) if softcap else score)
        top = max(scores, default=0.0)
        weights = [math.exp(s - top) for s in scores]
        total = sum(weights)
        wanted = top + math.log(total) if seen else -math.inf
        got = lse[slot * 8 + head]
        assert got == wanted or abs(got - wanted) < 1e-5, ('lse', slot, head, got, wanted)
        for d in range(64):
            wanted = sum(w * v[cache + i * 64 + d] for w, i in zip(weights, seen)) / (total or 1)
            assert abs(out[row + d] - wanted) < 1e-5, (slot, head, d, out[row + d], wanted)
PY

ladder='attend --path ladder --q q --k k --v v'

# accurate NAME SOFTCAP WINDOW SINKS OPTIONS...
accurate() {
	name=$1 softcap=$2 window=$3 sinks=$4
	shift 4
	rm -f o l
	run $ladder --lengths 300,37 --out o --lse l --no-record "$@"
	expect "$name runs" 0
	result "$name is accurate" "$(python3 right.py o l "$softcap" "$window" "$sinks" 300 37 2>&1)"
}
accurate 'lse alone' 0 0 0
accurate 'a softcap' 0.5 0 0 --softcap 0.5 --rung 5
accurate 'a window' 0 40 0 --window 40
accurate 'a window and sinks' 0 100 4 --window 100 --sinks 4 --rung 5
accurate 'all of them' 2 129 16 --softcap 2 --window 129 --sinks 16 --rung 13
accurate 'a graph' 2 129 16 --softcap 2 --window 129 --sinks 16 --graph capture
cp o graph.o
accurate 'a graph by hand, in another order' 2 129 16 --softcap 2 --window 129 --sinks 16 \
	--graph manual --seed 9
result 'with the same bits' "$(cmp o graph.o 2>&1)"
accurate 'a window of one key' 0 1 0 --window 1
accurate 'a plan' 2 129 16 --softcap 2 --window 129 --sinks 16 --rung 9
result 'rung 9 has the bits of others' "$(cmp o graph.o 2>&1)"
accurate 'a last block' 2 129 16 --softcap 2 --window 129 --sinks 16 --rung 10 --seed 4
result 'rung 10 has the bits of others' "$(cmp o graph.o 2>&1)"

run $ladder --lengths 0,0 --out o --lse l --window 8 --no-record
expect 'no keys' 0
result 'no keys: zeros and -inf' "$(python3 right.py o l 0 8 0 0 0 2>&1)"
run attend --path ladder --q q1 --k k1 --v v1 --out o --lse l --softcap 3 --no-record
expect 'one sequence' 0
result 'one sequence is accurate' "$(python3 right.py o l 3 0 0 300 2>&1)"
run $ladder --lengths 300,37 --out o --no-record
run $ladder --lengths 300,37 --out same --lse l --no-record
result 'without options the bits are those of the other kernels' "$(cmp o same 2>&1)"

# --- errors ---

run $ladder --sinks 4
expect 'sinks alone' 2 \
	'^flashtwin attend: --sinks 4 needs --window: without one all keys are visible$'
run $ladder --softcap -2
expect 'a softcap below 0' 2 \
	'^flashtwin attend: --softcap: expected a finite number above 0, got -2$'
run $ladder --softcap 0
expect 'a softcap of 0' 2 '--softcap: expected a finite number above 0, got 0$'
run $ladder --softcap inf
expect 'an infinite softcap' 2 \
	'^flashtwin attend: --softcap: expected a number in the range of float, got inf$'
run $ladder --softcap 1e-50
expect 'a softcap that a float cannot hold' 2 'in the range of float, got 1e-50$'
run $ladder --window 0
expect 'a window of 0' 2 '^flashtwin attend: --window: expected an integer from 1 to 2147483647, got 0$'
run $ladder --window 3000000000
expect 'a window that is too large' 2 'expected an integer from 1 to 2147483647, got 3000000000$'
run $ladder --window 3 --sinks -1
expect 'sinks below 0' 2 '^flashtwin attend: --sinks: expected an integer from 0 to 2147483647, got -1$'
run attend --q q --k k --v v --window 3
expect 'another path' 2 '^flashtwin attend: --window needs --path ladder with rung 5 or more$'
cp q q.kept
run $ladder --out q
expect 'an output that is an input' 2 '^flashtwin attend: --out q is the file of --q$'
ln -sf k k.link
run $ladder --out o --lse k.link
expect 'log-sum-exps that are an input' 2 '^flashtwin attend: --lse k.link is the file of --k$'
run $ladder --out new --lse new
expect 'one file for both' 2 '^flashtwin attend: --lse new is the file of --out$'
result 'nothing is written' "$([ ! -e new ] || echo new; cmp q q.kept)"
run $ladder --lengths 300,37 --lse l --no-record
expect 'without an output there is a summary' 0 'out: .* elements, least '
run attend --path prefill --q q --k k --v v --softcap 3
expect 'prefill' 2 '^flashtwin attend: --softcap needs --path ladder with rung 5 or more$'
run attend --q q --k k --v v --lse l
expect 'lse of another path' 2 '^flashtwin attend: --lse needs --path ladder with rung 5 or more$'
run $ladder --rung 3 --window 3
expect 'rung 3' 2 '^flashtwin attend: --window needs --path ladder with rung 5 or more$'
run $ladder --rung 4 --window 3
expect 'rung 4' 2 \
	'rung 4 has no softcap, window, sinks, log-sum-exp, pages or several queries, which rungs from 5 up have$'
run $ladder --lse missing/l
expect 'a directory that does not exist' 2 '^flashtwin attend: .*missing/l'
run decode --prompt A --window 3
expect 'decode on another path' 2 '^flashtwin decode: --window needs --path ladder with rung 5 or more$'

# --- traces ---

for rung in 5 6 9 10; do
	run $ladder --rung $rung --lengths 300,37 --softcap 5 --window 100 --sinks 4 --lse l --check \
		--log points -o "$rung.twin"
	expect "rung $rung: no findings" 0
	run replay "$rung.twin" --seed 3
	expect "rung $rung: replayed" 0
	run verify "$rung.twin"
	expect "rung $rung: verified" 0
	run $ladder --rung $rung --lengths 300,37 --softcap 5 --window 100 --sinks 4 --lse l --seed 5 \
		--log points -o again.twin --force
	run diff "$rung.twin" again.twin
	expect "rung $rung: no difference at another seed" 0
	run sql "$rung.twin" "SELECT json_extract(options, '$.softcap', '$.window', '$.sinks') FROM v_run"
	result "rung $rung: the request" "$(grep -qx '\[5.0,100,4\]' out || cat out)"
	run sql "$rung.twin" "SELECT name, value FROM v_arg WHERE op = (SELECT op FROM v_launch WHERE
		launch = 2) AND name IN ('softcap', 'window', 'sinks') ORDER BY position"
	result "rung $rung: the arguments" "$(tr -s ' \t\n' ' ' <out |
		grep -q 'softcap 5 window 100 sinks 4' || cat out)"
	for screen in step kv chunks reduce text source points; do
		run view "$rung.twin" --plain --screen $screen --at L2
		expect "rung $rung: screen $screen" 0
	done
	run view "$rung.twin" --plain --screen step --at L2.b0
	result "rung $rung: which keys the step sees" "$(grep -qx \
		' softcap 5  window 100, sinks 4: sees keys 0..3 and 200..299 of 300' out || cat out)"
	result "rung $rung: the newest key" "$(grep -q 'KV CACHE 104/300  new 299' out || cat out)"
	# Of the two KV heads of the second sequence, the first one; a plan gives it one of 64 blocks.
	block=2
	[ $rung -lt 9 ] || block=42
	run view "$rung.twin" --plain --screen step --at L2.b$block
	result "rung $rung: a sequence shorter than the window" "$(grep -qx \
		' softcap 5  window 100, sinks 4: sees all 37 keys' out || cat out)"
	run export "$rung.twin" --as npz --at L2 -o "$rung.npz"
	expect "rung $rung: npz" 0
done

# --- decode ---

# The Step screen shows log-sum-exps: of a launch that merges, and of the last block of rung 10.
for rung in 5 10; do
	run $ladder --rung $rung --lengths 300,37 --lse l --log points -o lse.twin --force
	run view lse.twin --plain --screen step --at L2
	result "log-sum-exp on the Step screen, rung $rung" "$(python3 -c '
import npy, re
shown = re.search("^ log-sum-exp (.*)$", open("out").read(), re.M)
assert shown and abs(float(shown[1]) - npy.read("l")[0]) < 1e-6, (shown, npy.read("l")[0])' 2>&1)"
done
run $ladder --rung 5 --lengths 300,37 --log points -o lse.twin --force
run view lse.twin --plain --screen step --at L2
result 'none where none is written' "$(grep log-sum-exp out)"

options='--prompt ROMEO: --path ladder --window 5 --sinks 1 --softcap 20 -n 8'
run decode $options --rung 5 --log points -o d.twin
expect 'decode' 0
cp out wanted
run decode $options --kv-dtype f32 --graph capture --no-record
expect 'decode from a graph' 0
result 'decode from a graph: the reply' "$(cmp out wanted 2>&1)"
run replay d.twin --seed 4
expect 'decode: replayed' 0
run decode $options --kv-dtype bf16 --check --no-record
expect 'decode with bf16' 0
run view d.twin --plain --screen step
expect 'decode: the step' 0
result 'decode: keys at their positions' \
	"$(grep -q 'sinks 1: sees keys 0..0 and 8..12 of 13' out && grep -q '^ *0 R' out || cat out)"
for screen in text chunks; do
	run view d.twin --plain --screen $screen --at L206.b0
	result "decode: the screen $screen has the text that the query sees" "$(grep -q 'R will' out &&
		grep -q ' without 7 that the query does not see: key 1 is position 8$' out || cat out)"
done
result 'decode: a chunk is what its keys and values give' "$(grep -q \
	'  acc = sum exp(s-m) v: ok$' out || cat out)"

plan
