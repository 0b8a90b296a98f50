#!/usr/bin/env python3
"""check_cost.py BEFORE.json AFTER.json FILE - writes what the checker costs into FILE.

Both are the output of `flashtwin bench --suite check --json`, of two versions on one machine. The
table goes between the two comments that doc/checker.md has for it."""
import json
import sys

BEGIN = '<!-- table: tests/bench/check_cost.py -->\n'
END = '<!-- end of table -->\n'


def table(before, after):
    earlier = {(row['kernel'], row['sizes']): row for row in before['rows']}
    lines = ['%s; medians of %d:\n' % (after['processor'], after['runs']),
             '| kernel | sizes | unchecked | checked | ratio | ratio before |',
             '|---|---|---:|---:|---:|---:|']
    for row in after['rows']:
        old = earlier.get((row['kernel'], row['sizes']))
        lines.append('| %s | %s | %.0f us | %.0f us | %.1f | %s |' % (
            row['kernel'], row['sizes'], row['unchecked_us'], row['checked_us'], row['ratio'],
            '%.1f' % old['ratio'] if old else '-'))
    return '\n'.join(lines) + '\n'


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    before, after = (json.load(open(name)) for name in sys.argv[1:3])
    with open(sys.argv[3]) as file:
        text = file.read()
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    with open(sys.argv[3], 'w') as file:
        file.write(head + BEGIN + table(before, after) + END + tail)


main()
