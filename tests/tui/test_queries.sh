#!/bin/sh
# test_queries.sh - several queries of a sequence in `attend` and in `bench --suite decode`: the bits of
# steps with one query, wrong requests, and traces: checked, replayed, compared, drawn.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}

# 2 sequences of up to 300 keys, 4 queries of each, 4 query heads on 2 KV heads. q0 to q3 have one
# query each.
cp "$srcdir/tests/tui/npy.py" . || exit 99
python3 - <<'PY' || exit 99
import npy

PAGE, PAGES = 16, 19
rows = {x: npy.noise(2 * 2 * 300 * 64) for x in 'kv'}
q = npy.noise(2 * 4 * 4 * 64)
for x in 'kv':
    npy.write(x, (2, 2, 300, 64), rows[x])
    # Page p of sequence m is page p * 2 + m of the pool.
    pool = []
    for page in range(PAGES):
        for m in range(2):
            for head in range(2):
                for row in range(page * PAGE, (page + 1) * PAGE):
                    at = ((m * 2 + head) * 300 + row) * 64
                    pool += rows[x][at:at + 64] if row < 300 else [0.0] * 64
    npy.write('pool_' + x, (2 * PAGES, 2, PAGE, 64), pool)
npy.write('table', (2, PAGES), [p * 2 + m for m in range(2) for p in range(PAGES)], 'i')
npy.write('q', (2, 4, 4, 64), q)
npy.write('q5', (2, 4, 4, 64, 1), q)
npy.write('none', (2, 0, 4, 64), [])
npy.write('short', (3, 4, 4, 64), q + q[:4 * 4 * 64])
npy.write('narrow', (2, 4, 4, 32), q[:2 * 4 * 4 * 32])
npy.write('many', (2, 301, 4, 64), [0.5] * (2 * 301 * 4 * 64))
npy.write('single', (2, 1, 4, 64), q[:2 * 4 * 64])
npy.write('flat', (2, 4, 64), q[:2 * 4 * 64])
for t in range(4):
    npy.write('q%d' % t, (2, 4, 64), [x for m in range(2) for x in
                                      q[(m * 4 + t) * 256:(m * 4 + t + 1) * 256]])
PY

# same T...: prints which rows of o and l, (2, 4, 4, 64) and (2, 4, 4), differ from oT and lT.
cat >same.py <<'PY'
import sys, npy

for t in map(int, sys.argv[1:]):
    for name, row in ('o', 4 * 64 * 4), ('l', 4 * 4):
        whole, one = npy.data(name), npy.data(name + str(t))
        assert len(whole) == 8 * row and len(one) == 2 * row, (name, len(whole), len(one))
        for m in range(2):
            if whole[(m * 4 + t) * row:][:row] != one[m * row:][:row]:
                print('query', t, 'of sequence', m, 'differs in', name)
PY

ladder='attend --path ladder --v v --k k'

