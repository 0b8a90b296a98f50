#!/bin/sh
# test_kv_dtype.sh - `--kv-dtype` of attend and decode: the files that each type of keys and values takes, errors,
# and traces of them: replayed, compared, checked and drawn.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}

# The numbers of k and v are those of e4m3, which all types have. 2 sequences, 2 KV heads, 150 keys.
python3 - <<'PY' || exit 99
import struct

def npy(name, descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head = head.ljust(117) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)

def value(code):
    m, e = code & 7, code >> 3 & 15
    return (-1 if code & 128 else 1) * ((8 + m) * 2.0 ** (e - 10) if e else m * 2.0 ** -9)

state = 1
def noise():
    global state
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state >> 8

def bf16(x):
    return struct.pack('<f', x)[2:]

shape, count = (2, 2, 150, 64), 2 * 2 * 150 * 64
for name in 'kv':
    codes = bytes(noise() % 0x48 | noise() % 2 << 7 for _ in range(count))
    values = [value(c) for c in codes]
    npy(name + '.f32', '<f4', shape, struct.pack('<%df' % count, *values))
    scaled = [x * (0.5 if i // (150 * 64) % 2 == 0 else 3) for i, x in enumerate(values)]
    npy(name + '.scaled', '<f4', shape, struct.pack('<%df' % count, *scaled))
    npy(name + '.f16', '<f2', shape, struct.pack('<%de' % count, *values))
    for descr in '<V2', '|V2', '<u2':
        npy(name + descr[1:] + descr[0] + '.16', descr, shape, b''.join(map(bf16, values)))
    for descr in '<V1', '|V1', '|u1':
        npy(name + descr[1:] + descr[0] + '.8', descr, shape, codes)
npy('q', '<f4', (2, 8, 64), struct.pack('<1024f', *(noise() / 2 ** 22 - 1 for _ in range(1024))))
npy('ones', '<f4', (2,), struct.pack('<2f', 1, 1))
npy('halves', '<f4', (2,), struct.pack('<2f', 0.5, 0.5))
npy('two', '<f4', (2,), struct.pack('<2f', 0.5, 3))
npy('negative', '<f4', (2,), struct.pack('<2f', 1, -2))
npy('nan', '<f4', (2,), struct.pack('<2f', float('nan'), 1))
npy('three', '<f4', (3,), struct.pack('<3f', 1, 1, 1))
PY

ladder='attend --path ladder --q q --lengths 150,37'
run $ladder --rung 5 --k k.f32 --v v.f32 --out wanted --no-record
expect 'f32' 0

# same NAME OPTIONS...: the output has the bits of f32.
same() {
	name=$1
	shift
	rm -f o
	run $ladder "$@" --out o --no-record
	expect "$name runs" 0
	result "$name has the bits of f32" "$(cmp o wanted 2>&1)"
}
same 'f16' --rung 6 --k k.f16 --v v.f16
same 'f16 by name' --rung 5 --k k.f16 --v v.f16 --kv-dtype f16
same 'bf16' --rung 6 --k 'kV2<.16' --v 'vV2|.16'
same 'bf16 by name' --rung 5 --k 'kV2|.16' --v 'vV2<.16' --kv-dtype bf16
same 'bf16 in u16' --rung 5 --k 'ku2<.16' --v 'vu2<.16' --kv-dtype bf16
same 'e4m3 on rung 5' --rung 5 --k 'kV1<.8' --v 'vV1|.8' --kv-dtype e4m3
same 'e4m3 in u8' --rung 6 --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --k-scale ones
same 'a graph' --rung 6 --k k.f16 --v v.f16 --graph capture

# tensor NAME RUNG TYPE OPTIONS...: tensor cores give the same bits on each rung, and the numbers of
# f32 to 14 bits, or with e4m3 to 10; but not the bits.
tensor() {
	name=$1 rung=$2 type=$3
	shift 3
	[ -f "wanted.$type" ] || run $ladder --rung 7 "$@" --out "wanted.$type" --no-record
	run $ladder --rung "$rung" "$@" --out o --no-record
	expect "$name runs" 0
	result "$name has the bits of rung 7" "$(cmp o "wanted.$type" 2>&1)"
	bits=14
	[ "$type" != e4m3 ] || bits=10
	result "$name has the numbers of f32" "$(python3 - $bits o wanted <<-'PY'
	import struct, sys
	a, b = (struct.unpack('<1024f', open(name, 'rb').read()[128:]) for name in sys.argv[2:])
	worst = max(abs(x - y) for x, y in zip(a, b))
	if not 0 < worst < 2 ** -int(sys.argv[1]):
	    print('difference', worst)
	PY
	)"
}
tensor 'f16 on rung 9' 9 f16 --k k.f16 --v v.f16
tensor 'f16 on the best rung, from a graph' 13 f16 --k k.f16 --v v.f16 --graph capture
tensor 'bf16 on rung 10' 10 bf16 --k 'kV2<.16' --v 'vV2|.16'
tensor 'bf16 on the best rung' best bf16 --k 'ku2<.16' --v 'vu2<.16' --kv-dtype bf16
tensor 'e4m3 on rung 11' 11 e4m3 --k 'kV1<.8' --v 'vV1|.8' --kv-dtype e4m3

run $ladder --rung 5 --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --v-scale halves --out o \
	--no-record
result 'a scale has an effect' "$(cmp -s o wanted && echo 'it has none')"

# --- errors ---

run $ladder --k 'ku2<.16' --v 'vu2<.16'
expect 'u16' 2 '^flashtwin attend: --k ku2<.16: dtype u16 needs --kv-dtype bf16$'
run $ladder --k 'kV1<.8' --v 'vV1<.8'
expect 'e4m3 without its name' 2 '^flashtwin attend: --k kV1<.8: dtype V1 needs --kv-dtype e4m3$'
run $ladder --k 'ku1|.8' --v 'vu1|.8'
expect 'u8' 2 '^flashtwin attend: --k ku1|.8: dtype u8 needs --kv-dtype e4m3$'
run $ladder --k k.f32 --v v.f32 --kv-dtype bf16
expect 'f32 for bf16' 2 \
	'^flashtwin attend: --k k.f32: --kv-dtype bf16 takes dtype bf16 or u16, got f32$'
run $ladder --k 'kV2<.16' --v 'vV2<.16' --kv-dtype f16
expect 'bf16 for f16' 2 '--kv-dtype f16 takes dtype f16, got bf16$'
run $ladder --k k.f16 --v v.f32
expect 'two types' 2 '^flashtwin attend: --v v.f32: expected dtype f16, got f32$'
run $ladder --k k.f16 --v v.f16 --rung 4
expect 'another rung' 2 'a KV cache of f16 has no rung 4; it has 5 to 7, 9, 10 and 13$'
run $ladder --k k.f32 --v v.f32 --rung 7
expect 'tensor cores for f32' 2 'a KV cache of f32 has no rung 7; it has 0 to 6, 9, 10 and 13$'
run $ladder --k k.f16 --v v.f16 --rung 11
expect 'rung 11 of f16' 2 'a KV cache of f16 has no rung 11; it has 5 to 7, 9, 10 and 13$'
run $ladder --k k.f16 --v v.f16 --rung 3
expect 'a rung that is a path of f32' 2 'which needs --path ladder: rungs 5 to 7, 9, 10 and 13 take it$'
run attend --q q --k k.f16 --v v.f16
expect 'another path' 2 \
	'of f32, got f16, which needs --path ladder: rungs 5 to 7, 9, 10 and 13 take it$'
run attend --q q --k k.f32 --v v.f32 --path prefill --kv-dtype f32
expect 'prefill' 2 '^flashtwin attend: --kv-dtype is of decode steps, --path prefill takes f32$'
run $ladder --k k.f16 --v v.f16 --k-scale ones
expect 'a scale of f16' 2 '^flashtwin attend: --k-scale needs --kv-dtype e4m3$'
run $ladder --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --v-scale three
expect 'too many scales' 2 '^flashtwin attend: --v-scale three: expected shape (2,), got (3,)$'
run $ladder --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --k-scale negative
expect 'a negative scale' 2 \
	'^flashtwin attend: --k-scale negative: expected finite scales above 0, that of KV head 1 is -2$'
run $ladder --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --v-scale nan
expect 'NaN as a scale' 2 \
	'^flashtwin attend: --v-scale nan: expected finite scales above 0, that of KV head 0 is nan$'
run $ladder --k k.f16 --v v.f16 --kv-dtype e5m2
expect 'an unknown type' 2 '--kv-dtype: expected f32, f16, bf16 or e4m3, got e5m2$'

# --- traces ---

# Rung 5 is that of decode, below.
for rung in 7 9 10; do
	case $rung in
	7) type=bf16; files='--k kV2<.16 --v vV2<.16' ;;
	9) type=f16; files='--k k.f16 --v v.f16' ;;
	*) type=e4m3; files='--k ku1|.8 --v vu1|.8 --kv-dtype e4m3 --k-scale halves' ;;
	esac
	run $ladder --rung $rung $files --check --log points -o "$type.twin"
	expect "$type: no findings" 0
	run replay "$type.twin" --seed 3
	expect "$type: replayed" 0
	run verify "$type.twin"
	expect "$type: verified" 0
	run $ladder --rung $rung $files --log points --seed 5 -o again.twin --force
	run diff "$type.twin" again.twin
	expect "$type: no difference at another seed" 0
	run sql "$type.twin" "SELECT DISTINCT dtype FROM v_buffer WHERE name = 'k_cache.0'"
	result "$type: the cache's type" "$(grep -qx "$type" out || cat out)"
	attend=L$((2 + (rung == 9)))    # after a plan
	for screen in step kv chunks reduce source points; do
		run view "$type.twin" --plain --screen $screen --at $attend
		expect "$type: screen $screen" 0
	done
	run export "$type.twin" --as npz --at $attend -o "$type.npz"
	expect "$type: npz" 0
	run export "$type.twin" --as json -o "$type.json"
	expect "$type: json" 0
