#!/usr/bin/env python3
"""list.py - checks and counts the lists of public suites of kernels with bugs, tests/suites/*.json.

A list names kernels of a public repository at one commit and says what is true of each. Nothing of
the repositories is here. A list is an object with "suite", "repository", "commit" (40 hex digits),
"license", "about" and "cases"; a case has
  "path"      the file in the repository, or the one that its generator makes
  "variant"   where one file has several cases: what tells them apart
  "kernel"    the __global__ function
  "kind"      "bug"; "clean"; or "disputed": the suite says one, CUDA's rules the other
  "class"     of a bug: classes of findings (sim/check/finding.h) of which one is right; "*" is any
  "lines"     of a bug: one side of the finding is on one of these
  "also"      classes that are right besides, but that the suite does not speak of
  "truth"     where this comes from: the suite's own words, or reading
  "skip"      instead of all but the path: why it is not a case

usage: list.py FINDING_H FILE.json...
"""
import json
import re
import sys

HEAD = {"suite": str, "repository": str, "commit": str, "license": str, "about": str,
        "cases": list}
CASE = {"path": str, "variant": str, "kernel": str, "kind": str, "class": list, "lines": list,
        "also": list, "truth": str, "skip": str}
KINDS = ("bug", "clean", "disputed")


class Wrong(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Wrong(text)


def check_fields(value, fields, needed):
    require(isinstance(value, dict), "not an object")
    for name, content in value.items():
        require(name in fields, f'unknown field "{name}"')
        require(isinstance(content, fields[name]) and content,
                f'"{name}" is empty or of a wrong type')
    for name in needed:
        require(name in value, f'no "{name}"')


def check_case(case, classes):
    check_fields(case, CASE, ["path"])
    path = case["path"]
    require(not path.startswith("/") and ".." not in path.split("/"), f"{path}: not inside")
    if "skip" in case:
        require(set(case) <= {"path", "skip"}, f"{path}: skipped, and yet described")
        return
    check_fields(case, CASE, ["kernel", "kind", "truth"])
    require(case["kind"] in KINDS, f'{path}: unknown kind "{case["kind"]}"')
    for name in ("class", "lines"):
        require((name in case) == (case["kind"] == "bug"), f'{path}: "{name}" belongs to a bug')
    for name in case.get("class", []) + case.get("also", []):
        require(name in classes, f'{path}: unknown class "{name}"')
    for line in case.get("lines", []):
        require(isinstance(line, int) and line > 0, f"{path}: line {line}")


def check_suite(suite, classes):
    check_fields(suite, HEAD, HEAD)
    require(re.fullmatch(r"[0-9a-f]{40}", suite["commit"]), "commit: not 40 hex digits")
    require(suite["repository"].startswith("https://"), "repository: not an https address")
    seen = set()
    for case in suite["cases"]:
        check_case(case, classes)
        key = (case["path"], case.get("kernel"), case.get("variant"))
        require(key not in seen, f"{case['path']}: listed twice")
        seen.add(key)


def main():
    with open(sys.argv[1], encoding="utf-8") as header:
        classes = set(re.findall(r'X\([A-Z_]+, "([a-z-]+)"', header.read())) | {"*"}
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8") as file:
                suite = json.load(file)
            check_suite(suite, classes)
        except (Wrong, ValueError) as wrong:
            sys.exit(f"list.py: {path}: {wrong}")
        cases = suite["cases"]
        counts = [sum(case.get("kind") == kind for case in cases) for kind in KINDS]
        counts.append(sum("skip" in case for case in cases))
        print(suite["suite"], *(f"{n} {what}" for n, what in zip(counts, KINDS + ("skipped",))))


if __name__ == "__main__":
    main()
