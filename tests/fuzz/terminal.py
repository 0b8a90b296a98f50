"""terminal.py - runs a program on a pseudo-terminal, as a shell would, and checks what it leaves.

A separate process leads the session and plays the shell: it puts the program into the foreground,
reports when it stops or ends, and resumes it. The program's output is parsed: anything but text and
complete escape sequences is an error, and the modes it switches are tracked. Used by fuzz_viewer.py
and terminal_setup.py. Run as a script, prints why no pseudo-terminal is available, or nothing.
"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True          # sources may be read-only
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from limits import limit        # noqa: E402

HANG_SECONDS = limit(120)   # wall clock time until the program counts as hung
HANG_CPU_SECONDS = 20       # the same in the program's CPU time
WORK_CPU_SECONDS = 1        # CPU time after which a key is sent to stop its work
SHELL_SECONDS = 0.05        # time that the shell takes to resume the program
READ = {"x86_64": "0"}.get(os.uname().machine, "63")   # system call number of read()
# The viewer blocks these signals except while it waits for a key (tui/viewer/viewer_term.c).
SIGNALS = sum(1 << number - 1 for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                                             signal.SIGQUIT, signal.SIGWINCH, signal.SIGCONT,
                                             signal.SIGTSTP))


class Trouble(Exception):
    """The program misbehaved."""


TOKEN = re.compile(
    rb"\x1b\[(?P<private>\?)?(?P<numbers>[0-9;]*)(?P<final>[@-~])"
    rb"|\x1b\](R|[0-9;]*\x07)|\x1b[()][0-9A-Za-z]|\x1b(?P<single>[=>78MDEHc])"
    rb"|[\r\n\b\t\x07\x0e\x0f]"
    rb"|[\x20-\x7e]+"
    rb"|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf4][\x80-\xbf]{3}")
PARTIAL = re.compile(rb"(\x1b(\[\??[0-9;]*|\][0-9;]*)?|\x1b[()]|[\xc2-\xf4][\x80-\xbf]{0,2})\Z")
FULL_SCREEN, CURSOR, MOUSE = 1049, 25, (1000, 1002, 1003, 1006)


class Modes:
    """The terminal modes that the program has switched on or off, tracked from its output."""

    def __init__(self):
        self.on = {CURSOR: True}
        self.keypad = False
        self.rest = b""

    def feed(self, data):
        data = self.rest + data
        at = 0
        while at < len(data):
            token = TOKEN.match(data, at)
            if not token:
                break
            self.take(token)
            at = token.end()
        self.rest = data[at:]
        if self.rest and not PARTIAL.match(self.rest):
            raise Trouble(f"wrote an invalid sequence: {self.rest[:40]!r}")

    def take(self, token):
        if token["private"] and token["final"] in b"hl":
            for number in token["numbers"].split(b";"):
                self.on[int(number)] = token["final"] == b"h"
        if token["single"] in (b"=", b">"):
            self.keypad = token["single"] == b"="

    def unrestored(self):
        """Describes the modes that are still changed; "" if there are none."""
        left = []
        if self.on.get(FULL_SCREEN):
            left.append("the alternate screen")
        if not self.on[CURSOR]:
            left.append("an invisible cursor")
        if any(self.on.get(mode) for mode in MOUSE):
            left.append("mouse reports")
        if self.keypad:
            left.append("keypad mode")
        if self.rest:
            left.append(f"an incomplete sequence: {self.rest!r}")
        return ", ".join(left)


def run_shell(slave, command, environment, log, events, requests):
    """Plays the shell for `command`; never returns."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    program = os.fork()
    if program == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(slave, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.dup2(slave, 0)
        os.dup2(slave, 1)
        os.dup2(log, 2)
        os.closerange(3, 64)
        os.execve(command[0], command, environment)
    os.write(events, struct.pack("ii", 0, program))
    while True:
        status = os.waitpid(program, os.WUNTRACED)[1]
        try:
            os.tcsetpgrp(slave, os.getpid())
        except OSError:
            pass                            # the terminal may be closed
        os.write(events, struct.pack("ii", 1 if os.WIFSTOPPED(status) else 2, status))
        if not os.WIFSTOPPED(status):
            os._exit(0)
        os.read(requests, 1)
        time.sleep(SHELL_SECONDS)
        os.tcsetpgrp(slave, program)
        os.kill(-program, signal.SIGCONT)


class Terminal:
    """One run of the program. Its stderr goes to the file `log`."""

    def __init__(self, command, columns, lines, log, environment=None):
        self.modes = Modes()
        self.status = None                  # from waitpid(), once it has ended
        self.log_path = log
        self.master, self.slave = os.openpty()
        self.resize(columns, lines, notify=False)
        self.before = termios.tcgetattr(self.slave)
        log_file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self.events, events = os.pipe()
        requests, self.requests = os.pipe()
        environment = dict(os.environ if environment is None else environment)
        self.shell = os.fork()
        if self.shell == 0:
            os.close(self.master)
            run_shell(self.slave, command, environment, log_file, events, requests)
        for fd in (log_file, events, requests):
            os.close(fd)
        self.pid = struct.unpack("ii", os.read(self.events, 8))[1]

    # --- the program's state ---

    def drain(self):
        while self.master >= 0 and select.select([self.master], [], [], 0)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:                 # no process has the other end open
                return
            self.modes.feed(data)

    def next_event(self, seconds=0.0):
        """1 if the program stopped, 2 if it ended, 0 if neither."""
        if not select.select([self.events], [], [], seconds)[0]:
            return 0
        event, status = struct.unpack("ii", os.read(self.events, 8))
        if event == 2:
            self.status = status
            os.waitpid(self.shell, 0)
        return event

    def ended(self):
        return self.status is not None or self.next_event() == 2

    def cpu_seconds(self):
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as stat:
                fields = stat.read().rsplit(b")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def unread(self):
        # select() makes the kernel deliver input that is still in transit from the other end.
        select.select([self.slave], [], [], 0)
        return struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]

    def waits(self):
        """Whether the viewer waits for a key, and no signal is pending.

        A sleeping process may be waiting for something else: it may be stopped, or curses may be
        waiting for the rest of an escape sequence.
        """
        try:
            with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as status:
                fields = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
        except OSError:
            return False
        if fields["State"][0] in "TZ":
            return False
        masks = {name: int(fields[name], 16) for name in ("SigPnd", "ShdPnd", "SigBlk", "SigCgt")}
        return self.reads() or SIGNALS & (masks["SigPnd"] | masks["ShdPnd"] | masks["SigBlk"]
                                          | ~masks["SigCgt"]) == 0

    def reads(self):
        """Whether the program is blocked in read(0), where curses waits for the rest of a mouse
        report."""
        try:
            with open(f"/proc/{self.pid}/syscall", encoding="ascii") as syscall:
                return syscall.read().split()[:2] == [READ, "0x0"]
        except OSError:
            return False

    def settle(self):
        """Waits until the viewer has handled all input and waits for a key; False if it ended.

        Long work is stopped by sending a key.
        """
        begun, stopped = time.monotonic(), False
        spent = self.cpu_seconds()
        # Check unread input first: a viewer that waits after reading all of it has handled it.
        while self.unread() > 0 or not self.waits():
            self.drain()
            if self.ended():
                self.drain()
                return False
            cpu = self.cpu_seconds()
            if cpu - spent > WORK_CPU_SECONDS and not stopped:
                stopped = True
                os.write(self.master, b"\x0c")
            if time.monotonic() - begun > HANG_SECONDS or cpu - spent > HANG_CPU_SECONDS:
                raise Trouble(f"hangs: no answer after {cpu - spent:.1f} s of CPU time")
            time.sleep(0.001)
        self.drain()
        return True

    def wait_end(self):
        """Waits until it has ended; returns its exit code, or the negative number of a signal."""
        begun = time.monotonic()
        while not self.ended():
            self.drain()
            time.sleep(0.001)
            if time.monotonic() - begun > HANG_SECONDS:
                raise Trouble("does not end")
        self.drain()
        return os.waitstatus_to_exitcode(self.status)

    # --- actions ---

    def send(self, data):
        for at in range(0, len(data), 512):     # a terminal buffers at most 4095 bytes of input
            if self.ended():
                return
            os.write(self.master, data[at:at + 512])
            if len(data) > 512 and not self.settle():
                return

    def resize(self, columns, lines, notify=True):
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.master if notify else self.slave, termios.TIOCSWINSZ, size)

    def signal(self, number):
        if not self.ended():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass                            # its end has not been reported yet

    def stop_and_resume(self):
        """Acts like ctrl-Z and fg; in between, the terminal belongs to the shell."""
        self.signal(signal.SIGTSTP)
        begun, event = time.monotonic(), 0
        while event == 0:
            event = self.next_event(0.01)
            self.drain()
            if time.monotonic() - begun > HANG_SECONDS:
                raise Trouble("does not stop")
        if event == 2:
            return
        self.drain()
        self.check_restored("stopped")
        os.write(self.requests, b"c")

    def hang_up(self):
        os.close(self.master)
        self.master = -1

    # --- the state it leaves ---

    def errors(self):
        """What the program wrote to stderr."""
        with open(self.log_path, "rb") as log:
            return log.read().decode(errors="replace")

    def check_restored(self, when):
        unrestored = self.modes.unrestored()
        if unrestored:
            raise Trouble(f"{when} and left {unrestored}")
        now = termios.tcgetattr(self.slave)
        if now != self.before:
            raise Trouble(f"{when}: expected terminal settings {self.before}, got {now}")

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.kill(self.pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
            while self.status is None and self.next_event(limit(60)) == 1:
                os.write(self.requests, b"c")
        for fd in (self.master, self.slave, self.events, self.requests):
            if fd >= 0:
                os.close(fd)


def missing():
    """Why no pseudo-terminal is available; "" if one is."""
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError as error:
        return f"no pseudo-terminal: {error.strerror}"
    return ""


if __name__ == "__main__":
    print(missing(), end="")
