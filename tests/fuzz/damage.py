"""damage.py - makes damaged copies of a trace, from flipped bits to implausible values in rows.

Some copies are what another writer might make rather than a broken disk: rows twice, claims of
huge sizes, texts with control characters, tables, views and triggers of its own. The random numbers
determine what is done to a copy. Used by fuzz_viewer.py and fuzz_traces.py.
"""
import os
import shutil
import sqlite3

INTEGERS = [0, -1, 1, 2, 31, 255, 65536, 2**31 - 1, -2**31, 2**31, 2**32 - 1, 2**32 + 1, 2**40,
            2**53 + 1, 2**62, 2**63 - 1, -2**63, -2**63 + 1]
CLAIMS = [3 * 10**9, 4 * 10**8, 2**24, 2**31 - 1, 2**31, 2**32, 2**40, 2**63 - 1, -1, 0]
TEXTS = ["", "x", "nan", "1e999", "[4294967296,4294967296]", "[-1]", "[]", "[[[[[[[[]]]]]]]]",
         "{\"a\":1}", "%s%n", "\u0301", "x" * 5000, "../../../etc/passwd", "a\tb", "a\nb", "a\r\nb",
         "\x1b[2J", "\x1b]0;title\x07", "\u009b2J", "\u0085", "\x7f\x01\x02", "\u202e", "'; --"]
OTHERS = [None, b"", b"\x00\xff", b"x" * 4097, b"\x1b[2J", 1.5, float("inf"), float("-inf"), 1e308,
          -0.0, 5e-324]
HOSTILE = INTEGERS + TEXTS + OTHERS
SIZES = ("bytes", "offset", "rank", "grid", "block", "cluster", "shared", "threads", "layers",
         "heads", "head_dim", "hidden", "vocabulary", "positions", "max_", "chunk", "slots",
         "position", "step", "launch", "more", "entry", "count", "first", "last", "key_")
HEADER = 100                    # size of a SQLite file's header

# Objects that a trace does not have. A reader that runs them may take any time and memory.
OBJECTS = [
    "CREATE TRIGGER aaa AFTER INSERT ON t_run BEGIN DELETE FROM t_op; END",
    "CREATE TRIGGER aaa BEFORE INSERT ON t_op BEGIN SELECT hex(zeroblob(400000000)); END",
    "CREATE TABLE t_more (x)", "CREATE TABLE sqlite_more AS SELECT 1",
    "CREATE INDEX i ON t_op (op)",
    "CREATE VIEW v_more AS SELECT * FROM v_more", "CREATE TABLE t_sum (x)",
    "CREATE VIRTUAL TABLE t_text2 USING fts5(x)", "CREATE TABLE t_gen (a, b AS (hex(a)))",
    "ALTER TABLE t_run ADD COLUMN more", "ALTER TABLE t_op RENAME COLUMN op TO launch2",
    "CREATE UNIQUE INDEX i ON t_run (device)"]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
# Other definitions of a view or a table.
INSTEAD = ["SELECT hex(zeroblob(400000000)) AS {0}", f"{ENDLESS} SELECT i AS {{0}} FROM n",
           f"{ENDLESS} SELECT count(*) AS {{0}} FROM n", "SELECT 1 AS {0}", "SELECT NULL AS {0}",
           "SELECT load_extension('x') AS {0}", "SELECT '\x1b[2J' AS {0}"]


# --- in the file ---

def page_size(file):
    file.seek(16)
    return max(512, int.from_bytes(file.read(2), "big"))


def flip_bits(path, random):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(random.choice([1, 1, 10, 100, 1000])):
            at = random.randrange(HEADER, size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << random.randrange(8)]))


def hurt_header(path, random):
    """Changes fields of the file's header: page size, text encoding, number of pages, version."""
    with open(path, "r+b") as file:
        for _ in range(random.choice([1, 2])):
            file.seek(random.choice([16, 18, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 68, 92]))
            file.write(bytes(random.choice([0, 1, 2, 3, 4, 5, 127, 255])
                             for _ in range(random.choice([1, 4]))))


def zero_pages(path, random):
    with open(path, "r+b") as file:
        size = page_size(file)
        pages = os.path.getsize(path) // size
        for _ in range(random.choice([1, 3, 20])):
            file.seek(size * random.randrange(1, pages))
            file.write(bytes(size))


def move_pages(path, random):
    """Copies pages over others, so that trees have loops and share pages."""
    with open(path, "r+b") as file:
        size = page_size(file)
        pages = os.path.getsize(path) // size
        for _ in range(random.choice([1, 3])):
            file.seek(size * random.randrange(pages))
            page = file.read(size)
            file.seek(size * random.randrange(1, pages))
            file.write(page)


def truncate(path, random):
    with open(path, "rb") as file:
        size = page_size(file)
    end = random.randrange(os.path.getsize(path))
    os.truncate(path, end // size * size if random.random() < 0.5 else end)


# --- in the rows ---

def tables(db):
    return [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                         " AND name GLOB 't_*' ORDER BY name")]


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def any_column(db, random):
    table = random.choice(tables(db))
    return table, random.choice(columns(db, table))


def try_all(db, statements):
    for sql, values in statements:
        try:
            db.execute(sql, values)
        except (sqlite3.Error, OverflowError):
            pass                            # a constraint of the table forbids it


