#!/usr/bin/env python3
"""fuzz_viewer.py - feeds the viewer random keys, sizes and signals, on intact and damaged traces.

Each session runs the real program on a pseudo-terminal with one or two traces. It must not crash,
hang or write outside its screen, and must restore the terminal. A session is determined by its
seed: a failure is printed with the command that reproduces it.
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

EVENTS = 120                    # per session
REFUSED = (2, 6)                # exit codes for a trace that cannot be shown
ENDINGS = {"Q": 0, "SIGTERM": -15, "SIGINT": 130, "SIGHUP": -1, "SIGQUIT": -3, "hang-up": -1}


class Session:
    """One run of the viewer, determined by `number` and the seed."""

    def __init__(self, options, number, traces):
        self.random = random.Random(f"{options.seed}/{number}")
        self.options, self.number = options, number
        self.work = options.work
        self.sent = []
        self.keys = 0
        self.ended = ""
        self.command = [options.program, "view"] + self.choose(traces)
        if self.random.random() < 0.3:
            self.command.append("--ascii")
        term = self.random.choice(["xterm-256color", "xterm", "screen", "linux", "vt100"])
        # For a Linux console, curses looks for the mouse through a library that leaks.
        if self.random.random() < 0.3 or term == "linux":
            self.command.append("--no-mouse")
        self.environment = dict(os.environ, TERM=term,
                                LC_ALL=self.random.choice(["C.UTF-8", "C.UTF-8", "C"]))
        # The viewer replays launches of damaged traces: faults of kernels are caught by the
        # simulator. Any other crash ends the viewer by its signal.
        self.environment.setdefault("ASAN_OPTIONS", "protect_shadow_gap=0")

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
        if alive and self.terminal.errors():
            raise Trouble("wrote to standard error while its screen was shown")
        return alive

    def apply(self, event):
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
        """Ends the viewer in a random way."""
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
            self.apply(("signal", self.ended))
            # The first ctrl-C may have only cancelled a prompt.
            if self.ended == "SIGINT" and self.settle():
                self.apply(("signal", self.ended))

    def judge(self):
        code = self.terminal.wait_end()
        expected = ENDINGS.get(self.ended, 0)
        errors = self.terminal.errors()
        if self.ended != "hang-up":
            self.terminal.check_restored(f"ended with {code}")
        if "Sanitizer" in errors or "runtime error" in errors:
            raise Trouble("was stopped by a sanitizer")
        if code in REFUSED and not self.shown and errors.count("\n") == 1:
            return "refused"
        # A random key may have quit the viewer (exit code 0) before end() took effect.
        if code not in (0, expected):
            raise Trouble(f"after {self.ended or 'a key'}: expected exit code {expected},"
                          f" got {code}")
        if errors not in ("", "flashtwin view: interrupted\n"):
            raise Trouble("wrote to standard error")
        return "shown"

    def run(self):
        self.terminal = Terminal(self.command, 100, 30, os.path.join(self.work, "stderr"),
                                 self.environment)
        try:
            alive = self.settle()
            self.shown = alive
            for _ in range(self.options.events):
                if not alive:
                    break
                self.apply(keys.event(self.random))
                alive = self.settle()
            if alive:
                self.end()
            return self.judge()
        finally:
            self.terminal.close()

    def report(self, trouble):
        print(f"FAILED: {trouble}")
        print("  ran:", " ".join(self.command), f"({self.wrong})" if self.wrong else "",
              f"TERM={self.environment['TERM']} LC_ALL={self.environment['LC_ALL']}")
        print("  sent:", *(str(event)[:160] for event in self.sent[-12:]), sep="\n    ")
        print("  stderr:", self.terminal.errors()[:4000])
        print(f"  reproduce: {sys.argv[0]} --program {self.options.program} --seed"
              f" {self.options.seed} --only {self.number} --events {self.options.events}"
              f"{' --damaged' if self.options.damaged else ''}", flush=True)


def recorded(options):
    """Records a trace with counters, points and two runs; returns its path."""
    path = os.path.join(options.work, "made.twin")
    model = os.path.join(options.source, "doc", "samples", "shakespeare")
    command = [options.program, "decode", "--model", model, "--prompt", "ROMEO:", "-n", "2",
             "--path", "flash-decoding", "--chunk", "4", "--log", "points", "--count", "-o", path]
    for extra in ([], ["--append", "--seed", "3", "--warps", "2"]):
        subprocess.run(command + extra, check=True, stdout=subprocess.DEVNULL)
    return path


def traces_of(options):
    directory = os.path.join(options.source, "tests", "h200")
    names = sorted(name for name in os.listdir(directory) if name.endswith(".twin"))
    # Large traces are skipped when damaging: copying them would take most of the time.
    max_bytes = 1 << 20 if options.damaged else 1 << 40
    paths = [os.path.join(directory, name) for name in names]
    return [path for path in paths if os.path.getsize(path) < max_bytes] + [recorded(options)]


def fuzz(options):
    traces = traces_of(options)
    sessions, count, failed, outcomes = 0, 0, 0, {}
    number = 0 if options.only is None else options.only
    while options.only is None or number == options.only:
        session = Session(options, number, traces)
        try:
            outcome = session.run()
        except Trouble as trouble:
            session.report(trouble)
            failed += 1
            outcome = "failed"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        count += session.keys
        sessions += 1
        number += 1
        if count >= options.keys or failed >= options.failures:
            break
    kind = "damaged" if options.damaged else "intact"
    print(f"seed {options.seed}, {kind} traces: {count} events in {sessions} sessions,",
          ", ".join(f"{n} {name}" for name, n in outcomes.items()))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--keys", type=int, default=10000)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--failures", type=int, default=5, help="stop after this many failures")
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
