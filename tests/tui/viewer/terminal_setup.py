#!/usr/bin/env python3
"""terminal_setup.py - checks that the viewer sets up the terminal, and restores it however it ends.

Arguments: the program and the source directory. Prints TAP. Used by test_terminal.sh.
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


def result(what, error=""):
    global tests
    tests += 1
    print(f"{'not ' if error else ''}ok {tests} - {what}")
    for line in str(error).splitlines():
        print("#", line)


class Viewer:
    """One test case: runs the viewer in a terminal, and closes that at the end."""

    def __init__(self, what, *options, term="xterm-256color"):
        self.what, self.command = what, [PROGRAM, "view", TRACE, *options]
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", TERM=term)
        if term is None:
            del self.environment["TERM"]

    def __enter__(self):
        self.terminal = Terminal(self.command, 100, 30, "stderr", self.environment)
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
    must(got == code, f"expected exit code {code}, got {got}")


def quit_viewer(terminal):
    terminal.send(b"Q")
    ends_with(terminal, 0)


def check_endings():
    for name, code in (("SIGINT", 130), ("SIGTERM", -15), ("SIGHUP", -1), ("SIGQUIT", -3),
                       ("SIGSEGV", -11), ("SIGABRT", -6), ("SIGFPE", -8)):
        for mouse in ((), ("--mouse",)):
            with Viewer(f"{name} {' '.join(mouse)} restores the terminal", *mouse) as terminal:
                must(terminal.settle(), "ended early")
                must(terminal.modes.on.get(FULL_SCREEN), "does not use the alternate screen")
                terminal.signal(getattr(signal, name))
                ends_with(terminal, code)
    for attempt in range(5):
        with Viewer(f"SIGINT again and again ends it with 130 ({attempt + 1})") as terminal:
            must(terminal.settle(), "ended early")
            while not terminal.ended():
                terminal.signal(signal.SIGINT)
                terminal.drain()
            ends_with(terminal, 130)
    for typed in (b"m", b":at L", b";", b"/"):
        with Viewer(f"SIGTERM after {typed.decode()} restores the terminal") as terminal:
            terminal.settle()
            terminal.send(typed)
            must(terminal.settle(), "ended early")
            terminal.signal(signal.SIGTERM)
            ends_with(terminal, -15)
    with Viewer("Q restores the terminal") as terminal:
        terminal.settle()
        quit_viewer(terminal)
        must(terminal.errors() == "", "wrote to standard error")
    with Viewer("a typed ctrl-C ends it with 130") as terminal:
        terminal.settle()
        terminal.send(b"\x03")
        ends_with(terminal, 130)
    with Viewer("ctrl-C cancels a prompt, a second ctrl-C ends the viewer") as terminal:
        terminal.settle()
        terminal.send(b":at")
        terminal.settle()
        terminal.send(b"\x03")
        must(terminal.settle(), "ended at once")
        terminal.send(b"\x03")
        ends_with(terminal, 130)
    with Viewer("closing the terminal ends it") as terminal:
        terminal.settle()
        terminal.hang_up()
        must(terminal.wait_end() in (0, -1), "did not end by the hang-up")


def check_stops():
    with Viewer("ctrl-Z restores the terminal, and fg sets it up again") as terminal:
        terminal.settle()
        terminal.stop_and_resume()
        must(terminal.settle(), "ended when it was resumed")
        must(terminal.modes.on[FULL_SCREEN], "does not use the alternate screen after fg")
        quit_viewer(terminal)
    with Viewer("a resize while it is stopped takes effect") as terminal:
        terminal.settle()
        terminal.stop_and_resume()
        terminal.resize(20, 5)
        must(terminal.settle(), "ended when it was resumed")
        quit_viewer(terminal)
    with Viewer("ctrl-Z while it draws stops and resumes it") as terminal:
        terminal.settle()
        for i in range(40):
            terminal.resize(80 + i, 24 + i)
            time.sleep(0.0001 * i)
            terminal.stop_and_resume()
            must(terminal.settle(), "ended when it was resumed")
        quit_viewer(terminal)
    with Viewer("ctrl-Z during long work stops and resumes it") as terminal:
        begin_endless(terminal)
        terminal.stop_and_resume()
        terminal.send(b"x")
        must(terminal.settle(), "ended when it was resumed")
        quit_viewer(terminal)


# A query that never ends.
ENDLESS = (b";WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
           b" SELECT count(*) FROM n\r")


def begin_endless(terminal):
    must(terminal.settle(), "ended early")
    spent = terminal.cpu_seconds()
    terminal.send(ENDLESS)
    end = time.monotonic() + limit(120)
    while terminal.cpu_seconds() - spent < 0.5:
        must(time.monotonic() < end, "does not start working")
        terminal.drain()
        must(not terminal.ended(), "ended early")
        time.sleep(0.05)


def check_long_work():
    with Viewer("any key stops endless work") as terminal:
        begin_endless(terminal)
        terminal.send(b"x")
        must(terminal.settle(), "ended")
        quit_viewer(terminal)
    for name, code in (("SIGTERM", -15), ("SIGHUP", -1)):
        with Viewer(f"{name} ends it during long work") as terminal:
            begin_endless(terminal)
            terminal.signal(getattr(signal, name))
            ends_with(terminal, code)
    with Viewer("ctrl-C stops long work, but not the viewer") as terminal:
        begin_endless(terminal)
        terminal.send(b"\x03")
        must(terminal.settle(), "ended")
        quit_viewer(terminal)
    with Viewer("closing the terminal ends it during long work") as terminal:
        begin_endless(terminal)
        terminal.hang_up()
        must(terminal.wait_end() in (0, -1), "did not end by the hang-up")


def check_idle():
    with Viewer("it uses no CPU time while idle") as terminal:
        terminal.settle()
        before = terminal.cpu_seconds()
        time.sleep(0.5)
        spent = terminal.cpu_seconds() - before
        must(spent < 0.1, f"used {spent} s of CPU time in half a second")


def check_mouse():
    with Viewer("--no-mouse leaves the mouse to the terminal", "--no-mouse") as terminal:
        terminal.settle()
        must(not any(terminal.modes.on.get(mode) for mode in MOUSE), "grabbed the mouse")
    for option in ([], ["--mouse"]):
        with Viewer(f"the mouse is used: {option or 'default'}", *option) as terminal:
            terminal.settle()
            must(terminal.modes.on.get(MOUSE[0]), "did not use the mouse")


def check_bad_terminals():
    for term, message in (("no-such-terminal", "TERM=no-such-terminal: unknown terminal"),
                       ("dumb", "TERM=dumb cannot position its cursor"), (None, "TERM is not set"),
                       ("", "TERM is not set")):
        with Viewer(f"TERM={term} is an error line and exit code 2", term=term) as terminal:
            ends_with(terminal, 2)
            errors = terminal.errors()
            must(message in errors and errors.count("\n") == 1, errors)


def check_pipes():
    command = [PROGRAM, "view", TRACE, "--screen", "launch", "--at", "L6"]
    plain = subprocess.run(command + ["--plain"], capture_output=True, check=False)
    piped = subprocess.run(command, capture_output=True, check=False)
    good = (piped.returncode, piped.stdout, piped.stderr) == (0, plain.stdout, b"")
    result("standard output that is not a terminal gets plain text", "" if good else piped)
    with tempfile.TemporaryFile() as empty:
        master, slave = os.openpty()
        no_keys = subprocess.run(command, stdin=empty, stdout=slave, stderr=subprocess.PIPE,
                                 check=False)
        os.close(master)
        os.close(slave)
    result("standard input that is not a terminal is an error line and exit code 2",
           "" if no_keys.returncode == 2 and b"use --plain" in no_keys.stderr else no_keys)


def main():
    with tempfile.TemporaryDirectory(prefix="terminal_setup.") as work:
        os.chdir(work)
        for check in (check_endings, check_stops, check_long_work, check_idle, check_mouse,
                      check_bad_terminals, check_pipes):
            check()
        os.chdir("/")
    print(f"1..{tests}")


main()