# equal NAME LENGTHS OPTIONS...: a step with 4 queries has the bits of steps with one, and fewer keys.
equal() {
	name=$1 first=${2%,*} second=${2#*,}
	shift 2
	rm -f o l
	run $ladder --q q --lengths "$first,$second" --out o --lse l --no-record "$@"
	expect "$name runs" 0
	for t in 0 1 2 3; do
		a=$((first - 3 + t)) b=$((second - 3 + t))
		[ $b -gt 0 ] || b=0
		run $ladder --q q$t --lengths "$a,$b" --out o$t --lse l$t --no-record "$@"
		expect "$name, query $t alone" 0
	done
	result "$name: the bits of each query alone" "$(python3 same.py 0 1 2 3 2>&1)"
}
equal 'rung 5' 300,129 --rung 5
equal 'rung 9 with a window' 300,129 --rung 9 --window 100 --sinks 3 --softcap 2
equal 'rung 10, fewer keys than queries' 300,2 --rung 10
equal 'the shape table' 131,1 --softcap 3
equal 'a graph' 260,64 --graph capture
cp o rows.o
rm -f o l
run attend --path ladder --q q --k pool_k --v pool_v --page-table table --lengths 260,64 --out o \
	--rung 9 --no-record
expect 'pages' 0
result 'pages have the bits of rows' "$(cmp o rows.o 2>&1)"
run attend --path ladder --q q --k pool_k --v pool_v --page-table table --lengths 260,64 \
	--no-record
result 'the summary names the queries' "$(grep -qx \
	'ladder, rung [0-9]*: 2 x 4 query heads on 2 KV heads, D 64, up to 304 keys in pages of 16, 4 queries each' \
	out || cat out err)"
run $ladder --q single --out o --no-record
expect 'one query with a dimension of its own' 0
run $ladder --q flat --out o0 --no-record
result 'has the bits of one without' "$(python3 -c '
import npy
a, b = npy.data("o"), npy.data("o0")
assert len(a) == 2 * 4 * 64 * 4, len(a)
assert a == b
' 2>&1)"

# --- errors ---

run $ladder --q none
expect 'no queries' 2 \
	'^flashtwin attend: --q none: expected 1 or more queries of each sequence, got 0$'
run $ladder --q many
expect 'more queries than keys' 2 \
	'^flashtwin attend: --q many, --k k: ladder: 301 queries of a sequence are more than its capacity of 300 keys$'
run $ladder --q q5
expect 'five dimensions' 2 '^flashtwin attend: --q q5: expected 2 to 4 dimensions, got 5$'
run $ladder --q short
expect 'another number of sequences' 2 \
	'^flashtwin attend: --k k: expected shape (3, -1, -1, 64) (-1: any), got (2, 2, 300, 64)$'
run $ladder --q narrow
expect 'another head size' 2 \
	'^flashtwin attend: --k k: expected shape (2, -1, -1, 32) (-1: any), got (2, 2, 300, 64)$'
run $ladder --q q --lengths 300
expect 'too few lengths' 2 '--lengths 300: 1 lengths for 2 sequences$'
run $ladder --q q --lengths 300,301
expect 'a length that is too large' 2 '--lengths: expected .*0 to 300, got 301'
for path in flash-decoding cached prefill; do
	run attend --path $path --q q --k k --v v
	expect "path $path" 2 '^flashtwin attend: --q q: '
done
run attend --q q --k k --v v
result 'another path is named' "$(grep -qx \
	'flashtwin attend: --q q: 4 dimensions, of which the second is queries of a sequence, need --path ladder with rung 5 or more' \
	err || cat err)"
run $ladder --q q --rung 3
expect 'rung 3' 2 'need --path ladder with rung 5 or more$'
run $ladder --q q --rung 4
expect 'rung 4' 2 \
	'rung 4 has no softcap, window, sinks, log-sum-exp, pages or several queries, which rungs from 5 up have$'

# --- traces ---

for rung in 5 6 9 10; do
	run $ladder --q q --rung $rung --lengths 300,129 --softcap 5 --check --log points \
		-o "$rung.twin"
	expect "rung $rung: no findings" 0
	run replay "$rung.twin" --seed 3
	expect "rung $rung: replayed" 0
	run verify "$rung.twin"
	expect "rung $rung: verified" 0
	run $ladder --q q --rung $rung --lengths 300,129 --softcap 5 --seed 5 --log points \
		-o again.twin --force
	run diff "$rung.twin" again.twin
	expect "rung $rung: no difference at another seed" 0
	run sql "$rung.twin" "SELECT json_extract(options, '$.queries') FROM v_run"
	result "rung $rung: the request" "$(grep -qx 4 out || cat out)"
	attend=2
	[ $rung -lt 9 ] || attend=3
	run sql "$rung.twin" "SELECT value FROM v_arg WHERE name = 'queries' AND op =
		(SELECT min(op) FROM v_launch WHERE kernel LIKE 'flash_decode_%options'
		 AND kernel NOT LIKE '%plan_options')"
	result "rung $rung: the argument" "$(grep -qx 4 out || cat out)"
	run sql "$rung.twin" "SELECT group_concat(DISTINCT slot || ':' || position) FROM v_kv
		WHERE launch IS NOT NULL AND tensor = 'k' AND kv_head = 1"
	result "rung $rung: which keys were appended" "$(grep -qx \
		'0:296,0:297,0:298,0:299,1:125,1:126,1:127,1:128' out || cat out)"
	for screen in step kv chunks reduce text source points; do
		run view "$rung.twin" --plain --screen $screen --at L$attend
		expect "rung $rung: screen $screen" 0
	done
	run export "$rung.twin" --as npz --at L$attend -o "$rung.npz"
	expect "rung $rung: npz" 0
done
run view 5.twin --plain
result 'the summary of a trace names them' "$(grep -qx \
	'      attention: kv f32, rung 5, queries 4, softcap 5' out || cat out)"
cp 5.twin damaged.twin
python3 -c 'import sqlite3
db = sqlite3.connect("damaged.twin")
assert db.execute("UPDATE t_arg SET bits = 0, value = 0 WHERE name = \"queries\"").rowcount > 0
db.commit()'
run replay damaged.twin
expect 'a damaged trace with no queries' 6 "argument queries of kernel flash_decode_split_options is 0, not a count"

# Of the second sequence and its first KV head: its query 1, split 0. The grid is (2, 8, 16).
run view 5.twin --plain --screen step --at L2.b10
result 'the step of a query' "$(grep -q 'head 0 (kv head 0)  slot 1 of 2  127 keys  rung 5$' out &&
	grep -qx ' softcap 5  query 1 of 4: 2 newer keys are masked' out &&
	grep -q 'KV CACHE 127/300  new 125..128' out && grep -q '^  127..128 masked ' out || cat out)"
