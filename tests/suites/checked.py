#!/usr/bin/env python3
"""checked.py - what the checker says of the programs and kernels of public repositories.

Runs every row of the lists (programs.py, kernels.py) that runs on the simulator with --check, as
many at once as there are processors, and writes a table of the findings with what was judged of
each.

usage: checked.py FLASHTWIN TABLE.md LIST.json=CHECKOUT...

verdicts/findings.json has the judgements: a list of objects with
  "suite"    the list's "suite"
  "finding"  "CLASS FILE:LINE", both of one side of it; lints are not judged
  "verdict"  "bug"; "rule": CUDA's rules forbid it, but nothing follows from it here; "false"
  "why"      one sentence
TABLE.md.rows keeps what was found of each row, and rows that it has are not run again: remove it
for a new program or new lists. Prints a line for each finding without a judgement. Exits 1 if there
is one, or one that is false.
"""
import collections
import json
import os
import re
import sys
import threading

sys.dont_write_bytecode = True          # sources may be read-only
import jobs
import kernels
import programs

programs.SECONDS = kernels.SECONDS = int(os.environ.get('SUITE_SECONDS', '900'))
os.environ['FLASHTWIN_RUN'] = os.environ['FLASHTWIN_LAUNCH'] = '--check --no-record'
FINDING = re.compile(r'^(lint )?([a-z-]+) in .*?, L\d+')
SIDE = re.compile(r'^  .*, ([^ ]+):(\d+)$')
LATE = re.compile(r'^exit code 5: ')


def findings_of(text, row):
    """(lint, class, file:line of each side) of each finding in the messages of a command. The row's own
    file has its whole path: many are called solution.cu."""
    own = os.path.basename(row["path"])
    found = []
    for line in text.splitlines():
        head, side = FINDING.match(line), SIDE.match(line)
        if head:
            found.append((bool(head[1]), head[2], []))
        elif side and found:
            name = os.path.basename(side[1])
            found[-1][2].append(f'{row["path"] if name == own else name}:{side[2]}')
    return {(lint, kind, tuple(sides)) for lint, kind, sides in found}


def check(flashtwin, module, row, checkout):
    """Returns how the row ended under the checker, and its findings."""
    wrong, said = jobs.attempt(flashtwin, module, row, checkout)
    found = findings_of(said, row)
    if wrong and LATE.match(wrong):
        return 'too long', found
    if any(not lint for lint, _, _ in found):
        return 'findings', found
    return ('other', found) if wrong else ('clean', found)


class Done:
    """The rows that were checked, in a file with a line of JSON for each."""

    def __init__(self, path):
        self.rows = {}
        self.lock = threading.Lock()
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                for line in file:
                    key, state, found = json.loads(line)
                    self.rows[tuple(key)] = state, {(lint, kind, tuple(sides))
                                                    for lint, kind, sides in found}
        self.file = open(path, 'a', encoding='utf-8')

    def check(self, flashtwin, suite, module, row, checkout):
        key = jobs.name_of_suite((suite, module)), json.dumps(row, sort_keys=True)
        if key not in self.rows:
            self.rows[key] = check(flashtwin, module, row, checkout)
            with self.lock:
                state, found = self.rows[key]
                self.file.write(json.dumps([key, state, sorted(found)]) + '\n')
                self.file.flush()
        return self.rows[key]


def wanted(row):
    """Rows that run, and those whose own fault is why they do not."""
    return "until" not in row and row.get("cause", "fault") == "fault"


def read_verdicts():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'verdicts', 'findings.json')
    with open(path, encoding='utf-8') as file:
        return {(v["suite"], v["finding"]): v for v in json.load(file)}


def verdict_of(verdicts, suite, kind, sides):
    for side in sides:
        if (suite, f'{kind} {side}') in verdicts:
            return verdicts[suite, f'{kind} {side}']
    return {"verdict": "open", "why": ""}


HEAD = '''# The checker on public programs and kernels

Written by `tests/suites/checked.py` from the lists in `tests/suites/programs/` and
`tests/suites/kernels/`: each row with `--check`, but for programs that are ended after their
verification. `tests/suites/verdicts/findings.json` has the judgements, made by reading the source and
by runs with other seeds and with the fault mended. "bug": some order that CUDA allows gives a wrong
result, or an access is outside of its memory. "rule": CUDA's rules forbid it, but nothing follows from
it here. "false": the program is right. Lints are not findings, and are not listed.

%d findings: %d bug, %d rule, %d false, %d open. A row had %d s.

| suite | rows | without findings | with findings | not done in time | end otherwise |
|---|---|---|---|---|---|
'''


def write_table(out, ended, groups, verdicts):
    judged = [verdict_of(verdicts, *group)["verdict"] for group in groups]
    out.write(HEAD % (len(judged), *map(judged.count, ('bug', 'rule', 'false', 'open')),
                      programs.SECONDS))
    for suite in sorted({row[0] for row in ended}):
        states = [row[1] for row in ended if row[0] == suite]
        out.write(f'| {suite} | {len(states)} | ' + ' | '.join(
            str(states.count(state)) for state in ('clean', 'findings', 'too long', 'other'))
            + ' |\n')
    out.write('\n| suite | finding | at | rows | verdict | |\n|---|---|---|---|---|---|\n')
    for (suite, kind, sides), count in sorted(groups.items()):
        verdict = verdict_of(verdicts, suite, kind, sides)
        out.write(f'| {suite} | `{kind}` | {", ".join(dict.fromkeys(sides))} | {count} |'
                  f' {verdict["verdict"]} | {verdict["why"]} |\n')


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    flashtwin = os.path.abspath(sys.argv[1])
    work, verdicts = list(jobs.jobs(sys.argv[3:], wanted)), read_verdicts()
    done = Done(sys.argv[2] + '.rows')
    results = jobs.run_all(lambda *job: done.check(flashtwin, *job), work)
    ended = [(jobs.name_of_suite(job), state)
            for job, (state, _) in zip(work, results)]
    groups = collections.Counter((job[0]["suite"], kind, sides)
                                 for job, (_, found) in zip(work, results)
                                 for lint, kind, sides in found if not lint)
    with open(sys.argv[2], 'w', encoding='utf-8') as out:
        write_table(out, ended, groups, verdicts)
    bad = 0
    for suite, kind, sides in sorted(groups):
        verdict = verdict_of(verdicts, suite, kind, sides)["verdict"]
        if verdict in ('open', 'false'):
            bad += 1
            print(f'{verdict}: {suite}: {kind} {", ".join(sides)}')
    for job, (state, _) in zip(work, results):
        if state in ('too long', 'other'):
            print(f'{state}: {job[0]["suite"]}: {job[2]["path"]} {job[2].get("kernel", "")}')
    states = [row[1] for row in ended]
    print(f'{len(ended)} rows, {states.count("findings")} with findings; findings:'
          f' {len(groups)}, {bad} not judged or false')
    sys.exit(bad > 0)


main()
