#!/bin/sh
# test_q_dtype.sh - `attend --q-dtype` and `--out-dtype`: queries of f16 and bf16 give the bits of
# the same queries in f32, on every path, and the output file has those of the f32 output, rounded.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

cat >files.py <<'PY'
import struct

def npy(name, descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    head = head.ljust(117) + '\n'
    start = b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode()
    open(name, 'wb').write(start + data)

def read(name):
    """descr, shape and the bytes of the elements."""
    data = open(name, 'rb').read()
    start = 10 + struct.unpack('<H', data[8:10])[0]
    head = eval(data[10:start])
    return head['descr'], head['shape'], data[start:]

def f16(bits):
    """The bits of a float of 32 bits, rounded to f16."""
    if bits & 0x7fffffff > 0x7f800000:
        return 0x7fff
    value = struct.unpack('<f', struct.pack('<I', bits))[0]
    try:
        return struct.unpack('<H', struct.pack('<e', value))[0]
    except OverflowError:
        return bits >> 16 & 0x8000 | 0x7c00

def bf16(bits):
    if bits & 0x7fffffff > 0x7f800000:
        return 0x7fff
    return bits + 0x7fff + (bits >> 16 & 1) >> 16
PY

# 2 sequences of 4 query heads on 2 KV heads, 40 keys, D 64. q.TYPE.f32 has the numbers of q.TYPE.
python3 - <<'PY' || exit 99
import struct
from files import *

state = 1
def noise():
    global state
    state = (state * 1103515245 + 12345) % 2 ** 31
    return (state >> 8) / 2 ** 22 - 1

def floats(count):
    return [struct.unpack('<I', struct.pack('<f', noise()))[0] for _ in range(count)]

def pack(code, bits):
    return struct.pack('<%d%s' % (len(bits), code), *bits)

q = floats(512)
q[3] = 0x00000001               # zero in f16, and in bf16
q[4] = 0x33c00000               # a subnormal of f16
q[70] = 0x80000000
for shape, name in ((2, 4, 64), 'q'), ((4, 64), 'flat'), ((8, 2, 32), 'many'):
    bits = q[:256] if name == 'flat' else q
    npy(name, '<f4', shape, pack('I', bits))
    half = list(map(f16, bits))
    npy(name + '.f16', '<f2', shape, pack('H', half))
    numbers = struct.unpack('<%de' % len(half), pack('H', half))
    npy(name + '.f16.f32', '<f4', shape, struct.pack('<%df' % len(half), *numbers))
    half = list(map(bf16, bits))
    for descr, suffix in ('<V2', '.bf16'), ('|V2', '.bar'), ('<u2', '.u16'):
        npy(name + suffix, descr, shape, pack('H', half))
    npy(name + '.bf16.f32', '<f4', shape, pack('I', [h << 16 for h in half]))
npy('tiled.f16', '<f2', (8, 1, 64), read('q.f16')[2])
npy('tiled.f16.f32', '<f4', (8, 1, 64), read('q.f16.f32')[2])
for name in 'kv':
    bits = floats(2 * 2 * 40 * 64)
    npy(name, '<f4', (2, 2, 40, 64), pack('I', bits))
    npy(name + '.flat', '<f4', (2, 40, 64), pack('I', bits[:2 * 40 * 64]))
    npy(name + '.many', '<f4', (4, 40, 32), pack('I', bits[:4 * 40 * 32]))
    npy(name + '.tiled', '<f4', (4, 40, 64), pack('I', bits[:4 * 40 * 64]))
npy('q.f64', '<f8', (2, 4, 64), bytes(8 * 512))
npy('q.u8', '|u1', (2, 4, 64), bytes(512))

# One key has the weight 1: these are the outputs. Ties, carries, the ends of each type, NaN.
row = [0x3f801000, 0x3f803000, 0x3f801001, 0x3f800fff, 0x3f808000, 0x3f818000, 0x3f808001,
       0x3f807fff, 0x477fefff, 0x477ff000, 0xc77fefff, 0xc77ff000, 0x477fe000, 0x47800000,
       0xff7fffff, 0x7f7f7fff, 0x7f7f8000, 0xff7f8000, 0x7f800000, 0xff800000, 0x7fc00000,
       0xffc00001, 0x7f800001, 0xffffffff, 0x33000000, 0x33000001, 0xb3000000, 0x33bfffff,
       0x33c00000, 0x387fe000, 0x387fdfff, 0x387fffff, 0x38800000, 0x3effffff, 0x3fffffff,
       0xbfffffff, 0x00800000, 0x80800000, 0x3f7fffff, 0x42f6e979]
row += floats(64 - len(row))
npy('v.one', '<f4', (2, 1, 64), pack('I', row + row[::-1]))
npy('k.one', '<f4', (2, 1, 64), pack('I', floats(128)))
PY

cat >rounded.py <<'PY'
# rounded.py FILE TYPE WANTED: whether FILE has TYPE, and the rounded bits of WANTED, which is f32.
import struct, sys
from files import *
descr, shape, data = read(sys.argv[1])
_, wanted_shape, wanted = read(sys.argv[3])
kind = sys.argv[2]
if descr != {'f32': '<f4', 'f16': '<f2', 'bf16': '<V2'}[kind]:
    print('descr', descr)
if shape != wanted_shape:
    print('shape', shape, wanted_shape)
bits = struct.unpack('<%dI' % (len(wanted) // 4), wanted)
code, convert = {'f32': ('I', int), 'f16': ('H', f16), 'bf16': ('H', bf16)}[kind]
if data != struct.pack('<%d%s' % (len(bits), code), *map(convert, bits)):
    got = struct.unpack('<%d%s' % (len(data) // struct.calcsize(code), code), data)
    wrong = [(b, convert(b), g) for b, g in zip(bits, got) if g != convert(b)]
    print(*['%08x: expected %x, got %x' % w for w in wrong[:5]], sep='\n')
PY
rounded() {
	result "$1" "$(python3 rounded.py "$2" "$3" "$4" 2>&1)"
}

# --- q ---

# widened NAME Q TYPE OPTIONS...: Q gives the bits of its numbers in f32, and by default an output
# of TYPE. A NAME with "by name" has the option.
widened() {
	name=$1 q=$2 type=$3
	shift 3
	rm -f wanted o short
	run attend --q "${q%.*}.$type.f32" "$@" --out wanted --no-record
	expect "$name in f32" 0
	case $name in
	*'by name') set -- "$@" --q-dtype $type ;;
	esac
	run attend --q "$q" "$@" --out o --out-dtype f32 --no-record
	expect "$name" 0
	result "$name has the bits of f32" "$(cmp o wanted 2>&1)"
	run attend --q "$q" "$@" --out short --no-record
	rounded "$name has an output of its type" short "$type" wanted
}

widened 'flash-decoding, f16' q.f16 f16 --k k --v v
widened 'flash-decoding, bf16' q.bf16 bf16 --k k --v v --lengths 40,0
widened 'another V2' q.bar bf16 --k k --v v
widened 'u16, bf16 by name' q.u16 bf16 --k k --v v
widened 'f16 by name' q.f16 f16 --k k --v v
widened 'one sequence, by name' flat.bf16 bf16 --k k.flat --v v.flat
widened 'prefill' many.f16 f16 --path prefill --causal --k k.many --v v.many
widened 'prefill, by name' many.u16 bf16 --path prefill --k k.many --v v.many
widened 'prefill-tiled' tiled.f16 f16 --path prefill-tiled --k k.tiled --v v.tiled
widened 'batched' q.f16 f16 --path batched --k k --v v
widened 'a graph' q.bf16 bf16 --path flash-decoding-graph --k k --v v
for path in cached incremental incremental-multiwarp 'ladder --rung 0'; do
	widened "$path" flat.f16 f16 --path $path --k k.tiled --v v.tiled
done
for rung in 4 5 9; do
	widened "rung $rung" q.bf16 bf16 --path ladder --rung $rung --k k --v v
done
run attend --q q --k k --v v --out o --no-record
run attend --q q.f16.f32 --k k --v v --out wanted --no-record
result 'queries have an effect' "$(cmp -s o wanted && echo 'they have none')"

ladder='attend --path ladder --k k --v v --no-record'
run $ladder --q q.f16.f32 --lse wanted.lse --out wanted
run $ladder --q q.f16 --lse o.lse --out o --out-dtype bf16
expect 'log-sum-exps' 0
result 'log-sum-exps are f32' "$(cmp o.lse wanted.lse 2>&1)"
rounded 'next to an output of bf16' o bf16 wanted

# --- out ---

one='attend --k k.one --v v.one --no-record'
run $one --q flat --out wanted
expect 'one key' 0
result 'the output is the values' "$(python3 - <<'PY' 2>&1
from files import *
values, out = read('v.one')[2], read('wanted')[2]
for i in range(16), range(24, 40):
    for j in i:
        if out[4 * j:4 * j + 4] != values[4 * j:4 * j + 4]:
            print(j, values[4 * j:4 * j + 4], out[4 * j:4 * j + 4])
PY
)"
for type in f32 f16 bf16; do
	run $one --q flat --out o --out-dtype $type
	expect "an output of $type" 0
	rounded "$type: ties, NaN and numbers without an equal" o $type wanted
done
run $one --q flat.f16 --out o --out-dtype bf16
rounded 'q of f16 with an output of bf16' o bf16 wanted
run $one --q flat.bf16 --out o --json
expect 'JSON' 0
rounded 'JSON, and q of bf16' o bf16 wanted

# --- errors ---

files='--k k --v v'
run attend $files --q q.u16
expect 'u16' 2 '^flashtwin attend: --q q.u16: dtype u16 needs --q-dtype bf16$'
run attend $files --q q.u16 --q-dtype f16
expect 'u16 for f16' 2 '^flashtwin attend: --q q.u16: --q-dtype f16 takes dtype f16, got u16$'
run attend $files --q q --q-dtype bf16
expect 'f32 for bf16' 2 '^flashtwin attend: --q q: --q-dtype bf16 takes dtype bf16 or u16, got f32$'
run attend $files --q q.f64
expect 'f64' 2 '^flashtwin attend: --q q.f64: expected dtype f32, f16 or bf16, got f64$'
run attend $files --q q.u8
expect 'u8' 2 '^flashtwin attend: --q q.u8: expected dtype f32, f16 or bf16, got u8$'
run attend --path prefill --q many.u16 --k k.many --v v.many
expect 'prefill of u16' 2 '^flashtwin attend: --q many.u16: dtype u16 needs --q-dtype bf16$'
for type in e4m3 f64; do
	run attend $files --q q --q-dtype "$type"
	expect "--q-dtype '$type'" 2 "--q-dtype: expected f32, f16 or bf16, got $type$"
	run attend $files --q q --out o --out-dtype "$type"
	expect "--out-dtype '$type'" 2 "--out-dtype: expected f32, f16 or bf16, got $type$"
done
run attend $files --q q --out-dtype f16
expect 'no output' 2 '^flashtwin attend: --out-dtype needs --out$'
run attend --q flat.f16 $files
expect 'another shape' 2 \
	'^flashtwin attend: --k k: expected 3 dimensions, got 4: shape (2, 2, 40, 64)$'

# --- traces ---

run attend $files --q q.bf16.f32 --log points -o wide.twin
expect 'a trace of f32' 0
run attend $files --q q.u16 --q-dtype bf16 --out o --out-dtype f16 --log points -o narrow.twin
expect 'a trace of bf16' 0
run diff wide.twin narrow.twin
expect 'no difference' 0
run verify narrow.twin
expect 'verified' 0
run replay narrow.twin --seed 3
expect 'replayed' 0
run sql narrow.twin "SELECT DISTINCT dtype FROM v_buffer WHERE name IN ('q', 'out')"
result 'buffers are f32' "$([ "$(cat out)" = f32 ] || cat out)"
run export narrow.twin --as npz -o narrow.npz
expect 'exported' 0
run attend $files --q q.u16 --q-dtype bf16 --out o --out-dtype f16 --no-record --json
result 'the request has the types' "$(python3 - <<'PY' 2>&1
import json
asked = json.load(open('out'))['asked']
if (asked.get('q_dtype'), asked.get('out_dtype')) != ('bf16', 'f16'):
    print(asked)
PY
)"
run attend $files --q q --out o --no-record --json
result 'that of f32 has none' "$(grep -o '"[a-z]*_dtype"[^,]*' out)"

plan
