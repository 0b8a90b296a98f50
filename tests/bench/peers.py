#!/usr/bin/env python3
"""peers.py - times PyTorch's attention kernels on the shapes of `flashtwin bench --suite decode`.

peers.py [--runs N] [--dtype f32|bf16]... [--flex all|f32|none]
         [--paired FLASHTWIN [--kv-dtype TYPE]] [--out FILE] SHAPE... | RESULTS.json

By the suite's method: CUDA graphs of many calls, which read several copies of the keys and values
in turn, together several times the L2; medians and percentiles of N (50) replays. Shapes are
texts such as 1,32/8,128,32K, or those of a file that the suite's --json printed. Prints one JSON
object, which the suite reads next to its own; with --out, it is written after each shape.

Each of PyTorch's kernels gets the tensors in f32 and in bf16, or in the types of --dtype, with
its own grouped heads, and with the query heads of a KV head folded into the rows of one query. A
batch of different lengths is a call for each sequence, on several streams. What a kernel refuses
is a row without a time whose note is the reason. flex is compiled for each shape, which takes
seconds: by default only in f32.

With --paired, FLASHTWIN times its best rung right before the kernels of a shape and right after
them, with keys and values of a type, and around the kernels of a prompt attention_prefill_tiled;
the mean of both medians is "best_us" of each row. Exit code 77 without PyTorch or a GPU.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
import warnings

MAX_COPIES, L2_TIMES, GRAPH_CALLS, LONG_GRAPH_US, USED_MEMORY = 128, 8, 16, 20e3, 0.6
STREAMS = 8
PROMPT = re.compile(r'(\d+) x (\d+) x (\d+), D (\d+), causal')


# --- shapes: needs no PyTorch ---

def parse_keys(text):
    unit = {'K': 1 << 10, 'M': 1 << 20}.get(text[-1:], 1)
    return int(text.rstrip('KM')) * unit


def parse_shape(text):
    """Returns heads, kv_heads, head_dim and the length of each sequence; see tui/shape.h."""
    if not re.fullmatch(r'\d+,\d+/\d+,\d+,[\dKMx+]+', text):
        raise ValueError(f"'{text}' is not a shape: expected one such as 1,32/8,128,4K")
    sequences, heads, head_dim, keys = text.split(',')
    heads, kv_heads = heads.split('/')
    lengths = []
    for run in keys.split('+'):
        count, _, length = run.rpartition('x')
        lengths += [parse_keys(length)] * int(count or 1)
    if '+' not in keys and 'x' not in keys:
        lengths *= int(sequences)
    if len(lengths) != int(sequences):
        raise ValueError(f'{text}: {sequences} sequences, but {len(lengths)} lengths')
    return int(heads), int(kv_heads), int(head_dim), lengths


def shapes_of(arguments):
    """Returns (list, shape) of shapes, or of files with results or a list of them, each once."""
    found = {}
    for argument in arguments:
        if not argument.endswith('.json'):
            found.setdefault(argument, 'shape')
            continue
        with open(argument) as file:
            saved = json.load(file)
        for row in saved.get('rows', saved.get('list', [])):
            if not row.get('peer'):
                found.setdefault(row['shape'], row.get('list', 'shape'))
    return [(kind, shape) for shape, kind in found.items()]


def copies_for(size, l2, memory):
    """How many copies are together several times the L2, and fit."""
    copies = max(2, min(MAX_COPIES, math.ceil(L2_TIMES * l2 / size)))
    return max(1, min(copies, int(USED_MEMORY * memory / size)))


def rounds_for(copies, once_us):
    """How often a graph reads each copy."""
    rounds = math.ceil(GRAPH_CALLS / copies)
    return 1 if once_us * rounds > LONG_GRAPH_US else rounds


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def first_line(text):
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return (lines[0] if lines else 'no message')[:160].replace('|', '/')


def reason_of(messages, error, dtype):
    """Why a kernel was not used: PyTorch gives the reasons as warnings."""
    texts = [text.split('(Triggered internally')[0].strip() for text in messages]
    reasons = [text for text in texts if text and not text.endswith('because:')]
    if dtype == 'f32' and any('dtype' in text for text in reasons):
        return 'no f32'
    return first_line(reasons[0] if reasons else error)


# --- our kernels, by turns ---

def best_us(options, shape):
    """The median time of rung 13 for a shape, or of attention_prefill_tiled for a prompt."""
    prompt = PROMPT.fullmatch(shape)
    names = ('attention_prefill_tiled',) if prompt else ('best', 'rung 13')
    done = subprocess.run([options.paired, 'bench', '--suite', 'decode',
                           '--shape', 'prefill' if prompt else shape, '--rung', '13',
                           '--kv-dtype', 'f32' if prompt else options.kv_dtype,
                           '--runs', str(options.runs), '--json'],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f'{options.paired}: {first_line(done.stderr)}')
    times = [row['us'] for row in json.loads(done.stdout)['rows']
             if row['shape'] == shape and row['kernel'] in names and row['us']]
    if len(times) != 1:
        raise ValueError(f'{options.paired}: {len(times)} times of {names[-1]} for {shape}')
    return times[0]


def paired_rows(options, shape, measure):
    """The rows that measure() returns; with --paired, with our time around them."""
    if not options.paired:
        return measure()
    before = best_us(options, shape)
    rows = measure()
    after = best_us(options, shape)
    for row in rows:
        row.update(best_us=(before + after) / 2)
    return rows


# --- timing ---

def replay_us(graph, begin, end):
    torch.cuda.synchronize()
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * begin.elapsed_time(end)


def capture(call, copies, rounds):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(copies * rounds):
            call(i % copies)
    return graph


def time_calls(call, copies, runs):
    """The time of one call, from graphs; call(i) reads copy i. Returns the members of a row."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):               # plans and workspaces, before the capture
        for i in range(min(copies, 2)):
            call(i)
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    rounds = 1
    graph = capture(call, copies, rounds)
    replay_us(graph, begin, end)
    more = rounds_for(copies, replay_us(graph, begin, end))
    if more > 1:
        rounds = more
        del graph
        graph = capture(call, copies, rounds)
    samples = [replay_us(graph, begin, end) / (copies * rounds) for _ in range(runs + 2)][2:]
    return {'us': median(samples), 'p10': percentile(samples, 0.1),
            'p90': percentile(samples, 0.9), 'runs': runs, 'copies': copies,
            'launches': copies * rounds}


