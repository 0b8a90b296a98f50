"""commands.py - runs many commands of flashtwin at once, and judges how each ended.

A case is a few commands that are determined by the seed and the case's number. A command must end
with a documented exit code, within limits of CPU time and memory, with one line of error where it
failed, without a report of a sanitizer, and without sending control characters to a terminal.
Used by fuzz_traces.py and fuzz_arguments.py.
"""
import argparse
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from limits import limit

CPU_SECONDS = limit(30)         # of one command, under the sanitizers
WALL_SECONDS = limit(300)       # it waits for something that will not come
MEGABYTES = 1024                # resident, under the sanitizers
FILE_BYTES = 256 << 20          # of one output
FREED_MEGABYTES = 64            # that a sanitizer may keep
USAGE, COMPILES, DAMAGED, NO_GPU = 2, 3, 6, 77
CODES = (0, 1, USAGE, COMPILES, 4, 5, DAMAGED, NO_GPU)
ONE_LINE = (USAGE, DAMAGED, NO_GPU)     # exit codes with exactly one line on stderr
FINDING = re.compile(rb"  |(?!flashtwin)(lint )?[a-z]+(-[a-z]+)*( in [^:]*)?: ")     # a line of one
PROGRAM = "flashtwin"           # in what is printed
# Control characters, but not tab, newline and carriage return; and U+0080 to U+009F in UTF-8.
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
SHOWN = ("info", "diff", "find", "view")    # commands that write for people


class Trouble(Exception):
    """A command misbehaved."""


class Run:
    """One command, from start to end."""

    def __init__(self, options, work, words):
        self.words, self.work = words, work
        self.output = os.path.join(work, "stdout")
        self.log = os.path.join(work, "stderr")
        environment = dict(os.environ, LC_ALL="C.UTF-8",
                           XDG_STATE_HOME=os.path.join(work, "state"),
                           XDG_CACHE_HOME=os.path.join(work, "cache"))
        # Faults of kernels are caught by the program's own handlers, also under sanitizers.
        environment.setdefault("ASAN_OPTIONS", "allocator_may_return_null=1:protect_shadow_gap=0:"
                               f"quarantine_size_mb={FREED_MEGABYTES}")
        environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
        with open(self.output, "wb") as output, open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [options.program] + words, stdin=subprocess.DEVNULL, stdout=output, stderr=log,
                cwd=work, env=environment, start_new_session=True)
        resource.prlimit(self.process.pid, resource.RLIMIT_CPU,
                         (int(CPU_SECONDS), int(CPU_SECONDS) + 1))
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))

    def megabytes(self):
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize() >> 20
        except (OSError, IndexError):
            return 0

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def wait(self):
        """Returns the exit code, or the negative number of a signal."""
        begun, pause = time.monotonic(), 0.001
        while True:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                if usage.ru_maxrss >> 10 > MEGABYTES:
                    raise Trouble(f"took {usage.ru_maxrss >> 10} MB of memory")
                return self.process.returncode
            if self.megabytes() > MEGABYTES:
                self.stop()
                raise Trouble(f"took more than {MEGABYTES} MB of memory")
            if time.monotonic() - begun > WALL_SECONDS:
                self.stop()
                raise Trouble(f"did not end in {WALL_SECONDS:.0f} s")
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def errors(self):
        with open(self.log, "rb") as file:
            return file.read()

    def judge(self):
        code, errors = self.wait(), self.errors()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            raise Trouble(f"used more than {CPU_SECONDS:.0f} s of CPU time")
        if b"Sanitizer" in errors or b"runtime error" in errors:
            raise Trouble("was stopped by a sanitizer")
        if code < 0:
            raise Trouble(f"was killed by signal {-code}")
        if code not in CODES:
            raise Trouble(f"expected an exit code of {CODES}, got {code}")
        lines = [line for line in errors.splitlines() if not line.startswith(b"warning: ")]
        if {"--check", "--count"} & set(self.words):             # its findings come first
            lines = [line for line in lines if not FINDING.match(line)]
        if code in ONE_LINE and (len(lines) != 1 or not lines[0].startswith(b"flashtwin")):
            raise Trouble(f"expected one line of error with exit code {code}")
        if self.words and self.words[0] in SHOWN and "--json" not in self.words:
            self.judge_text()
        return code

    def judge_text(self):
        with open(self.output, "rb") as file:
            found = CONTROL.search(file.read())
        # An error repeats the user's own arguments as they are.
        if not CONTROL.search(" ".join(self.words).encode(errors="replace")):
            found = found or CONTROL.search(self.errors())
        if found:
            raise Trouble(f"wrote the control character {found[0]!r}")


