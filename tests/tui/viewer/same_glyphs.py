#!/usr/bin/env python3
"""same_glyphs.py ASCII UTF8 - compares two screens, one drawn with ASCII and one with UTF-8 glyphs.

Both must have the same characters, line by line, except that UTF8 may have a glyph where ASCII has
a chart mark. Exit code 0 if they match, else 1. Used by tests/tmux.sh.
"""
import sys

MARKS = "#=@.:+|-!%*WR"


def same(plain, drawn):
    drawn = drawn.rstrip()
    return len(plain) == len(drawn) and all(
        a == b or (a in MARKS and ord(b) > 127) for a, b in zip(plain, drawn))


with open(sys.argv[1], encoding="utf-8") as a, open(sys.argv[2], encoding="utf-8") as b:
    wanted, content = a.read().splitlines(), b.read().splitlines()
sys.exit(0 if len(wanted) == len(content) and all(map(same, wanted, content)) else 1)
