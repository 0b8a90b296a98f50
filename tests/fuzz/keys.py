"""keys.py - random events for the viewer: keys, mouse reports, resizes and signals.

Each event is a tuple: ("keys", bytes), ("resize", columns, lines), ("signal", name) or ("stop",).
Used by fuzz_viewer.py.
"""

VALID = b"jkhlzZaAdDoOfF)(btTsSgG][v\t *eEcCwrm'HyBnNxuL~?0123456789iPI\x06\x02\x04\x15\r\n\x0c"
SEQUENCES = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1bOB", b"\x1bOC",
             b"\x1bOD", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\x1bOP", b"\x1b[15~",
             b"\x7f", b"\x1b[3~", b"\x1b[Z", b"\x1b[200~", b"\x1b[201~", b"\x1b[I", b"\x1b[",
             b"\x1bO", b"\x1b[1;5C", b"\x1b]0;title\x07", b"\x1bP+q\x1b\\", b"\x1b[99999999999~"]
NUMBERS = [0, 1, 2, 3, 9, 31, 32, 63, 100, 1018, 2634, 99999, 2**31 - 1, 2**31, 2**32, 2**62,
           2**63 - 1, 2**63, 2**70]
COMMANDS = ["at", "save-display", "break", "breaks", "help", "fence", "no", "", "at at", "AT"]
QUERIES = ["SELECT count(*) FROM v_launch", "SELECT * FROM v_point", "SELECT 1", "SELECT",
           "SELECT * FROM v_op ORDER BY op DESC", "DELETE FROM t_run", "PRAGMA user_version = 10",
           "SELECT data(1), data(NULL), f32(x'00', 9)", "SELECT * FROM nothing", ")", "'",
           "SELECT 1); DROP TABLE t_run; --", "SELECT randomblob(100)", "SELECT NULL, 'a\tb'",
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999)"
           " SELECT i, zeroblob(5) FROM n", "ATTACH 'x' AS a", "SELECT load_extension('x')"]
SEARCHES = ["download", "flash", "L1", "e", " ", "zzz", "%s%n", "\\", "score", "0x"]


def number(random):
    return random.choice(NUMBERS) if random.random() < 0.5 else random.randrange(1300)


def address(random):
    text = random.choice(["", "", "", "r1.", "r2.", "r%d." % number(random)])
    kind = random.randrange(6)
    if kind == 0:
        return text + "s%d" % number(random)
    if kind == 1:
        return text + "op %d" % number(random)
    if kind == 2:
        return "".join(random.choice("Lrbwlpas.0123456789 end-") for _ in range(12))
    text += "L%d" % number(random)
    for letter in "bwl":
        if random.random() < 0.6:
            text += ".%s%d" % (letter, number(random) % random.choice([2, 40, 2**64]))
    return text + random.choice(["", "", ".p%d" % number(random), ".a0", ".end"])


def text(random, size):
    return "".join(chr(random.choice([random.randrange(32, 127), random.randrange(160, 0x3000),
                                      random.randrange(0xe000, 0x11000), 0x301, 0x1f600]))
                   for _ in range(random.randrange(size))).encode()


def line(random):
    """A line typed at a prompt: the key that opens it, the text, and the key that ends it."""
    kind = random.randrange(10)
    if kind < 3:
        typed = b":at " + address(random).encode()
    elif kind < 5:
        typed = f":{random.choice(COMMANDS)} {address(random)}".encode()
    elif kind < 6:
        typed = b":save-display " + text(random, 30).replace(b"/", b"-")
    elif kind < 8:
        typed = b";" + random.choice(QUERIES).encode()
    elif kind < 9:
        typed = b"/" + random.choice(SEARCHES).encode()
    else:
        typed = random.choice([b":", b";", b"/"]) + text(random, random.choice([10, 600, 3000]))
    return typed + random.choice([b"\r", b"\r", b"\r", b"\n", b"\x1b", b"\x15x\r", b"\t\r"])


def mouse(random):
    x, y, button = random.randrange(1, 260), random.randrange(1, 110), random.randrange(70)
    if random.random() < 0.5:
        return b"\x1b[<%d;%d;%d%c" % (button, x, y, random.choice(b"Mm"))
    return b"\x1b[M" + bytes([32 + button, min(32 + x, 255), min(32 + y, 255)])


def event(random):
    kind = random.random()
    if kind < 0.55:
        return ("keys", bytes(random.choice(VALID) for _ in range(random.choice([1, 1, 1, 8]))))
    if kind < 0.62:
        return ("keys", random.choice(SEQUENCES))
    if kind < 0.66:
        return ("keys", mouse(random))
    if kind < 0.70:
        # Any bytes except those that make the terminal send signals or stop output (ctrl-S).
        return ("keys", bytes(b for b in random.randbytes(random.randrange(1, 6))
                              if b not in b"\x03\x11\x13\x1a\x1c\x16\x0f"))
    if kind < 0.73:
        return ("keys", text(random, 8))
    if kind < 0.83:
        return ("keys", line(random))
    if kind < 0.86:
        return ("keys", b"q")
    if kind < 0.97:
        return ("resize", random.choice([1, 2, 20, 59, 60, 80, 100, 160, 161, 300,
                                         random.randrange(1, 301)]),
                random.choice([1, 2, 14, 15, 24, 30, 60, 100, random.randrange(1, 101)]))
    if kind < 0.985:
        return ("signal", random.choice(["SIGWINCH", "SIGCONT"]))
    return ("stop",) if kind < 0.995 else ("keys", b"Q")