def reported(options, number, trouble, run, before, what):
    """What to print about a failure."""
    words = " ".join(shlex.quote(word) for word in run.words)
    lines = [f"FAILED: {trouble}", f"  ran: {PROGRAM} {words}"]
    if what:
        lines.append(f"  on: {what}")
    if before:
        lines.append(f"  after {before} other commands of this case")
    lines.append("  stderr: " + run.errors().decode(errors="replace")[:4000])
    lines.append(f"  reproduce: {sys.argv[0]} --program {options.program} --seed {options.seed}"
                 f" --only {number} --keep DIRECTORY")
    return "\n".join(lines)


class Campaign:
    """All cases, on `jobs` threads. make_case(random, work) returns a description and commands."""

    def __init__(self, options, make_case):
        self.options, self.make_case = options, make_case
        self.lock = threading.Lock()
        self.codes, self.failed, self.runs = {}, 0, 0
        self.next = 0 if options.only is None else options.only

    def take(self):
        """The number of the next case; None at the end."""
        with self.lock:
            if self.runs >= self.options.runs or self.failed >= self.options.failures:
                return None
            if self.options.only is not None and self.next > self.options.only:
                return None
            self.next += 1
            return self.next - 1

    def count(self, code):
        with self.lock:
            self.runs += 1
            self.codes[code] = self.codes.get(code, 0) + 1

    def case(self, number, work):
        what, commands = self.make_case(random.Random(f"{self.options.seed}/{number}"), work)
        for before, words in enumerate(commands):
            run = Run(self.options, work, words)
            try:
                self.count(run.judge())
            except Trouble as trouble:
                self.count("failed")
                with self.lock:
                    self.failed += 1
                    print(reported(self.options, number, trouble, run, before, what), flush=True)

    def worker(self):
        number = self.take()
        while number is not None:
            work = os.path.join(self.options.work, f"case{number}")
            os.makedirs(work)
            try:
                self.case(number, work)
            except Exception as error:
                with self.lock:
                    self.failed += 1
                    print(f"FAILED: case {number}: {error!r}", flush=True)
                raise
            finally:
                if not self.options.keep:
                    shutil.rmtree(work)
            number = self.take()

    def run(self):
        threads = [threading.Thread(target=self.worker) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        codes = ", ".join(f"{count} with {code}" if isinstance(code, int) else f"{count} {code}"
                          for code, count in sorted(self.codes.items(), key=str))
        print(f"seed {self.options.seed}: {self.runs} commands: {codes}")
        return 1 if self.failed else 0


def main(description, prepare):
    """prepare(options) returns the campaign's make_case; options.work is a new directory."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--runs", type=int, default=10000, help="how many commands")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the only case")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--failures", type=int, default=5, help="stop after this many failures")
    parser.add_argument("--keep", metavar="DIRECTORY", help="leave all files in this directory")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")   # arguments may be invalid UTF-8
    options.program = os.path.abspath(options.program)
    options.source = os.path.abspath(options.source)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    options.work = os.path.abspath(options.keep) if options.keep else tempfile.mkdtemp(
        prefix="fuzz.")
    try:
        return Campaign(options, prepare(options)).run()
    finally:
        if not options.keep:
            shutil.rmtree(options.work)
