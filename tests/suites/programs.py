#!/usr/bin/env python3
"""programs.py - whole CUDA programs of public repositories under `flashtwin run`.

The lists are tests/suites/programs/*.json: an object with "suite", "repository", "commit" (40 hex
digits), "license", "about" and "rows". A row is a program as it is in the repository:
  "path"      its first file, in whose folder it runs; "files": the others, from the top
  "harness"   a file of tests/suites/harness that is compiled instead of "path": a program of our own
              that calls what the headers of the repository have; "path" is the one that matters
  "kind"      "program"
  "include"   folders of -I, from the top
  "options"   more options of `run`, such as -D and -l
  "args"      of the program
  "exit"      the exit code that it must have
  "prints"    a text that standard output must have: its own verification, where it has one
  "until"     instead of both: a text after whose line the program is ended, because benchmarks that
              would take hours follow its verification
  "refused"   instead of all three: what keeps it from running, as far as this was looked at
  "cause"     of refused: a key of CAUSES in rows.py
Nothing of the repositories is here.

usage: programs.py --list LIST.json...                  checks and counts the lists
       programs.py FLASHTWIN LIST.json CHECKOUT [TEXT]  runs the rows whose path or harness has TEXT,
                                                        prints TAP

A row that is refused is run too, and reported if it runs now. FLASHTWIN_RUN has more options of
`run`, such as --check. Programs write files into a copy of the checkout if you give them one.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True          # sources may be read-only
import rows

ROW = {"path": str, "harness": str, "kind": str, "files": list, "include": list, "options": list,
       "args": list, "exit": int, "prints": str, "until": str, "refused": str, "cause": str}
SECONDS = 3600                  # histogram256 takes 9 minutes on one idle processor
HARNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'harness')


def check_row(row):
    wrong = rows.wrong_field(row, ROW) or rows.wrong_cause(row)
    if wrong:
        return wrong
    if row.get("kind") != "program" or "path" not in row:
        return 'expected a path, and the kind program'
    for path in [row["path"], *row.get("files", []), *row.get("include", [])]:
        if not rows.is_inside(path):
            return f'{path}: not inside'
    harness = row.get("harness")
    if harness is not None and (os.path.basename(harness) != harness
                                or not os.path.isfile(os.path.join(HARNESS, harness))):
        return f'no file harness/{harness}'
    if sum(name in row for name in ("exit", "until", "refused")) != 1:
        return 'expected either exit, until or refused'
    return None


def name_of(row):
    """Files, options and arguments: no two rows of a list have the same."""
    words = [row["path"], row.get("harness"), *row.get("options", []), *row.get("args", [])]
    return ' '.join(word for word in words if word)


def read_list(path):
    return rows.read_list(path, check_row, lambda row: (
        row.get("path"), row.get("harness"), *row.get("options", []), *row.get("args", [])))


def command(flashtwin, row, here):
    def place(path):
        return os.path.relpath(path, here)
    words = [flashtwin, 'run', '--timeout', str(SECONDS)]
    words += os.environ.get('FLASHTWIN_RUN', '--no-record').split()
    for folder in row.get("include", []):
        words += ['-I', place(folder)]
    words += row.get("options", [])
    words += [os.path.join(HARNESS, row["harness"]) if "harness" in row else place(row["path"])]
    words += [place(path) for path in row.get("files", [])]
    return words + ['--', *row.get("args", [])]


def last_line(text, other=''):
    return ((text.strip() or other.strip() or '?').splitlines())[-1][:200]


def run_until(words, text, folder):
    """Ends the program after the line that has the text. Returns what is wrong, or None."""
    with tempfile.TemporaryFile() as err, \
            subprocess.Popen(['stdbuf', '-oL', *words], stdout=subprocess.PIPE, stderr=err, cwd=folder,
                             stdin=subprocess.DEVNULL) as program:
        for line in program.stdout:
            if text in line.decode(errors='replace'):
                program.terminate()
                return None
        code = program.wait()
        err.seek(0)
        return f'exit code {code}: {last_line(err.read().decode(errors="replace"))}'


def run(flashtwin, row, checkout, said=None):
    """Returns what is wrong, or None, and appends the messages to said."""
    here = os.path.dirname(row["path"])
    if "until" in row:
        return run_until(command(flashtwin, row, here or '.'), row["until"],
                         os.path.join(checkout, here))
    done = subprocess.run(command(flashtwin, row, here or '.'), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                          cwd=os.path.join(checkout, here))
    out, err = done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')
    if said is not None:
        said.append(err)
    if done.returncode != row.get("exit", 0):
        return f'exit code {done.returncode}: {last_line(err, out)}'
    if row.get("prints", "") not in out:
        return f'standard output has no {row["prints"]!r}'
    return None


def main():
    if len(sys.argv) > 2 and sys.argv[1] == '--list':
        for path in sys.argv[2:]:
            rows.print_counts(read_list(path), 'programs')
        return
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    flashtwin, path, checkout = sys.argv[1:4]
    chosen = [row for row in read_list(path)["rows"]
              if sys.argv[4:] == [] or sys.argv[4] in row["path"] + ' ' + row.get("harness", "")]
    print(f'1..{len(chosen)}')
    failed = 0
    for number, row in enumerate(chosen, 1):
        wrong = rows.missing(row, checkout) or run(os.path.abspath(flashtwin), row, checkout)
        if "refused" in row:
            state = f'# TODO {row["refused"]}'
        else:
            state = ''
            failed += wrong is not None
        print(f'{"not ok" if wrong else "ok"} {number} - {name_of(row)} {state}'.rstrip())
        if wrong:
            print('# ' + wrong)
        sys.stdout.flush()
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
