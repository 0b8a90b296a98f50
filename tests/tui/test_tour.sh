#!/bin/sh
# test_tour.sh [--update] - runs doc/tour.md and compares its commands' output and its screens.
#
# With --update, writes the current output into doc/tour.md: review the diff before committing it.
# tests/tui/tour.py does the work.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
need_terminal tmux

# A plain environment: nothing that changes what is printed or drawn. Without colours, weights are
# marks, which text can show.
LC_ALL=C.UTF-8 TERM=xterm-256color NO_COLOR=1
export LC_ALL TERM NO_COLOR
unset TMUX FLASHTWIN_DATADIR

# Test tour.py itself: it must find a wrong screen, wrong output and a failing command, and --update
# must correct the first two.
printf '%s\n' 'Start: `printf "one  \n\n\n\ntwo"; read x`' 'Keys: `:` `Enter`' '```screen' wrong '```' \
	'```console' '$ false' '$ echo $?' 0 '```' '`L0` · keys `0` · `false`' >small.md
FLASHTWIN_SLOW=0.05 python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md >wrong 2>&1
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md --update >updated 2>&1
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md >right 2>&1
if [ "$(grep -c '^not ok' wrong)" -ne 3 ] || [ "$(grep -c '^not ok' right)" -ne 1 ]; then
	sed 's/^/# /' wrong updated right
	echo "Bail out! tests/tui/tour.py does not find differences correctly"
	exit 1
fi
mkdir tour
cd tour || exit 99
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" "$srcdir/doc/tour.md" "$@"
