"""terminal.py - a program on a pseudo-terminal, as a shell would run it, and how it leaves it.

A keeper process is the session's leader and the shell: it puts the program into the foreground,
tells when it stops or ends, and resumes it. What the program writes is parsed, so that anything
but text and whole escape sequences is noticed, and the modes it has switched are known. Used by
fuzz_viewer.py and terminal_manners.py. Run by itself, prints why no pseudo-terminal can be had
here, or nothing.
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from limits import limit        # noqa: E402

HANG_SECONDS = limit(120)   # of waiting
HANG_CPU_SECONDS = 20       # of the program's processor time without an answer
WORK_CPU_SECONDS = 1        # after which a key is sent that should stop its work
SHELL_SECONDS = 0.05        # which a shell may take to resume the program
READ = {"x86_64": "0"}.get(os.uname().machine, "63")   # the number of the system call
# The viewer blocks these, but not while it waits for a key (tui/viewer/viewer_term.c).
SIGNALS = sum(1 << number - 1 for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                                             signal.SIGQUIT, signal.SIGWINCH, signal.SIGCONT))


class Trouble(Exception):
    """The program did what no program should do to a terminal."""


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
    """What the program has switched on or off, from what it wrote."""

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
            raise Trouble(f"wrote what no terminal understands: {self.rest[:40]!r}")

    def take(self, token):
        if token["private"] and token["final"] in b"hl":
            for number in token["numbers"].split(b";"):
                self.on[int(number)] = token["final"] == b"h"
        if token["single"] in (b"=", b">"):
            self.keypad = token["single"] == b"="

    def wrecked(self):
        """What is still switched, in words; "" when all is as it was."""
        left = []
        if self.on.get(FULL_SCREEN):
            left.append("the alternate screen")
        if not self.on[CURSOR]:
            left.append("an invisible cursor")
        if any(self.on.get(mode) for mode in MOUSE):
            left.append("mouse reports")
        if self.keypad:
            left.append("the keypad's mode")
        if self.rest:
            left.append(f"half a sequence: {self.rest!r}")
        return ", ".join(left)


def keeper(slave, words, environment, log, tell, hear):
    """The shell: never returns."""
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
        os.execve(words[0], words, environment)
    os.write(tell, struct.pack("ii", 0, program))
    while True:
        status = os.waitpid(program, os.WUNTRACED)[1]
        try:
            os.tcsetpgrp(slave, os.getpid())
        except OSError:
            pass                            # the terminal may be gone
        os.write(tell, struct.pack("ii", 1 if os.WIFSTOPPED(status) else 2, status))
        if not os.WIFSTOPPED(status):
            os._exit(0)
        os.read(hear, 1)
        time.sleep(SHELL_SECONDS)
        os.tcsetpgrp(slave, program)
        os.kill(-program, signal.SIGCONT)


class Terminal:
    """One run of the program. `log` is the path of its stderr."""

    def __init__(self, words, columns, lines, log, environment=None):
        self.modes = Modes()
        self.status = None                  # of waitpid(), when it has ended
        self.log_path = log
        self.master, self.slave = os.openpty()
        self.resize(columns, lines, tell=False)
        self.before = termios.tcgetattr(self.slave)
        log_file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self.told, tell = os.pipe()
        hear, self.ask = os.pipe()
        environment = dict(os.environ if environment is None else environment)
        self.keeper = os.fork()
        if self.keeper == 0:
            os.close(self.master)
            keeper(self.slave, words, environment, log_file, tell, hear)
        for fd in (log_file, tell, hear):
            os.close(fd)
        self.pid = struct.unpack("ii", os.read(self.told, 8))[1]

    # --- what happens ---

    def drain(self):
        while self.master >= 0 and select.select([self.master], [], [], 0)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:                 # nobody has the other end open any more
                return
            self.modes.feed(data)

    def news(self, seconds=0.0):
        """Whether it stopped (1) or ended (2); 0: neither."""
        if not select.select([self.told], [], [], seconds)[0]:
            return 0
        event, status = struct.unpack("ii", os.read(self.told, 8))
        if event == 2:
            self.status = status
            os.waitpid(self.keeper, 0)
        return event

    def ended(self):
        return self.status is not None or self.news() == 2

    def cpu_seconds(self):
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as stat:
                fields = stat.read().rsplit(b")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def unread(self):
        # select() makes the kernel deliver what is on its way from the other end.
        select.select([self.slave], [], [], 0)
        return struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]

    def waits(self):
        """Whether the viewer waits for a key, and no signal is pending.

        A process that sleeps may do so for another reason: it is stopped, or curses waits for what
        follows an escape.
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
        """Whether it is blocked in read(0): curses waits for the rest of a mouse report."""
        try:
            with open(f"/proc/{self.pid}/syscall", encoding="ascii") as syscall:
                return syscall.read().split()[:2] == [READ, "0x0"]
        except OSError:
            return False

    def settle(self):
        """Until the viewer has handled everything sent and waits for a key; False: it has ended.

        Work that takes long is stopped by a key, as the viewer offers.
        """
        begun, stopped = time.monotonic(), False
        spent = self.cpu_seconds()
        # Input first: when all is read, a viewer that waits has handled it.
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
                raise Trouble(f"hangs: no answer after {cpu - spent:.1f} s of processor time")
            time.sleep(0.001)
        self.drain()
        return True

    def wait_end(self):
        """Until it has ended; its exit code, or the negative number of a signal."""
        begun = time.monotonic()
        while not self.ended():
            self.drain()
            time.sleep(0.001)
            if time.monotonic() - begun > HANG_SECONDS:
                raise Trouble("does not end")
        self.drain()
        return os.waitstatus_to_exitcode(self.status)

    # --- what is done to it ---

    def send(self, data):
        for at in range(0, len(data), 512):     # a terminal holds 4095 bytes unread
            if self.ended():
                return
            os.write(self.master, data[at:at + 512])
            if len(data) > 512 and not self.settle():
                return

    def resize(self, columns, lines, tell=True):
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.master if tell else self.slave, termios.TIOCSWINSZ, size)

    def signal(self, number):
        if not self.ended():
            os.kill(self.pid, number)

    def stop_and_resume(self):
        """As ctrl-Z and fg do; the terminal is the shell's in between."""
        self.signal(signal.SIGTSTP)
        begun, event = time.monotonic(), 0
        while event == 0:
            event = self.news(0.01)
            self.drain()
            if time.monotonic() - begun > HANG_SECONDS:
                raise Trouble("does not stop")
        if event == 2:
            return
        self.drain()
        self.check_restored("stopped")
        os.write(self.ask, b"c")

    def hang_up(self):
        os.close(self.master)
        self.master = -1

    # --- how it is left ---

    def said(self):
        with open(self.log_path, "rb") as log:
            return log.read().decode(errors="replace")

    def check_restored(self, when):
        wrecked = self.modes.wrecked()
        if wrecked:
            raise Trouble(f"{when} and left {wrecked}")
        now = termios.tcgetattr(self.slave)
        if now != self.before:
            raise Trouble(f"{when} and left other terminal settings: {now} for {self.before}")

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.kill(self.pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
            while self.status is None and self.news(limit(60)) == 1:
                os.write(self.ask, b"c")
        for fd in (self.master, self.slave, self.told, self.ask):
            if fd >= 0:
                os.close(fd)


def missing():
    """Why no pseudo-terminal can be had; "" where one can."""
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError as error:
        return f"no pseudo-terminal: {error.strerror}"
    return ""


if __name__ == "__main__":
    print(missing(), end="")
