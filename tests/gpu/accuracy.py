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
    """Batches of 12, 17 and 128, pages of 1, 8 and 16 rows, 4 KV heads for 4 and 32 heads."""
    for dim in (128, 256):
        for batch, keys in ((12, 54), (12, 97), (12, 512), (12, 2048), (17, 54), (17, 97),
                            (17, 512), (128, 54), (128, 97)):
            for page in (1, 8, 16):
                yield case("FlashInfer", dim, 4, 1 if page == 8 else 8, (keys,) * batch, page=page)
        for page in (1, 16):
            yield case("FlashInfer", dim, 4, 8, (16384,), page=page, softcap=30.0)


def flashmla():
    """1, 3, 9, 63 and 126 heads, sequences without keys, pages of 64 rows, padding of NaN."""
    for kv_heads, group in ((1, 1), (1, 3), (1, 9), (9, 7), (9, 14)):
        for lengths in ((1, 0, 63, 64, 65), (0, 4096, 3, 1000), (0, 0, 1)):
            yield case("FlashMLA", 128, kv_heads, group, lengths, page=64)
            yield case("FlashMLA", 128, kv_heads, group, lengths)


def flashattention():
    """6 heads with 6, 3, 2 and 1 KV heads, lengths of its KV cache tests, pages, windows, softcap."""
    for dim in (64, 80, 96, 128, 256):
        for kv_heads in (6, 3, 2, 1):
            group = 6 // kv_heads
            for lengths, more in (((128, 339), {}), ((1024, 800), dict(page=4)),
                                  ((256, 799), dict(page=128)), ((2048, 1), dict(page=1)),
                                  ((339, 1024), dict(window=137)),
                                  ((800, 2048), dict(softcap=15.0)),
                                  ((799, 256), dict(window=64, sinks=4, page=128))):
                yield case("FlashAttention", dim, kv_heads, group, lengths, **more)
        yield case("FlashAttention", dim, 1, 6, (20000,))
    yield case("FlashAttention", 128, 1, 6, (128 * 1024,))


LISTS = {"matrix": matrix, "FlashInfer": flashinfer, "FlashMLA": flashmla,
         "FlashAttention": flashattention}


# --- tensors ---

class Type:
    """f16 or bf16: NumPy has no bf16, so its numbers are the upper halves of float32."""

    def __init__(self, name):
        self.name = name
        self.torch = {"f16": torch.float16, "bf16": torch.bfloat16}[name]

    def round(self, x):
        """The nearest numbers of the type, as float32."""
        if self.name == "f16":
            return x.astype(np.float16).astype(np.float32)
        bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
        return bits.astype(np.uint32).view(np.float32)

    def stored(self, x):
        return x.astype(np.float16) if self.name == "f16" else \
            (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)

    def loaded(self, path):
        x = np.load(path)
        if self.name == "f16":
            return x.astype(np.float64)
        bits = x.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)


def tensors(c, kind_of, rng):
    """q (M, H, D), and for each sequence k and v (Hkv, n, D): numbers of the type."""
    heads, dim = c["kv_heads"] * c["group"], c["dim"]
    q = rng.standard_normal((len(c["lengths"]), heads, dim), dtype=np.float32)
    if c["kind"] == "huge":
        q *= 1e4 if kind_of.name == "bf16" else 1e3
    elif c["kind"] != "random":
        q = abs(q)
    rows = []
    for n in c["lengths"]:
        k, v = (rng.standard_normal((c["kv_heads"], n, dim), dtype=np.float32) for _ in "kv")
        if c["kind"] == "equal":
            k[:] = 0.25
        elif c["kind"] != "random" and c["kind"] != "huge":
            slope = np.linspace(0, 1, n, dtype=np.float32) if n else np.zeros(0, np.float32)
            k[:] = (slope if c["kind"] == "rising" else slope[::-1])[None, :, None]
        rows.append((kind_of.round(k), kind_of.round(v)))
    return kind_of.round(q), rows


def cache(c, rows, which):
    """(M, Hkv, capacity, D); NaN past each sequence's keys."""
    capacity = max(c["lengths"]) or 1
    out = np.full((len(rows), c["kv_heads"], capacity, c["dim"]), np.nan, np.float32)
    for m, row in enumerate(rows):
        out[m, :, :row[which].shape[1]] = row[which]
    return out


