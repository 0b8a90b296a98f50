"""npy.py - tensors of 4-byte values in .npy files, for scripts: written, read, and made up.

A script copies it to its folder, where its Python finds it.
"""
import struct

_state = 1


def write(name, shape, values, kind='f'):
    head = "{'descr': '<%s4', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head = head.ljust(117) + '\n'
    with open(name, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode()
                   + struct.pack('<%d%s' % (len(values), kind), *values))


def data(name):
    with open(name, 'rb') as file:
        all_of_it = file.read()
    return all_of_it[10 + struct.unpack('<H', all_of_it[8:10])[0]:]


def read(name):
    """The floats of a file."""
    values = data(name)
    return struct.unpack('<%df' % (len(values) // 4), values)


def noise(count):
    """Numbers between -1 and 1, the same in every run."""
    global _state
    out = []
    for _ in range(count):
        _state = (_state * 1103515245 + 12345) % 2 ** 31
        out.append((_state >> 8) / 2 ** 22 - 1)
    return out