done
run view f16.twin --plain --screen kv --at L3
cp out f16.kv
run $ladder --rung 9 --k k.f32 --v v.f32 --log points -o f32.twin
run view f32.twin --plain --screen kv --at L3
cp out f32.kv
grep ' L2$\| load$' f16.kv >f16.rows
grep ' L2$\| load$' f32.kv >f32.rows
result 'rows of the cache have their values' \
	"$(cmp f16.rows f32.rows 2>&1; [ "$(wc -l <f32.rows)" -gt 4 ] || cat f32.kv)"

# Values of e4m3 are shown with the scales of their KV heads, which are named.
run $ladder --rung 5 --k k.scaled --v v.scaled --log points -o f32.twin --force
run $ladder --rung 5 --k 'ku1|.8' --v 'vu1|.8' --kv-dtype e4m3 --k-scale two --v-scale two \
	--log points -o e4m3.twin --force
for head in 0 1; do
	for type in f32 e4m3; do
		run view $type.twin --plain --screen kv --at L2.b$head
		cp out $type.kv
		grep ' L1$\| load$' $type.kv >$type.rows
	done
	result "KV head $head: values of e4m3 with their scales" \
		"$(cmp e4m3.rows f32.rows 2>&1; [ "$(wc -l <f32.rows)" -gt 4 ] || cat f32.kv)"
