# tap.sh - what the shell tests share; sourced by them. Makes a directory of its own and goes there.
#
# `run ARG...` runs flashtwin: its exit code is $code, its stdout and stderr are the files out and
# err. `expect` and `same` judge that, `result` anything else; `plan` ends the test.
abs_builddir=${abs_builddir:-$PWD/build}
flashtwin=$abs_builddir/flashtwin
srcdir=$(cd "${abs_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

number=0

# limit SECONDS: how long to wait, in seconds: times $FLASHTWIN_SLOW, for a slow or busy machine.
limit() {
	awk -v seconds="$1" -v slow="${FLASHTWIN_SLOW:-1}" 'BEGIN { printf "%d\n", seconds * slow + 0.999 }'
}

# until_true COMMAND...: waits for a condition; the limit only guards against hanging.
until_true() {
	local end=$(($(date +%s) + $(limit 60)))

	while ! "$@"; do
		[ "$(date +%s)" -le "$end" ] || return 1
		sleep 0.05
	done
}

run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}

# result WHAT [WRONG]: passes unless something is said to be wrong.
result() {
	number=$((number + 1))
	if [ -z "${2-}" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# expect WHAT CODE [PATTERN...]: judges the last run; every pattern must match a line of its output.
expect() {
	local what=$1 wanted=$2 wrong= pattern
	shift 2
	[ "$code" -eq "$wanted" ] || wrong="exit code $code, expected $wanted"
	for pattern; do
		cat out err | grep -q -- "$pattern" || wrong="$wrong
no line matches '$pattern'"
	done
	[ -z "$wrong" ] || wrong="$wrong
$(cat out err)"
	result "$what" "$wrong"
}

# same WHAT WANTED GOT: the files are equal, and the last run went well.
same() {
	result "$1" "$([ "$code" -eq 0 ] && cmp "$2" "$3" 2>&1 || echo "exit code $code")"
}

# True when stderr holds exactly one line, beginning with "$1".
one_line() {
	[ "$(wc -l <err)" -eq 1 ] && grep -q "^$1" err || code=99
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

# need_terminal PROGRAM...: skips the whole test where a program is missing, or a pseudo-terminal.
need_terminal() {
	local program missing=
	for program in python3 "$@"; do
		command -v "$program" >/dev/null 2>&1 || missing="no $program"
	done
	[ -n "$missing" ] || missing=$(python3 "$srcdir/tests/fuzz/terminal.py")
	[ -n "$missing" ] || return 0
	echo "1..0 # SKIP $missing"
	exit 0
}

plan() {
	echo "1..$number"
}
