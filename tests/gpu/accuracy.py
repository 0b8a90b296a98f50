#!/usr/bin/env python3
"""accuracy.py FLASHTWIN [--device cuda|sim] [--part I/N] [--lists NAME,...] - the ladder's error next
to PyTorch's.

Attends with queries, caches and outputs of f16 and of bf16, and compares with attention in float64 on
the same numbers: the largest error of an output must be at most twice that of PyTorch's result in the
same type. Shapes: the matrix of head sizes, groups and lengths of the ladder's tests, and lists that
the tests of FlashInfer, FlashMLA and FlashAttention go through, as far as the ladder has the feature.
Rows of a cache past a sequence's keys are NaN, and entries of a page table past its pages are
garbage. Prints a line for each case that fails and one for each list and type; exit code 1 if a case
failed. Needs NumPy and PyTorch. Run by ladder-accuracy.sh.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import torch

HEAD_SIZES = (64, 80, 96, 128, 256)
GROUPS = (1, 2, 3, 4, 6, 7, 8, 16)
LENGTHS = (0, 1, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1023, 1024, 1025)
KINDS = ("random", "rising", "falling", "equal", "huge")


def case(name, dim, kv_heads, group, lengths, kind="random", **options):
    return dict(name=name, dim=dim, kv_heads=kv_heads, group=group, lengths=lengths, kind=kind,
                **options)


def matrix():
    """Each head size with each group; all lengths in one ragged batch, several kinds of scores."""
    for i, dim in enumerate(HEAD_SIZES):
        for j, group in enumerate(GROUPS):
            kind = KINDS[(i * len(GROUPS) + j) % len(KINDS)]
            yield case("matrix", dim, 1, group, LENGTHS, kind)
            yield case("matrix", dim, 2, group, LENGTHS[::-1] + (7, 2000, 4097), kind)
        yield case("matrix", dim, 1, GROUPS[i + 2], (65535, 65536, 65537), KINDS[i])
    yield case("matrix", 128, 1, 8, (1 << 20,))


def flashinfer():
    """Batches of 12, 17 and 128, pages of 1, 8 and 16 rows, 4 KV heads for 4 and 32 heads: all that its
    tests of paged decoding combine, and some with a soft cap."""
    for dim, page, group in itertools.product((128, 256), (1, 8, 16), (1, 8)):
        for keys, batch in itertools.product((54, 97, 512, 2048, 16384), (12, 17, 128)):
            yield case("FlashInfer", dim, 4, group, (keys,) * batch, page=page)
        yield case("FlashInfer", dim, 4, group, (2048,) * 17, page=page, softcap=30.0)


def flashmla():
    """1, 3, 9, 63 and 126 heads, sequences without keys, pages of 64 rows, padding of NaN, 2 queries."""
    for kv_heads, group in ((1, 1), (1, 3), (1, 9), (9, 7), (9, 14)):
        for lengths in ((1, 0, 63, 64, 65), (0, 4096, 3, 1000), (0, 0, 1)):
            yield case("FlashMLA", 128, kv_heads, group, lengths, page=64)
            yield case("FlashMLA", 128, kv_heads, group, lengths)
            yield case("FlashMLA", 128, kv_heads, group, lengths, page=64, queries=2)


def flashattention():
    """6 heads with 6, 3, 2 and 1 KV heads, queries and keys of its KV cache tests, pages, windows,
    softcap."""
    for dim in (64, 80, 96, 128, 256):
        for kv_heads in (6, 3, 2, 1):
            group = 6 // kv_heads
            for lengths, more in (((128, 339), {}), ((1024, 800), dict(page=4)),
                                  ((256, 799), dict(page=128)), ((2048, 1), dict(page=1)),
                                  ((339, 1024), dict(window=137)),
                                  ((800, 2048), dict(softcap=15.0)),
                                  ((799, 256), dict(window=64, sinks=4, page=128))):
                yield case("FlashAttention", dim, kv_heads, group, lengths, **more)
            for queries, keys, more in ((3, 1024, {}), (64, 800, dict(page=16)), (64, 256, {}),
                                        (3, 799, dict(page=256)), (64, 2048, dict(window=200)),
                                        (128, 128, {})):
                yield case("FlashAttention", dim, kv_heads, group, (keys, max(queries, keys // 2)),
                           queries=queries, **more)
        yield case("FlashAttention", dim, 1, 6, (20000,))
        yield case("FlashAttention", dim, 1, 6, (20000,), queries=16)
    yield case("FlashAttention", 128, 1, 6, (128 * 1024,))
    yield case("FlashAttention", 128, 1, 6, (128 * 1024,), queries=16)


# Rungs 5 and 6 have the same bits, and so have those from 7 up.
RUNGS = ("best", "5")
LISTS = {"matrix": matrix, "FlashInfer": flashinfer, "FlashMLA": flashmla,
         "FlashAttention": flashattention}


# --- tensors: on the GPU if there is one, for those of FlashInfer's list have up to 4 GB ---

PLACE = "cuda" if torch.cuda.is_available() else "cpu"
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
NAN = float("nan")


def stored(x):
    """For a .npy file; NumPy has no bf16, so its numbers go there as their 16 bits."""
    if x.dtype not in TYPES.values():
        return x.cpu().numpy()
    return x.cpu().view(torch.int16).numpy().view(
        np.float16 if x.dtype == torch.float16 else np.uint16)


def loaded(path, dtype):
    return torch.from_numpy(np.load(path).view(np.int16)).view(dtype).to(PLACE, torch.float64)


def tensors(c, dtype, random):
    """q (M, T, H, D), and for each sequence k and v (Hkv, n, D)."""
    heads, dim = c["kv_heads"] * c["group"], c["dim"]

    def normal(*shape):
        return torch.randn(shape, generator=random, device=PLACE)

    q = normal(len(c["lengths"]), c.get("queries", 1), heads, dim)
    if c["kind"] == "huge":
        q *= 1e4 if dtype == torch.bfloat16 else 1e3
    elif c["kind"] != "random":
        q = abs(q)
    rows = []
    for n in c["lengths"]:
        k, v = (normal(c["kv_heads"], n, dim) for _ in "kv")
        if c["kind"] == "equal":
            k[:] = 0.25
        elif c["kind"] != "random" and c["kind"] != "huge":
            slope = torch.linspace(0, 1, n, device=PLACE)
            k[:] = (slope if c["kind"] == "rising" else slope.flip(0))[None, :, None]
        rows.append((k.to(dtype), v.to(dtype)))
    return q.to(dtype), rows


def cache(c, rows, which):
    """(M, Hkv, capacity, D); NaN past each sequence's keys."""
    shape = (len(rows), c["kv_heads"], max(c["lengths"]) or 1, c["dim"])
    out = torch.full(shape, NAN, dtype=rows[0][which].dtype, device=PLACE)
    for m, row in enumerate(rows):
        out[m, :, :row[which].shape[1]] = row[which]
    return out