def pages(c, rows, rng):
    """Pools (P, Hkv, N, D) in a shuffled order, with a page of NaN that no sequence has, and a
    table whose entries past a sequence's pages are garbage."""
    size = c["page"]
    counts = [-(-n // size) for n in c["lengths"]]
    order = rng.permutation(sum(counts)) + 1
    shape = (sum(counts) + 1, c["kv_heads"], size, c["dim"])
    pools = [np.full(shape, np.nan, np.float32) for _ in "kv"]
    table = rng.integers(-1 << 31, 1 << 31, (len(rows), max(counts) or 1), dtype=np.int64)
    at = 0
    for m, count in enumerate(counts):
        for page in range(count):
            table[m, page] = order[at]
            for which in (0, 1):
                part = rows[m][which][:, page * size:(page + 1) * size]
                pools[which][order[at], :, :part.shape[1]] = part
            at += 1
    return pools, table.astype(np.int32)


# --- attention ---

def visible(c, n):
    """The keys that the newest of n queries sees."""
    window, sinks = c.get("window"), c.get("sinks", 0)
    return np.array([i for i in range(n) if i >= n - window or i < sinks], int) if window \
        else slice(None)


def exact(c, q, k, v):
    """In float64: (H, D)."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    q = q.reshape(c["kv_heads"], c["group"], c["dim"])
    s = q @ k.swapaxes(1, 2) / np.sqrt(c["dim"])
    if "softcap" in c:
        s = c["softcap"] * np.tanh(s / c["softcap"])
    p = np.exp(s - s.max(-1, keepdims=True))
    return (p @ v / p.sum(-1, keepdims=True)).reshape(-1, c["dim"])


def same_type(c, kind_of, q, k, v):
    """PyTorch's result in the type: its kernel, or single operations where it has none."""
    place = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v = (torch.from_numpy(np.ascontiguousarray(x)).to(place, kind_of.torch)
               for x in (q, k, v))
    q = q.reshape(1, -1, 1, c["dim"])
    k, v = (x[None] for x in (k, v))
    if "softcap" not in c:
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    else:
        k, v = (x.repeat_interleave(c["group"], 1) for x in (k, v))
        s = (q / c["dim"] ** 0.5) @ k.transpose(-1, -2)
        s = c["softcap"] * torch.tanh(s / c["softcap"])
        out = torch.softmax(s, -1) @ v
    return out.reshape(-1, c["dim"]).double().cpu().numpy()


def run(c, kind_of, rung, args, folder, rng):
    """Attends; returns the largest errors of the ladder and of PyTorch, and how many outputs."""
    q, rows = tensors(c, kind_of, rng)
    names = {x: os.path.join(folder, x + ".npy") for x in ("q", "k", "v", "table", "out")}
    command = [args.flashtwin, "attend", "--path", "ladder", "--rung", rung, "--device", args.device,
               "--q", names["q"], "--k", names["k"], "--v", names["v"], "--out", names["out"],
               "--q-dtype", kind_of.name, "--kv-dtype", kind_of.name, "--no-record",
               "--lengths", ",".join(map(str, c["lengths"]))]
    for option in ("softcap", "window", "sinks"):
        command += ["--" + option, str(c[option])] if option in c else []
    if "page" in c:
        (k, v), table = pages(c, rows, rng)
        np.save(names["table"], table)
        command += ["--page-table", names["table"]]
    else:
        k, v = cache(c, rows, 0), cache(c, rows, 1)
    for name, x in (("q", q), ("k", k), ("v", v)):
        np.save(names[name], kind_of.stored(x))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    got = kind_of.loaded(names["out"])
    ours = theirs = 0.0
    for m, n in enumerate(c["lengths"]):
        if n == 0:
            ours = max(ours, float(abs(got[m]).max()) if not np.isnan(got[m]).any() else np.inf)
            continue
        seen = visible(c, n)
        k, v = (x[:, seen] for x in rows[m])
        wanted = exact(c, q[m], k, v)
        errors = abs(got[m] - wanted)
        ours = max(ours, np.inf if np.isnan(errors).any() else float(errors.max()))
        theirs = max(theirs, float(abs(same_type(c, kind_of, q[m], k, v) - wanted).max()))
    return ours, theirs, got.size


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
            # Rungs 5 and 6 have the same bits, and so have those from 7 up.
            for c, name, rung in itertools.product(cases(), ("f16", "bf16"), ("best", "5")):
                number += 1
                if number % parts != part:
                    continue
                what = f"{name}, rung {rung}, {c}"
                rng = np.random.default_rng(zlib.crc32(what.encode()))
                ours, theirs, count = run(c, Type(name), rung, args, folder, rng)
                total = totals.setdefault((c["name"], name, rung), [0, 0, 0.0])
                total[0] += 1
                total[1] += count
                total[2] = max(total[2], ours / theirs if theirs else float(ours > 0))
                if ours > 2 * theirs:
                    failed += 1
                    print(f"FAIL {what}: error {ours:.3g}, PyTorch's {theirs:.3g}", flush=True)
            print_totals(totals)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
