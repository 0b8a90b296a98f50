#!/bin/sh
# test_export.sh - `export` of pictures, JSON, timelines and tensors, and its errors.
#
# Reads each output with another program and compares it with `view --plain` and `sql`. HTML pages
# are tested in test_export_html.sh.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

if ! command -v python3 >/dev/null 2>&1; then
	echo '1..0 # SKIP no python3'
	exit 0
fi
LC_ALL=C.UTF-8
export LC_ALL
trace=$srcdir/tests/h200/demo.twin
graph=$srcdir/tests/h200/manual-graph.twin

# check WHAT ARG...: runs export_check.py with these arguments; its output goes to ./found.
check() {
	local what=$1
	shift
	if [ "$code" -ne 0 ]; then
		result "$what" "exit code $code: $(cat err)"
	elif python3 "$srcdir/tests/tui/export/export_check.py" "$@" >found 2>&1; then
		result "$what"
	else
		result "$what" "$(tail -n 3 found)"
	fi
}

# found WHAT WANTED: the last run of export_check.py printed WANTED.
found() {
	result "$1" "$([ "$(cat found)" = "$2" ] || echo "expected '$2', got '$(cat found)'")"
}

sql() {
	"$flashtwin" sql "$trace" "$1" | tr '\n\t' '  '
}

### svg: pictures of shapes

# slide WHAT ARG... -- TEXT...: an export with these arguments has these texts.
slide() {
	local what=$1 arguments=
	shift
	while [ "$1" != -- ]; do
		arguments="$arguments $1"
		shift
	done
	shift
	run export $arguments --as svg
	cp out slide.svg
	check "$what" slide slide.svg "$@"
}

# The numbers are those of `view --plain`, rounded to six digits.
slide 'a step' "$trace" --screen step --at L502.b3 -- \
	'Step 31, layer 1, head 3: 32 keys in 1 chunk' 'demo.twin at L502.b3'
slide 'its shares, factors and output' "$trace" --screen step --at s70 -- '35.6 %' '34.5 %' \
	'29.9 %' 'factor × 0.428472' '-0.137598' '= acc -1.19779' '/ sum 8.70501' 'a'
"$flashtwin" view "$trace" --plain --screen step --at s70 --number full >plain
for digits in 35.6% 34.5% 29.9% 0.428472 8.70500; do
	grep -q -F -- "$digits" plain || echo "$digits"
done >missing
result 'the viewer has the same numbers' "$(cat missing)"
slide 'one thick ribbon' "$trace" --screen step --at s2 -- '100.0 %'
slide 'chunks' "$trace" --screen chunks --at s70 -- 'L1134: 71 keys of head 0 in 3 chunks' \
	'chunk 0: 35.6 %' 'max 2.39448' 'sum 7.24216'
slide 'a reduction' "$trace" --screen reduce --at L1263.b4 -- \
	'L1263: the merge of head 4, 3 chunks' 'acc[0] SO FAR'
slide 'attention over the text' "$trace" --screen text --at L502.b3 -- 'head 7'
slide 'operations in time' "$trace" --screen time --at s31 -- 'Step 31 in time' \
	'flash_decode_chunk, layer 0'
# A scatter belongs to the step and layer of its attention; the prefill has its own.
slide 'a launch that only writes the cache' "$trace" --screen chunks --at L500 -- \
	'L502: 32 keys of head 0 in 1 chunk'
run decode --prompt 'ROMEO: to be, or not to be, that is' -n 3 --chunk 4 --log points --force \
	-o four.twin
