#!/bin/sh
# test_lab_readme.sh [--update] - runs "What students see" of labs/README.md from an installed
# flashtwin in an empty directory, and compares the output; --update is that of test_tour.sh.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
if ! command -v python3 >/dev/null; then
	echo '# WARNING: transcripts are not tested: no python3' >&2
	echo '1..0 # SKIP no python3'
	exit 0
fi
unset MAKEFLAGS MAKELEVEL
if ! make -C "$abs_builddir" install DESTDIR="$work/installed" >install.log 2>&1; then
	sed 's/^/# /' install.log
	echo 'Bail out! make install fails'
	exit 1
fi
program=$(find installed -path '*/bin/flashtwin')
FLASHTWIN_DATADIR=$(dirname "$(dirname "$work/$program")")/share/flashtwin
LC_ALL=C.UTF-8
labs=$srcdir/labs
export FLASHTWIN_DATADIR LC_ALL labs
mkdir empty
cd empty || exit 99
python3 "$srcdir/tests/tui/tour.py" "../$program" "$srcdir/labs/README.md" "$@"
