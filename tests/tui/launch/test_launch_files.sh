#!/bin/sh
# test_launch_files.sh - `launch` of the kernels in tests/launch/, which are typical of courses and
# repositories. Their expected results are in cases.py there.
if ! command -v python3 >/dev/null; then
	echo '1..0 # SKIP no python3'
	exit 0
fi
exec python3 "${abs_srcdir:-$(dirname "$0")/../../..}/tests/launch/cases.py" \
	"${abs_builddir:-$(dirname "$0")/../../../build}/flashtwin" "$@"
