#!/bin/sh
# test_fuzz_viewer.sh - some of the viewer's fuzzer: random keys, sizes and signals on recorded traces
# and on damaged ones. `make check-fuzz` is all of it.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal

for traces in '' --damaged; do
	python3 "$srcdir/tests/fuzz/fuzz_viewer.py" --program "$flashtwin" --source "$srcdir" \
		--keys "${FUZZ_KEYS:-300}" --seed "${SEED:-1}" $traces >out 2>&1
	code=$?
	result "random keys on ${traces#--} traces" "$([ $code -eq 0 ] || cat out)"
	sed 's/^/# /' out
done

plan
