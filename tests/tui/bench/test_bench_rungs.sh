#!/bin/sh
# test_bench_rungs.sh - `bench --suite decode`: its lists, its measurements on the simulator, tables
# and plots of saved results, and its errors.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

run bench --suite decode --list
expect 'what would be measured' 0 \
	'^table  *1,32/8,128,1K  8.4 MB: rung 0, rung 1, rung 2, rung 3, rung 4, rung 5, rung 6' \
	'^table  *32,32/8,128,4K  1073.7 MB: rung 1, ' '^table  *32,32/8,128,500+.*+64K+.*  3664.8 MB' \
	'^table  *32,32/8,128,23x13980+9x13981  3664.8 MB' '^sizes  *1,56/8,128,32K ' \
	'^keys  *1,32/8,128,64K ' \
	'^prefill  32 x 4096 x 4096, D 128, causal: attention_prefill, attention_prefill_tiled$'
run bench --suite decode --list --rung 6,4,best,6 --shape sizes
grep -v '^sizes .*: rung 6, rung 4, best$' out >other
[ "$(wc -l <out)" -eq 22 ] || echo 'expected 22 shapes' >>other
result 'only some rungs of one list' "$(cat other)"
run bench --suite decode --list --json --shape 2,8/2,64,1000+24 --rung 1,4
expect 'the list of one shape as JSON' 0 '"shape": "2,8/2,64,1000+24"' '"bytes": 1048576' '"rung 4"'
run bench --suite decode --list --shape 1,32/8,72,64 --rung 3,5
expect 'a rung that does not take the shape' 2 \
	'rung 5 takes head sizes of .*, got 72; rungs 1 to 4 take any up to 256$'
run bench --suite decode --list --kv-dtype e4m3
expect 'what would be measured with e4m3' 0 \
	'^table  *1,32/8,128,1K  2.1 MB: rung 5, rung 6, rung 7, rung 9, rung 10, rung 11, best$' \
	'^narrow  *16,64/8,128,32K  1073.7 MB: rung 5, ' '^narrow  *1,32/8,128,1M  2147.5 MB: rung 5, '
result 'no prompts with e4m3' "$(grep prefill out)"
run bench --suite decode --list
result 'the list narrow is not for f32' "$(grep narrow out)"
run bench --suite decode --list --kv-dtype bf16 --rung 4
expect 'a rung that bf16 lacks' 2 'a KV cache of bf16 has no rung 4; it has 5 to 7, 9, 10 and 13$'
run bench --suite decode --list --shape 1,32/8,72,64
expect 'rungs that do not take a shape' 0 'shape .* 1,32/8,72,64 .* rung 3, rung 4$'

# peers.py takes the same shapes, and needs no PyTorch until it measures.
run bench --suite decode --list --json
cp out list.json
PYTHONPATH=$srcdir/tests/bench PYTHONDONTWRITEBYTECODE=1 python3 - >wrong 2>&1 <<'EOF'
import json, peers
saved = {row['shape']: row['bytes'] for row in json.load(open('list.json'))['list']}
found = dict((shape, kind) for kind, shape in peers.shapes_of(['list.json', '1,8/8,64,7']))
if set(found) != set(saved) | {'1,8/8,64,7'} or found['1,8/8,64,7'] != 'shape':
    print(found)
for shape, size in saved.items():
    if size is None:
        peers.PROMPT.fullmatch(shape) or print(shape)
        continue
    heads, kv_heads, head_dim, lengths = peers.parse_shape(shape)
    if size != 2 * sum(lengths) * kv_heads * head_dim * 4:
        print(shape, size, lengths)
for shape in '1,32/8,128,1K+1K', '1,32/8,128', '1,32,128,1K', '1,32/8,128,x':
    try:
        print(peers.parse_shape(shape))
    except ValueError:
        pass
checks = [
    (peers.copies_for(8.4e6, 60e6, 80e9), 58), (peers.copies_for(1e9, 60e6, 80e9), 2),
    (peers.copies_for(1e6, 60e6, 80e9), 128), (peers.copies_for(30e9, 60e6, 80e9), 1),
    (peers.rounds_for(2, 10), 8), (peers.rounds_for(64, 10), 1), (peers.rounds_for(2, 9e3), 1),
    (peers.median([4, 1, 3, 2]), 2.5), (peers.percentile(range(11), 0.9), 9),
    (peers.first_line('\n a | b\nc'), 'a / b'),
    (peers.reason_of(['Flash attention kernel not used because: (Triggered internally at x)',
                      'Expected dtype: {Half}. (Triggered internally at y)'], 'e', 'f32'),
     'no f32'),
    (peers.reason_of(['not used because:', 'needs d < 9'], 'e', 'f32'), 'needs d < 9'),
    (peers.reason_of([], ValueError('e\nf'), 'bf16'), 'e'),
]
for got, wanted in checks:
    if got != wanted:
        print(got, wanted)
