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
	mv out "$group.out"
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
# The part of tests/gpu/run.sh, with the answers above instead of a GPU's.
mkdir -p build/tests/gpu
echo "$groups" >list.out
cat >build/tests/gpu/semantics <<END
#!/bin/sh
cat "$work/\$1.out"
[ "\$1" != "\$(cat "$work/crashes")" ] || kill -SEGV \$\$
END
chmod +x build/tests/gpu/semantics
gpu_part() {
	echo "$1" >crashes
	flashtwin= sh "$srcdir/tests/gpu/semantics.sh" build gpu >out 2>err
	code=$?
}
gpu_part none
expect 'the part for a GPU compares all answers' 0 '^PASS .* 0 differ'
result 'and writes them' "$(awk -f "$srcdir/tests/run/semantics.awk" "$measured" gpu/semantics.txt
	grep '^#: unmeasured' gpu/semantics.txt)"
gpu_part pools
expect 'and fails if a group crashes' 1 '^FAIL .* crashed: pools (139)$'
sed -i 's/^copy.null_to .*/copy.null_to 0/' copies.out
gpu_part none
expect 'or if an answer differs' 1 '^FAIL .* 1 differ$'
result 'every group was measured' "$(for group in $groups; do
	grep -qx "## $group" "$measured" || echo "$group"
done)"
plan
