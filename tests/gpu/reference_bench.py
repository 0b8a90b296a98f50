#!/usr/bin/env python3
"""reference_bench.py [RUNS] - PyTorch's attention, on the shapes of `bench --suite seeds`.

PyTorch's scaled_dot_product_attention, one kernel at a time, timed with CUDA events as the suite
does: medians, the attention alone, and a buffer of 256 MiB written before each run so that nothing
is left in the L2. Prints Markdown tables that are appended to the suite's. Exit code 77 without
PyTorch or a GPU; a combination that a kernel refuses has no time. Not needed by flashtwin itself.
"""
import statistics
import sys
import warnings

HEADS, KV_HEADS, D = 32, 8, 128
LENGTHS = 1024, 4096, 32768, 131072
PROMPT = 4096
FLUSH_BYTES = 256 << 20

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as attention
except ImportError as error:
    print(f'reference_bench.py: {error}', file=sys.stderr)
    sys.exit(77)

BACKENDS = {
    'cuDNN': SDPBackend.CUDNN_ATTENTION,
    'FlashAttention': SDPBackend.FLASH_ATTENTION,
    'memory-efficient': SDPBackend.EFFICIENT_ATTENTION,
    'math': SDPBackend.MATH,
}


def median_us(work, runs, flush):
    """Device time of work() with a cold L2, after one uncounted run."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(runs + 1):
        flush.fill_(1)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return statistics.median(times[1:])


def time_or_none(backend, work, runs, flush):
    """None if the backend does not support these tensors; faults of the GPU are not caught."""
    try:
        with warnings.catch_warnings(), sdpa_kernel(backend):
            warnings.simplefilter('ignore')
            return median_us(work, runs, flush)
    except RuntimeError as error:
        if 'No available kernel' not in str(error) and 'out of memory' not in str(error):
            raise
        torch.cuda.empty_cache()
        return None


def figure(value):
    return '-' if value is None else f'{value:.2f}' if value < 10 else f'{value:.1f}'


def print_table(title, names, rows):
    """Columns as wide as their widest cell; the first two are text."""
    widths = [max(len(row[i]) for row in [names] + rows) for i in range(len(names))]
    print(f'## {title}\n')
    for row in [names, None] + rows:
        cells = ['-' * w if i < 2 else '-' * (w - 1) + ':' for i, w in enumerate(widths)] \
            if row is None else \
            [c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        print('| ' + ' | '.join(cells) + ' |')
    print()


def decode_rows(runs, flush):
    rows = []
    for keys in LENGTHS:
        for dtype in torch.float32, torch.bfloat16:
            q = torch.randn(1, HEADS, 1, D, device='cuda', dtype=dtype)
            k, v = torch.randn(2, 1, KV_HEADS, keys, D, device='cuda', dtype=dtype)
            size = k.element_size() * (k.numel() + v.numel())
            for name, backend in BACKENDS.items():
                us = time_or_none(backend, lambda: attention(q, k, v, enable_gqa=True), runs,
                                  flush)
                rows.append([name, str(dtype).removeprefix('torch.'), str(keys), figure(us),
                             figure(us and 1e-3 * size / us)])
    return rows


def prefill_rows(runs, flush):
    rows = []
    flop = 4 * HEADS * D * PROMPT * (PROMPT + 1) / 2
    for dtype in torch.float32, torch.bfloat16:
        q, k, v = torch.randn(3, 1, HEADS, PROMPT, D, device='cuda', dtype=dtype)
        for name, backend in BACKENDS.items():
            us = time_or_none(backend, lambda: attention(q, k, v, is_causal=True), runs, flush)
            rows.append([name, str(dtype).removeprefix('torch.'), str(PROMPT),
                         figure(us and 1e-3 * us), figure(us and 1e-6 * flop / us)])
    return rows


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    if not torch.cuda.is_available():
        print('reference_bench.py: no GPU', file=sys.stderr)
        sys.exit(77)
    torch.backends.cuda.matmul.allow_tf32 = False
    flush = torch.empty(FLUSH_BYTES // 4, device='cuda')
    where = f'PyTorch {torch.__version__}, CUDA {torch.version.cuda}'
    with torch.no_grad():
        print_table(f'For reference, {where}: decode attention, one sequence, {HEADS} heads, '
                    f'{KV_HEADS} KV heads, D {D}, cold L2',
                    ['kernel', 'dtype', 'keys', 'us', 'GB/s'], decode_rows(runs, flush))
        print_table(f'For reference, {where}: prefill, causal, {HEADS} heads, D {D}, cold L2; '
                    'operations of the causal half only',
                    ['kernel', 'dtype', 'positions', 'ms', 'TFLOP/s'], prefill_rows(runs, flush))


if __name__ == '__main__':
    main()
