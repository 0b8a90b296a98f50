#!/usr/bin/env python3
"""cases.py - runs every kernel of this directory with `flashtwin launch` and checks the results.

Expected values are computed here, in double precision or integers. Needs only Python. Prints TAP.

    cases.py FLASHTWIN [DEVICE [NAME...]]

DEVICE is sim (the default), cuda or both; both also requires equal bits. Files named errors_* must
fail to compile on the simulator, with one clear line and exit code 3; they are skipped on a GPU.
"""
import ast
import bisect
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

sys.dont_write_bytecode = True          # sources may be read-only
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from limits import limit        # noqa: E402
import cub_order as cub         # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = {'f32': ('<f4', 'f'), 'f64': ('<f8', 'd'), 'f16': ('<f2', 'e'), 'bf16': ('<V2', 'H'),
          'i32': ('<i4', 'i'), 'u32': ('<u4', 'I'), 'i64': ('<i8', 'q'), 'u64': ('<u8', 'Q'),
          'u8': ('|u1', 'B'), 'i8': ('|i1', 'b'), 'i16': ('<i2', 'h'), 'u16': ('<u2', 'H'),
          'bool': ('|b1', '?')}


def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def f16(x):
    return struct.unpack('<e', struct.pack('<e', x))[0]


def bf16_bits(x):
    """Rounds to nearest even; x is finite and exact in float."""
    bits = struct.unpack('<I', struct.pack('<f', x))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def bf16(x):
    return struct.unpack('<f', struct.pack('<I', bf16_bits(x) << 16))[0]


class Array:
    """An input array; with inout, it is changed in place."""
    def __init__(self, dtype, values, inout=False):
        self.dtype, self.values, self.inout = dtype, list(values), inout


class Out:
    def __init__(self, dtype, shape):
        self.dtype, self.shape = dtype, shape


def write_npy(path, array):
    descr, code = DTYPES[array.dtype]
    values = array.values
    if array.dtype == 'bf16':
        values = [bf16_bits(v) for v in values]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (descr, len(values))
    with open(path, 'wb') as out:
        out.write(b'\x93NUMPY\x01\x00\x76\x00' + header.ljust(117).encode() + b'\n')
        out.write(struct.pack('<%d%s' % (len(values), code), *values))


