#!/bin/sh
# test_cli.sh - behaviour common to all commands: help, usage errors, exit codes, Ctrl-C.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

commands='decode attend launch run cc replay diff verify view find sql export lab bench info'

run --version;            expect '--version' 0 '^flashtwin [0-9]'
run --help;               expect '--help lists the commands' 0 '^  decode '
run -h;                   expect '-h does too' 0 '^  decode '
run;                      expect 'no command: usage' 2 '^usage: flashtwin'
for command in $commands; do
	run "$command" --help; [ -s out ] && [ ! -s err ] || code=99
	expect "$command --help" 0 "flashtwin $command"
	cp out asked
	run help "$command"; cmp -s asked out || code=99
	expect "help $command prints the same" 0
done
run help --help;          expect 'help --help lists the commands' 0 '^  decode '
run help view more;       one_line 'flashtwin: help: '; expect 'help of two things' 2 "'more'"

# options_of COMMAND: each option of its --help with its argument, as "--chunk C".
options_of() {
	"$flashtwin" "$1" --help | sed -nE 's/^  (-[^ ]+( [^ ]+)?)(  .*)?$/\1/p' | sort -u
}
# described COMMAND: the same from its section of the manual, which may refer to that of decode.
described() {
	awk -v section="$(echo "$1" | tr '[:lower:]' '[:upper:]')" \
		-f "$srcdir/tests/tui/manual_options.awk" "$srcdir/doc/flashtwin.1.in" |
		while read -r option argument; do
			if [ "$option" = as ]; then
				options_of decode | grep -e "^$argument\( \|$\)" || echo "no $argument"
			else
				echo "$option${argument:+ $argument}"
			fi
		done | sort -u
}
# completed COMMAND [OPTION]: what bash completion offers after it.
completed() {
	bash -c '. "$1"; COMP_WORDS=(flashtwin "$2" ${3:+"$3"} "") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_flashtwin flashtwin "" "${3:-$2}"; printf "%s\n" "${COMPREPLY[@]}"' - \
		"$abs_builddir/doc/completions/flashtwin.bash" "$@"
}
for command in $commands; do
	[ "$command" != cc ] || continue        # it has those of nvcc
	options_of "$command" >options
	[ -s options ] || echo 'no options found' >options
	described "$command" >manual
	result "the manual has the options of $command" "$(diff manual options)"
	completed "$command" | grep -e '^-' | grep -v -x -e --help | sort -u >offered
	result "bash completes the options of $command" "$(sed 's/[ [].*//' options | diff - offered)"
done
# Names of the table, where a command takes only some of them.
result 'bash completes the devices of decode' \
	"$(completed decode --device | tr '\n' ' ' | grep -v -x 'sim cuda both ')"
result 'bash completes the devices of replay' \
	"$(completed replay --device | grep -v '\.twin$' | tr '\n' ' ' | grep -v -x 'sim cuda ')"
run help decoed;          one_line 'flashtwin: '; expect 'help of a misspelt command' 2 "'decode'"
run decoed;               one_line 'flashtwin: '; expect 'did you mean' 2 "did you mean 'decode'"
run frobnicate;           one_line 'flashtwin: '; expect 'unknown command' 2 "unknown command 'frobnicate'"
run --device sim;         one_line 'flashtwin: '; expect 'option without a command' 2 ': --device'
run decode --no-such;     expect 'unknown option' 2 'unknown option --no-such'
run decode --promt x;     one_line 'flashtwin decode: '
expect 'did you mean this option' 2 "unknown option --promt: did you mean '--prompt'"
run decode --log-at;      one_line 'flashtwin decode: '; expect 'no value' 2 '--log-at needs a value'
run decode --check=yes;   one_line 'flashtwin decode: '; expect 'a value too many' 2 '--check takes no value'
run decode -x;            one_line 'flashtwin decode: '; expect 'unknown letter' 2 'unknown option -x'
run decode --pro x;       one_line 'flashtwin decode: '; expect 'two options' 2 'ambiguous option --pro'
run decode --prompt-f=x;  one_line 'flashtwin decode: '; expect 'an abbreviation' 2 ' x: '
run decode --warps 3;     one_line 'flashtwin decode: '
expect 'an integer out of range' 2 '--warps: expected an integer from 1 to 2, got 3'
run replay --device both; one_line 'flashtwin replay: '
expect 'a device of other commands' 2 '--device: expected sim or cuda, got both'
run replay --chunk 3;     expect 'an option of other commands' 2 'unknown option --chunk'
run view x --trust --no-replay
expect 'a replay that is trusted and not wanted' 2 '--no-replay and --trust are mutually exclusive'
run sql x --csv --json;   expect 'two formats' 2 '--csv and --json are mutually exclusive'
run decode --graph full;  expect 'an unknown graph mode' 2 '--graph: expected none, capture or manual, got full'
run view missing.twin;    one_line 'flashtwin view: '; expect 'missing file' 2 'missing.twin'

