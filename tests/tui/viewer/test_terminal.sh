#!/bin/sh
# test_terminal.sh - the viewer sets up the terminal and restores it: see terminal_setup.py.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal

python3 "$srcdir/tests/tui/viewer/terminal_setup.py" "$flashtwin" "$srcdir"
