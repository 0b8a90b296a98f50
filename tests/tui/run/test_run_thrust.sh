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

cp "$srcdir/tests/tui/run/thrust_zip.cu" .
wanted='generated: 1 2 0 1 2 0
with: 10 20 30 40 50 60
here: 1000 2000
random: 1.00031471
distributions: 0 1, 1, 1 3
sums: 11 22 30 41 52 60
sorted: 0 0 1 1 2 2
along: 30 60 10 40 20 50
negated: 30 -60 -10 40 20 50
element: 1 -10, 6 of them
scan: 30 -30 -10 30 20 70
exclusive: 0 2 0 2 0 2
least: 30 -60 -10 -10 20 20
keys: 0 1 2
reduced: 1 13 41
offsets: 0 2 4
changes: 0 0 1 0 1 0
where: 4 16
gathered: 25 16 9 4 1 0
scattered: 25 16 9 4 1 0
filled: 77 77 9 4 1 0
first: 1
swapped: 1'
run run thrust_zip.cu --check --no-record
result 'iterators made of others, and algorithms by key' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"

# --- CUB's device-wide algorithms ---

cp "$srcdir/tests/tui/run/cub_device.cu" "$srcdir/tests/tui/run/cub_device.cuh" .
wanted='sum: 23
wide sum: 300
min: -3
max: 1e+30
larger: 20
of nothing: 0
inclusive: 5 2 10 18 19 16 23 23
exclusive: 0 5 2 10 18 19 16 23
largest so far: 5 5 8 8 8 8 8 8
before: 2 5 5 8 8 8 8 8
wide sums: 100 200 300
places of flags: 0 0 1 2 2 2 3 3
positive: 5 8 8 1 7
so many: 5
flagged: -3 8 -3 0
once: 5 -3 8 1 -3 7 0
so many: 7
histogram: 2 2 0 2
changes of flags: 6
no bins: 1
sorted: -3 -3 0 1 5 7 8 8
descending: 1e+30 2.5 -0 0 -7
by two bits: 8 8 0 5 -3 1 -3 7
along: -3 -3 0 1 5 7 8 8
buffer: -3 -3 0 1 5 7 8 8
after the stream.s work: -23
too little: 1
no error'
wanted=$(echo "$wanted" | sed "s/stream.s/stream's/")
run run cub_device.cu --check -o cub.twin
result 'device-wide algorithms of CUB, without a finding' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
run replay --trust cub.twin
expect 'their copies are recorded too' 0 ' 0 bits differ$'
cp "$srcdir/tests/tui/run/cub_runs.cu" .
wanted='least: -3
at: 2
largest: 8 at 3
of nothing: -3.40282e+38 at 1
squares: 17.25
keys: 2 7 2 9
sums: 3.5 13 0.5 1
so many: 4
of segments: 0.5 0 16 1.5
at least 2: 2.5 2 8 4
least of one: 2
inclusive by key: 1 3.5 -3 5 13 0.5 -3 1
exclusive by key: 0 1 0 -3 5 0 0 -3
of odd and of even: 1 2.5 -3 8 8 0.5 -3 4
before, by key: 0 1 0 0 8 0 0 0
from 2: 2 2.5 2.5 8 8 8 8 8
in place: 0 2 4 11 18 25 27 36
in place: 2 4.5 7 8
runs of: 2 7 2 9
lengths: 2 3 1 2
so many: 4
runs at: 0 2 6
lengths: 2 3 2
so many: 3
keys once: 2 7 2 9
values: 1 -3 0.5 -3
odd, then even: 7 7 7 9 9 2 2 2
flagged, then not: 2.5 -3 0.5 4 -3 8 8 1
so many: 4
odd in place: 11 25 27
so many: 3
histogram: 0 3 3
no error'
run run cub_runs.cu --check --no-record
result 'by key, of runs, segments and partitions, and in place' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
printf '#include <cub/device/device_scan.cuh>\n__global__ void k() { }\n' >scan.cu
run launch scan.cu --kernel k --grid 1 --block 1
expect 'launch has only those of blocks and warps' 3 'are for programs: flashtwin run'

cat >absent.cu <<'EOF'
#include <thrust/iterator/reverse_iterator.h>
int main() { }
EOF
run run absent.cu
expect 'what is not there is named with its line' 3 \
	'absent.cu:1:.*thrust/iterator/reverse_iterator.h'
plan