EOF
result 'peers.py reads the shapes of the suite' "$(cat wrong)"
# A program in the place of flashtwin, which is slower each time.
cat >twin <<'EOF'
#!/bin/sh
echo "$@" >>asked
us=$(wc -l <asked)
case "$*" in
*prefill*) shape='8 x 9 x 9, D 64, causal' ours=attention_prefill_tiled ;;
*) shape=1,8/8,64,7 ours=best ;;
esac
echo "{\"rows\": [{\"shape\": \"$shape\", \"kernel\": \"other\", \"us\": 1},
 {\"shape\": \"$shape\", \"kernel\": \"$ours\", \"us\": $us.5}]}"
EOF
chmod +x twin
PYTHONPATH=$srcdir/tests/bench PYTHONDONTWRITEBYTECODE=1 python3 - >wrong 2>&1 <<'EOF'
import argparse, peers
options = argparse.Namespace(paired='./twin', kv_dtype='bf16', runs=7)
rows = peers.paired_rows(options, '1,8/8,64,7', lambda: [{'us': 1.0}, {'us': None}])
if rows != [{'us': 1.0, 'best_us': 2.0}, {'us': None, 'best_us': 2.0}]:
    print(rows)
rows = peers.paired_rows(options, '8 x 9 x 9, D 64, causal', lambda: [{}])
if rows != [{'best_us': 4.0}]:
    print(rows)
try:
    print(peers.paired_rows(options, '8 x 99 x 99, D 64, causal', lambda: []))
except ValueError:
    pass
options.paired = 'false'
try:
    print(peers.paired_rows(options, '1,8/8,64,7', lambda: []))
except OSError:
    pass
EOF
grep -v -e '^bench --suite decode --shape 1,8/8,64,7 --rung 13 --kv-dtype bf16 --runs 7 --json$' \
	-e '^bench --suite decode --shape prefill --rung 13 --kv-dtype f32 --runs 7 --json$' asked >>wrong
result 'peers.py times the ladder before and after' "$(cat wrong)"
python3 "$srcdir/tests/bench/peers.py" 1,32/8,128,x >out 2>err; code=$?
expect 'peers.py with text that is not a shape' 1 '^peers.py: '

run bench --suite decode --device sim --runs 1 --json
cp out measured.json
expect 'measurements on the simulator' 0 '"suite": "decode"' '"kernel": "read"' '"kernel": "best"' \
	'"clock": "wall clock of the simulator' '"kernel": "attention_prefill"' \
	'"kernel": "attention_prefill_tiled"' \
	'"note": "host: left out above one sequence of 4096 keys"'
# Each time is above 0, and each shape has a read and all of its rungs.
python3 - measured.json >wrong <<'EOF'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
shapes = {r['shape'] for r in rows}
for shape in shapes:
    kernels = [r['kernel'] for r in rows if r['shape'] == shape]
    if 'D 64' not in shape and not {'read', 'rung 1', 'rung 5', 'rung 6', 'best'} <= set(kernels):
        print(shape, kernels)
for r in rows:
    if r['us'] is None and not r['note'] or r['us'] is not None and not 0 < r['p10'] <= r['p90']:
        print(r)
    read = [x['us'] for x in rows if x['shape'] == r['shape'] and x['kernel'] == 'read']
    if r['us'] and read and not (abs(r['read_percent'] * r['us'] / read[0] - 100) < 1e-6
                                 and r['gbs'] > 0):
        print(r)
    if ('flop' in r) == ('gbs' in r) and r['us']:
        print(r)
if len(shapes) != 6:
    print(shapes)
EOF
result 'each shape has a read and its rungs' "$(cat wrong)"

# Recorded results: of the suite, of peers, and cited ones.
cat >suite.json <<'EOF'
{"suite": "decode", "about": {"device": "GPU 1", "date": "today"}, "rows": [
 {"list": "table", "shape": "1,32/8,128,1K", "kernel": "read", "dtype": "f32", "us": 4.0},
 {"list": "table", "shape": "1,32/8,128,1K", "kernel": "rung 5", "dtype": "f32", "us": 10.0,
  "p10": 9.5, "p90": 11.5, "runs": 50, "copies": 64, "launches": 64, "note": ""},
 {"list": "table", "shape": "1,32/8,128,1K", "kernel": "rung 6", "dtype": "f32", "us": 8.0},
 {"list": "table", "shape": "1,32/8,128,32K", "kernel": "read", "dtype": "f32", "us": 60.0},
 {"list": "table", "shape": "1,32/8,128,32K", "kernel": "rung 5", "dtype": "f32", "us": 75.0},
 {"list": "table", "shape": "1,32/8,128,32K", "kernel": "rung 6", "dtype": "f32", "us": null,
  "note": "needs more"},
 {"list": "table", "shape": "2,32/8,128,1K", "kernel": "rung 6", "dtype": "f32", "us": 12.0},
 {"list": "prefill", "shape": "32 x 4096 x 4096", "kernel": "attention_prefill", "dtype": "f32",
  "us": 10000.0, "flop": 1.4e11}]}
EOF
cat >peers.json <<'EOF'
{"suite": "peers", "about": {"device": "GPU 1", "date": "later", "PyTorch": "2.0"}, "rows": [
 {"shape": "1,32/8,128,1K", "kernel": "math", "dtype": "f32", "us": 72.0, "peer": true,
  "best_us": 6.0},
 {"shape": "1,32/8,128,1K", "kernel": "math, folded", "dtype": "f32", "us": 36.0, "peer": true},
 {"shape": "1,32/8,128,1K", "kernel": "fused", "dtype": "f32", "us": null, "peer": true,
  "note": "no f32 | really"},
 {"shape": "1,32/8,128,1K", "kernel": "fused", "dtype": "bf16", "us": 7.6, "peer": true,
  "cited": "other, 2026"},
 {"list": "prefill", "shape": "32 x 4096 x 4096", "kernel": "efficient", "dtype": "f32",
  "us": 6000.0, "flop": 1.4e11, "peer": true, "best_us": 4000.0}]}
EOF
run bench --suite decode suite.json peers.json --plot saved.svg
expect 'the table of saved results' 0 '^- device: GPU 1$' '^- date: today$' '^- peers, date: later$' \
	'^- PyTorch: 2.0$' '^## Shapes of the list "table": us by rung$' \
	'^| 1,32/8,128,1K  *| 4.00 |  *10 |  *8.00 | 1049 |  *50 | math, folded 36.0 |  *4.50 |$' \
	'^| 1,32/8,128,32K |  *60 |  *75 |  *- | 3579 |  *80 | -  *|  *- |$' \
	'^| 2,32/8,128,1K  *|  *- |  *- |  *12 | 1398 |  *- | -  *|  *- |$' \
	'^| 1,32/8,128,1K | fused  *| bf16 | 7.60 | 551.9 |  *0.95 |  *- | other, 2026 | -  *|$' \
	'^| 1,32/8,128,1K | math  *| f32 .* |  *72 .* |  *9.00 |  *12 | -  *| -  *|$' \
	'^| 1,32/8,128,1K | fused  *| f32 .* | no f32 / really |$' \
	'^| 32 x 4096 x 4096 | attention_prefill | f32 *| *10.* | *14.* | *- | -' \
	'^| 32 x 4096 x 4096 | efficient  *| f32 *| *6.* | *23.* | *1.50 | -' \
	'^| 1,32/8,128,1K  *| rung 5 .* 10 | 9.50 | 11.5 | 838.9 | *40 | *50 | *64 | *64 | - '
wrong=$(awk -F'|' '/^\|/ { if (!cells) cells = NF; if (NF != cells) print } !/^\|/ { cells = 0 }' out)
result 'tables are as wide as their headings' "$wrong"
# 8.4 MB in 10 us at 1K keys and 268.4 MB in 75 us at 32K; the axis ends at 5,000 GB/s. Rung 6 has
# one point, and the two peers named math have one, of the faster.
: >wrong
for line in 'M84.0 410.2L704.0 195.4' 'M84.0 393.8' 'M84.0 311.6L704.0 125.2' \
	'M84.0 457.7'; do
	grep -q "stroke-linejoin=\"round\".* d=\"$line\"" saved.svg || echo "no line $line" >>wrong
done
[ "$(grep -c 'stroke-linejoin="round"' saved.svg)" -eq 5 ] || echo 'expected 5 lines' >>wrong
for text in 'rung 5' 'rung 6' read math 'fused, bf16, cited' keys GB/s; do
	grep -q ">$text</text>" saved.svg || echo "no '$text'"
done >>wrong
grep -o '>\(rung [56]\|read\|math\|fused, bf16, cited\)<' saved.svg | tr -d '<>' | tr '\n' ';' >order
[ "$(cat order)" = 'rung 5;rung 6;read;fused, bf16, cited;math;' ] || cat order >>wrong
result 'the plot of saved results' "$(cat wrong)"
# The section of doc/ladder.md: between its marks, and again in place of what was there.
mkdir measured doc
printf 'first\n' >measured/measured.md
cp saved.svg measured/plot.svg
cp "$srcdir/doc/ladder.md" doc/ladder.md
for text in first second; do
	echo $text >measured/measured.md
	sh "$srcdir/make/ladder_doc.sh" measured doc/ladder.md >out 2>&1
	code=$?
done
expect 'measurements go to the document' 0
{
	sed -n '1,/^<!-- measured: begin/p' "$srcdir/doc/ladder.md"
	printf '\n![GB/s against keys](ladder.svg)\n\nsecond\n'
	sed -n '/^<!-- measured: end/,$p' "$srcdir/doc/ladder.md"
} >wanted
cp doc/ladder.md got
same 'and the rest of it stays' wanted got
cmp saved.svg doc/ladder.svg >wrong 2>&1
result 'the plot goes next to it' "$(cat wrong)"
sh "$srcdir/make/ladder_doc.sh" missing doc/ladder.md >out 2>err; code=$?
expect 'no measurements' 2 '^ladder_doc.sh: missing/measured.md is missing or empty$'

# The cited times are of shapes that the suite measures.
run bench --suite decode --kv-dtype bf16 --list --json
cp out list_narrow.json
for file in 'cited 21' 'cited_narrow 14'; do
	run bench --suite decode "$srcdir/tests/bench/${file% *}.json" --json
	[ "${file% *}" = cited ] && list=list.json || list=list_narrow.json
	python3 - out "$list" "${file#* }" <<'EOF'
import json, sys
rows, shapes = (json.load(open(path)) for path in sys.argv[1:3])
known = {row['shape'] for row in shapes['list']}
for row in rows['rows']:
    if row['shape'] not in known or not row['cited'] or not row['peer'] or not row['us'] > 0:
        print(row)
len(rows['rows']) == int(sys.argv[3]) or print(len(rows['rows']))
EOF
done >wrong
result 'the cited times' "$(cat wrong)"
run bench --suite decode suite.json --json
expect 'saved results as JSON' 0 '"us": 10.0' '"flop"'
run bench --suite decode measured.json
expect 'the table of what was measured' 0 '^## Shapes of the list "sizes"' '^| 3,4/2,64,1+70+130 '

# errors WHAT FILE TEXT: a saved file that is refused, with one line.
errors() {
	run bench --suite decode "$2"
	[ ! -s out ] || code=99
	one_line "flashtwin bench: $2"
	expect "$1" 2 "$3"
}
echo '{"rows": 5}' >bad.json
errors 'no rows' bad.json "no 'rows'"
echo '[1' >bad.json
errors 'no JSON' bad.json 'bad.json:'
echo '{"rows": [{"shape": "1,1/1,64,1", "kernel": 5, "dtype": "f32"}]}' >bad.json
errors 'a row without a kernel' bad.json "row 1: 'kernel' is not a text"
echo '{"rows": [{"shape": "x", "kernel": "k", "dtype": "f32", "us": -1}]}' >bad.json
errors 'a negative time' bad.json "row 1: 'us' is not a time above 0"
errors 'no file' missing.json 'No such file'
echo '{"rows": []}' >empty.json
run bench --suite decode empty.json --plot empty.svg
expect 'no rows at all' 0 '^## All measurements$'

for arguments in '--suite decode --rung 14' '--suite decode --rung 7' '--suite decode --rung 4,,5' \
	'--suite decode --rung +4' '--suite decode --shape 1,2,3' '--suite decode --device tpu' \
	'--suite decode --list --plot x.svg' '--suite decode suite.json --rung 4' \
	'--suite seeds --rung 4' '--rung 4' '--list' '--suite seeds --shape table'; do
	usage_error bench $arguments
done

without_gpu 'the suite without a GPU' bench --suite decode
plan
