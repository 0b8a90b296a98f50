#!/usr/bin/env python3
"""commands_check.py BUILD_DIR SOURCE_DIR - checks BUILD_DIR/compile_commands.json.

It must be a valid compilation database with at most one entry per file. Every object in the build
directory needs an entry for its source file. Commands that differ only in the file name are
checked once: the compiler must accept the file with -fsyntax-only. Used by test_make.sh.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ["base", "engine", "kernels", "sim", "tests", "traces", "tui"]


def read(build):
    """The entries by the absolute paths of their files, and a list of errors."""
    entries, wrong = {}, []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if set(entry) != {"directory", "file", "arguments"}:
            wrong.append(f"keys {sorted(entry)}")
            continue
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path in entries:
            wrong.append(f"{path} has two entries")
        if not path.is_file():
            wrong.append(f"{path} is missing")
        if entry["file"] not in entry["arguments"]:
            wrong.append(f"{path} is not in its own command")
        entries[path] = entry
    return entries, wrong


def source_of(path):
    """The path of an object's source. Kernel objects are named K.VARIANT.o; some programs and
    libraries prefix their objects with their own name."""
    kernel = re.fullmatch(r"(.*)\.(?:[a-z0-9]+_plain|[a-z0-9]+_probed|checked)\.o", path.name)
    if kernel:
        return path.with_name(kernel[1] + ".cu")
    return path.with_name(re.sub(r"^.*-", "", path.name)[:-2] + ".c")


def without_entry(build, source, entries):
    objects = list(build.glob("*.o"))
    for folder in FOLDERS:
        objects += (build / folder).rglob("*.o")
    # Another configuration changes config.h, on which every object depends, and leaves objects that
    # the present one does not build.
    configured = (build / "config.h").stat().st_mtime
    objects = [path for path in objects if path.stat().st_mtime >= configured]
    wrong = []
    for path in objects:
        name = source_of(path).relative_to(build)
        places = [(source / name).resolve(), (build / name).resolve()]
        # Ignore objects left over from sources that have since moved.
        if any(place.is_file() for place in places) and not any(p in entries for p in places):
            wrong.append(f"{path.relative_to(build)} has no entry for {name}")
    if len(objects) < 100:
        wrong.append(f"expected at least 100 objects, got {len(objects)}")
    return wrong


def syntax_errors(entries):
    commands = {}
    for entry in entries.values():
        arguments = [argument for argument in entry["arguments"] if argument != entry["file"]]
        commands.setdefault((entry["directory"], *arguments), entry)
    wrong = []
    for entry in commands.values():
        checked = subprocess.run([*entry["arguments"], "-fsyntax-only"], cwd=entry["directory"],
                                 capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            wrong.append(f"{entry['file']}: {checked.stderr}")
    if len(commands) < 3:
        wrong.append(f"expected at least 3 different commands, got {len(commands)}")
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
