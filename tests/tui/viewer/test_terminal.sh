#!/bin/sh
# test_terminal.sh - how the viewer takes a terminal and gives it back: see terminal_manners.py.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal

python3 "$srcdir/tests/tui/viewer/terminal_manners.py" "$flashtwin" "$srcdir"
