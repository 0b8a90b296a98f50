#!/usr/bin/env python3
"""same_glyphs.py - whether two screens show the same, one with ASCII characters for its charts.

same_glyphs.py ASCII UTF8: line by line the same characters, where the second may have a glyph for a
mark of a chart, and one glyph for each mark. Exit code 0 or 1.
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
