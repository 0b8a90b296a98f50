#!/bin/sh
# test_capture.sh - the simulator answers every operation during a capture as the GPU did whose
# answers are tests/h200/capture.txt: one test for each operation, all its modes and streams in it.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

known=$srcdir/tests/h200/capture.txt
"${abs_builddir:-build}/tests/gpu/capture_table" sim >found 2>err
code=$?
expect 'the table is made' 0
wrong=$(grep -n "no-scene\|signal" found)
result 'every case has its scene' "$wrong"

# cases FILE OPERATION: its lines, one space between words.
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
result 'every operation has its answer' "$(cat missing)"
plan
