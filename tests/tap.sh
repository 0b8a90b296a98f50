# tap.sh - functions for shell tests, which source it. Changes to a new temporary directory.
#
# `run ARG...` runs flashtwin: its exit code goes to $code, its stdout and stderr to the files out
# and err. `expect` and `same` check these, `result` reports any other check, `plan` ends the test.
abs_builddir=${abs_builddir:-$PWD/build}
flashtwin=$abs_builddir/flashtwin
# A test that is run by hand finds the sources above it.
srcdir=$(cd "${abs_srcdir:-$(dirname "$0")}" && while [ ! -e configure.ac ] && [ "$PWD" != / ]; do
	cd ..
done && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# The last run of a test is its own; the name keeps it out of lists of files.
XDG_STATE_HOME=$work/.state
XDG_CACHE_HOME=$work/.cache
export XDG_STATE_HOME XDG_CACHE_HOME

number=0

# limit SECONDS: prints SECONDS times $FLASHTWIN_SLOW (for slow or busy machines), rounded up.
limit() {
	awk -v seconds="$1" -v slow="${FLASHTWIN_SLOW:-1}" 'BEGIN { printf "%d\n", seconds * slow + 0.999 }'
}

# until_true COMMAND...: waits until COMMAND succeeds; the time limit only guards against hanging.
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

# said: prints the last run's stderr, but not that there is no sandbox, as inside another one.
said() {
	grep -v '^warning: [a-z]*: no sandbox, only resource limits: ' err
}

# result WHAT [ERROR]: reports a check, which passes if ERROR is empty.
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

# expect WHAT CODE [PATTERN...]: checks the last run's exit code; every PATTERN must match a line of
# its output.
expect() {
	local what=$1 wanted=$2 wrong= pattern
	shift 2
	[ "$code" -eq "$wanted" ] || wrong="expected exit code $wanted, got $code"
	for pattern; do
		cat out err | grep -q -- "$pattern" || wrong="$wrong
no line matches '$pattern'"
	done
	[ -z "$wrong" ] || wrong="$wrong
$(cat out err)"
	result "$what" "$wrong"
}

# same WHAT WANTED GOT: checks that the files are equal and the last run succeeded.
same() {
	result "$1" "$([ "$code" -eq 0 ] && cmp "$2" "$3" 2>&1 || echo "exit code $code")"
}

# one_line BEGINNING: sets code to 99 unless stderr is one line that starts with BEGINNING.
one_line() {
	[ "$(wc -l <err)" -eq 1 ] && grep -q "^$1" err || code=99
}

# usage_error ARG...: expects exit code 2 of `flashtwin ARG...`, one line on stderr that names the
# command, and nothing on stdout.
usage_error() {
	run "$@"
	[ ! -s out ] || code=99
	one_line "flashtwin $1: "
	expect "$*" 2
}

# without_gpu WHAT ARG...: expects exit code 77 of `flashtwin ARG...`, and the same, or skips it if
# there is a GPU.
without_gpu() {
	local what=$1
	shift
	"$flashtwin" info --device cuda >out 2>err
	if [ $? -ne 77 ]; then
		skip "$what" 'there is one'
		return
	fi
	run "$@"
	[ ! -s out ] || code=99
	one_line "flashtwin $1: "
	expect "$what" 77
}

# npy FILE SHAPE COUNT: writes an .npy file of COUNT f32 values: 1, 2, 3, 1, 2, 3...
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

# need_terminal PROGRAM...: skips the whole test if python3, a PROGRAM or a pseudo-terminal is
# missing.
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
