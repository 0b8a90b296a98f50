#!/bin/sh
# test_no_terminal.sh - tests that need a pseudo-terminal skip at once where there is none.
#
# In a chroot without /dev/pts, for example, they must not wait for screens that never appear.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# A separate mount namespace, so that /dev/pts can be replaced; ordinary users also need a user
# namespace.
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

# with_pts 'TYPE [-o OPTIONS]' COMMAND...: runs it with a new file system of this type at /dev/pts.
with_pts() {
	local type=$1
	shift
	$apart sh -c 'mount -t $0 none /dev/pts && exec "$@"' "$type" "$@" >out 2>err
	code=$?
}

probe="python3 $srcdir/tests/fuzz/terminal.py"
if command -v python3 >/dev/null 2>&1; then
	with_pts tmpfs $probe
	expect 'the probe says why there is no pseudo-terminal' 0 '^no pseudo-terminal: .'
	with_pts 'devpts -o ptmxmode=666' \
		sh -c 'mount --bind /dev/pts/ptmx /dev/ptmx && exec "$@"' sh $probe
	[ ! -s out ] || code=99
	expect 'the probe prints nothing where there is one' 0
else
	skip 'the probe' 'no python3'
fi

abs_builddir=$(dirname "$flashtwin") abs_srcdir=$srcdir
export abs_builddir abs_srcdir
for test in $(find "$srcdir/tests" -name 'test_*.sh' \
	-exec grep -l '^need_terminal\|/tests/tmux.sh"$' {} + | sort); do
	with_pts tmpfs timeout 20 sh "$test"
	[ "$(wc -l <out)" -eq 1 ] || code=99
	expect "${test##*/} skips at once" 0 '^1..0 # SKIP no [a-z]'
done

plan