def pages(c, rows, random):
    """Pools (P, Hkv, N, D) in a shuffled order, with a page of NaN that no sequence has, and a
    table whose entries past a sequence's pages are garbage."""
    size, heads, dim = c["page"], c["kv_heads"], c["dim"]
    counts = [-(-n // size) for n in c["lengths"]]
    order = torch.randperm(sum(counts), generator=random, device=PLACE) + 1
    pools = [torch.full((sum(counts) + 1, heads, size, dim), NAN, dtype=rows[0][0].dtype,
                        device=PLACE) for _ in "kv"]
    table = torch.randint(-1 << 31, 1 << 31, (len(rows), max(counts) or 1), generator=random,
                          device=PLACE)
    at = 0
    for m, count in enumerate(counts):
        table[m, :count] = order[at:at + count]
        for pool, part in zip(pools, rows[m]):
            whole = torch.full((heads, count * size, dim), NAN, dtype=part.dtype, device=PLACE)
            whole[:, :part.shape[1]] = part
            pool[order[at:at + count]] = whole.view(heads, count, size, dim).transpose(0, 1)
        at += count
    return pools, table.to(torch.int32)


# --- attention ---

def visible(c, n):
    """The keys that a query sees, the last of which is key n - 1."""
    window, sinks = c["window"], c.get("sinks", 0)
    return [i for i in range(n) if i >= n - window or i < sinks]


def exact(c, q, k, v):
    """In float64: (H, D)."""
    q, k, v = (x.double() for x in (q, k, v))
    q = q.reshape(c["kv_heads"], c["group"], c["dim"])
    s = q @ k.transpose(1, 2) / c["dim"] ** 0.5
    if "softcap" in c:
        s = c["softcap"] * torch.tanh(s / c["softcap"])
    return (torch.softmax(s, -1) @ v).reshape(-1, c["dim"])


def same_type(c, q, k, v):
    """PyTorch's result in the type: its kernel, or single operations where it has none."""
    q = q.reshape(1, -1, 1, c["dim"])
    k, v = (x[None] for x in (k, v))
    if "softcap" not in c:
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    else:
        k, v = (x.repeat_interleave(c["group"], 1) for x in (k, v))
        s = (q / c["dim"] ** 0.5) @ k.transpose(-1, -2)
        s = c["softcap"] * torch.tanh(s / c["softcap"])
        out = torch.softmax(s, -1) @ v
    return out.reshape(-1, c["dim"]).double()


def largest(x):
    """Its largest size, infinite if one is NaN."""
    return float("inf") if torch.isnan(x).any() else float(abs(x).max())


def run(c, name, args, folder, random):
    """Attends on each rung; returns the largest errors of those and of PyTorch, and how many outputs."""
    dtype = TYPES[name]
    q, rows = tensors(c, dtype, random)
    files = {x: os.path.join(folder, x + ".npy") for x in ("q", "k", "v", "table")}
    outs = {rung: os.path.join(folder, f"out-{rung}.npy") for rung in RUNGS}
    command = [args.flashtwin, "attend", "--path", "ladder", "--device", args.device,
               "--q", files["q"], "--k", files["k"], "--v", files["v"],
               "--q-dtype", name, "--kv-dtype", name, "--no-record",
               "--lengths", ",".join(map(str, c["lengths"]))]
    for option in ("softcap", "window", "sinks"):
        command += ["--" + option, str(c[option])] if option in c else []
    if "page" in c:
        (k, v), table = pages(c, rows, random)
        np.save(files["table"], stored(table))
        command += ["--page-table", files["table"]]
    else:
        k, v = cache(c, rows, 0), cache(c, rows, 1)
    queries = q.shape[1]
    for which, x in (("q", q if queries > 1 else q[:, 0]), ("k", k), ("v", v)):
        np.save(files[which], stored(x))
    del k, v
    for rung, out in outs.items():
        subprocess.run(command + ["--rung", rung, "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
    got = {rung: loaded(out, dtype) for rung, out in outs.items()}
    ours, theirs = dict.fromkeys(RUNGS, 0.0), 0.0
    for m, t in itertools.product(range(len(rows)), range(queries)):
        n = c["lengths"][m] - queries + 1 + t
        wanted = torch.zeros_like(q[m, t], dtype=torch.float64)
        if n > 0:
            k, v = (x[:, visible(c, n)] if "window" in c else x[:, :n] for x in rows[m])
            wanted = exact(c, q[m, t], k, v)
            theirs = max(theirs, largest(same_type(c, q[m, t], k, v) - wanted))
        for rung in RUNGS:
            errors = got[rung].reshape(q.shape)[m, t] - wanted
            ours[rung] = max(ours[rung], largest(errors))
    return ours, theirs, got[RUNGS[0]].numel()


def print_totals(totals):
    for (cases, name, rung), (count, outputs, worst) in totals.items():
        print(f"{cases}, {name}, rung {rung}: {count} cases, {outputs} outputs, "
              f"error / PyTorch's at most {worst:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flashtwin")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--lists", default="all")
    args = parser.parse_args()
    names = list(LISTS) if args.lists == "all" else args.lists.split(",")
    for name in names:
        if name not in LISTS:
            parser.error(f"no list {name}; there are: {', '.join(LISTS)}")
    part, parts = map(int, args.part.split("/"))
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        for cases in (LISTS[name] for name in names):
            totals = {}
            for c, name in itertools.product(cases(), TYPES):
                number += 1
                if number % parts != part:
                    continue
                seed = zlib.crc32(f"{name}, {c}".encode())
                random = torch.Generator(PLACE).manual_seed(seed)
                ours, theirs, count = run(c, name, args, folder, random)
                for rung, error in ours.items():
                    total = totals.setdefault((c["name"], name, rung), [0, 0, 0.0])
                    total[0] += 1
                    total[1] += count
                    total[2] = max(total[2], error / theirs if theirs else float(error > 0))
                    if error > 2 * theirs:
                        failed += 1
                        print(f"FAIL {name}, rung {rung}, {c}: error {error:.3g}, "
                              f"PyTorch's {theirs:.3g}", flush=True)
            print_totals(totals)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
