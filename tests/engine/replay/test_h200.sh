#!/bin/sh
# test_h200.sh - replays every trace of a GPU on the simulator: no bit may differ.
flashtwin=${abs_builddir:-$(dirname "$0")/../../../build}/flashtwin
cd "${abs_srcdir:-$(dirname "$0")/../../..}/tests" || exit 99

set -- h200/*.twin
if [ ! -e "$1" ]; then
	echo '1..1'
	echo 'not ok 1 - no recorded traces in tests/h200'
	exit 1
fi
echo "1..$#"
number=0
for trace in "$@"; do
	number=$((number + 1))
	if said=$("$flashtwin" replay "$trace" 2>&1); then
		echo "ok $number - $trace"
	else
		echo "not ok $number - $trace"
	fi
	printf '%s\n' "$said" | sed 's/^/# /'
done