done
result 'the scales are named' "$(grep -q 'k_scale 3, v_scale 3$' e4m3.kv || cat e4m3.kv)"
result 'f32 has none' "$(grep scale f32.kv)"
run view e4m3.twin --plain --screen step --at L2
result 'the Step screen has no unknown values' "$(grep -n nan out)"

# --- decode: new keys and values are rounded ---

decode='decode --prompt ROMEO: --path ladder'
run decode --prompt ROMEO: -n 8 --no-record
cp out wanted.txt
run decode --prompt ROMEO: -n 0 --log partials -o long.twin
expect 'a prompt with f32' 0
run export long.twin --as npz -o long.npz
for type in f16 bf16 e4m3; do
	run $decode --kv-dtype $type -n 0 --log partials -o short.twin --force
	expect "decode: a prompt with $type" 0
	run export short.twin --as npz -o short.npz --force
	# Keys of layer 0 do not depend on what an earlier layer read from its cache.
	python3 - $type >found 2>&1 <<'PY'
import struct, sys, zipfile

def array(file, name):
    data = zipfile.ZipFile(file).read(name + '.npy')
    return data[10 + struct.unpack('<H', data[8:10])[0]:]

kind = sys.argv[1]
wide = array('long.npz', 'buffer.k_cache.0')
wide = struct.unpack('<%df' % (len(wide) // 4), wide)
name = 'buffer.k_cache.0' + ('' if kind == 'f16' else '.' + kind)
narrow = array('short.npz', name)
if kind == 'e4m3':
    values = [(-1) ** (c >> 7) * ((8 + (c & 7)) * 2.0 ** ((c >> 3 & 15) - 10) if c & 0x78
              else (c & 7) * 2.0 ** -9) for c in narrow]
elif kind == 'f16':
    values = struct.unpack('<%de' % len(wide), narrow)
else:
    values = [struct.unpack('<f', b'\0\0' + narrow[2 * i:2 * i + 2])[0] for i in range(len(wide))]
fraction = {'f16': 11, 'bf16': 8, 'e4m3': 4}[kind]
least = {'f16': 2.0 ** -24, 'bf16': 2.0 ** -133, 'e4m3': 2.0 ** -9}[kind]
compared = 0
for x, y in zip(wide, values):
    if x == x:
        compared += 1
        assert abs(x - y) <= max(abs(x) * 2.0 ** -fraction, least / 2), (x, y)
assert compared >= 6 * 64, compared
PY
	result "decode: keys of $type are rounded" "$(cat found)"
	run $decode --kv-dtype $type -n 8 --check --log partials -o short.twin --force
	expect "decode with $type: no findings" 0
	[ $type = e4m3 ] || result "decode with $type: the reply" "$(cmp out wanted.txt 2>&1)"
	run sql short.twin "SELECT DISTINCT dtype FROM v_buffer WHERE name GLOB '[kv]_cache.*'"
	result "decode with $type: the caches" "$([ "$(cat out)" = $type ] || cat out)"
	run verify short.twin
	expect "decode with $type: verified" 0
	run replay short.twin --seed 2
	expect "decode with $type: replayed" 0
done
run $decode --prompt KING: --kv-dtype bf16 -n 4 --graph capture --out-dir replies
expect 'decode: two prompts, from a graph' 0
run $decode --prompt KING: --kv-dtype bf16 -n 4 --rung 5 --out-dir again
result 'decode: the same without a graph, on rung 5' "$(diff -r replies again)"
run decode --prompt ROMEO: --kv-dtype bf16
expect 'decode: another path' 2 \
	'of f32, got bf16, which needs --path ladder: rungs 5 to 7, 9, 10 and 13 take it$'

plan
