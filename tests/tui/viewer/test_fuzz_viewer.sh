#!/bin/sh
# test_fuzz_viewer.sh - a short run of the viewer's fuzzer: random keys, sizes and signals.
#
# Runs on intact and on damaged traces. `make check-fuzz` runs the fuzzer in full.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal

for traces in '' --damaged; do
	python3 "$srcdir/tests/fuzz/fuzz_viewer.py" --program "$flashtwin" --source "$srcdir" \
		--keys "${FUZZ_KEYS:-300}" --seed "${SEED:-1}" $traces >out 2>&1
	code=$?
	kind=${traces#--}
	result "random keys on ${kind:-intact} traces" "$([ $code -eq 0 ] || cat out)"
	sed 's/^/# /' out
done

plan