def read_npy(path):
    with open(path, 'rb') as file:
        data = file.read()
    length = struct.unpack('<H', data[8:10])[0]
    descr = ast.literal_eval(data[10:10 + length].decode())['descr']
    dtype = next(d for d in DTYPES if DTYPES[d][0] == descr)
    body = data[10 + length:]
    code = DTYPES[dtype][1]
    values = struct.unpack('<%d%s' % (len(body) // struct.calcsize(code), code), body)
    if dtype == 'bf16':
        values = [struct.unpack('<f', struct.pack('<I', v << 16))[0] for v in values]
    return list(values)


class Case:
    """One launch. expected: name -> values; tolerance is relative to 1 + |value|, 0 means equal.
    fails: (exit code, patterns of the message), if the launch must fail."""
    def __init__(self, file, kernel, grid, block, args, expected=None, tolerance=0.0, shared=0,
                 says=None, fails=None, options=(), gpu=True, env=()):
        self.__dict__.update(locals())

    def command(self, flashtwin, device, folder):
        words = [flashtwin, 'launch', self.file, '--kernel', self.kernel, '--grid', self.grid,
                 '--block', self.block, '--shared', str(self.shared), '--device', device]
        for name, value in self.args.items():
            path = os.path.join(folder, name + '.npy')
            if isinstance(value, Array):
                write_npy(path, value)
                value = ('<>' if value.inout else '@') + path
            elif isinstance(value, Out):
                value = '>%s:%s[%s]' % (path, value.dtype, value.shape)
            words += ['--arg', '%s=%s' % (name, value)]
        return words + [option.format(folder=folder) for option in self.options]

    def wrong(self, flashtwin, device):
        """Runs the launch; returns the error, or ''."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                ran = subprocess.run(self.command(flashtwin, device, folder), cwd=HERE,
                                     env=dict(os.environ, XDG_STATE_HOME=folder,
                                              XDG_CACHE_HOME=folder, **dict(self.env)),
                                     capture_output=True, text=True, timeout=limit(60))
            except subprocess.TimeoutExpired:
                return 'did not end within %g s' % limit(60)
            if self.fails:
                return self.wrong_failure(ran)
            if ran.returncode:
                return 'exit code %d\n%s' % (ran.returncode, ran.stderr)
            if self.says is not None and ran.stdout != self.says * (1 + (device == 'both')):
                return 'said %r' % ran.stdout
            for name, values in (self.expected or {}).items():
                wrong = self.wrong_values(name, read_npy(os.path.join(folder, name + '.npy')),
                                          values)
                if wrong:
                    return wrong
        return ''

    def wrong_failure(self, ran):
        code, *patterns = self.fails
        if ran.returncode != code:
            return 'exit code %d, expected %d\n%s' % (ran.returncode, code, ran.stderr)
        missing = [p for p in patterns if p not in ran.stderr]
        if missing:
            return 'no %r in\n%s' % (missing[0], ran.stderr)
        return ''

    def wrong_values(self, name, got, wanted):
        if len(got) != len(wanted):
            return '%s: %d values, expected %d' % (name, len(got), len(wanted))
        for i, (a, b) in enumerate(zip(got, wanted)):
            if b is not None and not abs(a - b) <= self.tolerance * (1 + abs(b)):
                return '%s[%d] is %r, expected %r' % (name, i, a, b)
        return ''


# --- inputs ---

def ramp(n, step=0.25, low=-3.0):
    """Values with period 29 that are exact in half precision."""
    return [low + step * (i * 7 % 29) for i in range(n)]


def integers(n, modulus=97):
    return [i * 31 % modulus for i in range(n)]


# --- the cases ---

def vector_add():
    a, b = ramp(1000), ramp(1000, 0.5)
    return Case('vector_add.cu', 'vectorAdd', '8', '128',
                {'a': Array('f32', a), 'b': Array('f32', b), 'c': Out('f32', 1000),
                 'numElements': 'i32:1000'}, {'c': [x + y for x, y in zip(a, b)]})


def reduce_shuffle():
    x = integers(5000)
    return Case('reduce_shuffle.cu', 'reduceKernel', '3', '256',
                {'in': Array('i32', x), 'out': Array('i32', [0], True), 'N': 'u64:5000'},
                {'out': [sum(x)]})


def scan_inclusive():
    x = integers(64)
    return Case('scan.cu', 'hillis_steele', '1', '64',
                {'g_idata': Array('i32', x), 'g_odata': Out('i32', 64), 'n': 'i32:64'},
                {'g_odata': [sum(x[:i + 1]) for i in range(64)]}, shared=512)


def scan_exclusive():
    x = integers(128)
    return Case('scan.cu', 'blelloch<128>', '1', '64',
                {'in': Array('i32', x), 'out': Out('i32', 128)},
                {'out': [sum(x[:i]) for i in range(128)]})


def histogram():
    x = integers(3000, 251)
    return Case('histogram.cu', 'histogram', '4', '128',
                {'data': Array('u8', x), 'n': 'u64:3000', 'hist': Array('u32', [0] * 64, True)},
                {'hist': [sum(v % 64 == b for v in x) for b in range(64)]})


def matmul():
    m, n, k = 19, 21, 35
    a, b = ramp(m * k), ramp(k * n, 0.5)
    return Case('matmul.cu', 'matmul<16>', '2,2', '16,16',
                {'A': Array('f32', a), 'B': Array('f32', b), 'C': Out('f32', '%d,%d' % (m, n)),
                 'M': 'i32:%d' % m, 'N': 'i32:%d' % n, 'K': 'i32:%d' % k},
                {'C': [sum(a[i * k + t] * b[t * n + j] for t in range(k))
                       for i in range(m) for j in range(n)]})


def transpose():
    w, h = 40, 33
    x = ramp(w * h)
    return Case('transpose.cu', 'transposeNoBankConflicts', '2,2', '32,8',
                {'odata': Out('f32', w * h), 'idata': Array('f32', x), 'width': 'i32:40',
                 'height': 'i32:33'}, {'odata': [x[r * w + c] for c in range(w) for r in range(h)]})


def softmax_rows(x, n, c):
    out = []
    for r in range(n):
        e = [math.exp(v - max(x[r * c:r * c + c])) for v in x[r * c:r * c + c]]
        out += [v / sum(e) for v in e]
    return out


def softmax():
    x = ramp(6 * 50)
    return Case('softmax.cu', 'softmax_forward', '2', '128',
                {'out': Out('f32', '6,50'), 'inp': Array('f32', x), 'N': 'i32:6', 'C': 'i32:50'},
                {'out': softmax_rows(x, 6, 50)}, 1e-6)


def layernorm():
    rows, cols = 3, 200
    x, gamma, want = ramp(rows * cols), ramp(cols, 0.125, 0.5), []
    for r in range(rows):
        row = x[r * cols:r * cols + cols]
        mean = sum(row) / cols
        inv = 1 / math.sqrt(sum((v - mean) ** 2 for v in row) / cols + 1e-5)
        want += [(v - mean) * inv * g for v, g in zip(row, gamma)]
    return Case('layernorm.cu', 'layernorm', '3', '128',
                {'x': Array('f32', x), 'gamma': Array('f32', gamma), 'y': Out('f32', rows * cols),
                 'cols': 'i32:%d' % cols, 'eps': 'f32:1e-5'}, {'y': want}, 2e-6,
                shared=4 * cols + 16)


def flash_attention():
    n, d, b = 32, 8, 16
    q, k, v = ramp(n * d, 0.125), ramp(n * d, 0.25), ramp(n * d, 0.5)
    scores = [d ** -0.5 * sum(q[i * d + t] * k[j * d + t] for t in range(d))
              for i in range(n) for j in range(n)]
    p = softmax_rows(scores, n, n)
    return Case('flash_attention.cu', 'forward_kernel', '1,1', str(b),
                {'Q': Array('f32', q), 'K': Array('f32', k), 'V': Array('f32', v),
                 'N': 'i32:32', 'd': 'i32:8', 'Tc': 'i32:2', 'Tr': 'i32:2', 'Bc': 'i32:16',
                 'Br': 'i32:16', 'softmax_scale': 'f32:%r' % d ** -0.5,
                 'l': Array('f32', [0] * n, True), 'm': Array('f32', [-math.inf] * n, True),
                 'O': Array('f32', [0] * (n * d), True)},
                {'O': [sum(p[i * n + j] * v[j * d + t] for j in range(n))
                       for i in range(n) for t in range(d)]}, 1e-5, shared=4 * (3 * b * d + b * b))


def half_axpy():
    x, y = ramp(64), ramp(64, 0.5)
    return Case('half2_math.cu', 'axpy', '1', '32',
                {'n': 'i32:64', 'a': 'f16:0.333', 'x': Array('f16', x),
                 'y': Array('f16', y, True)},
                {'y': [f16(f16(0.333) * a + b) for a, b in zip(x, y)]})


def half_mixed():
    x = ramp(64)
    lo, hi = [f16(2 * v) + 1 for v in x[::2]], [f16(3 * v) - 1 for v in x[1::2]]
    out, packed = [], []
    for a, b in zip(lo, hi):
        packed += [f16(a + a), f16(b + a)]
        out += [a + a + b, (-b if a > b else b) + 4 + max(a, b)]
    return Case('half2_math.cu', 'mixed', '1', '32',
                {'x': Array('f16', x), 'out': Out('f32', 64), 'packed': Out('f16', 64)},
                {'out': out, 'packed': packed})


def half_shuffled():
    x = integers(32, 29)
    return Case('half2_math.cu', 'shuffled', '1', '32',
                {'x': Array('f16', x), 'y': Out('f16', 32)}, {'y': [sum(x)] * 32})


def bf16_scale():
    x = ramp(40)
    return Case('bf16_math.cu', 'scale', '2', '32',
                {'x': Array('bf16', x), 'y': Out('bf16', 40), 's': 'f32:0.3', 'n': 'i32:40'},
                {'y': [bf16(f32(f32(0.3) * v)) for v in x]})


def bf16_packed():
    x = ramp(64)
    y = [bf16(bf16(v / 2) ** 2 + v) for v in x]
    z = []
    for a, b in zip(y[::2], y[1::2]):
        s = bf16(a + b)
        s = bf16(bf16(s + s) - 1)
        z.append(f32(f32(s + max(a, b)) + (a < b)))
    return Case('bf16_math.cu', 'packed', '1', '32',
                {'x': Array('bf16', x), 'y': Out('bf16', 64), 'z': Out('f32', 32)},
                {'y': y, 'z': z})


def include():
    x = ramp(32)
    params = struct.unpack('<24B', struct.pack('<ifiiq', 30, 0.5, 1, 0, 7))
    y = [0.5 * (v - (i % 8 + 1)) * (-1 if i & 1 else 1) + 107 for i, v in enumerate(x)]
    return Case('include.cu', 'apply', '1', '32',
                {'p': Array('u8', params), 'x': Array('f32', x),
                 'y': Array('f32', [0] * 32, True), 'counted': Out('u32', 1)},
                {'y': y[:30] + [0, 0], 'counted': [1]})


def macro_names():
    return Case('macro_names.cu', 'named', '1', '32', {'out': Out('i32', 32)},
                {'out': [5 * i + 3 for i in range(32)]})


def classes():
    x = ramp(32)
    total = sum(2 * (v + 1) + 2 * 2 * 2 + 3 * (2 * 3 - 1) for v in x)
    return Case('classes.cu', 'run', '1', '32', {'in': Array('f32', x), 'out': Out('f32', 96)},
                {'out': [v + w for v, w in zip(x, x[::-1])] + [total + 7] * 32
                 + [127 + 32100 + (1 + v + 3) + (2 + 4) for v in x]})


def atomics():
    x = ramp(128)
    return Case('atomics.cu', 'all', '4', '32',
                {'x': Array('f32', x), 'largest': Array('f32', [-100], True),
                 'sum': Array('f64', [0], True), 'guarded': Array('i32', [0], True),
                 'misc': Array('u32', [0, 0, 500, 0, 0, 200], True)},
                {'largest': [max(x)], 'sum': [sum(x)], 'guarded': [4],
                 'misc': [42, 0xffffffff, 0, 0, 128, 72]})


def grid_sync():
    x = integers(128)
    return Case('grid_sync.cu', 'two_phases', '4', '32',
                {'in': Array('i32', x), 'middle': Out('i32', 128), 'out': Out('i32', 128)},
                {'out': [2 * v for v in x[::-1]]})


def warp_words():
    x, full = integers(32, 29), 0xffffffff
    rows = []

    def row(f):
        rows.extend(f(i, v) & full for i, v in enumerate(x))

    def ffs(v):
        return (v & -v).bit_length()

    def bytes_of(v):
        return struct.pack('<I', v & full)

    row(lambda i, v: sum((w & 1) << j for j, w in enumerate(x)))
    row(lambda i, v: sum(1 << j for j, w in enumerate(x) if w % 4 == v % 4))
    row(lambda i, v: full & 1)
    row(lambda i, v: sum(x))
    row(lambda i, v: max(x))
    row(lambda i, v: bin(v).count('1') + (32 - v.bit_length()) * 100 + ffs(v) * 10000)
    row(lambda i, v: int('{:032b}'.format(v)[::-1], 2))
    row(lambda i, v: struct.unpack('<I', bytes((bytes_of(v) + bytes_of(0x01020304))[n]
                                               for n in (1, 3, 5, 7)))[0])
    row(lambda i, v: (((0x80000001 << 32) | v) << 4) >> 32)
    row(lambda i, v: ((v * 0x10000001 & full) * 0x12345678 >> 32) + 3 * v + 5 * v)
    row(lambda i, v: abs(v - 10) + 1 + abs(v - 3) + 2 + (v + 2 >> 1) + (v + 3 >> 1))
    row(lambda i, v: (0 in x) + 2)
    row(lambda i, v: x[max(i - 1, 0)] + x[i // 8 * 8 + 3])
    row(lambda i, v: (0x123456789abcdef * v & (1 << 64) - 1) * 0xfedcba987654321 >> 64)
    row(lambda i, v: v * 10 + 7)
    row(lambda i, v: struct.unpack('<I', bytes((a + b) & 255 for a, b in zip(
        bytes_of(v), bytes_of(0x01010101))))[0] + bin(0xff00ff00ff * v).count('1') + 63 - i)
    row(lambda i, v: 1 if i < 16 else 2)
    row(lambda i, v: round(v * 0.5) + math.ceil(f32(v * f32(0.3))) + int(v * 1.5))
    row(lambda i, v: v + v + 3)
    row(lambda i, v: max(v, 3) + min(7, v) + 4 + 0x3ff80000)
    return Case('warp_words.cu', 'warp', '1', '32',
                {'in': Array('i32', x), 'out': Out('u32', len(rows))}, {'out': rows})


def groups():
    x = integers(64, 61)

    def eight(i):
        return x[i // 8 * 8:i // 8 * 8 + 8]

    out = [sum(x)] + [-1] * 63
    sixteen = [sum(x[i:i + 16]) if i % 16 == 0 else None for i in range(64)]
    out += sixteen + [sum(eight(i)) for i in range(64)]
    out += [min(eight(i)) + eight(i)[0] + x[i ^ 1] for i in range(64)]
    out += [2 * sum(eight(i)[:i % 8]) + x[i] for i in range(64)]
    out += [i // 8 * 100 + 8 + (3 in eight(i)) for i in range(64)]
    out += [2 if i % 2 else 1 for i in range(64)]
    out += [64 + i for i in range(64)]
    return Case('groups.cu', 'all', '1', '64', {'in': Array('i32', x), 'out': Out('i32', 512)},
                {'out': out}, shared=256)


def group_parts():
    x = integers(64, 61)
    x = [abs(v) for v in x]

    def members(i, key):
        return [k for k in range(i // 32 * 32, i // 32 * 32 + 32) if key(x[k]) == key(x[i])]

    odd = [members(i, lambda v: v % 2) for i in range(64)]
    out = [sum(x)] + [-1] * 63
    out += [(-1 if i % 4 else sum(x[i:i + 4])) + 4000 for i in range(64)]
    out += [len(m) * 100 + m.index(i) + x[i] % 2 * 10000 for i, m in enumerate(odd)]
    for i, m in enumerate(odd):
        rank = m.index(i)
        out.append(x[m[0]] + x[m[max(rank - 1, 0)]] + x[m[rank + 2 if rank + 2 < len(m) else rank]])
    out += [sum(1 << k for k, n in enumerate(m) if x[n] > 30)
            ^ any(x[n] == 3 for n in m) << 16 ^ 1 << 17 for m in odd]
    label = [members(i, lambda v: v % 3) for i in range(64)]
    groups = [len({x[k] % 3 for k in range(w, w + 32)}) for w in (0, 32)]
    out += [len(m) * 100 + groups[i // 32] * 10 + m.index(i) for i, m in enumerate(label)]
    for i, m in enumerate(label):
        rank = m.index(i)
        out.append(min(2, len(m) - rank // 2 * 2) * 100 + rank // 2 * 10 + rank % 2)
    out += [x[(i + 1) % 32 + i // 32 * 32] + (i + 1) % 32 + i // 32 * 32 for i in range(64)]
    out += [1] * 64
    for i in range(64):
        o, rank, m = odd[i], odd[i].index(i), label[i]
        out.append(sum(x[k] for k in o) + sum(x[k] for k in o[:rank + 1]) * 100
                   + sum(x[k] for k in m[:m.index(i)]) * 10000)
    return Case('group_parts.cu', 'parts', '1', '64',
                {'in': Array('i32', x), 'out': Out('i32', 640)}, {'out': out})


def wide_tiles():
    x = [abs(v) + 1 for v in integers(256, 77)]
    out = []
    for n in (64, 128, 256):
        first = [i // n * n for i in range(256)]
        out += [i % n + 1000 * n + 1000000 * (i // n) for i in range(256)]
        out += [x[f + n - 3] + (x[5] in x[f:f + n]) * 1000 + 10000 for f in first]
        out += [sum(x[f:f + n]) for f in first] + [min(x[f:f + n]) for f in first]
        out += [sum(x[f:i + 1]) for i, f in enumerate(first)]
        out += [sum(x[f:i]) for i, f in enumerate(first)]
        out += [i % 32 // 4 * 10001 + 800 for i in range(256)] + [7 * f for f in first]
    return Case('wide_tiles.cu', 'tiles', '1', '256',
                {'in': Array('i32', x), 'out': Out('i32', 6144)}, {'out': out})


def tile_sync():
    return Case('wide_tiles.cu', 'tile_sync', '1', '256', {'out': Out('i32', 256)},
                {'out': [(i ^ 32) + (2 if i // 64 % 2 else 0) for i in range(256)]},
                options=['--check', '--all-orders', '5'], gpu=False)


def tile_floats():
    x = [math.sin(3 * i) * 10 ** (i % 5) for i in range(256)]

    def tree(v):
        while len(v) > 1:
            v = [f32(a + b) for a, b in zip(v[:len(v) // 2], v[len(v) // 2:])]
        return v[0]

    def scan(v):
        step = 1
        while step < len(v):
            v = [f32(v[i] + v[i - step]) if i >= step else v[i] for i in range(len(v))]
            step *= 2
        return v

    x = [f32(v) for v in x]
    total, inclusive, exclusive = [], [], []
    for first in (0, 128):
        warps = [x[w:w + 32] for w in range(first, first + 128, 32)]
        total += [tree([tree(w) for w in warps])] * 128
        scans = [scan(w) for w in warps]
        before = [None] + scan([s[31] for s in scans])[:3]
        for own, b in zip(scans, before):
            inclusive += own if b is None else [f32(v + b) for v in own]
            exclusive += [0.0 if b is None else b]
            exclusive += own[:31] if b is None else [f32(v + b) for v in own[:31]]
    return Case('wide_tiles.cu', 'tile_floats', '1', '256',
                {'in': Array('f32', x), 'out': Out('f32', 768)}, {'out': total + inclusive + exclusive})


def group_updates():
    x = [abs(v) for v in integers(128, 79)]
    end = sum(x) + 100 + sum(x[:32]) + 1000 + sum(x[64:])
    out = [end] * 128 + [None] * 128 + [max(x[w:w + 32]) for w in range(0, 128, 32)] + [None] * 28
    out += [100 + sum(x[:i + 1]) for i in range(32)]
    out += [1000 + sum(x[64:64 + i]) for i in range(64)] + [101] * 128
    return Case('wide_tiles.cu', 'updates', '1', '128',
                {'in': Array('i32', x), 'out': Array('i32', [0] * 512, True)},
                {'out': [0 if v is None else v for v in out]})


def numbered(options=()):
    values, votes, out = list(range(32)), [0] * 32, []
    for turn in range(3):
        values = [10 * turn + i for i in range(32)]
        votes = [votes[i] + values[31 - i] for i in range(32)]
        values = [votes[31 - i] for i in range(32)]
    out = values + votes + [5400 + 10 + (i > 64) * 0 for i in range(64, 128)]
    return Case('wide_tiles.cu', 'numbered', '1', '128', {'out': Out('i32', 256)},
                {'out': out + values * 4}, options=options, gpu=not options)


def numbered_checked():
    return numbered(['--check', '--all-orders', '5'])


def numbered_race():
    return Case('wide_tiles.cu', 'numbered_race', '1', '64', {'out': Out('i32', 64)},
                fails=(4, 'race-shared', 'wide_tiles.cu:135'), options=['--check'], gpu=False)


def numbered_wrong():
    return Case('barrier_wrong.cu', 'numbered_wrong', '1', '64', {'out': Out('i32', 64)},
                fails=(1, 'bar.sync', 'barrier 1 for 40 threads: expected a multiple of 32'), gpu=False)


def printing():
    lines = ['Hello from block 0, thread 0', 'Hello from block 0, thread 1',
             '   42|42   |00042|+42|ff|FF|0xff|10', '0.500000 0.500 5.000000e-01 0.5       0.50|',
             'text c % -5 5 6 %zu', 'no newline']
    return Case('printing.cu', 'hello', '1', '2', {'f': 'f32:0.5'}, says='\n'.join(lines) + '\n')


def printing_odd():
    """CUDA's guide lists the formats that printf supports. An H200 printed %zu unchanged, but some
    of these crashed its driver (580), which formats on the host: only the simulator runs this."""
    numbers = list(range(1, 32)) + [3]
    lines = ['%zu %Lf %jd %td %q %5n %y 1',
             '   42|-3|1099511627776|010| 7|0x1p-1|2.000000|s       |(nil)', '  1', '%',
             ' '.join(map(str, numbers)) + ' %d %s']
    return Case('printing_odd.cu', 'odd', '1', '1', {}, says='\n'.join(lines) + '\n',
                gpu=False)


def named(kernel, value, n=None):
    def make():
        args = {'out': Array('i32', [0], True)}
        if n is not None:
            args['n'] = 'i32:%d' % n
        return Case('names.cu', kernel, '1', '1', args, {'out': [value]})
    make.__name__ = 'named_' + kernel.split('<')[0].replace(':', '_')
    return make


def points():
    x = integers(70)
    return Case('points.cu', 'running<float>', '1', '32',
                {'x': Array('f32', x), 'sums': Out('f32', 32), 'n': 'i32:70'},
                {'sums': [sum(x[t::32]) for t in range(32)]},
                options=('-o', '{folder}/points.twin', '--log', 'points'))


def templates(*options):
    x = integers(50)
    padded = x + [0] * 14
    out = [sum(padded[(t + 1) % 16 * 4:(t + 1) % 16 * 4 + 4]) + 20 + 3 + 6 + 2 * 16
           for t in range(16)]
    return Case('templates.cu', 'work<int, 16, false>', '1', '16',
                {'in': Array('i32', x), 'out': Out('i32', 16), 'n': 'i32:50'}, {'out': out},
                options=options)


def templates_checked():
    return templates('--check')


def templates_bounds():
    return Case('templates.cu', 'work<float, 16>', '1', '32',
                {'in': Array('f32', [0]), 'out': Out('f32', 32), 'n': 'i32:1'},
                fails=(1, 'work', '16'))


def overload():
    return Case('overloads.cu', 'k(int*, int)', '1', '2', {'x': Out('i32', 2), 'n': 'i32:9'},
                {'x': [9, 9]})


def overload_template():
    return Case('overloads.cu', 't<float>(float *, float)', '1', '1',
                {'x': Out('f32', 1), 'y': 'f32:2.5'}, {'x': [2.5]})


def overload_unclear():
    return Case('overloads.cu', 'k', '1', '2', {},
                fails=(2, "k(float *) at line 2", "k(int *, int) at line 3"))


def quotient(a, b, bits, signed):
    """Quotient and remainder as on a GPU: a division by zero gives all ones. In 64 bits, a dividend
    that fits into 32 bits is divided in 32 bits."""
    mask = (1 << bits) - 1
    if b == 0:
        ones = 0xffffffff if bits == 64 and not (a & mask) >> 32 else -1 if signed else mask
        return ones, ones
    if not signed:
        a, b = a & mask, b & mask
    q = abs(a) // abs(b)
    q = -q if (a < 0) != (b < 0) else q
    return q, a - q * b


def division(kernel, dtype, bits, a, b):
    out = []
    for x, y in zip(a, b):
        out += quotient(x, y, bits, True)
        if bits >= 32:
            out += [v - (1 << bits) if v >> (bits - 1) else v
                    for v in quotient(x, y, bits, False)]
    return Case('division.cu', kernel, '1', str(len(a)),
                {'a': Array(dtype, a), 'b': Array(dtype, b), 'out': Out(dtype, len(out))},
                {'out': out})


def division32():
    return division('divide', 'i32', 32, [7, -7, 0, 9, -(1 << 31)], [2, 0, 0, -4, 0])


def division64():
    return division('divide64', 'i64', 64, [7, -7, 0, 1 << 40, -(1 << 63)], [2, 0, 0, -4, 0])


def division_products():
    a, b, c = [7, 7, 9, -8], [2, 0, 0, 0], [100, 100, -3, 5]
    out = []
    for x, y, z in zip(a, b, c):
        q, r = quotient(x, y, 32, True)
        out += [z - q * y, q, r + 1]
    return Case('division.cu', 'products', '1', str(len(a)),
                {'a': Array('i32', a), 'b': Array('i32', b), 'c': Array('i32', c),
                 'out': Out('i32', len(out))}, {'out': out})


def division_min():
    out = [-(1 << 31), 0, 0, -(1 << 31)]
    return Case('division.cu', 'divide', '1', '1',
                {'a': Array('i32', [-(1 << 31)]), 'b': Array('i32', [-1]), 'out': Out('i32', 4)},
                {'out': out})


def copy4():
    x = ramp(64)
    return Case('vectors.cu', 'copy4', '1', '16',
                {'in': Array('f32', x), 'out': Out('f32', 64), 'n': 'i32:64'},
                {'out': [v if i % 4 else -v for i, v in enumerate(x)]})


def async_copy():
    x = ramp(64)
    return Case('async_copy.cu', 'two_groups', '1', '32',
                {'in': Array('f32', x), 'out': Out('f32', 64)},
                {'out': x[31::-1] + [0.0] * 16 + x[47:31:-1]})


def async_stages(options=()):
    x = ramp(128)
    return Case('async_copy.cu', 'stages', '1', '32',
                {'in': Array('f32', x), 'out': Out('f32', 128)},
                {'out': [x[i + 31 - t] for i in range(0, 128, 32) for t in range(32)]},
                options=list(options))


def async_stages_checked():
    return async_stages(['--check'])


def bulk_stages(options=()):
    x = ramp(320)
    return Case('async_bulk.cu', 'stages', '1', '96',
                {'in': Array('f32', x), 'out': Out('f32', 320), 'n': 'i32:320'},
                {'out': [2 * x[i + 63 - t] for i in range(0, 320, 64) for t in range(64)]},
                options=list(options))


def bulk_stages_checked():
    return bulk_stages(['--check'])


def bulk_stages_ordered():
    return bulk_stages(['--check', '--seed', '3'])


def bulk_small_copies(options=()):
    x = ramp(128)
    return Case('async_bulk.cu', 'small_copies', '1', '32',
                {'in': Array('f32', x), 'out': Out('f32', 128)},
                {'out': [v + 1 for v in x[:125]] + [1.0] * 3}, options=list(options))


def bulk_small_copies_checked():
    return bulk_small_copies(['--check'])


def bulk_nobody_arrives():
    return Case('async_bulk.cu', 'nobody_arrives', '1', '32', {'out': Out('f32', 32)}, gpu=False,
                fails=(1, 'deadlock in nobody_arrives', 'mbarrier_wait', 'async_bulk.cu:76'))


def copies_once(options=()):
    x = ramp(256)
    places = [(5 * t + 3) % 32 for t in range(32)]
    copied = [0.0] * 256
    for i in range(2):
        for t in range(32):
            at = 128 * i + 4 * places[t]
            if t % 3 != i:
                copied[at:at + 4] = x[128 * i + 4 * t:128 * i + 4 * t + 4]
    return Case('async_bulk.cu', 'copies_once', '1', '32',
                {'in': Array('f32', x), 'places': Array('i32', places), 'out': Out('f32', 256)},
                {'out': [v + 1 for v in copied]},
                options=list(options))


def copies_once_checked():
    return copies_once(['--check'])


def cluster_sums(options=(), size=4):
    x = ramp(64 * 2 * size)
    def block(b):
        first = b // size * size
        return [sum(x[64 * (first + r) + 63 - t] for r in range(size)) + 1000 * (b % size)
                for t in range(64)]
    return Case('clusters.cu', 'sums', str(2 * size), '64',
                {'x': Array('f32', x), 'out': Out('f32', len(x))},
                {'out': [v for b in range(2 * size) for v in block(b)]},
                options=['--cluster', str(size)] + list(options))


def cluster_sums_alone():
    x = ramp(64 * 3)
    return Case('clusters.cu', 'sums', '3', '64', {'x': Array('f32', x), 'out': Out('f32', 64 * 3)},
                {'out': [x[64 * b + 63 - t] for b in range(3) for t in range(64)]})


def cluster_sums_16():
    return cluster_sums(size=16)


def cluster_sums_checked():
    return cluster_sums(['--check'])


def cluster_sums_ordered():
    return cluster_sums(['--check', '--seed', '3'])


def cluster_histogram(options=()):
    n, x = 50, [i * 31 % 64 for i in range(8 * 50)]
    halves = [x[:4 * n], x[4 * n:]]
    return Case('clusters.cu', 'histogram', '8', '64',
                {'x': Array('i32', x), 'out': Out('i32', 8 * 16), 'n': 'i32:%d' % n},
                {'out': [half.count(bin) for half in halves for bin in range(64)]},
                options=['--cluster', '4'] + list(options))


def cluster_histogram_checked():
    return cluster_histogram(['--check', '--seed', '2'])


def cluster_split(options=()):
    x = integers(6 * 32)
    def block(b):
        after = b // 3 * 3 + (b + 1) % 3
        return [3 * x[32 * b + t] + x[32 * after + t] for t in range(32)]
    return Case('clusters.cu', 'split', '6', '32',
                {'x': Array('i32', x), 'out': Out('i32', 6 * 32)},
                {'out': [v for b in range(6) for v in block(b)]},
                options=['--cluster', '3'] + list(options))


def cluster_split_checked():
    return cluster_split(['--check', '--seed', '4'])


def cluster_rows(options=()):
    x = ramp(6 * 32)
    def block(b):
        row = x[32 * (b // 3 * 3 + (b + 2) % 3):][:32]
        return [row[31 - t] + 110 * row[t] + 2000 * row[t // 2] + x[t] for t in range(32)]
    return Case('clusters.cu', 'rows', '6', '32',
                {'x': Array('f32', x), 'out': Out('f32', 6 * 32)},
                {'out': [v for b in range(6) for v in block(b)]},
                options=['--cluster', '3'] + list(options))


def cluster_rows_checked():
    return cluster_rows(['--check', '--seed', '1'])


def cluster_groups(options=()):
    def row(x, y):
        column, rank = x % 2, x % 2 + 2 * (y % 2)
        after, before = (rank + 1) % 4, (rank + 3) % 4
        return [32, 7 + before, 8 * rank + 7, rank, 4, 32, column, y % 2, 4 * column + 3,
                2 * (y % 2) + 1, 2, 2, 8, 4, after, rank, 2, x // 2, x // 2, 2, 1, 0, 1, 4]
    return Case('clusters.cu', 'groups', '4,2', '4,2', {'out': Out('i32', 24 * 8)},
                {'out': [v for y in range(2) for x in range(4) for v in row(x, y)]},
                options=list(options))


def cluster_groups_named():
    return cluster_groups(['--cluster', '2,2'])


def cluster_groups_other():
    return Case('clusters.cu', 'groups', '4,2', '4,2', {'out': Out('i32', 24 * 8)},
                options=['--cluster', '4'],
                fails=(1, 'clusters of (4,1,1) blocks; groups has (2,2,1) by __cluster_dims__'))


def cluster_refused(size, says):
    x = ramp(64 * 8)
    return Case('clusters.cu', 'sums', '8', '64',
                {'x': Array('f32', x), 'out': Out('f32', 64 * 8)}, options=['--cluster', size],
                gpu=False, fails=(1, says))


def cluster_not_divisible():
    return cluster_refused('3', 'a grid of (8,1,1) blocks is not divisible into clusters of '
                                '(3,1,1)')


def cluster_too_large():
    return cluster_refused('17', 'clusters of (17,1,1) blocks; the maximum is 16')


def cluster_of_nothing():
    x = ramp(64)
    return Case('clusters.cu', 'sums', '1', '64', {'x': Array('f32', x), 'out': Out('f32', 64)},
                options=['--cluster', '2,0'], fails=(2, '--cluster', '2,0'))


def cluster_returns_early():
    return Case('clusters.cu', 'returns_early', '2', '32',
                {'x': Array('i32', [1, 2]), 'out': Out('i32', 2)}, gpu=False,
                options=['--cluster', '2'],
                fails=(1, '(719)', 'the shared memory of a block that has exited', 'clusters.cu:160'))


def cluster_returns_early_checked():
    return Case('clusters.cu', 'returns_early', '2', '32',
                {'x': Array('i32', [1, 2]), 'out': Out('i32', 2)}, gpu=False,
                options=['--cluster', '2', '--check'],
                fails=(4, 'cluster-lifetime in returns_early', '(719)', 'clusters.cu:160'))


def ptx_bulk(options=()):
    x = ramp(320)
    return Case('ptx_bulk.cu', 'stages', '1', '64',
                {'in': Array('f32', x), 'out': Out('f32', 384), 'n': 'i32:320'},
                {'out': [2 * x[i + 63 - t] for i in range(0, 320, 64) for t in range(64)]
                 + list(range(64))}, options=list(options))


def ptx_bulk_checked():
    return ptx_bulk(['--check', '--seed', '2'])


def stencil():
    x = integers(50)
    return Case('vectors.cu', 'stencil_1d', '2', '32',
                {'in': Array('i32', x), 'out': Out('i32', 50), 'n': 'i32:50'},
                {'out': [sum(x[max(i - 2, 0):i + 3]) for i in range(50)]})


def volume():
    size = struct.unpack('<12B', struct.pack('<iii', 5, 3, 2))
    return Case('vectors.cu', 'volume', '2,1,1', '4,4,2',
                {'size': Array('u8', size), 'out': Out('u8', 120)},
                {'out': [v for z in range(2) for y in range(3) for x in range(5)
                         for v in (x, y, z, 24)]})


def misaligned():
    return Case('misaligned.cu', 'read4', '1', '1',
                {'in': Array('f32', [1] * 8), 'out': Out('f32', 1)},
                fails=(1, 'CUDA_ERROR_MISALIGNED_ADDRESS (716)', 'misaligned address'))


def misaligned_int():
    return Case('misaligned.cu', 'read_int', '1', '4',
                {'in': Array('i8', [1] * 16), 'out': Out('i32', 4)},
                fails=(1, 'CUDA_ERROR_MISALIGNED_ADDRESS (716)', 'misaligned address'))


def gelu():
    x = ramp(100)
    c = math.sqrt(2 / math.pi)
    return Case('gelu.cu', 'gelu', '1', '128',
                {'out': Out('f32', 100), 'inp': Array('f32', x), 'N': 'i32:100'},
                {'out': [0.5 * v * (1 + math.tanh(c * (v + 0.044715 * v ** 3))) for v in x]}, 1e-6)


def silu():
    x = ramp(100)
    return Case('gelu.cu', 'silu', '1', '32',
                {'out': Out('f32', 100), 'inp': Array('f32', x), 'N': 'i32:100'},
                {'out': [v / (1 + math.exp(-v)) for v in x]}, 1e-6)


def mandelbrot():
    def escape(x, y):
        c, z, n = complex(x, y), 0j, 0
        while z.real * z.real + z.imag * z.imag <= 4 and n < 50:
            z, n = z * z + c, n + 1
        return n
    return Case('mandelbrot.cu', 'mandelbrot', '2,2', '8,8',
                {'ptr': Out('u8', 16 * 12), 'w': 'i32:16', 'h': 'i32:12', 'zoom': 'f64:0.25'},
                {'ptr': [escape((x - 8) * 0.25, (y - 6) * 0.25) for y in range(12)
                         for x in range(16)]})


def destructor():
    return Case('destructor.cu', 'guarded', '1', '64',
                {'counter': Array('i32', [5], True), 'out': Out('i32', 64)},
                {'counter': [69], 'out': [11] * 64})


def spmv():
    counts = [0, 3, 40, 1, 7]
    row_ptr = [sum(counts[:i]) for i in range(6)]
    nnz = row_ptr[-1]
    col, val, x = integers(nnz, 23), ramp(nnz), ramp(23, 0.5)
    return Case('spmv.cu', 'spmv<int, float>', '2', '96',
                {'row_ptr': Array('i32', row_ptr), 'col': Array('i32', col),
                 'val': Array('f32', val), 'x': Array('f32', x), 'y': Out('f32', 5),
                 'rows': 'i32:5'},
                {'y': [sum(val[j] * x[col[j]] for j in range(row_ptr[r], row_ptr[r + 1]))
                       for r in range(5)]})


def bitonic():
    x = [i * 7919 % 65521 for i in range(128)]
    return Case('bitonic.cu', 'bitonic_sort', '1', '128', {'values': Array('u16', x, True)},
                {'values': sorted(x)})


def scalars():
    two = struct.unpack('<8B', struct.pack('<if', 3, 0.5))
    return Case('scalars.cu', 'k', '1', '1',
                # In another order than in the kernel.
                {'us': 'u16:60000', 'sc': 'i8:-4', 'flag': 'bool:true', 's': 'i16:-500',
                 'uc': 'u8:200', 'c': 'i8:-3', 'u': 'u32:4000000000', 'l': 'i64:-7', 'ull': 'u64:8',
                 'h': 'f16:0.5', 'b': 'bf16:-1.5', 'd': 'f64:0.25', 'nothing': 'null',
                 'tiny': 'i8:1', 'wide': 'i64:-3', 'mode': 'i32:5',
                 'two': Array('u8', two), 'out': Out('f32', 17)},
                {'out': [1, -3, -4, 200, -500, 60000, 4e9, -7, 8, 0.5, -1.5, 0.25, 1, 3.5,
                         1, 1, 1]})


def active_mask(*options, env=()):
    """Each row: the mask of each lane, which it gets on a GPU too."""
    lanes = range(32)
    out = [0xffffffff for t in lanes]
    out += [0xaaaaaaaa if t % 2 else 0 for t in lanes]
    out += [0xff if t < 8 else 0xffffff00 for t in lanes]
    out += [0xfffff if t < 20 else 0xfff00000 for t in lanes]
    out += [0xfff if t < 12 else 0xfffff001 for t in lanes]
    out += [(32 * 3 + 24) * 3 + 16 if t < 16 else 32 * 3 + 24 if t < 24 else 32 for t in lanes]
    out += [0xfffffff0 if t >= 4 else 0 for t in lanes]
    out += [32 * 3 + 8 if t < 8 else 24 * 3 + 32 for t in lanes]
    out += [0x7fffffdf for t in lanes]
    # The lanes that exit leave their last element as it was.
    return Case('active_mask.cu', 'masks', '1', '32',
                {'in': Array('i32', lanes), 'out': Array('u32', [0x7fffffdf] * 288, True)},
                {'out': out}, options=list(options), env=env, gpu=not options and not env)


def active_mask_checked():
    return active_mask('--check')


def active_mask_c():
    """An empty CXX selects the C compiler."""
    return active_mask(env={'CXX': ''})


def active_mask_c_checked():
    return active_mask('--check', env={'CXX': ''})


def active_mask_ordered():
    """Does not depend on the order."""
    return active_mask('--all-orders', '5', '--check')


def shared_file():
    x = [i % 7 for i in range(64)]
    return Case('shared_file.cu', 'all<float>', '1', '64',
                {'in': Array('f32', x), 'out': Out('f32', 64)},
                {'out': [2 * x[63 - t] * (t + 1) + sum(x) + 5 for t in range(64)]},
                shared=256, options=['--check'])


def shared_file_unused():
    """A kernel that uses none of them has no shared memory: all of it may be dynamic."""
    x = list(range(64))
    return Case('shared_file.cu', 'one', '1', '64',
                {'in': Array('f32', x), 'out': Out('f32', 64)}, {'out': x}, shared=227 << 10)


def clocks():
    """Its numbers are not a GPU's, but a loop that waits for them ends."""
    return Case('clocks.cu', 'waits', '2', '33', {'out': Out('i32', 66)}, {'out': [1] * 66})


def const_pointers():
    return Case('const_pointers.cu', 'pick', '1', '2', {'out': Out('i32', 2)}, {'out': [11, 15]})


def dynamic_types():
    x = ramp(300)
    return Case('dynamic_types.cu', 'reduce<float, 128>', '2', '128',
                {'g_idata': Array('f32', x), 'g_odata': Out('f32', 2), 'n': 'u32:300'},
                {'g_odata': [sum(x[:256]), sum(x[256:])]}, shared=512)


def dynamic_views():
    return Case('dynamic_types.cu', 'views<shape>', '1', '32', {'out': Out('i32', 32)},
                {'out': [31 - t + 100 + 1000 * (t ^ 3) + 100000 for t in range(32)]}, shared=132)


def bounds_of_a_class():
    return Case('dynamic_types.cu', 'bounded', '1', '32', {'out': Out('i32', 32)},
                {'out': [32] * 32})


def imports():
    """Every name that a kernel's object may use is there, with and without the checker."""
    return Case('imports.cu', 'imports', '1', '1', {'out': Out('u64', '80'), 'n': 'i32:3'},
                gpu=False)


def host_class():
    return Case('host_class.cu', 'sizes', '1', '2',
                {'m': Array('u8', struct.pack('<ii', 3, 4)), 'o': Out('f32', 2)},
                {'o': [8, 100]})


def nbody():
    bodies = ramp(4 * 32)
    want = []
    for i in range(32):
        a = [0.0, 0.0, 0.0]
        for j in range(32):
            r = [bodies[4 * j + t] - bodies[4 * i + t] for t in range(3)]
            s = bodies[4 * j + 3] * (sum(v * v for v in r) + 0.01) ** -1.5
            a = [u + v * s for u, v in zip(a, r)]
        want += a + [0]
    return Case('nbody.cu', 'calculate_forces', '2', '16',
                {'devX': Array('f32', bodies), 'devA': Out('f32', 128), 'N': 'i32:32'},
                {'devA': want}, 1e-4, shared=256)


# --- 16-bit floats, by exact fractions ---

class Format:
    """A 16-bit float format: the value of bits, and rounding of fractions to bits."""
    def __init__(self, kind, exponent, fraction):
        self.kind, self.fraction = kind, fraction
        self.min_exponent = 2 - (1 << (exponent - 1))
        self.infinity = ((1 << exponent) - 1) << fraction

    def value(self, bits):
        """A Fraction, or a float for what is not finite."""
        m = bits & 0x7fff
        sign = -1 if bits & 0x8000 else 1
        if m >= self.infinity:
            return math.nan if m > self.infinity else sign * math.inf
        e, f = m >> self.fraction, m & (1 << self.fraction) - 1
        f, e = (f, 1) if e == 0 else (f | 1 << self.fraction, e)
        return sign * Fraction(f) * Fraction(2) ** (e - 1 + self.min_exponent - self.fraction)

    def round(self, x, mode='n', negative=False):
        """Bits of x, a Fraction or a non-finite float; negative: the sign of a zero."""
        if isinstance(x, float):
            return 0x7fff if math.isnan(x) else self.infinity | (0x8000 if x < 0 else 0)
        sign = 0x8000 if x < 0 or (x == 0 and negative) else 0
        a = abs(x)
        e = self.min_exponent
        if a:
            e = max(self.min_exponent, a.numerator.bit_length() - a.denominator.bit_length() - 1)
            while Fraction(2) ** (e + 1) <= a:
                e += 1
        units = a / Fraction(2) ** (e - self.fraction)
        away = mode == ('d' if sign else 'u')
        q = round(units) if mode == 'n' else math.ceil(units) if away else math.floor(units)
        bits = ((e - self.min_exponent) << self.fraction) + q
        if bits >= self.infinity:
            bits = self.infinity if mode == 'n' or away else self.infinity - 1
        return sign | bits


HALF, BF16 = Format('__half', 5, 10), Format('__nv_bfloat16', 8, 7)


def small_unary(f):
    values = [f.value(b) for b in range(65536)]
    out = [0x7fff if v != v else b ^ 0x8000 for b, v in enumerate(values)]
    out += [0x7fff if v != v else b & 0x7fff for b, v in enumerate(values)]
    for call in (math.floor, math.ceil, math.trunc, round):
        out += [f.round(v if isinstance(v, float) else Fraction(call(v)), 'n', b >> 15)
                for b, v in enumerate(values)]
    out += [f.round(math.nan if v != v or v < 0 else v if v == math.inf
                    else Fraction(math.sqrt(v)), 'n', b >> 15) for b, v in enumerate(values)]
    floats = [None if v != v else float(v) for v in values]
    return Case('small_floats.cu', 'unary<%s>' % f.kind, '256', '256',
                {'value': Out('f32', 65536), 'out': Out('u16', 7 * 65536)},
                {'value': [v if v is None or abs(v) < math.inf else None for v in floats],
                 'out': out})


def small_rounding(f):
    draw = random.Random(1)
    bits = [draw.getrandbits(32) for _ in range(3000)]
    bits += [(113 + i % 32 << 23 | draw.getrandbits(3) << 20 | (i & 1) << 12 | i >> 8 & 1)
             for i in range(2000)]           # ties and their neighbours
    bits += [0, 1 << 31, 1, 0x7f7fffff, 0xff7fffff, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001]
    floats = [struct.unpack('<f', struct.pack('<I', b))[0] for b in bits]
    floats = [v for v in floats if math.isfinite(v)]
    return Case('small_floats.cu', 'rounding<%s>' % f.kind, '40', '128',
                {'in': Array('f32', floats), 'out': Out('u16', 4 * len(floats)),
                 'n': 'i32:%d' % len(floats)},
                {'out': [f.round(Fraction(v), mode, math.copysign(1, v) < 0)
                         for v in floats for mode in 'nzdu']})


def small_binary(f):
    """Finite operands with nonzero results, because fractions have no signed zero."""
    draw = random.Random(2)
    triples, out = [], []
    while len(triples) < 3 * 3000:
        bits = [draw.randrange(1, f.infinity) | draw.choice((0, 0x8000)) for _ in range(3)]
        if draw.random() < 0.5:              # a product near a tie, plus a tiny addend
            bits[0] = bits[0] & ~3 | 2
            bits[2] = bits[2] & 0x8000 | draw.randrange(1, 40 << f.fraction - 5)
        a, b, c = (f.value(v) for v in bits)
        results = [a + b, a - b, a * b, a / b, a * b + c]
        if 0 in results:
            continue
        triples += bits
        out += [f.round(r) for r in results]
        out.append(bits[0 if a >= b else 1] ^ bits[0 if a <= c else 2])
    return Case('small_floats.cu', 'binary<%s>' % f.kind, '24', '128',
                {'in': Array('u16', triples), 'out': Out('u16', len(out)), 'n': 'i32:3000'},
                {'out': out})


def tenth_power(x):
    return math.pow(10.0, x)


def reciprocal(x):
    return 1.0 / x


def inverse_root(x):
    return 1.0 / math.sqrt(x)


# In the order of small_float_math.cu; what they are at -inf, -0, 0 and inf.
SMALL_FUNCTIONS = [
    (math.exp, 0.0, 1.0, 1.0, math.inf), (lambda x: 2.0 ** x, 0.0, 1.0, 1.0, math.inf),
    (tenth_power, 0.0, 1.0, 1.0, math.inf), (math.log, math.nan, -math.inf, -math.inf, math.inf),
    (math.log2, math.nan, -math.inf, -math.inf, math.inf),
    (math.log10, math.nan, -math.inf, -math.inf, math.inf),
    (math.sin, math.nan, -0.0, 0.0, math.nan), (math.cos, math.nan, 1.0, 1.0, math.nan),
    (reciprocal, -0.0, -math.inf, math.inf, 0.0),
    (inverse_root, math.nan, -math.inf, math.inf, 0.0),
    (math.tanh, -1.0, -0.0, 0.0, 1.0)]


def small_function(f, number, bits):
    function, at_minus_infinity, at_minus_zero, at_zero, at_infinity = SMALL_FUNCTIONS[number]
    x = f.value(bits)
    if x != x:
        return 0x7fff
    if x in (math.inf, -math.inf):
        y = at_infinity if x > 0 else at_minus_infinity
    elif x == 0:
        y = at_minus_zero if bits >> 15 else at_zero
    else:
        try:
            y = function(float(x))
        except OverflowError:
            y = math.inf
        except ValueError:
            y = math.nan
    return f.round(y if not math.isfinite(y) else Fraction(y), 'n', math.copysign(1, y) < 0)


def small_math(f):
    """Each function of every 16-bit float is the nearest to the true value."""
    return Case('small_float_math.cu', 'functions<%s>' % f.kind, '256', '256',
                {'out': Out('u16', len(SMALL_FUNCTIONS) * 65536)},
                {'out': [small_function(f, k, b) for k in range(len(SMALL_FUNCTIONS))
                         for b in range(65536)]})


def half_math():
    return small_math(HALF)


def bf16_math():
    return small_math(BF16)


def fp8_values(kind):
    """The values of codes 0 to 127 but infinity and NaN."""
    fraction, bias, end = (3, 7, 0x7f) if kind == 'e4m3' else (2, 15, 0x7c)
    return [math.ldexp(c & (1 << fraction) - 1 | (c >= 1 << fraction) << fraction,
                       max(c >> fraction, 1) - bias - fraction) for c in range(end)]


def fp8_code(values, x, saturates):
    """The nearest value, the even code in a tie; past the last one by half a step: overflow.

    The NaN of a half is that of all ones but the sign, whatever sign and fraction the half has.
    """
    if math.isnan(x):
        return 0x7f
    sign, a, end = 0x80 if math.copysign(1, x) < 0 else 0, abs(x), len(values)
    limit = values[-1] + (values[-1] - values[-2]) / 2
    if a > limit or (a == limit and end % 2 == 0):
        return sign | (end - 1 if saturates else end)
    i = bisect.bisect_left(values, a)
    if i == end:
        return sign | end - 1
    if i and (a - values[i - 1], (i - 1) % 2) < (values[i] - a, i % 2):
        i -= 1
    return sign | i


def fp8_convert(kind):
    values = fp8_values(kind)
    halves = [float(v) for v in map(HALF.value, range(65536))]
    halves[0x8000] = -0.0
    special = {} if kind == 'e4m3' else {0x7c: math.inf, 0xfc: -math.inf}
    back = [special.get(c, None if c & 127 >= len(values) else
                        math.copysign(values[c & 127], 127.5 - c)) for c in range(256)]
    limit = 2 ** 31
    saturated = [fp8_code(values, x, True) for x in halves]
    return Case('fp8.cu', 'convert<__nv_fp8_%s,__NV_%s>' % (kind, kind.upper()), '256', '256',
                {'out': Out('u8', 3 * 65536), 'value': Out('f32', 256),
                 'integer': Out('i32', 256)},
                {'out': [fp8_code(values, x, False) for x in halves] + 2 * saturated,
                 'value': [None if v in (math.inf, -math.inf) else v for v in back],
                 'integer': [0 if v is None else int(max(-limit, min(limit - 1, v)))
                             for v in back]})


def fp8_e4m3():
    return fp8_convert('e4m3')


def fp8_e5m2():
    return fp8_convert('e5m2')


def fp8_vectors():
    x = [v * 16 for v in ramp(64)]
    values = fp8_values('e4m3')
    codes = [fp8_code(values, v, True) for v in x]
    words = [sum(c << 8 * k for k, c in enumerate(codes[i:i + 4])) for i in range(0, 64, 4)]
    return Case('fp8.cu', 'vectors', '1', '16',
                {'in': Array('f32', x), 'out': Out('u32', 16), 'back': Out('f32', 64)},
                {'out': words, 'back': [math.copysign(values[c & 127], 127.5 - c) for c in codes]})


def complex_results(pairs, r):
    """cuComplex.h in Python; r rounds to the type."""
    out, magnitudes = [], []
    for (a, b), (c, d) in pairs:
        out += [r(r(a * c) - r(b * d)), r(r(a * d) + r(b * c))]
        s = r(1 / r(abs(c) + abs(d)))
        xr, xi, yr, yi = r(a * s), r(b * s), r(c * s), r(d * s)
        n = r(1 / r(r(yr * yr) + r(yi * yi)))
        out += [r(r(r(xr * yr) + r(xi * yi)) * n), r(r(r(xi * yr) - r(xr * yi)) * n)]
        out += [r(-r(b * d) + r(r(a * c) + a)), r(r(b * c) + r(r(a * d) - b))]
        out += [r(r(a + c) - 1), r(r(b + d) - d)]
        high, low = max(abs(a), abs(b)), min(abs(a), abs(b))
        t = r(low / high)
        magnitudes.append(r(high * r(math.sqrt(r(1 + r(t * t))))))
    return out, magnitudes


def complex_numbers(kernel, dtype, r):
    draw = random.Random(3)
    x = [r(draw.uniform(-8, 8)) for _ in range(128)]
    pairs = [((x[i], x[i + 1]), (x[i + 2], x[i + 3])) for i in range(0, 128, 4)]
    out, magnitudes = complex_results(pairs, r)
    return Case('complex.cu', kernel, '1', '32',
                {'in': Array(dtype, x), 'out': Out(dtype, 256), 'magnitude': Out(dtype, 32)},
                {'out': out, 'magnitude': magnitudes})


def complex_single():
    return complex_numbers('single', 'f32', f32)


def complex_double():
    return complex_numbers('twice', 'f64', float)


class Xorwow:
    """The generator by its definition; bits of the state as one integer of 160."""
    @staticmethod
    def step(v):
        t = v[0] ^ v[0] >> 2
        return v[1:] + [(v[4] ^ v[4] << 4 ^ t ^ t << 1) & 0xffffffff]

    @classmethod
    def power_of_two(cls, exponent):
        """What the state becomes of each of its bits in 2^exponent steps."""
        def joined(v):
            return sum(word << 32 * k for k, word in enumerate(v))
        rows = [joined(cls.step([(1 << b) >> 32 * k & 0xffffffff for k in range(5)]))
                for b in range(160)]
        for _ in range(exponent):
            rows = [cls.applied(rows, row) for row in rows]
        return rows

    @staticmethod
    def applied(rows, state):
        out = 0
        for row in rows:
            out ^= row if state & 1 else 0
            state >>= 1
        return out

    subsequence_rows = None

    def __init__(self, seed, subsequence, offset):
        s0, s1 = seed & 0xffffffff ^ 0xaad26b49, seed >> 32 ^ 0xf7dcefdd
        t0, t1 = s0 * 1099087573 & 0xffffffff, s1 * 2591861531 & 0xffffffff
        v = [123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0]
        state = sum((word & 0xffffffff) << 32 * k for k, word in enumerate(v))
        if subsequence and not Xorwow.subsequence_rows:
            Xorwow.subsequence_rows = self.power_of_two(67)
        for _ in range(subsequence):
            state = self.applied(Xorwow.subsequence_rows, state)
        self.v = [state >> 32 * k & 0xffffffff for k in range(5)]
        for _ in range(offset):
            self.v = self.step(self.v)
        self.d = 6615241 + t1 + t0 + 362437 * offset

    def draw(self):
        self.v = self.step(self.v)
        self.d += 362437
        return (self.v[4] + self.d) & 0xffffffff


class Philox:
    """Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011."""
    def __init__(self, seed, subsequence, offset):
        self.key, self.counter, self.offset = seed, subsequence << 64, offset

    def draw(self):
        counter = self.counter + self.offset // 4
        c = [counter >> 32 * k & 0xffffffff for k in range(4)]
        k = [self.key & 0xffffffff, self.key >> 32]
        for _ in range(10):
            x, z = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
            c = [z >> 32 ^ c[1] ^ k[0], z & 0xffffffff, x >> 32 ^ c[3] ^ k[1], x & 0xffffffff]
            k = [(k[0] + 0x9e3779b9) & 0xffffffff, (k[1] + 0xbb67ae85) & 0xffffffff]
        self.offset += 1
        return c[(self.offset - 1) % 4]


GENERATORS = {'curandState': Xorwow, 'curandStatePhilox4_32_10_t': Philox}


def random_integers(state, seed):
    places = [(0, 0), (1, 0), (0, 1), (2, 3), (7, 4), (31, 5), (100, 1000), (5, 4097)]
    out = []
    for place in places:
        generator = GENERATORS[state](seed, *place)
        out += [generator.draw() for _ in range(6)]
    return Case('random.cu', 'integers<%s>' % state, '1', '8',
                {'seed': 'u64:%d' % seed, 'subsequence': Array('u64', [p[0] for p in places]),
                 'offset': Array('u64', [p[1] for p in places]), 'out': Out('u32', 48)},
                {'out': out})


def random_xorwow():
    return random_integers('curandState', 0x123456789abcdef)


def random_philox():
    return random_integers('curandStatePhilox4_32_10_t', 0)


def random_vectors():
    out, uniform = [], []
    for t in range(32):
        generator = Philox(1234, t, t)
        x = [generator.draw() for _ in range(8)]
        out += x[:4] * 2
        uniform += [f32(f32(v) * 2.0 ** -32 + 2.0 ** -33) for v in x[4:]] * 2
    return Case('random.cu', 'vectors', '1', '32',
                {'out': Out('u32', 256), 'uniform': Out('f32', 256)},
                {'out': out, 'uniform': uniform})


def random_distributions(state):
    """The functions are the GPU's, hence a tolerance."""
    x, normal, log_normal, uniform = [], [], [], []
    for t in range(32):
        generator = GENERATORS[state](99, t, 0)
        drawn = [generator.draw() for _ in range(8)]
        x += drawn
        uniform.append((drawn[0] ^ drawn[1] << 21) * 2.0 ** -53 + 2.0 ** -54
                       if state == 'curandState' else drawn[0] * 2.0 ** -32 + 2.0 ** -32)
        for k, list in ((2, normal), (4, log_normal)):
            angle = 2 * math.pi * drawn[k + 1] / 2 ** 32
            radius = math.sqrt(-2 * math.log((drawn[k] + 0.5) / 2 ** 32))
            list += [radius * math.sin(angle), radius * math.cos(angle)]
    log_normal = [math.exp(0.5 + 0.25 * v) for v in log_normal]
    return Case('random.cu', 'distributions<%s>' % state, '1', '32',
                {'in': Out('u32', 256), 'normal': Out('f32', 64), 'log_normal': Out('f32', 64),
                 'uniform': Out('f64', 32)},
                {'in': x, 'normal': normal, 'log_normal': log_normal, 'uniform': uniform}, 1e-5)


def random_xorwow_distributions():
    return random_distributions('curandState')


def random_philox_distributions():
    return random_distributions('curandStatePhilox4_32_10_t')


def random_double(state):
    """The functions are the GPU's, hence a tolerance."""
    normal, log_normal = [], []
    for t in range(32):
        generator = GENERATORS[state](2 ** 40 + 5, t, 1)
        pairs = []
        for _ in range(4):
            x = [generator.draw() for _ in range(4)]
            radius = math.sqrt(-2 * math.log((x[0] ^ x[1] << 21) * 2.0 ** -53 + 2.0 ** -54))
            angle = math.pi * ((x[2] ^ x[3] << 21) * 2.0 ** -52 + 2.0 ** -53)
            pairs += [radius * math.sin(angle), radius * math.cos(angle)]
        normal += pairs[:4]
        log_normal += [math.exp(0.5 + 0.25 * v) for v in pairs[4:]]
    return Case('random.cu', 'doubles<%s>' % state, '1', '32',
                {'normal': Out('f64', 128), 'log_normal': Out('f64', 128)},
                {'normal': normal, 'log_normal': log_normal}, 1e-13)


def random_xorwow_double():
    return random_double('curandState')


def random_philox_double():
    return random_double('curandStatePhilox4_32_10_t')


def random_philox_quads():
    """Four at once are those of single calls, bit for bit."""
    return Case('random.cu', 'quads', '1', '32', {'agree': Out('i32', 32)}, {'agree': [1] * 32})


# Each also under the checker, which knows these orders.
def barrier_case(kernel, grid, block, args, expected, checked):
    return Case('barriers.cu', kernel, grid, block, args, expected,
                options=('--check',) if checked else ())


def barrier_phases(checked=False):
    x = integers(64)
    back = x[::-1]
    return barrier_case('phases', '1', '64', {'in': Array('i32', x), 'out': Out('i32', 64)},
                        {'out': back[1:] + [7]}, checked)


def barrier_copied(checked=False):
    x = ramp(128)
    return barrier_case('copied', '1', '32', {'in': Array('f32', x), 'out': Out('f32', 128)},
                        {'out': [v for i in range(124, -4, -4) for v in x[i:i + 4]]}, checked)


def barrier_groups(checked=False):
    x = integers(96)
    return barrier_case('groups<1>', '1', '64', {'in': Array('i32', x), 'out': Out('i32', 96)},
                        {'out': x[::-1]}, checked)


def barrier_stages(checked=False):
    x = integers(160)
    return barrier_case('stages', '1', '32',
                        {'in': Array('i32', x), 'out': Out('i32', 160), 'n': 'i32:5'},
                        {'out': [v for i in range(0, 160, 32) for v in x[i:i + 32][::-1]]},
                        checked)


def barrier_roles(checked=False):
    x = integers(160)
    return barrier_case('roles', '1', '64',
                        {'in': Array('i32', x), 'out': Out('i32', 32), 'n': 'i32:5'},
                        {'out': [sum(x[31 - t::32]) for t in range(32)]}, checked)


def barrier_last_block(checked=False):
    x = integers(256)
    return barrier_case('last_block', '8', '32',
                        {'in': Array('i32', x), 'part': Array('i32', [0] * 8, True),
                         'out': Array('i32', [0], True), 'count': Array('u32', [0], True)},
                        {'out': [sum(x)], 'count': [8]}, checked)


def barrier_checked(case):
    def checked():
        return case(True)
    checked.__name__ = case.__name__ + '_checked'
    return checked


def barrier_forgotten():
    """The copies are not waited for."""
    return Case('barriers.cu', 'groups<0>', '1', '64',
                {'in': Array('i32', integers(96)), 'out': Out('i32', 96)}, options=('--check',),
                fails=(4, 'barriers.cu:'), gpu=False)


BARRIERS = [barrier_phases, barrier_copied, barrier_groups, barrier_stages, barrier_roles,
            barrier_last_block]


def aligned():
    return Case('aligned.cu', 'offsets<3>', '1', '1', {'out': Out('u32', 4)}, {'out': [0, 0, 0, 3]})


def half_unary():
    return small_unary(HALF)


def half_rounding():
    return small_rounding(HALF)


def half_binary():
    return small_binary(HALF)


def bf16_unary():
    return small_unary(BF16)


def bf16_rounding():
    return small_rounding(BF16)


def bf16_binary():
    return small_binary(BF16)


def doubles():
    x = [1.5, -2.75, 2.5, 1e10, -1e10, 2.0 ** 63, 3.0, -0.5]
    log = [math.frexp(abs(v))[1] - 1 for v in x]
    whole = [float(int(v)) for v in x]

    def clamp(v, low, high):
        return min(max(int(v), low), high)

    def s64(v):
        return clamp(v, -2 ** 63, 2 ** 63 - 1)
    out = [(v + 1.0) + (v - 2.0) for v in x] \
        + [v * 3.0 + v / 4.0 + 0.5 + abs(v) for v in x] \
        + [float(Fraction(v) ** 2 + 1) + v * 8 + e + e for v, e in zip(x, log)] \
        + [(v - w) + 2 * w for v, w in zip(x, whole)]
    sums = [s64(round(v)) + s64(math.floor(v)) + s64(math.ceil(v)) for v in x]
    wide = [s64(v) for v in x] + [(v + 2 ** 63) % 2 ** 64 - 2 ** 63 for v in sums] \
        + [(clamp(v, 0, 2 ** 64 - 1) + 2 ** 63) % 2 ** 64 - 2 ** 63 for v in x] \
        + [clamp(round(v), 0, 2 ** 32 - 1) for v in x] \
        + [(s64(round(v)) + i + 2 ** 63) % 2 ** 64 - 2 ** 63 for i, v in enumerate(x)]
    return Case('doubles.cu', 'doubles', '1', '8',
                {'in': Array('f64', x), 'out': Out('f64', 32), 'wide': Out('i64', 40)},
                {'out': out, 'wide': wide})


def double_math():
    x = [0.0, 1.0, 2.0, -3.0, 4.0, 8.0]
    out = [math.ldexp(1, int(v)) for v in x] + [10.0 ** v for v in x] + [v ** 3 for v in x] \
        + [5 * abs(v) for v in x] + [v for v in x] \
        + [math.atan2(v, 0.0) if v else math.pi for v in x] \
        + [2.0, 0.0, 1.0, 4.0, 0.5, 1.0]
    out[9] = 0.001
    return Case('double_math.cu', 'double_math', '1', '6',
                {'x': Array('f64', x), 'out': Out('f64', 42), 'f': 'f32:1.5', 'n': 'i32:3'},
                {'out': out})


def ptx_integer(options=()):
    rng = random.Random(5)
    values = [rng.getrandbits(32) >> rng.choice([0, 0, 8, 16, 26]) for _ in range(200)]
    values += [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 31, 32, 33]
    return Case('ptx_integer.cu', 'integers', '1', '1',
                {'in': Array('u32', values), 'wrong': Out('u32', 34),
                 'count': 'i32:%d' % len(values)}, {'wrong': [0] * 34}, options=options)


def ptx_integer_checked():
    return ptx_integer(['--check'])


def ptx_real():
    rng = random.Random(6)
    values = [f32(rng.uniform(-1, 1) * 2.0 ** rng.choice([0, 1, 5, 20, 40, -20, -126, -135]))
              for _ in range(300)]
    values += [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 65504.0, 65520.0, 3e38, -3e38, math.inf,
               -math.inf, math.nan, 2.0 ** 31, -2.0 ** 31, 2.0 ** 63, -2.0 ** 63, 2.0 ** -149]
    return Case('ptx_real.cu', 'reals', '1', '1',
                {'in': Array('f32', values), 'wrong': Out('u32', 8),
                 'count': 'i32:%d' % len(values)}, {'wrong': [0] * 8})


def simd(parts):
    """As in simd.cu, in the same order."""
    bits = 32 // parts
    top, low, high = 1 << bits, -(1 << bits - 1), (1 << bits - 1) - 1

    def clamp(v, least, most):
        return min(max(v, least), most)

    def results(x, y):
        u = [[v >> bits * i & top - 1 for i in range(parts)] for v in (x, y)]
        s = [[v - top if v > high else v for v in w] for w in u]

        def pack(f, w):
            return sum((int(f(a, b)) & top - 1) << bits * i for i, (a, b) in enumerate(zip(*w)))
        out = [pack(f, w) for f, w in (
            (lambda a, b: abs(a), s), (lambda a, b: clamp(abs(a), low, high), s),
            (lambda a, b: -a, s), (lambda a, b: clamp(-a, low, high), s),
            (lambda a, b: clamp(a + b, low, high), s), (lambda a, b: clamp(a + b, 0, top - 1), u),
            (lambda a, b: a - b, u), (lambda a, b: clamp(a - b, low, high), s),
            (lambda a, b: clamp(a - b, 0, top - 1), u), (lambda a, b: abs(a - b), s),
            (lambda a, b: abs(a - b), u), (lambda a, b: a + b + 1 >> 1, u),
            (lambda a, b: a + b >> 1, u), (max, s), (max, u), (min, s), (min, u))]
        out += [sum(abs(a - b) for a, b in zip(*w)) for w in (s, u)]
        compares = [(lambda a, b: a == b, s), (lambda a, b: a != b, s)]
        for f in (lambda a, b: a >= b, lambda a, b: a > b, lambda a, b: a <= b,
                  lambda a, b: a < b):
            compares += [(f, s), (f, u)]
        out += [pack(lambda a, b, f=f: -f(a, b), w) for f, w in compares]
        out += [pack(f, w) for f, w in compares]
        return out + [pack(lambda a, b: a + b, u)]
    rng = random.Random(13)
    x = [0, 0x80808080, 0x7fff8000, 0xffffffff] + [rng.getrandbits(32) for _ in range(60)]
    y = [0xffffffff, 0x80808080, 0x80017fff, 0x01010101] + [rng.getrandbits(32) for _ in range(60)]
    out = [v for a, b in zip(x, y) for v in results(a, b)]
    return Case('simd.cu', 'parts%d' % parts, '1', '64',
                {'x': Array('u32', x), 'y': Array('u32', y), 'out': Out('u32', len(out))},
                {'out': out})


def simd_halves():
    return simd(2)


def simd_bytes():
    return simd(4)


def ptx_flush():
    values = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, -math.nan, 0.75, 3e38, -3e38]
    values += [2.0 ** -149, -2.0 ** -149, 2.0 ** -127, -2.0 ** -126, 2.0 ** -126,
               2.0 ** -126 - 2.0 ** -149, 2.0 ** -126 + 2.0 ** -149, 2.0 ** -125, 2.0 ** -63,
               -2.0 ** -63, 2.0 ** -100]
    # Products of these are next to the smallest normal number.
    values += [f32(2.0 ** e * (1 + sign * 2.0 ** -24 * n)) for e in (-63, -126, 0) for n in (1, 2, 3)
               for sign in (-1, 1)]
    return Case('ptx_flush.cu', 'flushes', '1', '32',
                {'in': Array('f32', values), 'wrong': Array('u32', [0] * 8, inout=True),
                 'count': 'i32:%d' % len(values)}, {'wrong': [0] * 8})


def ptx_narrow_floats():
    return Case('ptx_narrow.cu', 'narrow', '256', '256',
                {'wrong': Array('u32', [0] * 8, inout=True)}, {'wrong': [0] * 8})


def ptx_forms():
    return Case('ptx_forms.cu', 'forms', '1', '32',
                {'cells': Out('u32', 64), 'in': Array('u32', list(range(7, 39))),
                 'wrong': Out('u32', 32)}, {'wrong': [0] * 32})


def ptx_warp(options=()):
    return Case('ptx_warp.cu', 'warps', '2', '8,8',
                {'wrong': Out('u32', 64), 'turned': Out('u32', 64)},
                {'wrong': [0] * 64, 'turned': [63 - t + 1 + 1 for t in range(64)]},
                options=options)


def ptx_warp_checked():
    case = ptx_warp(['--check'])
    case.grid = '1'
    return case


def ptx_copies():
    values = [f32(i * 0.37 - 20) for i in range(128)]
    return Case('ptx_memory.cu', 'copies', '1', '32',
                {'in': Array('f32', values), 'out': Out('f32', 128)}, {'out': values},
                options=['--check'])


def ptx_hints():
    case = ptx_copies()
    case.kernel = 'hints'
    return case


def ptx_narrow():
    values = [(i * 37) % 256 - 128 for i in range(64)]
    out = [v for x in values[:32] for v in (x, x & 255, 1, x & 255)]
    return Case('ptx_memory.cu', 'narrow', '1', '32',
                {'in': Array('i8', values), 'out': Out('i32', 128)}, {'out': out})


def ptx_atomics():
    return Case('ptx_memory.cu', 'atomics', '4', '32',
                {'sums': Array('u32', [0] * 4, inout=True), 'total': Array('f32', [0], inout=True),
                 'wide': Array('u64', [0] * 129, inout=True)},
                {'sums': [127 * 64, 127, 0xffffffff, 128], 'total': [128.0]})


def ptx_flags(options=('--check', '--seed', '3')):
    return Case('ptx_memory.cu', 'flags', '8', '1',
                {'data': Array('i32', [0] * 8, inout=True), 'flag': Array('i32', [0] * 8, inout=True),
                 'out': Out('i32', 1)}, {'out': [140]}, options=list(options))


def ptx_flags_plain():
    return ptx_flags(())


def ptx_matrix(options=()):
    ulp = 2.0 ** -23
    one = [1 + ulp, -(1 - 1.5 * ulp), 1.5 * ulp + 2.0 ** -30, 1.5 * ulp] * 32
    return Case('ptx_matrix.cu', 'matrices', '1', '32',
                {'wrong': Out('u32', 32), 'one': Out('f32', 128)},
                {'wrong': [0] * 32, 'one': one}, options=options)


def ptx_matrix_checked():
    return ptx_matrix(['--check'])


def wmma(kernel, dtype, sums, a_rows, b_rows, c_rows, options=()):
    """Twice the product of 32 x 32 matrices of small integers, which is exact."""
    n, low = 32, 0 if dtype == 'u8' else 1
    a = [[(i * 5 + k * 3) % 7 - 3 * low for k in range(n)] for i in range(n)]
    b = [[(j * 3 + k * 2) % 5 - 2 * low for j in range(n)] for k in range(n)]
    c = [[2 * sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]

    def flat(rows, by_rows):
        return [v for r in (rows if by_rows else zip(*rows)) for v in r]
    return lambda: Case('wmma.cu', kernel, '1', '128',
                        {'a': Array(dtype, flat(a, a_rows)), 'b': Array(dtype, flat(b, b_rows)),
                         'c': Out(sums, n * n)}, {'c': flat(c, c_rows)}, options=options)


def named_case(name, make):
    make.__name__ = name
    return make


WMMA = [named_case('wmma_' + case[0] + ('_checked' if options else ''), wmma(*case, options))
        for options in [(), ('--check',)] for case in [
            ('halves', 'f16', 'f32', True, True, True),
            ('half_sums', 'f16', 'f16', True, False, True),
            ('bfloats', 'bf16', 'f32', False, True, False),
            ('tf32s', 'f32', 'f32', True, False, True),
            ('bytes', 'i8', 'i32', True, False, True),
            ('tall_halves', 'f16', 'f32', True, False, True),
            ('wide_half_sums', 'f16', 'f16', False, True, False),
            ('tall_bfloats', 'bf16', 'f32', False, False, False),
            ('wide_bfloats', 'bf16', 'f32', True, True, True),
            ('tall_bytes', 'u8', 'i32', True, True, True),
            ('wide_bytes', 'i8', 'i32', True, False, True)]
        if not options or case[0] in ('halves', 'bytes', 'wide_bytes')]


def wmma_shapes():
    rng = random.Random(11)
    values = [rng.uniform(-1, 1) * 2.0 ** rng.randint(-12, 8) for _ in range(2048)]
    return Case('wmma.cu', 'shapes', '1', '128',
                {'a': Array('f16', values[:1024]), 'b': Array('f16', values[1024:]),
                 'c': Out('f32', 1024), 'differ': Array('u32', [0, 0], inout=True)},
                {'differ': [0, 0]})


def add32(a, b):
    return f32(a + b)


def cub_values(count):
    return [f32(math.sin(i * 1.7) * 10 ** (i % 5 - 2)) for i in range(count)]


def cub_reduce(options=()):
    values = cub_values(480)
    first = values[:96]
    items = [cub.reduce_items(values[i:i + 5], add32) for i in range(0, 480, 5)]
    out = [cub.reduce_block(first, add32), max(first), cub.reduce_block(values[:70], add32),
           cub.reduce_block(items, add32)]
    out += [cub.reduce_lanes(first[i:i + 16], add32) for i in range(0, 96, 16)]
    return Case('cub.cu', 'reduce', '1', '96',
                {'in': Array('f32', values), 'out': Out('f32', 10)}, {'out': out}, options=options)


def cub_scan(threads, scan):
    def case():
        values = cub_values(3 * threads)
        first = values[:threads]
        before, total = scan(first, add32, False, 0.0)
        out = scan(first, add32, True, None)[0] + before + [total]
        out += cub.scan_items(values, 3, add32, scan, True)
        out += cub.scan_items(values, 3, add32, scan, False)
        return Case('cub.cu', 'scan<%d, %s>' % (threads, 'true' if scan == cub.scan_warps else 'false'), '1', str(threads),
                    {'in': Array('f32', values), 'out': Out('f32', 8 * threads + 1)},
                    {'out': out})
    return named_case('cub_scan_%d' % threads, case)


def cub_sort(options=()):
    values = [f32(v) for v in cub_values(192)]
    values[7], values[8], values[90] = 0.0, -0.0, values[3]
    order = sorted(range(192), key=lambda i: -values[i])
    some = [(i * 7919 + 13) % 5000 - 2500 for i in range(192)]
    # The remainder of a negative number in C.
    some = sorted(some, key=lambda v: ((v & 0xffffffff) ^ 0x80000000) >> 4 & 255)
    return Case('cub.cu', 'sort', '1', '64',
                {'in': Array('f32', values), 'keys': Out('f32', 192), 'values': Out('i32', 192),
                 'by_bits': Out('i32', 192)},
                {'keys': [values[i] for i in order], 'values': order, 'by_bits': some},
                options=options)


def cub_move(options=()):
    values = [(i * 37) % 101 for i in range(192)]
    items = values[:150] + [-1] * 42
    less = items[:1] + [b - a for a, b in zip(items, items[1:])]
    heads = [1] + [int(int(a / 10) != int(b / 10)) for a, b in zip(items, items[1:])]
    return Case('cub.cu', 'move', '1', '64',
                {'in': Array('i32', values), 'out': Out('i32', 576)},
                {'out': items + less + heads[:190] + items[190:]}, options=options)


CUB = [cub_reduce, cub_sort, cub_move, cub_scan(96, cub.scan_raking),
       cub_scan(70, cub.scan_raking),
       cub_scan(16, cub.scan_raking),
       cub_scan(128, cub.scan_warps)]
CUB += [named_case(make.__name__ + '_checked', lambda make=make: make(['--check']))
        for make in CUB[:3]]


def ptx_async():
    values = [f32(i * 0.37 - 20) for i in range(128)]
    kept = [v if i < 96 else 0.0 for i, v in enumerate(values)]
    return Case('ptx_memory.cu', 'async_copies', '1', '32',
                {'in': Array('f32', values), 'out': Out('f32', 128)}, {'out': kept[::-1]},
                options=['--check'])


def errors(name, line, *patterns):
    case = Case('errors_%s.cu' % name, 'k', '1', '1', {}, gpu=False,
                fails=(3, 'errors_%s.cu:%d' % (name, line)) + patterns)
    return lambda: case


CASES = [vector_add, reduce_shuffle, scan_inclusive, scan_exclusive, histogram, matmul, transpose,
         softmax, layernorm, flash_attention, half_axpy, half_mixed, half_shuffled, half_math,
         aligned, *BARRIERS, *map(barrier_checked, BARRIERS), barrier_forgotten,
         random_xorwow, random_philox, random_vectors, random_xorwow_distributions,
         random_philox_distributions, random_xorwow_double, random_philox_double,
         random_philox_quads, bf16_math, fp8_e4m3, fp8_e5m2, fp8_vectors, complex_single, complex_double,
         bf16_scale,
         *CUB, bf16_packed, include, macro_names, classes, atomics, grid_sync, warp_words, groups, group_parts,
         wide_tiles, tile_sync, tile_floats, group_updates, numbered, numbered_checked,
         numbered_race, numbered_wrong, printing, printing_odd,
         named('any', 1), named('max', 34), named('min', 25, 5), named('abs', 4),
         named('reduce', 5), named('swap<int>', 6), named('mine::all', 7),
         points, templates, templates_bounds, templates_checked, overload, overload_template,
         overload_unclear, division32, division64, division_products, division_min, copy4, async_copy,
         async_stages, async_stages_checked, bulk_stages, bulk_stages_checked,
         bulk_stages_ordered, bulk_small_copies, bulk_small_copies_checked, bulk_nobody_arrives,
         copies_once, copies_once_checked,
         ptx_bulk, ptx_bulk_checked, cluster_sums, cluster_sums_alone, cluster_sums_16,
         cluster_sums_checked, cluster_sums_ordered, cluster_histogram, cluster_histogram_checked,
         cluster_split, cluster_split_checked, cluster_rows, cluster_rows_checked, cluster_groups,
         cluster_groups_named, cluster_groups_other, cluster_not_divisible, cluster_too_large,
         cluster_of_nothing, cluster_returns_early, cluster_returns_early_checked,
         stencil, volume, misaligned, misaligned_int, gelu,
         destructor, silu, mandelbrot, spmv, bitonic, scalars, active_mask,
         active_mask_checked, active_mask_c, active_mask_c_checked, active_mask_ordered, shared_file,
         shared_file_unused, clocks, const_pointers, dynamic_types, dynamic_views,
         bounds_of_a_class, host_class, imports, nbody,
         doubles, double_math, ptx_integer, ptx_integer_checked, ptx_real,
         simd_halves, simd_bytes, ptx_flush, ptx_narrow_floats, ptx_forms, ptx_warp,
         ptx_warp_checked, ptx_copies, ptx_hints,
         ptx_narrow, ptx_matrix, ptx_matrix_checked, ptx_atomics, ptx_flags, ptx_flags_plain, ptx_async,
         half_unary, half_rounding, half_binary, bf16_unary, bf16_rounding, bf16_binary, wmma_shapes] + WMMA
ERRORS = {
    'ptx': (6, 'inline PTX: brkpt is not supported'), 'texture': (2, 'texture'),
    'nested': (6, '<<<'), 'wmma': (6, 'this shape or type is not supported'), 'gridsync': (7, 'grid'),
}


def main():
    flashtwin = os.path.abspath(sys.argv[1])
    device = sys.argv[2] if len(sys.argv) > 2 else 'sim'
    cases = [(make.__name__, make()) for make in CASES]
    cases += [('errors_' + name, errors(name, *ERRORS[name])()) for name in ERRORS]
    cases = [(name, case) for name, case in cases if device == 'sim' or case.gpu]
    if sys.argv[3:]:
        cases = [(name, case) for name, case in cases if name in sys.argv[3:]]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        results = pool.map(lambda c: c[1].wrong(flashtwin, device), cases)
        for number, ((name, _), wrong) in enumerate(zip(cases, results), 1):
            print('%s %d - %s' % ('not ok' if wrong else 'ok', number, name), flush=True)
            failed += bool(wrong)
            for line in wrong.splitlines()[:12]:
                print('# ' + line)
    print('1..%d' % len(cases))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
