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

cp "$srcdir/tests/tui/run/cub_device.cu" .
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
