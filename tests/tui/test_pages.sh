#!/bin/sh
# test_pages.sh - `attend --page-table` and `--page`, and `decode --page`: the bits of a cache whose rows
# follow each other, wrong tables, and traces: checked, replayed, compared, drawn.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}

# 2 sequences of 45 and 20 keys, 4 query heads on 2 KV heads. Files *.3 have pages of 3 rows, *.16 of
# 16, in a pool with pages in a random order, some of them shared, and others of NaN.
cat >make.py <<'PY'
import random, struct

D, HKV, KEYS, LENGTHS = 64, 2, 48, (45, 20)

def write(name, shape, values, code='f4'):
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }" % (code, shape)
    head = head.ljust(117) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode()
                           + struct.pack('<%d%s' % (len(values), {'f4': 'f', 'f2': 'e', 'i4': 'i',
                                                                  'i8': 'q'}[code]), *values))

random.seed(1)
def noise(count):
    return [random.randrange(-512, 512) / 256 for _ in range(count)]    # exact in f16

rows = {t: [[[noise(D) for _ in range(KEYS)] for _ in range(HKV)] for _ in LENGTHS] for t in 'kv'}
for t in 'kv':
    for h in range(HKV):
        rows[t][1][h][:16] = rows[t][0][h][:16]
    flat = [x for m in rows[t] for h in m for r in h for x in r]
    write(t, (2, HKV, KEYS, D), flat)
    write(t + '.f16', (2, HKV, KEYS, D), flat, 'f2')
write('q', (2, 4, D), noise(2 * 4 * D))

