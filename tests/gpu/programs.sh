# programs.sh - the part of run.sh that runs public programs and kernels on both devices.
#
# SUITES is a folder with the checkouts that tests/suites/ lists, each in a folder "OWNER+NAME" of its
# repository. Writes $out/programs.md. Sourced by run.sh, whose functions and variables it uses.

lists=
for list in "$source"/tests/suites/programs/*.json "$source"/tests/suites/kernels/*.json; do
	checkout=${SUITES:-/nonexistent}/$(sed -n 's|.*"repository": "https://github.com/\([^/]*\)/\([^/"]*\)".*|\1+\2|p' "$list")
	[ ! -d "$checkout" ] || lists="$lists $list=$checkout"
done
if [ -n "$lists" ]; then
	# No name of a list has a space.
	run 580 python3 "$source/tests/suites/both.py" "$flashtwin" "$out/programs.md" $lists
	cat "$work/stdout" >>"$log"
	detail=$(tail -n 1 "$work/stdout")
	if [ "$code" -eq 0 ]; then
		result PASS 'public programs on both devices' "$detail"
	else
		result FAIL 'public programs on both devices' "exit code $code: $detail"
	fi
else
	result SKIP 'public programs on both devices' 'SUITES names no folder with checkouts'
fi