echo 'this is no trace' >foreign.twin
run view --plain foreign.twin; one_line 'flashtwin view: '
expect 'a file that is not a trace' 6 'foreign.twin'

# A trace of two equal runs, and one with another prompt and smaller chunks.
run decode --prompt 'All:' -n 4 -o t.twin
run decode --prompt 'All:' -n 4 --seed 7 --append -o t.twin
mkdir folder
run decode --prompt a -n 1 -o folder; one_line 'flashtwin decode: '
expect 'a directory as trace' 2 'folder: is not a regular file$'
run decode --prompt 'Oh:' -n 2 --chunk 2 -o other.twin
run diff t.twin;          expect 'equal runs' 0 ' 0 bits differ$'
run diff t.twin other.twin; [ ! -s err ] || code=99
expect 'different runs say so once' 1 'prompts differ$' 'caches differ: 128 / 6 keys$'
[ "$(grep -c 'prompts differ\|caches differ' out)" -eq 2 ] && wrong= || wrong=$(cat out)
result 'prompts and caches are reported once' "$wrong"
run view t.twin --at 'op 15'; expect 'an operation is an address' 0 "^ s0  slot 0  keys 0..3 'A'..':'  -> byte 4 "
run view t.twin --at L2.b0.w0.l99; one_line 'flashtwin view: '
expect 'a lane that does not exist' 2 'L2 has lanes l0 to l31, not l99'
run sql t.twin 'SELECT data(9999999)'; one_line 'flashtwin sql: '
expect 'data that does not exist' 2 'no data has the id 9999999$'
run sql t.twin "SELECT data('x')"; one_line 'flashtwin sql: '
expect 'data that is not a number' 2 'data(): expected an integer$'
run decode --prompt a -n 2 --log-at s99 -o late.twin; one_line 'flashtwin decode: '
expect 'a window that was not reached' 0 'no step s99 was reached: 0 launches recorded$'

# The output is larger than a pipe's buffer, so the writer notices the closed pipe.
{ "$flashtwin" sql t.twin --dump; echo $? >closed; } 2>err | head -n 1 >out
code=$(cat closed)
[ ! -s err ] || code=99
expect 'a dump whose reader exits' 0 '^v_run'

if [ -e /dev/full ]; then
	for option in --dump 'SELECT * FROM v_op'; do
		"$flashtwin" sql t.twin "$option" >/dev/full 2>err; code=$?
		: >out
		one_line 'flashtwin sql: standard output'
		expect "sql $option on a full disk" 2 'No space left'
	done
	"$flashtwin" --help >/dev/full 2>err; code=$?
	: >out
	one_line 'flashtwin: standard output'
	expect 'full standard output' 2 'No space left'
fi
{ sleep 0.1; "$flashtwin" --help; echo $? >closed; } 2>err | :
code=$(cat closed)
[ ! -s err ] || code=99
: >out
expect 'help whose reader exits' 0

# Shells start background jobs with SIGINT ignored. Wait until the program catches the signal before
# sending it.
catches_interrupts() {
	grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"
}
env --default-signal=INT "$flashtwin" decode --prompt 'All:' -n 400 -o interrupted.twin >out 2>err &
until_true test -e interrupted.twin
kill -INT $!
wait $!
code=$?
one_line 'flashtwin decode: '
expect 'Ctrl-C' 130 'interrupted'

env --default-signal=INT "$flashtwin" bench --runs 1000 >out 2>err &
until_true catches_interrupts $!
kill -INT $!
wait $!
code=$?
one_line 'flashtwin: '
expect 'Ctrl-C of a command with nothing to save' 130 'interrupted'

# Before its first commit a trace is a temporary file, which must not outlive the program.
wrong=
for delay in 0.005 0.01 0.015 0.02 0.025 0.03 0.04; do
	for signal in INT TERM; do
		timeout --foreground -s $signal $delay env --default-signal=$signal "$flashtwin" \
			replay "$srcdir/tests/h200/demo.twin" -o early.twin >/dev/null 2>&1
		wrong="$wrong$(ls early.twin.tmp.* 2>/dev/null)"
		rm -f early.twin*
	done
done
result 'signals before the first commit leave no temporary file' "$wrong"
cat >spin.cu <<'CU'
__global__ void spin(float *out)
{
	for (int i = 0; i < 2000000000; i++)
		out[0] += 1.0f;
}
CU
mkdir temporary
env --default-signal=TERM TMPDIR="$PWD/temporary" "$flashtwin" launch spin.cu --kernel spin \
	--grid 1 --block 1 --arg 'out=>spin.npy:f32[1]' -o spin.twin >out 2>err &
temporary_file() {
	ls spin.twin.tmp.* >/dev/null 2>&1
}
no_temporary_file() {
	! temporary_file
}
until_true temporary_file && wrong= || wrong='no temporary file was made'
kill -TERM $!
wait $! 2>/dev/null
until_true no_temporary_file
result 'nor does a signal while a kernel runs' "$wrong$(ls spin.twin.tmp.* 2>/dev/null)"
plan