slide 'many chunks' four.twin --screen step --at s2 --
slide 'chunks of a prompt' four.twin --screen chunks --at L1 --
slide 'two runs' four.twin "$trace" --screen step --at s2 --
# Of several slots, titles name the one that is shown. Without text, lines of keys have their numbers.
ladder=$srcdir/tests/h200/ladder-9.twin
# Of 10 to 99, six digits are four decimals.
of_slot='slot = 1 AND head = 0'
at=$("$flashtwin" sql "$ladder" "SELECT 'L' || o.launch || '.b' || block FROM v_point o
	JOIN v_partial p USING (launch) WHERE name = 'softmax' AND v0_bits = p.max_bits
	AND $of_slot AND chunk = 1 LIMIT 1")
sums=$("$flashtwin" sql "$ladder" "SELECT printf('%.4f', sum) FROM v_partial
	WHERE $of_slot AND NOT empty ORDER BY chunk")
merged=$("$flashtwin" sql "$ladder" "SELECT printf('%.4f', sum) FROM v_reduce WHERE $of_slot
	ORDER BY sequence DESC LIMIT 1")
result 'a slot has two chunks' \
	"$(echo "$at $merged" $sums |
		grep -q '^L3\.b[0-9]* [1-9][0-9]\.[0-9.]* [1-9][0-9]\.[0-9.]* [0-9.]*$' || echo "$at $sums")"
slide 'chunks of a slot' "$ladder" --screen chunks --at "$at" -- \
	'L3: 130 keys of slot 1, head 0 in 2 chunks' 'chunk 1: keys 128 to 129'
slide 'a chunk of one key' "$ladder" --screen chunks --at L3 -- 'chunk 0: key 0'
# shellcheck disable=SC2086
slide 'the merge of a slot' "$ladder" --screen reduce --at "$at" -- \
	'L4: the merge of slot 1, head 0, 2 chunks' ${sums%%[!0-9.]*} "$merged"
slide 'attention of a slot' "$ladder" --screen text --at "$at" -- \
	'Step 0, layer 0: what each head of slot 1 looks at, 130 keys' 'key 0' 'key 88'
slide 'a step of a slot' "$ladder" --screen step --at "$at" -- \
	'Step 0, layer 0, slot 1, head 0: 130 keys in 2 chunks' "${sums##*[!0-9.]}"
for path in incremental batched cached naive; do
	run decode --prompt 'ROMEO: to be' -n 3 --path $path --log points --force -o path.twin
	[ "$code" -eq 0 ] || continue
	for screen in step chunks reduce text time; do
		slide "$screen of the path $path" path.twin --screen $screen --at s1 --
	done
done
run export "$trace" --as svg --screen step --at s70 --play
cp out play.svg
check 'an animated step' slide play.svg '35.6 %'
frames=$("$flashtwin" view "$trace" --plain --play --at s70 | grep -c '^frame ')
result 'it has the frames of the play' \
	"$([ "$(grep -c '>[0-9]* of [0-9]*: ' play.svg)" -eq "$frames" ] || echo "not $frames")"
run export "$trace" --as html --play; expect '--play of a page' 2 '--play cannot be used with --as html'
run export "$trace" --as svg --play --screen kv
expect '--play of another screen' 2 '--play is of the screen step, not kv'

# One request of a warp, or of the nearest launch with one; without any, what would record them.
run decode --prompt 'ROMEO: the quick brown fox jumps over it' --chunk 32 -n 3 --log access \
	--log-at L14.b0 --force -o access.twin
slide 'the request with the most waste' access.twin --screen memory --at L14 -- \
	'k_cache.0, load of b0.w0.a6' 'k[i] = *(const float4 *)(key + min(d + 4 * i, D - 4));' \
	'512 bytes in 32 sectors and 32 lines: 1024 bytes moved, 50 % wasted' 31 \
	'each lane in a line of its own'
slide 'V next to K' access.twin --screen memory --at L14.b0 -- \
	'v_cache.0, load of b0.w0.a39' '128 bytes in 4 sectors and 1 line: 128 bytes moved, 0 % wasted' \
	'coalesced: all bytes that are moved are accessed'
slide 'a request that wastes nothing' access.twin --screen memory --at L14.b0.w0.a39 -- \
	'flash_decode_chunk, attend_keys.cuh:60' 'L14.b0.w0.a39: a load of global memory, v_cache.0' \
	'rows[r][i] = value_rows[AT_MOST(j + r, keys - 1) * D ...'
slide 'a request of K alone' access.twin --screen memory --at L14.b0.w0.a6 -- \
	'L14.b0.w0.a6: a load of global memory, k_cache.0' \
	'512 bytes in 32 sectors and 32 lines: 1024 bytes moved, 50 % of them wasted' 31
slide 'a request of shared memory' access.twin --screen memory --at L14.b0.w0.a14 -- \
	'L14.b0.w0.a14: a load of shared memory'
run export "$trace" --as svg --screen memory --at L502
expect 'no requests' 0 'MEMORY'

### png

mkdir empty
PATH=$work/empty run export "$trace" --as png --screen step --at s70 -o step.png
expect 'png without rsvg-convert' 2 'needs rsvg-convert, .* package librsvg2-bin'
result 'nothing was written' "$(ls step.png 2>/dev/null)"
if command -v rsvg-convert >/dev/null 2>&1; then
	run export "$trace" --as png --screen step --at s70 -o step.png
	expect 'png' 0
	result 'it is twice the size' "$(od -An -tu1 -j16 -N8 step.png | tr -s ' ' |
		grep -v '^ 0 0 10 0 0 0 5 160$')"
else
	skip 'png' 'no rsvg-convert'
fi

### svg: the lines of --plain

for screen in 'summary' 'launch --at L502' 'kv --at L502' 'source --at L502.b3' 'findings'; do
	# Unquoted: a screen and its address.
	"$flashtwin" view "$trace" --plain --screen $screen |
		sed -e "s|$trace|demo.twin|" -f "$srcdir/tests/tui/export/page.sed" >plain
	run export "$trace" --as svg --screen $screen
	# The summary shows the path of the trace, which is replaced in both.
	sed "s|$trace|demo.twin|" out >picture.svg
	check "picture of $screen" svg picture.svg plain
done
# In a legend, only the marks are coloured, not every single character.
run export "$trace" --as svg --screen kv --at L502
grep -q '>W</tspan><tspan[^>]*> written in this step' out && ! grep -q '0b4fb3">[1a$]<' out || code=99
expect 'only the marks of a legend are coloured' 0
run export "$trace" --as svg --at L502; expect 'a launch, without --screen' 0 'launch at L502<'
run export "$trace" "$trace" --as svg --screen kv --at L503.b3
expect 'two traces in one picture' 0 'The same in demo.twin'

# Names and prompts may be any bytes.
cp "$trace" "$(printf 'a<&">\377]]>\001.twin')"
run export "$(printf 'a<&">\377]]>\001.twin')" --as svg --screen kv --at s3
cp out picture.svg
"$flashtwin" view "$trace" --plain --screen kv --at s3 >plain
check 'a file name of any bytes' svg picture.svg plain
run export "$(printf 'a<&">\377]]>\001.twin')" --as json --at s3
cp out place.json
check 'and in JSON' get place.json trace
found 'invalid characters of the name are replaced' 'a<&">?]]>?.twin'
run decode --prompt "$(printf '<&"\377]]>\001')" -n 2 --chunk 4 --log points --seed 3 -o hostile.twin
run export hostile.twin --as svg --screen kv --force -o picture.svg
"$flashtwin" view hostile.twin --plain --screen kv >plain
check 'a prompt of any bytes' svg picture.svg plain
for screen in step chunks reduce text time; do
	slide "$screen of a prompt of any bytes" hostile.twin --screen $screen --
