#!/usr/bin/env python3
"""causes.py - counts the rows of public programs and kernels that run on the simulator, and the rest
by cause: doc/corpus.md.

usage: causes.py SOURCE_DIR >doc/corpus.md

It reads the lists tests/suites/programs/*.json and kernels/*.json, and runs nothing: programs.py and
kernels.py compare the lists with checkouts.
"""
import glob
import os
import sys

sys.dont_write_bytecode = True          # sources may be read-only
import kernels
import programs
import rows

HEAD = """# Public programs and kernels on the simulator

Written by `tests/suites/causes.py` from the lists in `tests/suites/programs/` and
`tests/suites/kernels/`, which name repositories and commits. `tests/suites/programs.py` and
`tests/suites/kernels.py` run the rows from checkouts of these, unmodified. A program passes if it
ends with success and prints what its own verification prints where it has one; the outputs of a
kernel are compared with NumPy. A program with several kernels to choose from has a row for each. A
row of FlashInfer's attention is a program in `tests/suites/harness/` that calls its headers. The
rows were last run on the simulator on 2026-11-28, but for histogram256, FlashInfer's attention and the
Monte Carlo samples of cuda-samples, which were run on 2026-11-30 (histogram256 535 s on one idle
processor), and 21 programs of llm.c, which were run before: attention_backward 2 to 7, classifier_fused,
crossentropy_softmax_backward, matmul_backward, matmul_forward 1, 3 and 4, softmax_forward 3 and 5 to 8. [doc/programs.md](programs.md) has a GPU's
results.
"""


def percent(part, whole):
    return f'{100 * part / whole:.1f} %'


def count_table(suites, what):
    """Returns the lines of a table of counts, and its sums: rows, passing, of other libraries."""
    lines = ['', f'| {what} of | rows | pass | need another library | do not pass |',
             '|---|---|---|---|---|']
    sums = [0, 0, 0]
    for suite in suites:
        refused = [row for row in suite["rows"] if "refused" in row]
        library = sum(row["cause"] == "library" for row in refused)
        counts = [len(suite["rows"]), len(suite["rows"]) - len(refused), library]
        sums = [a + b for a, b in zip(sums, counts)]
        lines.append(f'| {suite["suite"]} `{suite["commit"][:8]}` | {counts[0]} | {counts[1]} | '
                     f'{library} | {len(refused) - library} |')
    lines += ['', f'Of {sums[0]} {what}, {sums[0] - sums[2]} need no other library; of these, '
              f'{sums[1]} pass ({percent(sums[1], sums[0] - sums[2])}).']
    return lines


def name_of(suite, row):
    """A kernel's file and name, or what a program's row is called."""
    name = f'{row["path"]} {row["kernel"]}' if "kernel" in row else programs.name_of(row)
    return f'{suite["suite"]}: {name}'


def cause_table(suites):
    """Returns the lines of a table of what does not pass, by cause; libraries are only counted."""
    lines = ['', '| cause | what | rows |', '|---|---|---|']
    for cause, text in rows.CAUSES.items():
        why = {}
        for suite in suites:
            for row in suite["rows"]:
                if row.get("cause") == cause:
                    why.setdefault(row["refused"], []).append(name_of(suite, row))
        lines += [f'| {text} | {reason} | '
                  f'{len(names) if cause == "library" else ", ".join(names)} |'
                  for reason, names in why.items()]
    return lines


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = os.path.join(sys.argv[1], 'tests/suites')
    lines = [HEAD]
    for what, reader in (('programs', programs), ('kernels', kernels)):
        suites = [reader.read_list(path) for path in
                  sorted(glob.glob(os.path.join(folder, what, '*.json')))]
        lines += [f'## {what.capitalize()}', *count_table(suites, what), *cause_table(suites), '']
    print('\n'.join(lines).rstrip())


if __name__ == '__main__':
    main()
