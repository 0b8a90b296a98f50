"""damage.py - makes damaged copies of a trace, from flipped bytes to implausible values in rows.

Used by fuzz_viewer.py.
"""
import os
import shutil
import sqlite3

HOSTILE = [0, -1, 1, 2, 31, 255, 65536, 2**31 - 1, -2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1,
           -2**63,
           "x", "", "nan", "[4294967296,4294967296]", "[]", "%s%n", "\x1b[2J", "\u0301", "x" * 5000,
           None, b"", b"\x00\xff", b"x" * 4097, 1.5, float("inf"), float("-inf"), 1e308, -0.0]
HEADER = 100                    # size of a SQLite file's header


def flip_bytes(path, random):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(random.choice([1, 10, 100, 1000])):
            at = random.randrange(HEADER, size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << random.randrange(8)]))


def zero_pages(path, random):
    with open(path, "r+b") as file:
        pages = os.path.getsize(path) // 4096
        for _ in range(random.choice([1, 3, 20])):
            file.seek(4096 * random.randrange(1, pages))
            file.write(bytes(4096))


def truncate(path, random):
    os.truncate(path, random.randrange(os.path.getsize(path)))


def tables(db):
    return [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                         " AND name GLOB 't_*' ORDER BY name")]


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def try_all(db, statements):
    for sql, values in statements:
        try:
            db.execute(sql, values)
        except sqlite3.Error:
            pass                            # a constraint of the table forbids it


def change(path, random, make):
    db = sqlite3.connect(path)
    db.execute("PRAGMA ignore_check_constraints = 1")
    try_all(db, make(db, random))
    db.commit()
    db.close()


def lost_rows(db, random):
    for _ in range(random.choice([1, 2, 8])):
        table = random.choice(tables(db))
        column = random.choice(columns(db, table))
        yield random.choice([
            (f"DELETE FROM {table}", ()),
            (f"DELETE FROM {table} WHERE {column} % ? = ?", (random.randrange(1, 9), 0)),
            (f"DELETE FROM {table} WHERE {column} > ?", (random.randrange(1200),))])


def lost_tables(db, random):
    table = random.choice(tables(db))
    yield random.choice([(f"DROP TABLE {table}", ()), (f"DROP VIEW v{table[1:]}", ()),
                         (f"ALTER TABLE {table} RENAME TO t_lost", ())])


def hostile_values(db, random):
    for _ in range(random.choice([1, 3, 20])):
        table = random.choice(tables(db))
        column = random.choice(columns(db, table))
        value = random.choice(HOSTILE)
        every = random.choice([1, 1, 2, 7])
        yield (f"UPDATE OR IGNORE {table} SET {column} = ?"
               f" WHERE abs(random() % {every}) = 0", (value,))


def shifted(db, random):
    """Plausible but wrong numbers."""
    for _ in range(random.choice([1, 3, 20])):
        table = random.choice(tables(db))
        column = random.choice(columns(db, table))
        yield (f"UPDATE OR IGNORE {table} SET {column} = {column} {random.choice('+-*')} ?"
               f" WHERE typeof({column}) = 'integer'", (random.randrange(1, 99),))


KINDS = {"flipped bytes": flip_bytes, "zeroed pages": zero_pages, "truncated": truncate,
         "lost rows": lost_rows, "lost tables": lost_tables, "hostile values": hostile_values,
         "shifted": shifted}
IN_FILE = ("flipped bytes", "zeroed pages", "truncated")
# Weights of KINDS: a truncated file is usually rejected at once; wrong values are not.
WEIGHTS = [3, 2, 1, 4, 1, 8, 5]


def copy(trace, path, random):
    """Writes the copy; returns the kind of damage."""
    kind = random.choices(list(KINDS), WEIGHTS)[0]
    if os.path.exists(path):
        os.unlink(path)
    shutil.copyfile(trace, path)
    if kind in IN_FILE:
        KINDS[kind](path, random)
    else:
        change(path, random, KINDS[kind])
    return kind
