#!/bin/sh
# test_run_semantics.sh - the runtime API on the simulator answers each question of
# tests/run/semantics.cu as CUDA did on an H200: tests/h200/semantics.txt has the answers. One test
# per group, whose failure names the lines that differ.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

measured=$srcdir/tests/h200/semantics.txt
run run --exit program "$srcdir/tests/run/semantics.cu" -- list
expect 'the program runs' 0
groups=$(cat out)

# of_group GROUP: prints what was measured of the group.
of_group() {
	awk -v group="$1" '/^## / && $2 != "exit" { in_group = $2 == group } in_group' "$measured"
}

for group in $groups; do
	of_group "$group" >wanted
	run run --exit program "$srcdir/tests/run/semantics.cu" -- "$group"
	{ echo "## $group"; cat out; echo "## exit $code"; } >got
	result "$group: $(grep -vc '^#\|^gpu\.' got) answers" \
		"$(awk -f "$srcdir/tests/run/semantics.awk" wanted got)"
done

# What the comparison must find.
of_group errors >wanted
# found WHAT PATTERN COMMAND: changed by the sed command, the answers differ as the pattern says, and
# in nothing else.
found() {
	sed "$3" wanted >got
	awk -f "$srcdir/tests/run/semantics.awk" wanted got >differences
	code=$?
	grep -v -- "$2" differences >others
	result "$1" "$([ "$code" -eq 1 ] && grep -q -- "$2" differences && [ ! -s others ] ||
		cat differences)"
}
found 'another answer is found' '^expected errors.peek 2, got errors.peek 0$' \
	's/^errors.peek .*/errors.peek 0/'
found 'a missing answer is found' '^no answer: errors.peek 2$' '/^errors.peek/d'
found 'an unknown question is found' '^not measured: errors.next 1$' '$i errors.next 1'
found 'a crash is found' '^expected exit.errors 0, got exit.errors 139$' \
	's/^## exit .*/## exit 139/'
found 'no answers are found' '^no answer: ' '/^errors/d'
# The part of tests/gpu/run.sh, with the simulator instead of a GPU.
mkdir -p build/tests/gpu
run cc -std=c++17 -o build/tests/gpu/semantics "$srcdir/tests/run/semantics.cu"
expect 'the program is built for the part for a GPU' 0
flashtwin= sh "$srcdir/tests/gpu/semantics.sh" build gpu >out 2>err
code=$?
expect 'which compares all answers' 0 '^PASS .* 0 differ'
result 'and writes them' "$(awk -f "$srcdir/tests/run/semantics.awk" "$measured" gpu/semantics.txt
	grep -c '^#: unmeasured' gpu/semantics.txt | grep -vx 0)"
result 'every group was measured' "$(for group in $groups; do
	grep -qx "## $group" "$measured" || echo "$group"
done)"
plan
