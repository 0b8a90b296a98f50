#!/usr/bin/env python3
"""interrupt.py - types a key into a terminal in which a command runs.

Arguments: the key's code, a command. The key is typed when the command has written "ready". Prints
what was written, and the exit code. Used by test_run_terminal.sh.
"""
import os
import pty
import sys


def main():
    key, command = bytes([int(sys.argv[1])]), sys.argv[2:]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    written, typed = b"", False
    while True:
        try:
            some = os.read(terminal, 4096)
        except OSError:                     # no process has the other end open
            some = b""
        if not some:
            break
        written += some
        if not typed and b"ready" in written:
            os.write(terminal, key)
            typed = True
    print(written.decode(errors="replace").replace("\r", ""))
    print("code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()
