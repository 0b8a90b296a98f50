#!/bin/sh
# test_kill.sh - kills recording runs at random moments: their traces hold what was committed.
#
# After each kill there is either no file of the final name, or one that opens, lists its
# operations without a gap, agrees with the trace of a whole run as far as it goes, and replays. An
# appended run that is killed leaves the run before it alone.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

wanted=56       # kills that hit a run in progress
attempts=150    # at most, should many come too late
prompt='ROMEO:'
count=64
modes='launch partials points append graph'

seed=${SEED-$(date +%s)}
echo "# SEED=$seed repeats the same fractions of a run"
# Bytes are to leave the program when they are chosen: they tell how far it was.
unbuffered='stdbuf -o0'
$unbuffered "$flashtwin" --version >/dev/null 2>&1 || unbuffered=

now() {
	date +%s%N
}
# The modes that write at level launch have the same whole trace. `graph` is partials from graphs.
level_of() {
	case $1 in
	append) echo launch ;;
	graph) echo partials ;;
	*) echo "$1" ;;
	esac
}
# Whose trace a whole run of this mode's level is.
whole_of() {
	[ "$1" = append ] && echo launch || echo "$1"
}
# decode MODE TRACE WRAPPER...: the wrapper runs the program.
decode() {
	local mode=$1 trace=$2
	shift 2
	"$@" $unbuffered "$flashtwin" decode --prompt "$prompt" -n $count -o "$trace" \
		--log "$(level_of "$mode")" $([ "$mode" = append ] && echo --append) \
		$([ "$mode" = graph ] && echo --graph capture) >reply 2>err
}

mkdir killed || exit 99
for mode in $modes; do
	[ "$mode" != append ] || cp launch.twin append.twin
	before=$(now)
	decode "$mode" "$mode.twin" env
	code=$?
	eval "duration_$mode=$((($(now) - before) / 1000))"     # microseconds
	[ $code -eq 0 ] && [ "$(wc -c <reply)" -eq $count ]
	result "a whole run, mode $mode" "$([ $? -eq 0 ] || cat err)"
done

# ask SQL: the answer of killed/T.twin.
ask() {
	"$flashtwin" sql --plain killed/T.twin "$1" 2>&1
}
# Prints what is wrong with what a kill left. The reply's last byte may be of a step cut off.
judge() {
	others=$(ls killed | grep -vx 'T\.twin\(\.tmp\.[0-9]*\)*\(-journal\)*')
	[ -z "$others" ] || echo "left behind: $others"
	if [ ! -e killed/T.twin ]; then
		[ ! -e killed/T.twin-journal ] || echo 'a journal without a trace'
		[ "$mode" != append ] || echo 'the trace with the first run is gone'
		[ "$(wc -c <reply)" -lt 2 ] || echo 'steps were done, but there is no file'
		return
	fi
	"$flashtwin" info killed/T.twin >out 2>&1 || { echo 'info:'; cat out; }
	if [ "$mode" = append ]; then
		"$flashtwin" diff launch.twin killed/T.twin >out 2>&1 ||
			{ echo 'first run:'; cat out; }
		[ "$(ask 'SELECT count(*) FROM v_run')" = 2 ] || return
	fi
	run=$(ask 'SELECT max(run) FROM v_run')
	gaps=$(ask "SELECT count(*) - max(op) - 1 FROM v_op WHERE run = $run")
	[ "$gaps" = 0 ] || echo "operations are missing: $gaps"
	steps=$(ask "SELECT steps FROM v_run WHERE run = $run")
	chosen=$(wc -c <reply)
	[ "$chosen" -eq 0 ] || [ "$steps" -ge $((chosen - 1)) ] ||
		echo "$steps steps, but $chosen bytes were chosen"
	"$flashtwin" diff --runs "1,$run" "$(whole_of "$mode").twin" killed/T.twin >out 2>&1 ||
		{ echo 'diff:'; cat out; }
	grep -q ' 0 bits differ' out || { echo 'diff compared nothing:'; cat out; }
	[ $((number % 3)) -ne 0 ] || "$flashtwin" replay killed/T.twin >out 2>&1 ||
		{ echo 'replay:'; cat out; }
}

awk -v seed="$seed" -v n=$attempts 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++)
		printf "%.6f\n", rand()
}' >fractions
hits=0 cut_off=0
while read -r fraction && [ $hits -lt $wanted ]; do
	mode=${modes%% *}
	modes="${modes#* } $mode"
	eval "duration=\$duration_$mode"
	delay=$(awk -v f="$fraction" -v d="$duration" 'BEGIN { printf "%.6f", f * d / 1e6 + 1e-4 }')
	rm -rf killed && mkdir killed || exit 99
	[ "$mode" != append ] || cp launch.twin killed/T.twin
	# In a subshell, since shells speak about killed children.
	(decode "$mode" killed/T.twin timeout --foreground -s KILL "$delay"; exit $?) 2>/dev/null
	if [ $? -ne 137 ]; then
		eval "duration_$mode=$((duration * 9 / 10))"
		continue
	fi
	hits=$((hits + 1))
	steps=none run=
	judge >wrong
	if [ -n "$run" ] && [ "$(ask "SELECT complete FROM v_run WHERE run = $run")" = 0 ]; then
		cut_off=$((cut_off + 1))
	else
		eval "duration_$mode=$((duration * 10 / 9))"    # the machine may be busier now
	fi
	result "mode $mode, killed after $delay s: $steps steps" "$(cat wrong)"
done <fractions

[ $hits -ge $wanted ]
result "$wanted kills hit a run" "$([ $? -eq 0 ] || echo "only $hits")"
[ $cut_off -ge $((wanted / 2)) ]
result "most left a trace that was cut off: $cut_off" "$([ $? -eq 0 ] || echo 'too few')"
plan
