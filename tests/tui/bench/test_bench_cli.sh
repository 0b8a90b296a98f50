#!/bin/sh
# test_bench_cli.sh - `bench --suite` on the simulator: its results, output formats and errors.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# plotted WHAT FILE TEXT...: an SVG that has these texts, and a line for each of its series.
plotted() {
	local what=$1 file=$2 wrong=
	shift 2
	for text; do
		grep -q -F -- ">$text</text>" "$file" || wrong="$wrong no '$text'"
	done
	grep -q 'stroke-linejoin="round"[^>]* d="M[0-9]' "$file" || wrong="$wrong no line"
	result "$what" "$wrong"
}

run bench --suite seeds --device sim --runs 1 --plot seeds.svg
cp out seeds.md
plotted 'the plot of the suite' seeds.svg 'Decode attention: time against keys' keys 'time, µs' \
	'16-key chunks, 2 warps' 'incremental, 1 warp'
cp seeds.md out
expect 'the suite on the simulator' 0 \
	'^| scatters of a step, 4 sequences, 28 layers, one by one .* 224 | launches | reproduced' \
	'^| scatters of a step, 4 sequences, 28 layers, batched .* 56 | launches | reproduced' \
	'^| one warp, 32,768 keys .* re-implementation .* 27061 us .* - | us .* not measured' \
	'^| one warp: .* (computed) .* models .* % idle ' \
	'^| split-K (chunk 128) takes little longer than one warp, 64 keys .* not measured' \
	'^| split-K (chunk 128) is faster than one warp, 200 keys .* not measured' \
	'^| blocks of chunks, 28 heads, .* 224 against 28 .* 8.00 | x .* reproduced' \
	'^| a block a head |  *28 |  *1.00 |' '^| chunks of 128  *|  *224 |  *8.00 |' \
	'^| host-device traffic of a token .* about 66 MB .* 65.8 | MB .* reproduced' \
	'^| and it grows with the keys: 366 against 183 .* O(n) .* 2.0. | x .* reproduced' \
	'^|  366 | incremental |' \
	'^|   64 | flash-decoding  *|  *16 |  *2 |' \
	"^- simulator's kernels built for: .*\(FMA\|SSE2\|baseline\)" \
	'^| a sequence at a time |  *224 |' '^| one graph  *|  *[0-9]' '^- clock: wall clock of the simulator'
# What is counted does not depend on the device, so the document has the same rows.
grep '^|  *[0-9]* | \(cached\|incremental\)  *| *[0-9.]* | *[0-9.]* | *[0-9.]* |$\|^| chunks of' out \
	>counted
grep -v -x -F -f "$srcdir/doc/seeds-claims.md" counted >missing
[ "$(wc -l <counted)" -eq 7 ] || echo 'expected 7 rows' >>missing
result 'doc/seeds-claims.md has what is counted' "$(cat missing)"
# In Markdown, every row of a table must have as many cells as its heading.
wrong=$(awk -F'|' '/^\|/ { if (!cells) cells = NF; if (NF != cells) print } !/^\|/ { cells = 0 }' out)
result 'tables are as wide as their headings' "$wrong"

run bench --suite seeds --device sim --runs 1 --json
expect 'the suite as JSON' 0 '"suite": "seeds"' '"measured": 224' '"verdict": "reproduced"'
[ "$(grep -c '"path": "flash-decoding"' out)" -eq 12 ] && wrong= || wrong=$(cat out)
result 'a row for each length, chunk and number of warps' "$wrong"

for arguments in '--suite nonsense' '--suite seeds --device tpu' '--device sim' '--json' \
	'--suite view --json' '--suite view none.twin' '--suite view a.twin b.twin' \
	'--sim --suite seeds' '--suite check --device sim' '--suite last --json' '--suite last t.twin' '--suite seeds --runs 0' '--suite seeds more'; do
	run bench $arguments
	one_line 'flashtwin bench: '
	expect "bench $arguments" 2
done

run bench --suite sim --runs 1 --plot sim.svg
expect 'other sizes of chunks' 0 '^keys of a chunk ' '^16  *[0-9.]* ms  *[0-9.]* ms$' '^1024 '
plotted 'the plot of the simulator' sim.svg 'keys of a chunk' 'time, ms' 'with --check' '1,024'
run bench --suite check --plot check.svg
expect 'a suite without a plot' 2 '^flashtwin bench: --plot cannot be used with --suite check$'
run bench --suite sim --plot no/such.svg; expect 'a plot in no folder' 2 'no/such.svg'

# The cost depends on what else the machine does: exit code 1 is accepted.
run bench --suite last --runs 1
[ "$code" -eq 1 ] && code=0
expect 'the suite of the last run' 0 '^decode, sample model, 63 steps, simulator, .* medians of 1$' \
	'^not kept .* ms/step$' '^kept .* ms/step .* bytes/step$' '^cost of keeping .* %  *limit 10 %'

run bench --sim --runs 1
expect 'the simulator' 0 '^simulator, 1 job  *[0-9.]* ms ' '^checked / unchecked  *[0-9.]* x$' \
	'^1000 barriers of 256 threads, 1 job .* million lane-barriers/s$' \
	'^matmul 1024 x 1024, tiles of 16, 1 job  *[0-9.]* s' \
	'^flashtwin launch, wall clock  *[0-9.]* s  compiled before [0-9.]* s$' \
	'^  with the whole C++ library  *[0-9.]* s  compiled before [0-9.]* s$' '^--log points .* bytes/step$'

run bench --suite check --runs 1
expect 'the suite of the checker' 0 '^| kernel | sizes | unchecked | checked | ratio |$' \
	'^| matmul | 128 x 128, tiles of 16 x 16 | [0-9]* us | [0-9]* us | [0-9.]* |$'
# Markdown names every kernel that `info` lists.
for kernel in $(cd "$srcdir/kernels" && ls attention_*.cu flash_decode_*.cu kv_scatter*.cu); do
	grep -q "^| ${kernel%.cu} |" out || echo "no row for ${kernel%.cu}"
done >missing
result 'a row for each kernel' "$(cat missing)"

# The trace between its runs is removed by a signal too.
mkdir tmp
TMPDIR=$PWD/tmp "$flashtwin" bench --suite last --runs 1000 >/dev/null 2>&1 &
pid=$!
until [ -e "tmp/flashtwin-bench.$pid.twin" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -TERM $pid
wait $pid
code=$?
result 'a bench that is ended leaves no trace' \
	"$([ $code -eq 143 ] || echo "exit code $code"; ls tmp)"

# Uses a small trace; exit code 1 (too slow) depends on the machine and is accepted.
run bench --suite view "$srcdir/tests/h200/flash-decoding.twin" --plot view.svg
plotted 'the plot of the viewer' view.svg 'limit: 50 ms' 'key presses, percent' 'at most, ms'
[ "$code" -eq 1 ] && code=0
expect 'the suite of the viewer' 0 'rows in its tables, 1 run$' '^first screen, whole process .* s$' \
	'^j  *39 ' '^\]  *39 ' '^KEY_DOWN  *39 ' '^slowest answer: '

without_gpu 'the suite without a GPU' bench --suite seeds
plan
