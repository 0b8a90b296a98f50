"""damage_npy.py - makes small .npy files and damages them: headers, shapes, types, lengths, values.

Used by fuzz_arguments.py.
"""
import os
import struct

SIZES = [0, 1, 2, 3, 31, 33, 2**16, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**62, 2**63 - 1, 2**63,
         2**64, 2**64 + 1, 10**30, -1, -2**63]
TYPES = ["<f4", "<f8", "<f2", "<i4", "<i8", "<u1", "|b1", ">f4", "f4", "<f", "<U5", "|O", "|V4",
         "<c8", "", "<f4" * 40, "<f99999999999999999999", "'", "\\x00"]
FLOATS = [float("nan"), float("inf"), float("-inf"), 3.4e38, -3.4e38, 1e-45, -0.0, 0.0, 1e30]
HEADERS = ["", "{", "}", "{}", "[]", "{'descr': }", "{'descr': '<f4'}", "{'shape': (2, 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (4,), }",
           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
           "{'descr': '<f4', 'fortran_order': 1, 'shape': [2, 2], }", "'" * 500, "(" * 5000,
           "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % ("1, " * 300)]


def shaped(shape, descr="<f4", fortran="False"):
    text = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({text}), }}"


def write(path, header, data, version=(1, 0), length=None):
    """`length` is what the file claims of its header; None: the truth."""
    text = header.encode("latin-1", "replace")
    head = 10 if version[0] == 1 else 12
    text += b" " * (-(head + len(text) + 1) % 64) + b"\n"
    length = len(text) if length is None else length
    if version[0] == 1:
        size = struct.pack("<H", length & 0xffff)
    else:
        size = struct.pack("<I", length & 0xffffffff)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes(version) + size + text + data)


def floats(shape, random):
    count = 1
    for size in shape:
        count *= size
    return struct.pack(f"<{count}f", *(random.uniform(-1, 1) for _ in range(count)))


def intact(path, shape, random):
    write(path, shaped(shape), floats(shape, random))


# --- kinds of damage: each rewrites the file ---

def other_shape(path, shape, random):
    shape = list(shape)
    for _ in range(random.choice([1, 1, 2])):
        shape[random.randrange(len(shape))] = random.choice(SIZES)
    if random.random() < 0.3:
        shape = shape[:random.randrange(len(shape) + 1)] + [random.choice(SIZES)] * random.choice(
            [0, 1, 5, 40])
    write(path, shaped(shape), floats((64,), random))


def other_type(path, shape, random):
    write(path, shaped(shape, random.choice(TYPES), random.choice(["False", "True", "Maybe"])),
          floats(shape, random))


def other_header(path, shape, random):
    write(path, random.choice(HEADERS), floats(shape, random))


def other_length(path, shape, random):
    version = random.choice([(1, 0), (2, 0), (3, 0), (0, 0), (4, 0), (255, 255)])
    write(path, shaped(shape), floats(shape, random), version,
          random.choice([None, 0, 1, 10, 65535, 2**31, 2**32 - 1]))


def other_values(path, shape, random):
    data = bytearray(floats(shape, random))
    for _ in range(random.choice([1, 3, 100])):
        if data:
            struct.pack_into("<f", data, 4 * random.randrange(len(data) // 4),
                             random.choice(FLOATS))
    write(path, shaped(shape), bytes(data))


def cut_or_longer(path, shape, random):
    intact(path, shape, random)
    size = os.path.getsize(path)
    os.truncate(path, random.choice([0, 1, 6, 9, 10, 64, 127, 128, size - 1, size + 1, size + 4096,
                                     random.randrange(size)]))


def flip_bits(path, shape, random):
    intact(path, shape, random)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for _ in range(random.choice([1, 3, 30])):
        # Mostly in the header.
        at = random.randrange(min(len(data), 128 if random.random() < 0.8 else len(data)))
        data[at] ^= 1 << random.randrange(8)
    with open(path, "wb") as file:
        file.write(data)


def no_file(path, _, random):
    if os.path.exists(path):
        os.unlink(path)
    if random.random() < 0.5:
        os.mkdir(path)


KINDS = {other_shape: 5, other_type: 3, other_header: 2, other_length: 2, other_values: 4,
         cut_or_longer: 3, flip_bits: 4, no_file: 1}


def damaged(path, shape, random):
    """Writes a damaged file; returns the kind of damage."""
    kind = random.choices(list(KINDS), list(KINDS.values()))[0]
    kind(path, shape, random)
    return kind.__name__.replace("_", " ")