def change(path, random, make):
    db = sqlite3.connect(path)
    # SQLite's own random() would make another copy each time.
    db.create_function("one_in", 1, lambda every: random.randrange(every) == 0)
    db.execute("PRAGMA ignore_check_constraints = 1")
    db.execute("PRAGMA writable_schema = 1")
    try_all(db, make(db, random))
    try:
        db.commit()
    except sqlite3.Error:
        pass                                # what was done broke the schema
    db.close()


def lost_rows(db, random):
    for _ in range(random.choice([1, 2, 8])):
        table, column = any_column(db, random)
        yield random.choice([
            (f"DELETE FROM {table}", ()),
            (f"DELETE FROM {table} WHERE {column} % ? = ?", (random.randrange(1, 9), 0)),
            (f"DELETE FROM {table} WHERE {column} > ?", (random.randrange(1200),))])


def doubled_rows(db, random):
    """Rows a second time, with another value in one column, which may be of the key."""
    for _ in range(random.choice([1, 2, 8])):
        table, column = any_column(db, random)
        names = ", ".join(f"{column} + ?" if name == column else name
                          for name in columns(db, table))
        yield (f"INSERT OR IGNORE INTO {table} SELECT {names} FROM {table} WHERE one_in(?)",
               (random.choice([1, 2, 1000, 2**31, 2**62]), random.choice([1, 2, 9])))


def lost_tables(db, random):
    table = random.choice(tables(db))
    yield random.choice([(f"DROP TABLE {table}", ()), (f"DROP VIEW v{table[1:]}", ()),
                         (f"ALTER TABLE {table} RENAME TO t_lost", ())])


def more_objects(db, random):
    for _ in range(random.choice([1, 2])):
        yield random.choice(OBJECTS), ()


def other_views(db, random):
    """A view with the columns of the original, and another definition."""
    table = random.choice(tables(db))
    view = "v" + table[1:] if random.random() < 0.7 else table
    try:
        names = [row[1] for row in db.execute(f"PRAGMA table_info({view})")]
    except sqlite3.Error:
        return
    if not names:
        return
    name = random.choice(names)
    shown = ", ".join(f"q.{name}" if other == name else f"1 AS {other}" for other in names)
    yield f"DROP {'VIEW' if view[0] == 'v' else 'TABLE'} {view}", ()
    yield (f"CREATE VIEW {view} AS SELECT {shown} FROM"
           f" ({random.choice(INSTEAD).format(name)}) AS q", ())


def other_schema(db, random):
    """Other text in the table of tables: what SQLite itself would not write."""
    what = random.choice(["sql", "rootpage", "name", "tbl_name", "type"])
    value = random.choice(["", "CREATE", "table", "view", 1, 2, 3, 10**6, -1, "CREATE TABLE t (x)",
                           "CREATE TABLE t_op (x" + ", y" * 3000 + ")"])
    yield (f"UPDATE sqlite_schema SET {what} = ? WHERE rowid % ? = 0",
           (value, random.choice([1, 7, 30])))


def other_version(db, random):
    yield f"PRAGMA user_version = {random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99, -1])}", ()


def hostile_values(db, random):
    for _ in range(random.choice([1, 3, 20])):
        table, column = any_column(db, random)
        yield (f"UPDATE OR IGNORE {table} SET {column} = ? WHERE one_in(?)",
               (random.choice(HOSTILE), random.choice([1, 1, 2, 7])))


def typed_values(db, random):
    """One value of each type in one column."""
    table, column = any_column(db, random)
    for values in (INTEGERS, TEXTS, OTHERS):
        yield (f"UPDATE OR IGNORE {table} SET {column} = ? WHERE one_in(3)",
               (random.choice(values),))


def huge_claims(db, random):
    """More of what is counted than the trace holds."""
    every = [(table, column) for table in tables(db) for column in columns(db, table)
             if any(size in column for size in SIZES)]
    for table, column in random.sample(every, random.choice([1, 1, 3])):
        yield (f"UPDATE OR IGNORE {table} SET {column} = ? WHERE one_in(?)",
               (random.choice(CLAIMS), random.choice([1, 2, 7])))


def control_characters(db, random):
    for _ in range(random.choice([1, 4])):
        table, column = any_column(db, random)
        yield (f"UPDATE OR IGNORE {table} SET {column} = ? || {column}"
               f" WHERE typeof({column}) = 'text'", (random.choice(TEXTS),))


def shifted(db, random):
    """Plausible but wrong numbers."""
    for _ in range(random.choice([1, 3, 20])):
        table, column = any_column(db, random)
        yield (f"UPDATE OR IGNORE {table} SET {column} = {column} {random.choice('+-*')} ?"
               f" WHERE typeof({column}) = 'integer'", (random.randrange(1, 99),))


# Each kind with its weight: a truncated file is usually rejected at once; wrong values are not.
IN_FILE = {flip_bits: 3, zero_pages: 2, move_pages: 1, truncate: 1, hurt_header: 1}
IN_ROWS = {lost_rows: 4, doubled_rows: 3, lost_tables: 1, more_objects: 1, other_views: 2,
           other_schema: 1, other_version: 1, hostile_values: 8, typed_values: 3, huge_claims: 4,
           control_characters: 3, shifted: 5}
KINDS = {**IN_FILE, **IN_ROWS}


def copy(trace, path, random):
    """Writes the copy; returns the kind of damage."""
    kind = random.choices(list(KINDS), list(KINDS.values()))[0]
    if os.path.exists(path):
        os.unlink(path)
    shutil.copyfile(trace, path)
    if kind in IN_FILE:
        kind(path, random)
    else:
        change(path, random, kind)
    return kind.__name__.replace("_", " ")