class Stopped(Exception):
    """The GPU is in an error state: nothing more can be measured."""


def row_or_reason(row, measure):
    """Completes the row by measure(), or by the reason why it failed."""
    messages = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                row.update(measure())
            finally:
                messages = [str(warning.message) for warning in caught]
    except Exception as error:                  # each kernel has errors of its own
        text = str(error)
        if 'CUDA error' in text and 'out of memory' not in text and 'captur' not in text:
            raise Stopped(f"{row['shape']}: {row['kernel']}: {first_line(error)}") from error
        row.update(us=None, note=reason_of(messages, error, row['dtype']))
    torch.cuda.empty_cache()
    return row


# --- what is timed ---

def make_copies(shape, dtype):
    """A query, and copies of K and V in lists by sequence."""
    heads, kv_heads, head_dim, lengths = shape
    equal = len(set(lengths)) == 1
    batches = [(len(lengths), lengths[0])] if equal else [(1, n) for n in lengths]
    size = sum(2 * b * n for b, n in batches) * kv_heads * head_dim * dtype.itemsize
    memory = torch.cuda.mem_get_info()[0]
    copies = copies_for(size, torch.cuda.get_device_properties(0).L2_cache_size, memory)
    if copies * size > memory:
        raise RuntimeError(f'{copies} copies of {size / 1e9:.1f} GB do not fit in memory')
    first = [tuple(torch.randn(b, kv_heads, n, head_dim, device='cuda', dtype=dtype)
                   for _ in range(2)) for b, n in batches]
    sets = [first] + [[(k.clone(), v.clone()) for k, v in first] for _ in range(copies - 1)]
    queries = [torch.randn(b, heads, 1, head_dim, device='cuda', dtype=dtype) for b, _ in batches]
    return queries, sets


