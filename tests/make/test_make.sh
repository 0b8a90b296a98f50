#!/bin/sh
# test_make.sh - `make map` and `make compile_commands.json` list every source correctly.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

build=$(dirname "$flashtwin")
# Do not inherit the options of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

run_make() {
	make -s --no-print-directory -C "$build" "$@" >out 2>err
	code=$?
}

run_make map
expect 'make map: the first line of every source describes it' 0 '^main.c: the command table' \
	'^kernels/flash_decode_chunk.cu: the first half of flash decoding: ' \
	'^engine/device.h: ' '^tests/tap.sh: ' '^traces/store/schema.sql: '
result 'make map: each source has one line' "$(grep -v '^$' out | sed 's/: .*//' | sort | uniq -d)"

mkdir -p base/deep
printf '/* good.c - one sentence that goes\n * on. And another. */\n' >base/deep/good.c
printf '#include "base/bad.h"\n' >base/bad.c
printf 'base/bad.c\nbase/deep/good.c\nother/skipped.c\n' |
	awk -v srcdir=. -v folders=base -f "$srcdir/make/map.awk" >out 2>err
code=$?
expect 'a source without a description is an error' 1 \
	'^base/bad.c: expected "bad.c - DESC'
expect 'a description may continue on the next line' 1 \
	'^base/deep/good.c: one sentence that goes on$'
result 'other folders are skipped' "$(grep skipped out)"

rm -f "$build/compile_commands.json"
run_make compile_commands.json
expect 'make compile_commands.json' 0
python3 "$srcdir/tests/make/commands_check.py" "$build" "$srcdir" >out 2>err
code=$?
expect 'every object has an entry, and every command compiles' 0 '^[0-9]* entries, 0 wrong$'

# All files except those of the example and those that the build generates.
grep -oE '(base|doc|engine|kernels|make|sim|tests|traces|tui)/[a-z0-9_/]*[.][a-z]+' \
	"$srcdir/HACKING.md" |
	grep -v -e negate -e '[.]same$' -e '^kernels/fatbins.c$' -e '^kernels/sources.c$' |
	sort -u >named
while read -r name; do
	[ -e "$srcdir/$name" ] || echo "$name"
done <named >missing
[ "$(wc -l <named)" -gt 20 ] || echo 'expected more than 20 names' >>missing
result 'every file that HACKING.md names exists' "$(cat missing)"

plan
