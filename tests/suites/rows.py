"""rows.py - reads the lists of rows that programs.py and kernels.py run.

A list is an object with "suite", "repository", "commit" (40 hex digits), "license", "about" and
"rows". What a row has is the caller's.
"""
import json
import os
import re

CAUSES = {
    "library": "another library",           # neither CUDA's runtime nor one that is here
    "fault": "its own fault",               # it has undefined behaviour, or fails its own check
    "time": "too long on the simulator",
    "missing": "not supported",
}
HEAD = {"suite": str, "repository": str, "commit": str, "license": str, "about": str, "rows": list}


def wrong_field(row, fields):
    """Returns what is wrong with the names and types of a row's fields, or None."""
    unknown = [name for name in row if not isinstance(row[name], fields.get(name, ()))]
    return f'unknown field or wrong type: {unknown[0]}' if unknown else None


def wrong_cause(row):
    """Returns what is wrong with a row's cause, which goes with refused, or None."""
    if ("refused" in row) != ("cause" in row):
        return 'expected refused and cause together'
    return None if row.get("cause", "library") in CAUSES else f'unknown cause: {row["cause"]}'


def is_inside(path):
    return not path.startswith("/") and ".." not in path.split("/")


def read_list(path, check_row, key_of):
    """check_row: returns what is wrong with a row, or None; key_of: what only one row may have."""
    with open(path, encoding='utf-8') as file:
        suite = json.load(file)
    for name, kind in HEAD.items():
        if not isinstance(suite.get(name), kind):
            raise SystemExit(f'{path}: no "{name}"')
    if not re.fullmatch('[0-9a-f]{40}', suite["commit"]):
        raise SystemExit(f'{path}: expected a commit of 40 hex digits')
    seen = set()
    for row in suite["rows"]:
        wrong, key = check_row(row), key_of(row)
        if wrong or key in seen:
            raise SystemExit(f'{path}: {row.get("path")}: {wrong or "twice"}')
        seen.add(key)
    return suite


def print_counts(suite, what):
    good = sum("refused" not in row for row in suite["rows"])
    print(f'{suite["suite"]}: {good} {what} run, {len(suite["rows"]) - good} are refused')


def missing(row, checkout):
    """What is wrong if the checkout lacks the file of a row, or None."""
    there = os.path.isfile(os.path.join(checkout, row["path"]))
    return None if there else 'no such file in the checkout'
