#!/bin/sh
# test_terminal.sh - how the viewer takes a terminal and gives it back: see terminal_manners.py.
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
top=${abs_srcdir:-$(dirname "$0")/../../..}
exec python3 "$top/tests/tui/viewer/terminal_manners.py" "${abs_builddir:-$PWD/build}/flashtwin" "$top"
