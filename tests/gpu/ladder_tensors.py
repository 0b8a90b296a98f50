"""ladder_tensors.py FOLDER D HEADS LENGTH - random tensors for all options of the ladder's rungs.

Writes q.npy, q4.npy with 4 queries of each sequence, and for each type of keys and values kv_k.TYPE.npy
and kv_v.TYPE.npy of 2 sequences and 2 KV heads. pool_k.TYPE.npy and pool_v.TYPE.npy have the same shape in
pages of 16 rows, and table.npy names their pages: these are shuffled, two are shared, and one in the
middle, which no table names, is not a number. Used by ladder-options.sh and sanitize-options.sh.
"""
import array, random, struct, sys
folder, D, heads, length = sys.argv[1], *map(int, sys.argv[2:])
random.seed(D + length)
PAGE, SLOTS, KV_HEADS = 16, 2, 2
PAGES = -(-length // PAGE)

def save(name, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with open(f"{folder}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)

def floats(numbers):
    return array.array("f", numbers).tobytes()

def halves(numbers):
    return b"".join(struct.pack("<e", x) for x in numbers)

def upper(numbers):
    return b"".join(struct.pack("<f", x)[2:] for x in numbers)

def codes(numbers):
    # Any code but those of NaN: the number chooses one.
    return bytes((int(abs(x) * 1e4) % 127) | (128 if x < 0 else 0) for x in numbers)

def normal(count):
    return [random.gauss(0, 1) for _ in range(count)]

save("q", "<f4", (SLOTS, heads, D), floats(normal(SLOTS * heads * D)))
save("q4", "<f4", (SLOTS, 4, heads, D), floats(normal(SLOTS * 4 * heads * D)))
for letter in "kv":
    rows = normal(SLOTS * KV_HEADS * length * D)
    pool = normal((SLOTS * PAGES + 1) * KV_HEADS * PAGE * D)
    hole = KV_HEADS * PAGE * D
    for kind, name, pack, nan in (("<f4", "f32", floats, b"\0\0\xc0\x7f"),
                                  ("<f2", "f16", halves, b"\0\x7e"),
                                  ("<u2", "bf16", upper, b"\xc0\x7f"),
                                  ("|u1", "e4m3", codes, b"\x7f")):
        save(f"kv_{letter}.{name}", kind, (SLOTS, KV_HEADS, length, D), pack(rows))
        data = pack(pool[:hole]) + nan * hole + pack(pool[hole * 2:])
        save(f"pool_{letter}.{name}", kind, (SLOTS * PAGES + 1, KV_HEADS, PAGE, D), data)
table = [n for n in range(SLOTS * PAGES + 1) if n != 1]
random.shuffle(table)
table[-1] = table[0]
save("table", "<i4", (SLOTS, PAGES), array.array("i", table).tobytes())
