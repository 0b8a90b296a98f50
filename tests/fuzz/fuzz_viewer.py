#!/usr/bin/env python3
"""fuzz_viewer.py - the viewer under random keys, sizes and signals, on whole and damaged traces.

Each session runs the real program on a pseudo-terminal, on one trace or two, and must not crash,
hang, write beside its screen or leave the terminal otherwise than it found it. A session follows
from its seed: what fails is printed with the command that does it again.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True          # sources may be read-only
import damage
import keys
from terminal import Terminal, Trouble

EVENTS = 120                    # of a session
REFUSED = (2, 6)                # exit codes of a trace that cannot be shown
ENDINGS = {"Q": 0, "SIGTERM": -15, "SIGINT": 130, "SIGHUP": -1, "SIGQUIT": -3, "hang-up": -1}


class Session:
    """One run of the viewer; `number` and the seed say all of it."""

    def __init__(self, options, number, traces):
        self.random = random.Random(f"{options.seed}/{number}")
        self.options, self.number = options, number
        self.work = options.work
        self.sent = []
        self.keys = 0
        self.ended = ""
        self.words = [options.program, "view"] + self.choose(traces)
        if self.random.random() < 0.3:
            self.words.append("--ascii")
        term = self.random.choice(["xterm-256color", "xterm", "screen", "linux", "vt100"])
        # Curses looks for a mouse of the Linux console through a library that leaks.
        if self.random.random() < 0.3 and term != "linux":
            self.words.append("--mouse")
        self.environment = dict(os.environ, TERM=term,
                                LC_ALL=self.random.choice(["C.UTF-8", "C.UTF-8", "C"]))
        # The sanitizer, not the viewer, is to say where it crashed.
        self.environment.setdefault("ASAN_OPTIONS", "allow_user_segv_handler=0")

    def choose(self, traces):
        whole = self.random.choice(traces)
        path = os.path.join(self.work, "damaged.twin")
        self.wrong = ""
        if not self.options.damaged:
            return [whole, self.random.choice(traces)] if self.random.random() < 0.25 else [whole]
        self.wrong = damage.copy(whole, path, self.random)
        return self.random.choice([[path], [path], [path, whole], [whole, path]])

    def settle(self):
        alive = self.terminal.settle()
        if alive and self.terminal.said():
            raise Trouble("wrote to standard error while its screen was shown")
        return alive

    def do(self, event):
        self.sent.append(event)
        self.keys += 1
        if event[0] == "keys":
            self.terminal.send(event[1])
        elif event[0] == "resize":
            self.terminal.resize(event[1], event[2])
        elif event[0] == "signal":
            self.terminal.signal(getattr(__import__("signal"), event[1]))
        else:
            self.terminal.stop_and_resume()

    def end(self):
        """One of the ways out."""
        self.ended = self.random.choice(list(ENDINGS))
        self.sent.append(("end", self.ended))
        if self.ended == "Q":
            for key in (b"\x1b", b"\x1b", b"Q"):
                self.terminal.send(key)
                if not self.settle():
                    break
        elif self.ended == "hang-up":
            self.terminal.hang_up()
        else:
            self.do(("signal", self.ended))
            # The first one may have ended a line that was typed.
            if self.ended == "SIGINT" and self.settle():
                self.do(("signal", self.ended))

    def judge(self):
        code = self.terminal.wait_end()
        expected = ENDINGS.get(self.ended, 0)
        said = self.terminal.said()
        if self.ended != "hang-up":
            self.terminal.check_restored(f"ended with {code}")
        if "Sanitizer" in said or "runtime error" in said:
            raise Trouble("was stopped by a sanitizer")
        if code in REFUSED and not self.shown and said.count("\n") == 1:
            return "refused"
        # It may have been left by a key before its end came, never otherwise.
        if code not in (0, expected):
            raise Trouble(f"ended with {code} after {self.ended or 'a key'}, not {expected}")
        if said not in ("", "flashtwin view: interrupted\n"):
            raise Trouble("wrote to standard error")
        return "shown"

    def run(self):
        self.terminal = Terminal(self.words, 100, 30, os.path.join(self.work, "stderr"),
                                 self.environment)
        try:
            alive = self.settle()
            self.shown = alive
            for _ in range(self.options.events):
                if not alive:
                    break
                self.do(keys.event(self.random))
                alive = self.settle()
            if alive:
                self.end()
            return self.judge()
        finally:
            self.terminal.close()

    def report(self, trouble):
        print(f"FAILED: {trouble}")
        print("  ran:", " ".join(self.words), f"({self.wrong})" if self.wrong else "",
              f"TERM={self.environment['TERM']} LC_ALL={self.environment['LC_ALL']}")
        print("  sent:", *(str(event)[:160] for event in self.sent[-12:]), sep="\n    ")
        print("  said:", self.terminal.said()[:4000])
        print(f"  again: {sys.argv[0]} --program {self.options.program} --seed"
              f" {self.options.seed} --only {self.number} --events {self.options.events}"
              f"{' --damaged' if self.options.damaged else ''}", flush=True)


def recorded(options):
    """A trace with findings, counters, points and two runs, made here."""
    path = os.path.join(options.work, "made.twin")
    model = os.path.join(options.source, "doc", "samples", "shakespeare")
    words = [options.program, "decode", "--model", model, "--prompt", "ROMEO:", "-n", "2",
             "--path", "flash-decoding", "--chunk", "4", "--log", "points", "--count", "-o", path]
    for more in ([], ["--append", "--seed", "3", "--warps", "2"]):
        subprocess.run(words + more, check=True, stdout=subprocess.DEVNULL)
    return path


def traces_of(options):
    directory = os.path.join(options.source, "tests", "h200")
    names = sorted(name for name in os.listdir(directory) if name.endswith(".twin"))
    # Copying and damaging large ones takes most of the time.
    most = 1 << 20 if options.damaged else 1 << 40
    paths = [os.path.join(directory, name) for name in names]
    return [path for path in paths if os.path.getsize(path) < most] + [recorded(options)]


def fuzz(options):
    traces = traces_of(options)
    sessions, count, failed, ways = 0, 0, 0, {}
    number = 0 if options.only is None else options.only
    while options.only is None or number == options.only:
        session = Session(options, number, traces)
        try:
            way = session.run()
        except Trouble as trouble:
            session.report(trouble)
            failed += 1
            way = "failed"
        ways[way] = ways.get(way, 0) + 1
        count += session.keys
        sessions += 1
        number += 1
        if count >= options.keys or failed >= options.failures:
            break
    print(f"seed {options.seed}, {'damaged' if options.damaged else 'whole'} traces: {count} keys"
          f" and sizes in {sessions} sessions,", ", ".join(f"{n} {way}" for way, n in ways.items()))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--keys", type=int, default=10000)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--failures", type=int, default=5, help="stop after so many")
    parser.add_argument("--damaged", action="store_true")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    options.source = os.path.abspath(options.source)
    options.work = tempfile.mkdtemp(prefix="fuzz_viewer.")
    os.chdir(options.work)
    try:
        return 1 if fuzz(options) else 0
    finally:
        shutil.rmtree(options.work)


if __name__ == "__main__":
    sys.exit(main())
