#!/bin/sh
# test_run_digests.sh - what counts as equal in memory of a program, whose types are not declared:
# addresses of device memory are places in buffers, and a NaN is a NaN where a kernel writes floats.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/pointers.cu" .

# digest TRACE BUFFER: of what the last launch wrote there.
digest() {
	"$flashtwin" sql --plain "$1" "SELECT d.digest FROM v_digest d JOIN v_buffer b
		ON b.run = d.run AND b.buffer = d.buffer WHERE b.name = '$2' ORDER BY d.op DESC LIMIT 1"
}

run run pointers.cu -o a.twin -- 7fc00001
[ "$(cat out)" = 20 ] || code=99
expect 'a list and a table of pointers' 0
[ "$("$flashtwin" sql --plain a.twin "SELECT count(*) FROM v_op WHERE kind = 'upload_pointers'")" \
	= 3 ] || code=99
expect 'their words are recorded as places in buffers' 0
run replay a.twin --trust --seed 3
expect 'a replay has other addresses, and the same digests' 0 ', 0 bits differ$'
run verify a.twin
expect 'the trace is sound' 0

run run pointers.cu -o b.twin -- ffc00002
expect 'another NaN' 0
result 'equals the first one in memory of floats' \
	"$([ "$(digest a.twin cudaMalloc.2)" = "$(digest b.twin cudaMalloc.2)" ] || echo differs)"
result 'and differs in memory of integers' \
	"$([ "$(digest a.twin cudaMalloc.0)" != "$(digest b.twin cudaMalloc.0)" ] || echo equal)"

plan
