#!/bin/sh
# test_make.sh - `make map` and `make compile_commands.json` know every source, and say what is true.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

build=$(dirname "$flashtwin")
# This make does not take over what the one that runs the tests was given.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

run_make() {
	make -s --no-print-directory -C "$build" "$@" >out 2>err
	code=$?
}

run_make map
expect 'make map: every source begins with what it is' 0 '^main.c: the command table' \
	'^kernels/flash_decode_chunk.cu: the first half of flash decoding: ' \
	'^engine/device.h: ' '^tests/tap.sh: ' '^traces/store/schema.sql: '
result 'and each has one line' "$(grep -v '^$' out | sed 's/: .*//' | sort | uniq -d)"

mkdir -p base/deep
printf '/* good.c - one sentence that goes\n * on. And another. */\n' >base/deep/good.c
printf '#include "base/bad.h"\n' >base/bad.c
printf 'base/bad.c\nbase/deep/good.c\nother/skipped.c\n' |
	awk -v srcdir=. -v folders=base -f "$srcdir/make/map.awk" >out 2>err
code=$?
expect 'a source without such a line is an error' 1 '^base/bad.c: expected "bad.c - DESC'
expect 'and a sentence may go on' 1 '^base/deep/good.c: one sentence that goes on$'
result 'other folders are left out' "$(grep skipped out)"

rm -f "$build/compile_commands.json"
run_make compile_commands.json
expect 'make compile_commands.json' 0
python3 "$srcdir/tests/make/commands_check.py" "$build" "$srcdir" >out 2>err
code=$?
expect 'it has every object that was built, and its commands parse' 0 '^[0-9]* entries, 0 wrong$'

# All but those of the example and those that the build makes.
grep -oE '(base|doc|engine|kernels|make|sim|tests|traces|tui)/[a-z0-9_/]*[.][a-z]+' \
	"$srcdir/HACKING.md" | grep -v -e negate -e '[.]same$' -e '^kernels/fatbins.c$' -e '^kernels/sources.c$' |
	sort -u >named
while read -r name; do
	[ -e "$srcdir/$name" ] || echo "$name"
done <named >missing
[ "$(wc -l <named)" -gt 20 ] || echo 'hardly any' >>missing
result 'every file that HACKING.md names is there' "$(cat missing)"

plan
