#!/bin/sh
# test_run_calls.sh - `flashtwin run`: programs that check device functions and calls of the runtime
# API themselves, by what CUDA documents (tests/tui/run/counted.h).
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

# passes FILE OPTION...: a run of the program, all of whose checks hold.
passes() {
	local file=$1
	shift
	run run "$@" "$srcdir/tests/tui/run/$file"
	expect "$file $*" 0 '^0 of [1-9][0-9]* checks failed$'
}

for file in device_functions.cu atomics_scopes.cu copies_boxes.cu array_calls.cu graph_params.cu \
	graph_edges.cu device_calls.cu; do
	passes $file --no-record
	passes $file --check
done
for file in atomics_scopes.cu copies_boxes.cu graph_params.cu graph_edges.cu; do
	passes $file --no-record --seed 3
done
for file in copies_boxes.cu device_calls.cu; do
	passes $file --devices 2
done
passes launch_calls.cu --no-record
run run --check "$srcdir/tests/tui/run/launch_calls.cu"
expect 'the checker finds the call that a capture forbids, and nothing else' 4 \
	'^capture-forbidden: alloc: ' '^0 of [1-9][0-9]* checks failed$' '^flashtwin run: 1 finding$'

# What is recorded repeats.
for file in copies_boxes.cu graph_params.cu graph_edges.cu launch_calls.cu; do
	passes $file -o calls.twin --force
	run replay --trust calls.twin
	expect "a replay of $file" 0 ' 0 bits differ'
done
plan
