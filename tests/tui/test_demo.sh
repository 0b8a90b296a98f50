#!/bin/sh
# test_demo.sh - doc/demo.sh, which ./bootstrap demo runs: it succeeds, and ends with the picture of
# the last step and the command that opens the trace.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

mkdir built
ln -s "$flashtwin" built/flashtwin
sh "$srcdir/doc/demo.sh" "$PWD/built" >out 2>err
code=$?
expect 'the demo succeeds' 0 'Recorded in built/demo.twin' ' 0 bits differ' 'STEP 63  layer 3  head 4'
result 'it ends with a command' "$(tail -n 1 out | grep -vx 'built/flashtwin view built/demo.twin')"
result 'it says nothing on standard error' "$(grep -v '^replayed\|^sim and cuda' err)"

plan
