# cli.sh - for scripts that judge runs of the program: sourced, in a directory of their own.
#
# Needs $flashtwin. The script prints "1..$number" at its end.
number=0
# expect WHAT CODE PATTERN...: judges the last run; every pattern must match a line of its output.
expect() {
	number=$((number + 1))
	what=$1 wanted=$2 missing=
	shift 2
	for pattern; do
		cat out err | grep -q -- "$pattern" || missing=$pattern
	done
	if [ "$code" -eq "$wanted" ] && [ -z "$missing" ]; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		echo "# exit code $code, expected $wanted; no line matches '$missing'"
		cat out err | sed 's/^/# /'
	fi
}
run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}
# npy FILE SHAPE COUNT: an .npy file of f32, all of them 1, 2 or 3.
npy() {
	{
		printf '\223NUMPY\001\000\166\000'
		printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': $2, }"
		LC_ALL=C awk -v n="$3" 'BEGIN {
			for (i = 0; i < n; i++)
				printf "%c%c%c%c", 0, 0, i % 3 == 0 ? 128 : i % 3 == 1 ? 0 : 64,
					i % 3 == 0 ? 63 : 64 }'
	} >"$1"
}
