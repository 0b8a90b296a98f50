#!/bin/sh
# test_kill.sh - kills recording runs at random moments: their traces hold what was committed.
#
# After each kill there is either no file with the final name, or a trace that opens, has no gaps in
# its operations, agrees with the trace of a complete run as far as it goes, and replays. Killing an
# appended run leaves the earlier run intact.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

wanted=56       # number of kills that must hit a run in progress
attempts=150    # limit, because some kills come too late
prompt='ROMEO:'
count=64
modes='launch partials points append graph'

seed=${SEED-$(date +%s)}
echo "# SEED=$seed kills at the same fractions of a run again"
# Unbuffered, so that the reply shows how far the program got.
unbuffered='stdbuf -o0'
$unbuffered "$flashtwin" --version >/dev/null 2>&1 || unbuffered=

now() {
	date +%s%N
}
# level_of MODE: the recording level of a mode.
level_of() {
	case $1 in
	append) echo launch ;;
	graph) echo partials ;;
	*) echo "$1" ;;
	esac
}
# whole_of MODE: the mode whose complete trace runs of this mode are compared with.
whole_of() {
	[ "$1" = append ] && echo launch || echo "$1"
}
# decode MODE TRACE WRAPPER...: records a run; the command WRAPPER runs the program.
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
	result "a complete run, mode $mode" "$([ $? -eq 0 ] || cat err)"
done

# query SQL: queries killed/T.twin.
query() {
	"$flashtwin" sql --plain killed/T.twin "$1" 2>&1
}
# check_left: prints what is wrong with the files that a kill left. The last byte of the reply may
# belong to a step that was cut off.
check_left() {
	others=$(ls killed | grep -vx 'T\.twin\(\.tmp\.[0-9]*\)*\(-journal\)*')
	[ -z "$others" ] || echo "left behind: $others"
	if [ ! -e killed/T.twin ]; then
		[ ! -e killed/T.twin-journal ] || echo 'a journal without a trace'
		[ "$mode" != append ] || echo 'the trace with the first run is missing'
		[ "$(wc -c <reply)" -lt 2 ] || echo 'steps were completed, but there is no file'
		return
	fi
	"$flashtwin" info killed/T.twin >out 2>&1 || { echo 'info:'; cat out; }
	"$flashtwin" verify killed/T.twin >out 2>&1 || { echo 'verify:'; cat out; }
	if [ "$mode" = append ]; then
		"$flashtwin" diff launch.twin killed/T.twin >out 2>&1 ||
			{ echo 'first run:'; cat out; }
		[ "$(query 'SELECT count(*) FROM v_run')" = 2 ] || return
	fi
	run=$(query 'SELECT max(run) FROM v_run')
	gaps=$(query "SELECT count(*) - max(op) - 1 FROM v_op WHERE run = $run")
	[ "$gaps" = 0 ] || echo "operations are missing: $gaps"
	steps=$(query "SELECT steps FROM v_run WHERE run = $run")
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
	# In a subshell, because shells print a message about killed children.
	(decode "$mode" killed/T.twin timeout --foreground -s KILL "$delay"; exit $?) 2>/dev/null
	if [ $? -ne 137 ]; then
		eval "duration_$mode=$((duration * 9 / 10))"
		continue
	fi
	hits=$((hits + 1))
	steps=none run=
	check_left >wrong
	if [ -n "$run" ] && [ "$(query "SELECT complete FROM v_run WHERE run = $run")" = 0 ]; then
		cut_off=$((cut_off + 1))
	else
		eval "duration_$mode=$((duration * 10 / 9))"    # the machine may be busier now
	fi
	result "mode $mode, killed after $delay s: $steps steps" "$(cat wrong)"
done <fractions

[ $hits -ge $wanted ]
result "$wanted kills hit a run in progress" "$([ $? -eq 0 ] || echo "only $hits")"
[ $cut_off -ge $((wanted / 2)) ]
result "most kills left an unfinished trace: $cut_off" "$([ $? -eq 0 ] || echo 'too few')"
plan
