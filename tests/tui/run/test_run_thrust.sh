#!/bin/sh
# test_run_thrust.sh - `flashtwin run`: Thrust's vectors and algorithms.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/thrust.cu" .
wanted='twice: 2 4 6 8 10 12
sum 42, max 12, odd 0, dot 294
transform: -5 -3 -1 1 3 5
scan: 0 2 6 12 20 30
changed: 0 2 100 12 20 30 3
values: 0 100 30 2 20 3 12
keys: 3 2 1 0
raw: 35 5, squares 2100'

run run thrust.cu --check -o thrust.twin
result 'vectors and algorithms, without a finding' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
run replay --trust thrust.twin
expect 'their copies are recorded' 0 ''

cat >zip.cu <<'EOF'
#include <thrust/iterator/zip_iterator.h>
int main() { }
EOF
run run zip.cu
expect 'what is not there is named with its line' 3 'zip.cu:1:.*thrust/iterator/zip_iterator.h'
plan
