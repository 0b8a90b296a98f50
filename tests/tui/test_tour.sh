#!/bin/sh
# test_tour.sh [--update] - the commands and screens of doc/tour.md, against what they give now.
#
# With --update, writes what they give into doc/tour.md: look at the difference before committing it.
# The work is tests/tui/tour.py's.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
need_terminal tmux

# As a reader's terminal: nothing that changes what is printed or drawn.
LC_ALL=C.UTF-8 TERM=xterm-256color
export LC_ALL TERM
unset TMUX NO_COLOR FLASHTWIN_DATADIR

# The runner itself: a line and a screen that are not so are found, and --update puts them right.
printf '%s\n' 'Start: `printf "one  \n\n\n\ntwo"; read x`' 'Keys: `:` `Enter`' '```screen' wrong '```' \
	'```console' '$ false' '$ echo $?' 0 '```' '`L0` · keys `0` · `false`' >small.md
FLASHTWIN_SLOW=0.05 python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md >wrong 2>&1
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md --update >updated 2>&1
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" small.md >right 2>&1
if [ "$(grep -c '^not ok' wrong)" -ne 3 ] || [ "$(grep -c '^not ok' right)" -ne 1 ]; then
	sed 's/^/# /' wrong updated right
	echo "Bail out! tests/tui/tour.py does not judge as it should"
	exit 1
fi
mkdir tour
cd tour || exit 99
python3 "$srcdir/tests/tui/tour.py" "$flashtwin" "$srcdir/doc/tour.md" "$@"
