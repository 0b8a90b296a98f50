#!/bin/sh
# test_run_terminal.sh - a program under `flashtwin run` gets what is typed at its terminal.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal c++

cp "$srcdir/tests/tui/run/ends.cu" .

# typed KEY ARGUMENT...: runs the program in a terminal, and types the key with this code.
typed() {
	local key=$1
	shift
	timeout "$(limit 60)" python3 "$srcdir/tests/tui/run/interrupt.py" "$key" "$flashtwin" run \
		"$@" >out 2>&1
	code=$?
	: >err
}

typed 3 ends.cu -o t.twin -- wait
expect 'Ctrl-C ends the program' 0 'flashtwin run: interrupted$' '^code 130'
run view --plain t.twin
expect 'its trace ends there' 0 'CUT OFF'
typed 3 ends.cu -- wait catch
expect 'a program that catches Ctrl-C ends as it likes' 0 '^.*caught 2' '^code 9'
typed 28 ends.cu -- wait
expect 'Ctrl-\' 0 'killed by signal 3 (SIGQUIT)' '^code 131'
plan
