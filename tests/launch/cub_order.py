"""cub_order.py - what CUB's collectives give, in its order of operations, for cases.py.

`add` rounds a sum of two; values are lists by thread, or by item of all threads.
"""


def reduce_items(values, add):
    """The sum of one thread's items: pairs, then pairs of pairs."""
    values, by = list(values), 1
    while by < len(values):
        for i in range(0, len(values) - by, 2 * by):
            values[i] = add(values[i], values[i + by])
        by *= 2
    return values[0]


def reduce_lanes(values, add):
    """What lane 0 has after values moved down by 1, 2, 4, ... lanes."""
    values, by = list(values), 1
    while by < len(values):
        values = [add(v, values[i + by]) if i + by < len(values) else v
                  for i, v in enumerate(values)]
        by *= 2
    return values[0]


def reduce_block(values, add):
    """The warps' sums, one after the other."""
    warps = [reduce_lanes(values[i:i + 32], add) for i in range(0, len(values), 32)]
    total = warps[0]
    for warp in warps[1:]:
        total = add(total, warp)
    return total


def scan_lanes(values, add):
    values, by = list(values), 1
    while by < len(values):
        values = [add(values[i - by], v) if i >= by else v for i, v in enumerate(values)]
        by *= 2
    return values


def scan_raking(values, add, inclusive, initial):
    """Sums of segments, their scan, and the scans of the segments; of up to 32 values, the scan of
    these. initial: None or a value."""
    segment = -(-len(values) // 32)
    parts = [values[i:i + segment] for i in range(0, len(values), segment)]
    sums = []
    for part in parts:
        total = part[0]
        for value in part[1:]:
            total = add(total, value)
        sums.append(total)
    scanned = scan_lanes(sums, add)
    total = scanned[-1]
    if initial is not None:
        scanned = [add(initial, value) for value in scanned]
    if len(values) <= 32:
        return scanned if inclusive else [initial] + scanned[:-1], total
    out = []
    for i, part in enumerate(parts):
        prefix = initial if i == 0 else scanned[i - 1]
        for value in part:
            before, prefix = prefix, value if prefix is None else add(prefix, value)
            out.append(prefix if inclusive else before)
    return out, total


def scan_warps(values, add, inclusive, initial):
    """Scans of warps, after the sums of the warps before."""
    total, out = None, []
    for first in range(0, len(values), 32):
        scanned = scan_lanes(values[first:first + 32], add)
        prefix = total if initial is None else initial if total is None else add(initial, total)
        for i, value in enumerate(scanned):
            if inclusive:
                out.append(value if prefix is None else add(prefix, value))
            elif i == 0:
                out.append(prefix)
            else:
                out.append(scanned[i - 1] if prefix is None else add(prefix, scanned[i - 1]))
        total = scanned[-1] if total is None else add(total, scanned[-1])
    return out, total


def scan_items(items, count, add, scan, inclusive):
    """Scans of `count` items of each thread, which begin at 0."""
    parts = [items[i:i + count] for i in range(0, len(items), count)]
    before, _ = scan([reduce_items(part, add) for part in parts], add, False, 0.0)
    out = []
    for thread, part in enumerate(parts):
        prefix = before[thread] if thread or not inclusive else None
        for value in part:
            last, prefix = prefix, value if prefix is None else add(prefix, value)
            out.append(prefix if inclusive else last)
    return out