def fold(q, kv_heads):
    """The query heads of a KV head as the rows of one query: no mask is needed to decode."""
    b, heads, _, head_dim = q.shape
    return q.reshape(b, kv_heads, heads // kv_heads, head_dim)


def on_streams(calls):
    """Runs the calls on several streams that begin and end with the current one."""
    current = torch.cuda.current_stream()
    streams = [torch.cuda.Stream() for _ in range(min(STREAMS, len(calls)))]
    for stream in streams:
        stream.wait_stream(current)
    for i, call in enumerate(calls):
        with torch.cuda.stream(streams[i % len(streams)]):
            call()
    for stream in streams:
        current.wait_stream(stream)


def decode_call(attend, queries, sets):
    def call(copy):
        calls = [lambda q=q, kv=kv: attend(q, *kv) for q, kv in zip(queries, sets[copy])]
        if len(calls) == 1:
            calls[0]()
        else:
            on_streams(calls)
    return call


def sdpa(backend, grouped):
    def attend(q, k, v):
        with sdpa_kernel(backend):
            return attention(q, k, v, enable_gqa=grouped)
    return attend


def flex(lengths):
    """Compiled flex attention; a block mask makes it split the keys."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    if len(set(lengths)) > 1:
        raise RuntimeError('not measured with different lengths')
    torch._dynamo.reset()
    compiled = torch.compile(flex_attention, dynamic=False)
    mask = create_block_mask(lambda b, h, q, kv: kv >= 0, None, None, 1, lengths[0],
                             device='cuda', BLOCK_SIZE=128)
    return lambda q, k, v: compiled(q, k, v, block_mask=mask, enable_gqa=True)


def decode_ways(shape, dtype, asked_flex):
    """(name, attend or a function that makes it, folded)"""
    heads, kv_heads, _, lengths = shape
    ways = []
    for name, backend in BACKENDS.items():
        ways.append((name, lambda backend=backend: sdpa(backend, heads != kv_heads), False))
        if heads != kv_heads:
            ways.append((name + ', folded', lambda backend=backend: sdpa(backend, False), True))
    if asked_flex in ('all', dtype):
        ways.append(('flex', lambda: flex(lengths), False))
    return ways


def decode_rows(options, kind, text):
    shape = parse_shape(text)
    suffix = '' if len(set(shape[3])) == 1 else ', a call per sequence'
    rows = []
    for dtype in options.dtype:
        tensors = {}

        def measure(make, folded):
            if not tensors:
                tensors['q'], tensors['kv'] = make_copies(shape, DTYPES[dtype])
            queries = [fold(q, shape[1]) for q in tensors['q']] if folded else tensors['q']
            return time_calls(decode_call(make(), queries, tensors['kv']), len(tensors['kv']),
                              options.runs)

        for name, make, folded in decode_ways(shape, dtype, options.flex):
            row = {'list': kind, 'shape': text, 'kernel': f'PyTorch {name}{suffix}',
                   'dtype': dtype, 'peer': True, 'note': ''}
            rows.append(row_or_reason(row, lambda: measure(make, folded)))
        tensors.clear()
        torch.cuda.empty_cache()
    return rows


def prompt_rows(options, kind, text):
    heads, positions, _, head_dim = map(int, PROMPT.fullmatch(text).groups())
    rows = []
    for dtype in options.dtype:
        q, k, v = torch.randn(3, 1, heads, positions, head_dim, device='cuda',
                              dtype=DTYPES[dtype])
        for name, backend in BACKENDS.items():
            def call(_, backend=backend):
                with sdpa_kernel(backend):
                    attention(q, k, v, is_causal=True)
            row = {'list': kind, 'shape': text, 'kernel': f'PyTorch {name}', 'dtype': dtype,
                   'peer': True, 'note': '',
                   'flop': 2 * heads * head_dim * positions * (positions + 1)}
            rows.append(row_or_reason(row, lambda: time_calls(call, 1, options.runs)))
    return rows


# --- results ---

def about(runs):
    return {'device': torch.cuda.get_device_name(),
            'date': time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime()),
            'PyTorch': torch.__version__, 'CUDA of PyTorch': torch.version.cuda,
            'cuDNN': torch.backends.cudnn.version(), 'runs': runs}


def write(path, results):
    if path is None:
        return
    with open(path + '.part', 'w') as file:
        json.dump(results, file, indent=1)
    os.replace(path + '.part', path)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('shapes', nargs='+', metavar='SHAPE|RESULTS.json')
    parser.add_argument('--runs', type=int, default=50)
    parser.add_argument('--dtype', action='append', choices=('f32', 'bf16'))
    parser.add_argument('--flex', choices=('all', 'f32', 'none'), default='f32')
    parser.add_argument('--paired', metavar='FLASHTWIN')
    parser.add_argument('--kv-dtype', default='f32')
    parser.add_argument('--out')
    options = parser.parse_args()
    options.dtype = options.dtype or ['f32', 'bf16']
    return options


def main():
    options = read_options()
    try:
        shapes = shapes_of(options.shapes)
        for _, shape in shapes:
            PROMPT.fullmatch(shape) or parse_shape(shape)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f'peers.py: {error}')
    load_torch()
    results = {'suite': 'peers', 'about': about(options.runs), 'rows': []}
    torch.set_float32_matmul_precision('highest')
    stopped = None
    with torch.no_grad():
        for kind, shape in shapes:
            try:
                measure = prompt_rows if PROMPT.fullmatch(shape) else decode_rows
                results['rows'] += paired_rows(options, shape,
                                               lambda: measure(options, kind, shape))
            except (Stopped, OSError, ValueError) as error:
                stopped = str(error)
                break
            write(options.out, results)
    write(options.out, results)
    if options.out is None:
        json.dump(results, sys.stdout, indent=1)
        print()
    if stopped:
        sys.exit(f'peers.py: {stopped}')


def load_torch():
    """Imports PyTorch into this module's names."""
    global torch, sdpa_kernel, attention, BACKENDS, DTYPES
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        from torch.nn.functional import scaled_dot_product_attention as attention
    except ImportError as error:
        print(f'peers.py: {error}', file=sys.stderr)
        sys.exit(77)
    if not torch.cuda.is_available():
        print('peers.py: no GPU', file=sys.stderr)
        sys.exit(77)
    BACKENDS = {
        'cuDNN': SDPBackend.CUDNN_ATTENTION, 'FlashAttention': SDPBackend.FLASH_ATTENTION,
        'efficient': SDPBackend.EFFICIENT_ATTENTION, 'math': SDPBackend.MATH,
    }
    DTYPES = {'f32': torch.float32, 'bf16': torch.bfloat16}


if __name__ == '__main__':
    main()