done

### json

run export "$trace" --as json
cp out whole.json
for part in launches:v_launch operations:v_op partials:v_partial steps:v_step tokens:v_token \
	attentions:v_attention reductions:v_reduce buffers:v_buffer kv:v_kv digests:v_digest; do
	check "JSON has ${part%%:*}" get whole.json "${part%%:*}.#"
	found "all of ${part#*:}" "$("$flashtwin" sql "$trace" "SELECT count(*) FROM ${part#*:}")"
done
check 'its schema' get whole.json schema
found 'it is 1' 1
run export "$trace" --as json --at L502.b3
cp out place.json
check 'a place names its screen' get place.json screen
found 'the screen fits the address' launch
check 'its launch alone' get place.json launches.0.launch
found 'it is that launch' 502
check 'its partials' get place.json partials.#
found 'they are those of the launch' 24
run export "$trace" --as json --screen chunks --at L502.b3
cp out place.json
"$flashtwin" view "$trace" --plain --screen chunks --at L502.b3 >plain
python3 -c 'import json
for line in json.load(open("place.json"))["lines"]: print(line["text"])' >lines
same 'a screen in JSON is --plain' plain lines

### perfetto

run export "$trace" --as perfetto
cp out time.json
check 'timeline of a GPU' perfetto time.json launches
found 'two tracks, every step and kernel' \
	'2 tracks 79 steps flash_decode_chunk flash_decode_reduce kv_scatter'
run export hostile.twin --as perfetto --force -o time.json
check 'timeline of the simulator' perfetto time.json logical
run export "$graph" --as perfetto
cp out time.json
check 'timeline of graphs' perfetto time.json launches
result 'graph launches have a track' "$(grep -q '"graph launches"' out || echo 'no such track')"
run export "$trace" --as perfetto --at s4
cp out time.json
check 'timeline of one step' perfetto time.json launches
found 'only one step' '2 tracks 1 steps flash_decode_chunk flash_decode_reduce kv_scatter'

### npz

run export "$trace" --as npz --at L1246 -o c.npz
check 'maxima of chunks' npz c.npz L1246.partial.max '<f4' 1x8x3 \
	$(sql 'SELECT max_bits FROM v_partial WHERE launch = 1246 ORDER BY head, chunk')
check 'sums of chunks' npz c.npz L1246.partial.sum '<f4' 1x8x3 \
	$(sql 'SELECT sum_bits FROM v_partial WHERE launch = 1246 ORDER BY head, chunk')
check 'accumulators' npz c.npz L1246.partial.acc '<f4' 1x8x3x64 \
	$(sql "WITH RECURSIVE e (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM e WHERE i < 63)
	SELECT f32_bits(data(acc_data), acc_offset / 4 + i) FROM e, v_partial
	WHERE launch = 1246 AND head = 0 AND chunk = 0 ORDER BY i")
check 'log-sum-exp' npz c.npz L1246.partial.lse '<f8' 1x8x3
check 'queries' npz c.npz L1246.arg.q '<f4' 1x8x64 \
	$(sql "SELECT f32_bits(data(o.data), 0) FROM v_op o JOIN v_buffer b USING (run, buffer)
	WHERE b.name = 'q' AND o.kind = 'upload' AND o.op < (SELECT op FROM v_launch
	WHERE launch = 1246) ORDER BY o.op DESC LIMIT 1")
check 'a KV cache, known up to its length' npz c.npz buffer.k_cache.3.known '|b1' 1x2x96x64 1
check 'its rows' npz c.npz buffer.k_cache.3 '<f4' 1x2x96x64 \
	$(sql "SELECT f32_bits(data(o.data), k.source_offset / 4) FROM v_kv k
	JOIN v_op o ON o.run = k.run AND o.op = k.source_op WHERE k.tensor = 'k' AND k.layer = 3
	AND k.position = 0 AND k.kv_head = 0")
run export "$trace" --as npz --at L1247 -o r.npz
check 'factors of a reduction' npz r.npz L1247.reduce.factor '<f8' 1x8x3
check 'its output' npz r.npz L1247.arg.out '<f4' 1x8x64 \
	$(sql 'SELECT f32_bits(data(data), 0) FROM v_digest WHERE launch = 1247')
check 'names of its arrays' names r.npz
result 'a launch without partials has no partial arrays' "$(grep partial found)"
run export "$trace" --as npz --at L1247 -o again.npz; same 'the same place, the same bytes' r.npz again.npz
run export "$trace" --as npz -o last.npz
check 'npz without --at' names last.npz
result 'it holds the last launch' "$(grep -q '^L1263.arg.out$' found || cat found)"
run export "$trace" --as npz --at s4 -o step.npz
check 'npz of a step' names step.npz
result 'it holds all launches of the step' "$([ "$(grep -c 'arg.out$' found)" -eq 4 ] || cat found)"
if python3 -c 'import numpy' 2>/dev/null; then
	numpy=python3
elif /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	numpy=/usr/bin/python3
fi
if [ -n "${numpy-}" ]; then
	$numpy -c 'import numpy
z = numpy.load("c.npz")
m, s, w = (z["L1246.partial." + n] for n in ("max", "sum", "share"))
lse = m.astype("f8") + numpy.log(s)
assert numpy.allclose(lse, z["L1246.partial.lse"])
assert numpy.allclose(w.sum(axis=2), 1)
k = z["buffer.k_cache.3"][0, 0, :78]
assert numpy.isfinite(k).all()
assert not numpy.isfinite(z["buffer.k_cache.3"][0, 0, 78:]).any()
' >found 2>&1
	result 'NumPy reads it' "$(cat found)"
else
	skip 'NumPy reads it' 'no numpy'
fi

# Floats of 16 and 8 bits: NumPy has f16; bf16 is stored as uint16 with .bf16 in its name, e4m3 as
# uint8.
npy x.npy '(6,)' 6
cat >half.cu <<'CU'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
__global__ void half_and_half(const float *x, __half *h, __nv_bfloat16 *b, __nv_fp8_e4m3 *e, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		h[i] = __float2half(x[i]);
		b[i] = __float2bfloat16(x[i]);
		e[i] = __nv_fp8_e4m3(x[i]);
	}
}
CU
run launch half.cu --kernel half_and_half --grid 1 --block 8 --arg x=@x.npy --arg 'h=>h.npy:f16[6]' \
	--arg 'b=>b.npy:bf16[2,3]' --arg 'e=>e.npy:e4m3[6]' --arg n=i32:6 --log partials -o half.twin
if [ "$code" -eq 0 ]; then
	run export half.twin --as npz -o half.npz
	check 'f16' npz half.npz L0.arg.h '<f2' 6 15360 16384 16896
	check 'bf16' npz half.npz L0.arg.b.bf16 '<u2' 2x3 16256 16384 16448
	check 'e4m3' npz half.npz L0.arg.e.e4m3 '|u1' 6 56 64 68
	run launch half.cu --kernel half_and_half --grid 1 --block 8 --arg x=@x.npy --arg h=null \
		--arg b=null --arg 'e=<>e.npy' --arg n=i32:0 -o again.twin
	expect 'e4m3 is read as it was written' 0
	run sql half.twin "SELECT dtype FROM v_buffer WHERE name = 'e'"
	result 'a trace has the type' "$(grep -q '^e4m3$' out || cat out)"
else
	skip '16-bit floats' "$(tail -n 1 err)"
fi

### errors

run export "$trace";                    expect 'no format' 2 '--as FORMAT is missing'; one_line 'flashtwin export: '
run export "$trace" --as pdf;           expect 'an unknown format' 2 '--as: expected svg, png, html, json, perfetto or npz, got pdf'
run export --as svg;                    expect 'no trace' 2 'expected a trace: there is no last run'
run export "$trace" --as svg --screen x; expect 'an unknown screen' 2 '--screen: expected step, summary, .* or findings, got x'
run export "$trace" --as svg --at L9999; expect 'no such launch' 2 'has no launch L9999'
run export "$trace" --as json --at s999; expect 'no such step' 2 'has no step s999'
run export "$trace" --as npz --at r2.L1; expect 'no such run' 2 'has 1 run, not r2'
run export "$trace" --as perfetto --at 'op 99999'; expect 'no such operation' 2 'has no op 99999'
run export "$trace" --as svg --at bad;  expect 'no address' 2 '--at bad'
run export "$trace" --as npz --screen kv; expect 'a screen for npz' 2 'npz is about no screen'
run export "$trace" "$trace" --as npz;  expect 'two traces for npz' 2 'npz is made of one trace'
run export no.twin --as svg;            expect 'no such trace' 2 'no.twin'
run export "$trace" --as svg -o no/x.svg; expect 'no such directory' 2 'no/x.svg: cannot write'
cp "$trace" own.twin
chmod u+w own.twin
ln own.twin also.twin
for format in svg npz; do
	run export own.twin --as $format --force -o also.twin
	one_line 'flashtwin export: '
	expect "$format over its own trace" 2 '-o also.twin is the trace that is exported'
done
run export "$trace" own.twin --as svg --force -o own.twin
expect 'over the second trace' 2 '-o own.twin is the trace that is exported'
ln -s own.twin link.twin
run replay own.twin --force -o link.twin
one_line 'flashtwin replay: '
expect 'a replay over its own trace' 2 '-o link.twin is the trace that is replayed'
result 'the trace is unchanged' "$(cmp "$trace" own.twin 2>&1)"
run export "$trace" --as html --steps 9-3
expect 'the last step before the first' 2 '--steps 9-3: the last step comes before the first'
echo mine >mine.svg
run export "$trace" --as svg -o mine.svg; expect 'an existing file' 2 'mine.svg: file exists'
result 'it is not replaced' "$([ "$(cat mine.svg)" = mine ] || echo 'it was replaced')"
run export "$trace" --as svg --force -o mine.svg; expect '--force' 0
result '--force replaces the file' "$(grep -q '<svg' mine.svg || echo 'it was not')"
run export "$trace" --as svg --at L9999 --force -o mine.svg
result 'an error leaves the existing file' "$(grep -q '<svg' mine.svg || echo 'it did not')"
result 'and no temporary file' "$(ls mine.svg.tmp.* 2>/dev/null)"
if [ -e /dev/full ]; then
	"$flashtwin" export "$trace" --as json >/dev/full 2>err
	code=$?
	: >out
	expect 'a full disk' 2 'standard output: '
	run export "$trace" --as npz -o /dev/full; expect 'a full disk, with -o' 2 '/dev/full'
fi
"$flashtwin" export "$trace" --as npz | head -c 1 >out 2>err
result 'a reader that exits early' "$(cat err)"
# ended SIGNAL CODE: SIGNAL during an export to a file ends it with CODE and removes the file.
being_written() {
	ls ended.html.tmp.* >/dev/null 2>&1
}
ended() {
	env --default-signal="$1" "$flashtwin" export "$trace" --as html -o ended.html >out 2>err &
	until_true being_written || echo 'ended: no temporary file was made' >>err
	kill -s "$1" $!
	wait $! 2>/dev/null
	code=$?
	ls ended.html* >>err 2>/dev/null
	! grep -q ended err || code=97
	expect "SIG$1 leaves nothing behind" "$2"
}
ended INT 130
ended TERM 143
ended HUP 129
head -c 200000 "$trace" >cut.twin
for format in svg json perfetto npz; do
	run export cut.twin --as $format -o cut.out
	expect "a damaged trace as $format" 6 'cut.twin'
done
# With bytes overwritten anywhere, export fails or writes a file, but does not crash.
for at in 5000 60000 400000 1500000 3000000; do
	cp "$trace" hurt.twin
	chmod u+w hurt.twin
	printf 'damage damage damage' | dd of=hurt.twin bs=1 seek=$at conv=notrunc 2>/dev/null
	for format in svg json perfetto npz; do
		run export hurt.twin --as $format --at s40 -o hurt.out --force
		case $code in
		0|2|6) result "damage at $at as $format" ;;
		*) result "damage at $at as $format" "exit code $code: $(cat err)" ;;
		esac
	done
done

plan