run view 5.twin --plain --screen step --at L2.b14
result 'the step of the last query' "$(grep -q 'slot 1 of 2  129 keys  rung 5$' out &&
	grep -qx ' softcap 5  query 3 of 4: 0 newer keys are masked' out || cat out)"
run view 5.twin --plain --screen chunks --at L2.b10
result 'a chunk is what its keys and values give' "$(grep -q \
	'  acc = sum exp(s-m) v: ok$' out || cat out)"
run view 5.twin --plain --screen kv --at L2.b10
result 'the cache of the sequence' "$(grep -q '^ layer 0 slot 1: each position' out || cat out)"

# One query is as in traces that were recorded before there were several.
run $ladder --q single --rung 9 --softcap 5 -o one.twin
run sql one.twin "SELECT count(*) FROM v_arg WHERE name = 'queries'"
result 'one query is not recorded' "$(grep -qx 0 out || cat out)"
run replay one.twin
expect 'one query: replayed' 0
run view one.twin --plain --screen step
result 'one query: the step' "$(grep -qx ' softcap 5' out || cat out)"

# --- bench ---

bench='bench --suite decode --device sim --runs 1'
run $bench --queries 3 --shape 2,4/2,64,40 --rung 5,9,best --json
expect 'bench' 0
result 'bench: its rows' "$(python3 -c '
import json
report = json.load(open("out"))
assert report["about"]["queries of each sequence"] == 3
rows = [r for r in report["rows"] if r["kernel"] != "read"]
assert [r["kernel"] for r in rows] == ["rung 5", "rung 9", "best"], rows
assert all(r["us"] > 0 and r["queries"] == 3 for r in rows), rows
' 2>&1)"
run $bench --queries 3 --shape 2,4/2,64,2+40 --rung 5 --json
result 'bench: fewer keys than queries' "$(grep -q 'a sequence has fewer than 3 keys' out || cat out err)"
run $bench --queries 3 --list
result 'bench: rungs that have several queries' "$(grep -q '^table .*: rung 5, rung 6, rung 9' out &&
	! grep -q prefill out || cat out)"
run $bench --queries 3 --rung 4
expect 'bench: a rung without' 2 'rung 4 has no softcap, .* or several queries'
run $bench --queries 0
expect 'bench: no queries' 2 '--queries: expected an integer from 1 to 65535, got 0$'
run bench --suite seeds --queries 2
expect 'bench: another suite' 2 '^flashtwin bench: --queries needs --suite decode$'

plan
