#!/bin/sh
# test_capture.sh - every operation during a capture has the result on the simulator that it had on
# an H200, as listed in tests/h200/capture.txt. One test per operation covers all modes and streams.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

known=$srcdir/tests/h200/capture.txt
"${abs_builddir:-build}/tests/gpu/capture_table" sim >found 2>err
code=$?
expect 'the table is written' 0
wrong=$(grep -n "no-scene\|signal" found)
result 'every case was set up' "$wrong"

# cases FILE OPERATION: prints the lines of the operation, with single spaces.
cases() {
	awk -v operation="$2" '!/^#/ && $1 == operation { $1 = $1; print }' "$1"
}

operations() {
	awk '!/^#/ && NF && !seen[$1]++ { print $1 }' "$1"
}

for operation in $(operations "$known"); do
	cases "$known" "$operation" >wanted
	cases found "$operation" >got
	result "$operation" "$(diff wanted got)"
done
operations found | while read -r operation; do
	[ -n "$(cases "$known" "$operation")" ] || echo "$operation is not in capture.txt"
done >missing
result 'capture.txt lists every operation' "$(cat missing)"
plan
