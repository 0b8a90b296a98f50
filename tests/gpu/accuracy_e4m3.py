#!/usr/bin/env python3
"""accuracy_e4m3.py FLASHTWIN [--device cuda|sim] [SHAPE...] - the ladder's error with e4m3.

Attends with keys and values of e4m3, which have a scale for each KV head, and prints the relative L2
error of the output against attention in float64 on the same numbers and the same queries: it must be
at most 4e-3. A SHAPE is sequences,query heads,KV heads,head size,keys; by default, one sequence of
32,768 keys and 32 of 8,192. Exit code 1 if an error is larger. Needs NumPy. Run by
ladder-accuracy.sh.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

SHAPES = ("1,32,8,128,32768", "32,32,8,128,8192")
LIMIT = 4e-3


def numbers_of_codes():
    """What each code stands for: a sign, 4 bits of exponent and 3 more; 0x7f and 0xff are NaN."""
    code = np.arange(256)
    exponent, rest = code >> 3 & 15, code & 7
    size = np.where(exponent > 0, 2.0 ** (exponent - 7.0) * (1 + rest / 8), 2.0 ** -6 * rest / 8)
    return np.where(code & 127 == 127, np.nan, np.where(code > 127, -size, size))


NUMBERS = numbers_of_codes()


def rounded(x, scale):
    """The codes of the numbers nearest to x / scale."""
    middles = (NUMBERS[:126] + NUMBERS[1:127]) / 2
    codes = np.searchsorted(middles.astype(np.float32), abs(x / scale)).astype(np.uint8)
    return codes | np.where(x < 0, 128, 0).astype(np.uint8)


def exact(q, k, v):
    """In float64, of q (Hkv, G, D), k and v (Hkv, n, D)."""
    s = q.astype(np.float64) @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    p = np.exp(s - s.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)


def error(flashtwin, device, rung, shape, folder):
    """The relative L2 error of all outputs."""
    slots, heads, kv_heads, dim, keys = shape
    rng = np.random.default_rng(dim + keys)
    q = rng.standard_normal((slots, heads, dim), dtype=np.float32)
    arrays, scales, command = {"q": q}, {}, [flashtwin, "attend", "--path", "ladder"]
    for name in "kv":
        rows = rng.standard_normal((slots, kv_heads, keys, dim), dtype=np.float32)
        scales[name] = (abs(rows).max((0, 2, 3)) / 448).astype(np.float32)
        arrays[name] = rounded(rows, scales[name][None, :, None, None])
        arrays[name + "-scale"] = scales[name]
    for name, x in arrays.items():
        np.save(os.path.join(folder, name + ".npy"), x)
        command += ["--" + name, os.path.join(folder, name + ".npy")]
    out = os.path.join(folder, "out.npy")
    subprocess.run(command + ["--rung", rung, "--kv-dtype", "e4m3", "--device", device,
                              "--no-record", "--out", out], check=True, stdout=subprocess.DEVNULL)
    got = np.load(out).astype(np.float64)
    off = size = 0.0
    for m in range(slots):
        k, v = (NUMBERS[arrays[x][m]] * scales[x][:, None, None] for x in "kv")
        wanted = exact(q[m].reshape(kv_heads, -1, dim), k, v).reshape(heads, dim)
        off += ((got[m] - wanted) ** 2).sum()
        size += (wanted ** 2).sum()
    return np.sqrt(off / size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flashtwin")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("shapes", nargs="*", default=SHAPES)
    args = parser.parse_intermixed_args()
    failed = False
    for shape in args.shapes:
        # Rungs 5 and 6 have the same bits, and so have those from 7 up.
        for rung in ("best", "5"):
            with tempfile.TemporaryDirectory() as folder:
                off = error(args.flashtwin, args.device, rung, tuple(map(int, shape.split(","))),
                            folder)
            failed |= not off <= LIMIT
            print(f"{'ok' if off <= LIMIT else 'FAIL'} e4m3 {shape}, rung {rung}: "
                  f"relative L2 error {off:.2e}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