def pages(n):
    each, nan = -(-KEYS // n), float('nan')
    order = random.sample(range(2 * each + 2), 2 * each + 2)
    table = [[random.choice([-1, 2 ** 31 - 1]) for _ in range(each)] for _ in LENGTHS]
    pool = {t: [[[[nan] * D for _ in range(n)] for _ in range(HKV)] for _ in order] for t in 'kv'}
    for m, length in enumerate(LENGTHS):
        for r in range(length):
            if r % n == 0:
                shared = m == 1 and r + n <= 16
                table[m][r // n] = table[0][r // n] if shared else order.pop()
            for t in 'kv':
                for h in range(HKV):
                    pool[t][table[m][r // n]][h][r % n] = rows[t][m][h][r]
    for t in 'kv':
        flat = [x for p in pool[t] for h in p for r in h for x in r]
        write('%s.%d' % (t, n), (2 * each + 2, HKV, n, D), flat)
        write('%s.%d.f16' % (t, n), (2 * each + 2, HKV, n, D), flat, 'f2')
    flat = [x for m in table for x in m]
    write('t.%d' % n, (2, each), flat, 'i4')
    write('t.%d.i64' % n, (2, each), flat, 'i8')
    for name, at, value in (('low', 1, -7), ('high', each + 1, 2 * each + 2)):
        wrong = list(flat)
        wrong[at] = value
        write('%s.%d' % (name, n), (2, each), wrong, 'i4')
    for t in 'kv':
        write('%s1.%d' % (t, n), (2 * each + 2, HKV, n, D),
              [x for p in pool[t] for h in p for r in h for x in r])
    write('t1.%d' % n, (each,), table[1], 'i4')

pages(3)
pages(16)
write('none', (2, 0), [], 'i4')
write('q1', (4, D), noise(4 * D))
PY
python3 make.py || exit 99

plain='attend --path ladder --q q --k k --v v --lengths 45,20'
paged() {
	pages=$1
	shift
	run attend --path ladder --q q --k "k.$pages" --v "v.$pages" --page-table "t.$pages" --lengths 45,20 \
		"$@"
}

# same NAME PAGE OPTIONS...: the output and log-sum-exps of pages are those of rows.
same() {
	name=$1 pages=$2
	shift 2
	run $plain --out wanted --lse wanted.lse --no-record "$@"
	paged "$pages" --out o --lse l --no-record "$@"
	expect "$name runs" 0
	result "$name has the bits of rows that follow each other" \
		"$(cmp wanted o 2>&1; cmp wanted.lse l 2>&1)"
}
same 'rung 5' 3 --rung 5
same 'rung 6' 3 --rung 6
same 'rung 9' 3 --rung 9
same 'rung 10' 16 --rung 10
same 'the best rung' 16
same 'a window' 3 --window 9 --sinks 4 --softcap 2
same 'a window on rung 5' 16 --window 9 --sinks 4 --rung 5
same 'a graph' 16 --graph capture
same 'a graph by hand, in another order' 3 --graph manual --seed 9

run attend --path ladder --q q --k k.f16 --v v.f16 --lengths 45,20 --out wanted --no-record
run attend --path ladder --q q --k k.3.f16 --v v.3.f16 --page-table t.3 --page 3 --lengths 45,20 \
	--out o --no-record
expect 'f16' 0
result 'f16 has the bits of rows that follow each other' "$(cmp wanted o 2>&1)"
f16='attend --path ladder --k k.3.f16 --v v.3.f16 --page-table t.3 --window 9 --sinks 4 --softcap 2 --no-record'
run $f16 --q q --lengths 45,20 --rung 7 --out wanted --lse wanted.lse
for rung in 9 10; do
	run $f16 --q q --lengths 45,20 --rung $rung --check --out o --lse l
	expect "f16, rung $rung: no findings" 0
	result "f16, rung $rung has the bits of rung 7" "$(cmp wanted o 2>&1; cmp wanted.lse l 2>&1)"
done
paged 16 --no-record
expect 'a summary' 0 'up to 48 keys in pages of 16'
run attend --path ladder --q q1 --k k.3 --v v.3 --page-table t1.3 --lengths 20 --no-record
expect 'one sequence' 0
run attend --path ladder --q q --k k.3 --v v.3 --page-table t.3 --lengths 0,0 --out o --no-record
expect 'no keys' 0
result 'no keys: zeros' "$(tail -c 2048 o | tr -d '\0')"

# --- errors ---

of3='attend --path ladder --q q --k k.3 --v v.3'
run $of3 --page-table low.3 --lengths 45,20
expect 'an entry below 0' 2 \
	'^flashtwin attend: --page-table low.3: sequence 0, page 1: expected a page of the pool, 0 to 33, got -7$'
result 'on one line' "$(test "$(wc -l <err)" = 1 || cat err)"
run $of3 --page-table high.3 --lengths 45,20
expect 'an entry past the pool' 2 '--page-table high.3: sequence 1, page 1: .* 0 to 33, got 34$'
run $of3 --page-table high.3 --lengths 45,3 --no-record
expect 'an entry that is not used' 0
run $of3 --page-table t.3
expect 'more keys than have pages' 2 '--page-table t.3: sequence 0, page 15: expected a page of the pool'
run $of3 --page-table t.3 --lengths 49,20
expect 'more keys than pages' 2 '--lengths'
run $of3 --page-table t.16 --lengths 45,20 --page 16
expect 'other pages than those of --page' 2 '^flashtwin attend: --k k.3: expected shape .*16'
run $of3 --page 3
expect '--page alone' 2 '^flashtwin attend: --page needs --page-table$'
run $of3 --page-table t.3 --page 0
expect 'pages of 0 rows' 2 '--page: expected an integer from 1 to 2147483647, got 0$'
run $of3 --page-table t.3.i64 --lengths 45,20
expect 'a table of i64' 2 '^flashtwin attend: --page-table t.3.i64: expected dtype i32, got i64'
run $of3 --page-table none
expect 'a table without pages' 2 '^flashtwin attend: --page-table none: expected 1 to 715827839 pages of 3 rows'
run $of3 --page-table t1.3
expect 'a table of one sequence' 2 '--page-table t1.3: expected '
run $of3 --page-table missing
expect 'a file that does not exist' 2 '^flashtwin attend: missing: cannot read: '
run attend --path ladder --q q --k k --v v --page-table t.3 --page 3
expect 'caches instead of pools' 2 '^flashtwin attend: --k k: expected '
run $of3 --rung 4 --page-table t.3 --lengths 45,20
expect 'rung 4' 2 'rung 4 has no softcap, window, sinks, log-sum-exp, pages or several queries, which rungs from 5 up have$'
run attend --q q --k k.3 --v v.3 --page-table t.3
expect 'another path' 2 '^flashtwin attend: --page-table needs --path ladder with rung 5 or more$'
run attend --path prefill --q q --k k.3 --v v.3 --page-table t.3
expect 'prefill' 2 '^flashtwin attend: --page-table needs --path ladder with rung 5 or more$'
run decode --prompt A --path ladder --page-table t.3
expect 'decode' 2 'page-table'

# --- traces ---

for rung in 5 6 9 10; do
	# A plan is a launch before the one that attends.
	attends=0
	[ $rung -lt 9 ] || attends=1
	paged 3 --rung $rung --check --log points -o "$rung.twin" --window 30 --sinks 4
	expect "rung $rung: no findings" 0
	run replay "$rung.twin" --seed 3
	expect "rung $rung: replayed" 0
	run verify "$rung.twin"
	expect "rung $rung: verified" 0
	paged 3 --rung $rung --seed 5 --log points -o again.twin --force --window 30 --sinks 4
	run diff "$rung.twin" again.twin
	expect "rung $rung: no difference at another seed" 0
	run sql "$rung.twin" "SELECT name, value FROM v_arg WHERE launch = $attends AND name IN ('page', 'pages')
		ORDER BY position"
	result "rung $rung: the arguments" "$(tr -s ' \t\n' ' ' <out | grep -q 'page 3 pages 16' || cat out)"
	for screen in step kv chunks reduce text source points launch; do
		run view "$rung.twin" --plain --screen $screen --at L$attends
		expect "rung $rung: screen $screen" 0
	done
	run view "$rung.twin" --plain --screen kv --at L$attends
	result "rung $rung: a slot of the pool is a page" "$(grep -q \
		' the caches are pools: a slot is a page, and a position is a row of it$' out || cat out)"
	run view "$rung.twin" --plain --screen step --at L$attends.b0
	result "rung $rung: the pages of the step" "$(grep -Eq \
		'^ 15 pages of 3 rows: [0-9]+ [0-9]+ - - - [0-9]+ [0-9]+ [0-9]+ .. [0-9]+$' out || cat out)"
	run view "$rung.twin" --plain --screen chunks --at L$attends.b0
	result "rung $rung: a chunk is what its keys and values give" "$(grep -q \
		'  acc = sum exp(s-m) v: ok$' out || cat out)"
done

# --- decode: the model's cache in pages ---

# same NAME OPTIONS...: text and logits are those of a cache without pages.
same() {
	name=$1 page=$2
	shift 2
	rm -f logits paged
	run decode --prompt ROMEO: -n 6 --path ladder --no-record "$@" --logits logits
	expect "$name, rows" 0
	cp out rows.txt
	run decode --prompt ROMEO: -n 6 --path ladder --no-record "$@" --page "$page" \
		--logits paged
	expect "$name, pages" 0
	result "$name: the text" "$(cmp out rows.txt 2>&1)"
	result "$name: the bits" "$(cmp paged logits 2>&1)"
}
same 'decode, rung 5' 3 --rung 5 --softcap 50
same 'decode, a plan and bf16' 16 --rung 9 --kv-dtype bf16
same 'decode, a last block and e4m3, from a graph' 1 --rung 10 --kv-dtype e4m3 --graph capture

mkdir one two
prompts='--prompt ROMEO: --prompt JULIET:And --prompt A --slots 2 -n 5,1,3 --path ladder'
run decode $prompts --kv-dtype f16 --out-dir one --no-record
expect 'several prompts, rows' 0
run decode $prompts --kv-dtype f16 --out-dir two --page 4 --check --no-record
expect 'several prompts, pages: no findings' 0
result 'several prompts: the texts' "$(diff -r one two 2>&1)"

run decode --prompt ROMEO: -n 4 --path ladder --rung 9 --page 4 --log points -o decode.twin
expect 'decode is recorded' 0
run replay decode.twin --seed 3
expect 'and replayed' 0
run sql decode.twin "SELECT json_extract(options, '$.page') FROM v_run"
result 'the request has the page' "$(grep -qx 4 out || cat out)"
run verify decode.twin
expect 'and verified' 0
run view decode.twin --plain
result 'the summary has its features' "$(grep -qx '      attention: kv f32, rung 9, page 4' out || cat out)"
run view decode.twin --plain --screen step
result 'the step names its pages' "$(grep -qx ' 3 pages of 4 rows: 0 1 2' out || cat out)"
run view decode.twin --plain --screen kv
result 'which row of which page was appended' "$(grep -q \
	'^   k_cache.3  slot 2  position 0  by ' out || cat out)"
result 'a page has 4 rows, all written' "$(grep -q 'last by   0\.\.3$' out &&
	! grep 'in every element: never written' out || cat out)"
result 'and no text of a sequence' "$(grep -qx ' layer 3 slot 0: each position, 64 a line' out || cat out)"

run decode --prompt A --page 4
expect 'pages on another path' 2 '^flashtwin decode: --page needs --path ladder with rung 5 or more$'
run decode --prompt A --path ladder --rung 4 --page 4
expect 'pages on rung 4' 2 'rung 4 has no softcap, .* pages or several queries'
run decode --prompt A --path ladder --page 0
expect 'pages of no rows' 2 '^flashtwin decode: --page: expected an integer from 1 to 16777216, got 0$'

plan
