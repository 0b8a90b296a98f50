#!/usr/bin/env python3
"""terminal_manners.py - the viewer takes a terminal and gives it back, whatever ends it.

Arguments: the program and the directory of the sources. Prints TAP.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True          # sources may be read-only
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz"))
from terminal import FULL_SCREEN, MOUSE, Terminal, Trouble      # noqa: E402
from limits import limit         # noqa: E402, found by terminal

PROGRAM, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
TRACE = os.path.join(SOURCE, "tests", "h200", "demo.twin")
tests = 0


def result(what, wrong=""):
    global tests
    tests += 1
    print(f"{'not ' if wrong else ''}ok {tests} - {what}")
    for line in str(wrong).splitlines():
        print("#", line)


class Viewer:
    """The viewer in a terminal, closed at the end; what troubles it is the result."""

    def __init__(self, what, *words, term="xterm-256color"):
        self.what, self.words = what, [PROGRAM, "view", TRACE, *words]
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", TERM=term)
        if term is None:
            del self.environment["TERM"]

    def __enter__(self):
        self.terminal = Terminal(self.words, 100, 30, "stderr", self.environment)
        return self.terminal

    def __exit__(self, kind, value, trace):
        self.terminal.close()
        if kind is None or issubclass(kind, (Trouble, AssertionError)):
            result(self.what, f"{value or kind.__name__}" if kind else "")
            return True
        return False


def must(condition, what):
    if not condition:
        raise AssertionError(what)


def ends_with(terminal, code):
    got = terminal.wait_end()
    terminal.check_restored(f"ended with {got}")
    must(got == code, f"ended with {got}, not {code}")


def ways_out():
    for name, code in (("SIGINT", 130), ("SIGTERM", -15), ("SIGHUP", -1), ("SIGQUIT", -3),
                       ("SIGSEGV", -11), ("SIGABRT", -6), ("SIGFPE", -8)):
        for mouse in ((), ("--mouse",)):
            with Viewer(f"{name} {' '.join(mouse)} restores the terminal", *mouse) as terminal:
                must(terminal.settle(), "ended early")
                must(terminal.modes.on.get(FULL_SCREEN), "shows no screen of its own")
                terminal.signal(getattr(signal, name))
                ends_with(terminal, code)
    for asked in (b"m", b":at L", b";", b"/"):
        with Viewer(f"SIGTERM after {asked.decode()} restores the terminal") as terminal:
            terminal.settle()
            terminal.send(asked)
            must(terminal.settle(), "ended early")
            terminal.signal(signal.SIGTERM)
            ends_with(terminal, -15)
    with Viewer("Q restores the terminal") as terminal:
        terminal.settle()
        terminal.send(b"Q")
        ends_with(terminal, 0)
        must(terminal.said() == "", "wrote to standard error")
    with Viewer("ctrl-C, typed, ends it with 130") as terminal:
        terminal.settle()
        terminal.send(b"\x03")
        ends_with(terminal, 130)
    with Viewer("ctrl-C leaves a line that is typed, ctrl-C again the viewer") as terminal:
        terminal.settle()
        terminal.send(b":at")
        terminal.settle()
        terminal.send(b"\x03")
        must(terminal.settle(), "ended at once")
        terminal.send(b"\x03")
        ends_with(terminal, 130)
    with Viewer("a terminal that goes away ends it") as terminal:
        terminal.settle()
        terminal.hang_up()
        must(terminal.wait_end() in (0, -1), "ended otherwise than by the hang-up")


def stops():
    with Viewer("ctrl-Z and fg restore the terminal, and take it again") as terminal:
        terminal.settle()
        terminal.stop_and_resume()
        must(terminal.settle(), "ended when it was resumed")
        must(terminal.modes.on[FULL_SCREEN], "has no screen of its own any more")
        terminal.send(b"Q")
        ends_with(terminal, 0)
    with Viewer("a terminal resized while it was stopped is heeded") as terminal:
        terminal.settle()
        terminal.stop_and_resume()
        terminal.resize(20, 5)
        must(terminal.settle(), "ended when it was resumed")
        terminal.send(b"Q")
        ends_with(terminal, 0)


# A query without an end.
ENDLESS = (b";WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
           b" SELECT count(*) FROM n\r")


def begin_endless(terminal):
    must(terminal.settle(), "ended early")
    spent = terminal.cpu_seconds()
    terminal.send(ENDLESS)
    end = time.monotonic() + limit(120)
    while terminal.cpu_seconds() - spent < 0.5:
        must(time.monotonic() < end, "does not begin to work")
        terminal.drain()
        must(not terminal.ended(), "ended early")
        time.sleep(0.05)


def works():
    with Viewer("any key stops work without an end") as terminal:
        begin_endless(terminal)
        terminal.send(b"x")
        must(terminal.settle(), "ended")
        terminal.send(b"Q")
        ends_with(terminal, 0)
    for name, code in (("SIGTERM", -15), ("SIGHUP", -1)):
        with Viewer(f"{name} ends it while it works") as terminal:
            begin_endless(terminal)
            terminal.signal(getattr(signal, name))
            ends_with(terminal, code)
    with Viewer("ctrl-C stops work, not the viewer") as terminal:
        begin_endless(terminal)
        terminal.send(b"\x03")
        must(terminal.settle(), "ended")
        terminal.send(b"Q")
        ends_with(terminal, 0)
    with Viewer("a terminal that goes away ends work") as terminal:
        begin_endless(terminal)
        terminal.hang_up()
        must(terminal.wait_end() in (0, -1), "ended otherwise than by the hang-up")


def rests():
    with Viewer("it uses no time while nobody types") as terminal:
        terminal.settle()
        before = terminal.cpu_seconds()
        time.sleep(0.5)
        spent = terminal.cpu_seconds() - before
        must(spent < 0.1, f"spent {spent} s in half a second")


def mouse():
    with Viewer("the mouse is the terminal's") as terminal:
        terminal.settle()
        must(not any(terminal.modes.on.get(mode) for mode in MOUSE), "took the mouse")
    with Viewer("--mouse takes it", "--mouse") as terminal:
        terminal.settle()
        must(terminal.modes.on.get(MOUSE[0]), "did not take the mouse")


def refusals():
    for term, said in (("no-such-terminal", "TERM=no-such-terminal: unknown terminal"),
                       ("dumb", "TERM=dumb cannot position its cursor"), (None, "TERM is not set"),
                       ("", "TERM is not set")):
        with Viewer(f"TERM={term} is an error line and exit code 2", term=term) as terminal:
            ends_with(terminal, 2)
            must(said in terminal.said() and terminal.said().count("\n") == 1, terminal.said())


def pipes():
    words = [PROGRAM, "view", TRACE, "--screen", "launch", "--at", "L6"]
    plain = subprocess.run(words + ["--plain"], capture_output=True, check=False)
    piped = subprocess.run(words, capture_output=True, check=False)
    result("standard output that is no terminal gets plain text",
           "" if (piped.returncode, piped.stdout, piped.stderr) == (0, plain.stdout, b"")
           else piped)
    with tempfile.TemporaryFile() as nothing:
        master, slave = os.openpty()
        deaf = subprocess.run(words, stdin=nothing, stdout=slave, stderr=subprocess.PIPE,
                              check=False)
        os.close(master)
        os.close(slave)
    result("standard input that is no terminal is an error line and exit code 2",
           "" if deaf.returncode == 2 and b"use --plain" in deaf.stderr else deaf)


def main():
    with tempfile.TemporaryDirectory(prefix="terminal_manners.") as work:
        os.chdir(work)
        for part in (ways_out, stops, works, rests, mouse, refusals, pipes):
            part()
        os.chdir("/")
    print(f"1..{tests}")


main()
