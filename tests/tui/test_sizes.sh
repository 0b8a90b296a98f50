#!/bin/sh
# test_sizes.sh - limits on the trace size and the memory of recording the demo.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

prompt='ROMEO:
O, she do'
memory_limit=300000     # kB

# measure WHAT LIMIT OPTION...: the trace may have up to LIMIT bytes.
measure() {
	what=$1 limit=$2
	shift 2
	rm -f t.twin memory
	"${abs_builddir:-build}/tests/peak_memory" memory "$flashtwin" decode --prompt "$prompt" \
		-n 64 --chunk 32 -o t.twin "$@" >out 2>err
	code=$?
	expect "$what: decodes" 0
	bytes=$(wc -c <t.twin)
	[ "$bytes" -gt 0 ] && [ "$bytes" -lt "$limit" ]
	result "$what: $bytes bytes" "$([ $? -eq 0 ] || echo "the maximum is $limit")"
	memory=$(cat memory)
	if [ "$memory" = unknown ]; then
		skip "$what: memory" 'a sanitizer needs more'
		return
	fi
	[ "$memory" -gt 0 ] && [ "$memory" -lt $memory_limit ]
	result "$what: $memory kB of memory" \
		"$([ $? -eq 0 ] || echo "the maximum is $memory_limit")"
}

measure '--log points' 20000000 --log points
measure '--log points, two jobs' 20000000 --log points --jobs 2
measure '--log partials' 4000000 --log partials
measure '--log launch' 2000000 --log launch
plan
