#!/bin/sh
# test_cli.sh - what every command shares: help, unknown commands, exit codes, a full stdout, Ctrl-C.
flashtwin=${abs_builddir:-$(dirname "$0")/../build}/flashtwin
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

number=0
# expect WHAT CODE [PATTERN]: judges the last run, whose exit code is $code and whose stdout and stderr
# are the files out and err; the pattern must match a line of either.
expect() {
	number=$((number + 1))
	if [ "$code" -eq "$2" ] && { [ -z "${3-}" ] || cat out err | grep -q -- "$3"; }; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "# exit code $code, expected $2 and '${3-}'"
		cat out err | sed 's/^/# /'
	fi
}
run() {
	"$flashtwin" "$@" >out 2>err
	code=$?
}
# True when stderr holds exactly one line, beginning with "$1".
one_line() {
	[ "$(wc -l <err)" -eq 1 ] && grep -q "^$1" err || code=99
}

commands='decode attend launch replay diff view sql bench info'

run --version;            expect '--version' 0 '^flashtwin [0-9]'
run --help;               expect '--help lists the commands' 0 '^  decode '
run;                      expect 'no command: usage' 2 '^usage: flashtwin'
for command in $commands; do
	run "$command" --help; [ -s out ] && [ ! -s err ] || code=99
	expect "$command --help" 0 "flashtwin $command"
	cp out asked
	run help "$command"; cmp -s asked out || code=99
	expect "help $command says the same" 0
done
run help decoed;          one_line 'flashtwin: '; expect 'help of a misspelt command' 2 "'decode'"
run decoed;               one_line 'flashtwin: '; expect 'did you mean' 2 "did you mean 'decode'"
run frobnicate;           one_line 'flashtwin: '; expect 'unknown command' 2 "'frobnicate'"
run export;               one_line 'flashtwin: '; expect 'a command still to come' 2 'not built yet'
run --device sim;         one_line 'flashtwin: '; expect 'option before the command' 2 '^flashtwin: --device'
run decode --no-such;     expect 'unknown option' 2 'no-such'
run view missing.twin;    one_line 'flashtwin view: '; expect 'missing file' 2 'missing.twin'

echo 'this is no trace' >foreign.twin
run view --plain foreign.twin; one_line 'flashtwin view: '
expect 'a file that is no trace' 6 'foreign.twin'

if [ -e /dev/full ]; then
	"$flashtwin" --help >/dev/full 2>err; code=$?
	: >out
	one_line 'flashtwin: standard output'
	expect 'full standard output' 2 'No space left'
fi
{ sleep 0.1; "$flashtwin" --help; echo $? >closed; } 2>err | :
code=$(cat closed)
[ ! -s err ] || code=99
: >out
expect 'a reader that goes away' 0

# Shells start background jobs with SIGINT ignored.
env --default-signal=INT "$flashtwin" decode --prompt 'All:' -n 400 >out 2>err &
sleep 0.3
kill -INT $!
wait $!
code=$?
expect 'Ctrl-C' 130
echo "1..$number"
