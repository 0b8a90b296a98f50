#!/usr/bin/env python3
"""commands_check.py BUILD_DIR SOURCE_DIR - judges BUILD_DIR/compile_commands.json.

It must be a list of entries as the specification of compilation databases has them, one at most for
a file. Every object in the build directory needs one: the source it was made from, or the kernel. Of
each command that differs in more than its file, one must pass the compiler's syntax check. Used by
test_make.sh.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ["base", "engine", "kernels", "sim", "tests", "traces", "tui"]


def read(build):
    """The entries by their files' absolute paths, and what is wrong with them."""
    entries, wrong = {}, []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if set(entry) != {"directory", "file", "arguments"}:
            wrong.append(f"keys {sorted(entry)}")
            continue
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path in entries:
            wrong.append(f"{path} is there twice")
        if not path.is_file():
            wrong.append(f"{path} is missing")
        if entry["file"] not in entry["arguments"]:
            wrong.append(f"{path} is not in its own command")
        entries[path] = entry
    return entries, wrong


def source_of(path):
    """Where the source of an object lies, from its name: kernels are K.VARIANT.o, and the objects of
    some programs and libraries begin with their names."""
    kernel = re.fullmatch(r"(.*)\.(?:[a-z0-9]+_plain|[a-z0-9]+_probed|checked)\.o", path.name)
    if kernel:
        return path.with_name(kernel[1] + ".cu")
    return path.with_name(re.sub(r"^.*-", "", path.name)[:-2] + ".c")


def without_entry(build, source, entries):
    objects = list(build.glob("*.o"))
    for folder in FOLDERS:
        objects += (build / folder).rglob("*.o")
    wrong = []
    for path in objects:
        name = source_of(path).relative_to(build)
        places = [(source / name).resolve(), (build / name).resolve()]
        # An object that was built before its source moved is left over, and no error.
        if any(place.is_file() for place in places) and not any(p in entries for p in places):
            wrong.append(f"{path.relative_to(build)} has no entry for {name}")
    if len(objects) < 100:
        wrong.append(f"only {len(objects)} objects")
    return wrong


def syntax_errors(entries):
    commands = {}
    for entry in entries.values():
        words = [word for word in entry["arguments"] if word != entry["file"]]
        commands.setdefault((entry["directory"], *words), entry)
    wrong = []
    for entry in commands.values():
        checked = subprocess.run([*entry["arguments"], "-fsyntax-only"], cwd=entry["directory"],
                                 capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            wrong.append(f"{entry['file']}: {checked.stderr}")
    if len(commands) < 3:
        wrong.append(f"only {len(commands)} different commands")
    return wrong


def main():
    build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    entries, wrong = read(build)
    wrong += without_entry(build, source, entries)
    wrong += syntax_errors(entries)
    for line in wrong:
        print(line)
    print(f"{len(entries)} entries, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
