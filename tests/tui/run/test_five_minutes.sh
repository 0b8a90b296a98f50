#!/bin/sh
# test_five_minutes.sh [--update] - runs doc/run.md and compares its commands' output and its screen.
#
# With --update, writes the current output into doc/run.md: review the diff before committing it.
# tests/tui/tour.py does the work.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal tmux
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

# A plain environment: nothing that changes what is printed or drawn.
LC_ALL=C.UTF-8 TERM=xterm-256color NO_COLOR=1
export LC_ALL TERM NO_COLOR
unset TMUX FLASHTWIN_DATADIR FLASHTWIN_RUN

mkdir tour
cd tour || exit 99
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" "$srcdir/doc/run.md" "$@"
