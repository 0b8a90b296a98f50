#!/bin/sh
# test_no_terminal.sh - tests that need a pseudo-terminal skip at once where none can be had, as in
# a chroot without /dev/pts, instead of waiting for screens that never come.
. "${abs_srcdir:-$(dirname "$0")/..}/tests/tap.sh"

# A mount namespace of our own, whose /dev/pts can be changed; a user needs a user namespace too.
apart=
for options in -m -rm; do
	if unshare $options mount -t tmpfs none /dev/pts 2>unshare.err; then
		apart="unshare $options"
		break
	fi
done
if [ -z "$apart" ]; then
	skip 'tests without a pseudo-terminal' "no mount namespace: $(head -n 1 unshare.err)"
	plan
	exit 0
fi

# with_pts 'TYPE [-o OPTIONS]' COMMAND...: where only a fresh file system is at /dev/pts.
with_pts() {
	local type=$1
	shift
	$apart sh -c 'mount -t $0 none /dev/pts && exec "$@"' "$type" "$@" >out 2>err
	code=$?
}

probe="python3 $srcdir/tests/fuzz/terminal.py"
if command -v python3 >/dev/null 2>&1; then
	with_pts tmpfs $probe
	expect 'the probe says why there is none' 0 '^no pseudo-terminal: .'
	with_pts 'devpts -o ptmxmode=666' \
		sh -c 'mount --bind /dev/pts/ptmx /dev/ptmx && exec "$@"' sh $probe
	[ ! -s out ] || code=99
	expect 'and nothing where there is one' 0
else
	skip 'the probe' 'no python3'
fi

abs_builddir=$(dirname "$flashtwin") abs_srcdir=$srcdir
export abs_builddir abs_srcdir
for test in $(cd "$srcdir/tests" && grep -l '^need_terminal\|/tests/tmux.sh"$' test_*.sh); do
	with_pts tmpfs timeout 20 sh "$srcdir/tests/$test"
	[ "$(wc -l <out)" -eq 1 ] || code=99
	expect "$test skips at once" 0 '^1..0 # SKIP no [a-z]'
done

plan
