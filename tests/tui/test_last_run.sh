#!/bin/sh
# test_last_run.sh - runs without -o are kept as the last run, which commands without a trace open.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

folder=$XDG_STATE_HOME/flashtwin
last=$folder/last.twin

# decode ARG...: a short run.
decode() {
	run decode --prompt 'ROMEO:' -n 4 "$@"
}
# query SQL: prints rows of the last run.
query() {
	"$flashtwin" sql --plain "$last" "$1" 2>&1
}
# quiet: sets code to 99 if anything was written to stderr.
quiet() {
	[ ! -s err ] || code=99
}
# litter: prints what is in the folder besides the last run.
litter() {
	ls -A "$folder" | grep -vx 'last.twin'
}
# no_last WHAT: checks that there is no last run, and nothing else in its folder.
no_last() {
	result "$1" "$([ ! -e "$last" ] || echo "$last exists"; litter)"
}

# --- before the first run ---

for command in view diff find verify replay 'sql SELECT' 'sql --dump' 'export --as svg'; do
	run $command
	one_line "flashtwin ${command%% *}: expected a trace: there is no last run, which decode, attend, launch and run without -o keep as $last\$"
	expect "$command without a last run" 2
done
result 'looking for it makes no folder' "$(ls -d "$XDG_STATE_HOME" 2>/dev/null)"
run sql <&-
expect 'sql with neither trace nor statement' 2 'there is no last run'

# --- decode ---

decode --no-record
cp out plain
result '--no-record keeps nothing' "$(ls -d "$XDG_STATE_HOME" 2>/dev/null)"
decode -o t.twin
result 'nor does -o' "$(ls -d "$XDG_STATE_HOME" 2>/dev/null)"
decode
quiet
same 'the output is the same, and stderr is empty' plain out
result 'the folder has the last run only' "$(litter)"
result 'others can read neither the file nor its folders' \
	"$(find "$XDG_STATE_HOME" \( -type d ! -perm 0700 -o -type f ! -perm 0600 \) -ls)"
run sql t.twin --dump
mv out wanted
run sql --dump
same 'it holds what -o records' wanted out
run verify
expect 'verify opens it, and it has all sums' 0 "^$last: 1 run, .* nothing is wrong"
run view
expect 'view opens it' 0 "^RUNS of $last" 'r1  decode flash-decoding  on sim'
run view --plain --screen launch --at L1
expect 'view with options opens it' 0 '^LAUNCH L1'
run find
expect 'find opens it' 0 "$last: no findings"
run export --as json
expect 'export opens it' 0 '"launches"'
run replay
expect 'replay opens it' 0 'replayed .* 0 bits differ'
run diff
one_line "flashtwin diff: the last run, $last, has 1 run to compare"
expect 'diff needs two runs' 2
run diff --runs 1,1
expect 'diff of the same run twice' 0 ' 0 bits differ'
run diff t.twin "$last"
expect 'it is a trace like any other' 0 ' 0 bits differ'

for how in '--path cached' '--path incremental' '--path batched --prompt JULIET:' '--graph capture' \
	'--graph manual' '--seed 7' '--check --count' '--chunk 4 --warps 2'; do
	decode --json $how -o way.twin
	run sql way.twin --dump
	mv out wanted
	decode --json $how
	run sql --dump
	same "decode $how: the last run holds what -o records" wanted out
	run verify
	expect 'and has all sums' 0 'nothing is wrong'
	rm way.twin
done
decode

# --- one argument of sql ---

run sql --plain 'SELECT count(*) FROM v_run'
expect 'a statement is run on the last run' 0 '^1$'
echo 'SELECT command FROM v_run' >script
run sql --plain <script
expect 'or read from standard input' 0 '^decode$'
run sql none.twin <script
expect 'a name that ends in .twin is a trace' 2 'none.twin: cannot'
cp t.twin odd-name
run sql --plain odd-name <script
expect 'a file that exists is a trace' 0 '^decode$'
run sql odd-mane
expect 'anything else is a statement' 2 'syntax error'
run sql none --dump
expect '--dump takes a trace' 2 'none: cannot'
run sql one.twin 'SELECT 1' more
expect 'a third argument' 2 "unexpected argument 'more'"
for command in find verify replay; do
	run $command t.twin t.twin
	expect "$command of two traces" 2 'expected one trace, got 2'
done
run view t.twin t.twin t.twin
expect 'view of three traces' 2 'expected one or two traces, got 3'

# --- attend, failures, findings ---

npy q.npy '(2, 8)' 16
npy k.npy '(1, 5, 8)' 40
run attend --q q.npy --k k.npy --v k.npy --check
quiet
expect 'attend' 0
result 'attend replaces it' "$(query 'SELECT command FROM v_run' | grep -vx attend)"
run find
quiet
expect 'a checked run without findings' 0
before=$(cksum <"$last")
decode --chunk 0
decode --model none
run decode
result 'a run that does not begin leaves it' "$([ "$(cksum <"$last")" = "$before" ] || ls -l "$folder")"
run attend --q q.npy --k k.npy --v k.npy --steps 3
expect 'a run that fails' 5
result 'is kept' "$(query 'SELECT ended FROM v_run' | grep -vx STEPS)"
run attend --q q.npy --k k.npy --v k.npy --all-orders 2
expect '--all-orders' 0
result 'is kept' "$(query 'SELECT command FROM v_run' | grep -vx attend)"

# --- launch ---

cat >writes.cu <<'CU'
__global__ void writes(float *y)
{
	y[threadIdx.x] = 1.0f;
}
__global__ void spins(float *y)
{
	for (float x = y[threadIdx.x]; x != 2.0f; x *= 0.5f)
		;
}
CU
# launch KERNEL ARG...
launch() {
	local kernel=$1
	shift
	run launch writes.cu --kernel "$kernel" --grid 1 --block 32 --arg 'y=>y.npy:f32[32]' "$@"
}
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
	launch writes --sandbox auto
	expect 'launch' 0
	result 'launch replaces it' "$(query 'SELECT command FROM v_run' | grep -vx launch; litter)"
	result 'the file is private' "$(find "$last" ! -perm 0600)"
	run replay --trust
	expect 'a launch is replayed' 0 ' 0 bits differ'
	run launch "$srcdir/doc/samples/merge.cu" --kernel merge --grid 1 --block 128 \
		--arg 'out=>out.npy:f32[1]' --check
	expect 'a launch with a race' 4
	run find
	expect 'find lists what the checker found' 4 'race'
	run verify
	expect 'and all sums are right' 0 'nothing is wrong'
	before=$(cksum <"$last")
	launch none
	expect 'a launch that does not begin' 2
	result 'leaves it' "$([ "$(cksum <"$last")" = "$before" ] || echo changed; litter)"
	launch spins --no-record --steps 1000   # so that it is compiled
	launch spins --timeout 5
	expect 'a launch that is ended' 5
	no_last 'takes it away: it would show another run'
	launch writes -o l.twin
	no_last 'launch -o does not keep it'
	decode
	launch writes --no-record
	result 'nor does --no-record' "$(query 'SELECT command FROM v_run' | grep -vx decode)"
else
	skip 'launch' 'no compiler'
fi

# --- larger than 64 MiB ---

decode
shape='(1, 150000, 64)'
bytes=$((150000 * 64 * 4))
for tensor in k v; do
	npy $tensor.npy "$shape" 0
	head -c $bytes /dev/urandom >>$tensor.npy
done
npy q.npy '(1, 64)' 64
run attend --q q.npy --k k.npy --v v.npy
one_line 'flashtwin attend: not kept as the last run: larger than 64 MiB; -o T.twin records it$'
expect 'a run above 64 MiB succeeds' 0
no_last 'and is not kept'
cp out wanted
run attend --q q.npy --k k.npy --v v.npy --no-record
same 'with the same result' wanted out
run attend --q q.npy --k k.npy --v v.npy --all-orders 1
expect 'one that needs its trace succeeds too' 0 \
	'^flashtwin attend: not kept as the last run: larger than 64 MiB; -o T.twin records it$'
no_last 'and is not kept either'
rm -f k.npy v.npy

# --- runs at the same time ---

for seed in 1 2 3 4 5 6; do
	"$flashtwin" decode --prompt 'ROMEO:' -n 8 --seed $seed >out.$seed 2>&1 &
done
wait
run verify
expect 'runs that end at the same time leave one whole trace' 0 ': 1 run, '
result 'and nothing else' "$(litter; cat out.? | sort -u | grep 'flashtwin')"

# --- killed runs ---

decode
before=$(cksum <"$last")
slow='--prompt ROMEO: -n 400 --check'
# recording: a process, $pid, records, in memory: it has used half a second of a processor.
recording() {
	awk -v ticks="$(getconf CLK_TCK)" '{ exit $14 + $15 < ticks / 2 }' /proc/$pid/stat
}
"$flashtwin" decode $slow >out 2>err &
pid=$!
until_true recording
kill -9 $pid
wait $pid 2>/dev/null
result 'a killed run leaves the last run as it was, and nothing else' \
	"$([ "$(cksum <"$last")" = "$before" ] || echo changed; litter)"
# A shell makes background jobs ignore this signal.
env --default-signal=INT "$flashtwin" decode $slow >out 2>err &
pid=$!
until_true recording
kill -INT $pid
wait $pid
code=$?
expect 'an interrupted run' 130
result 'is kept' "$(query 'SELECT ended FROM v_run' | grep -vx INTERRUPTED; litter)"
# A process that has ended, this one, and a child of it.
dead=$(sh -c 'echo $$')
mkdir "$folder/last.twin.tmp.$dead.d" "$folder/last.twin.tmp.$dead"
: >"$folder/last.twin.tmp.$dead/last.twin"
: >"$folder/last.twin.tmp.$dead-journal"
: >"$folder/last.twin.tmp.$$"
: >"$folder/last.twin.tmp.x"
: >outside
ln -s "$work/outside" "$folder/last.twin.tmp.$dead/link"
decode
result 'what dead processes left is removed, what others are writing stays' \
	"$(litter | sort | grep -vx -e "last.twin.tmp.$$" -e 'last.twin.tmp.x'
	[ -e "$folder/last.twin.tmp.$$" ] || echo 'that of a living process is gone'
	[ -e outside ] || echo 'a link was followed')"
rm -f "$folder/last.twin.tmp."*

# --- folders ---

# with VARIABLE=VALUE...: a short run with these variables and no others that matter.
with() {
	env -u XDG_STATE_HOME -u HOME "$@" "$flashtwin" decode --prompt 'ROMEO:' -n 4 >out 2>err
	code=$?
}
mkdir home
with HOME="$work/home"
quiet
same 'the default' plain out
result 'is in .local/state' "$([ -f home/.local/state/flashtwin/last.twin ] || find home)"
result 'whose folders are private' "$(find home -mindepth 1 -type d ! -perm 0700)"
with HOME="$work/home" XDG_STATE_HOME=relative
result 'a relative folder is ignored' "$(ls -d relative 2>/dev/null)"
with XDG_STATE_HOME="$work/some/state"
quiet
same 'a folder that does not exist' plain out
result 'is made' "$([ -f some/state/flashtwin/last.twin ] || find some)"
with
one_line 'flashtwin decode: not kept as the last run: neither XDG_STATE_HOME nor HOME names a folder; '
same 'without HOME the run goes on' plain out
with HOME="$work/none"
one_line "flashtwin decode: not kept as the last run: $work/none/.local: No such file or directory; "
same 'a home that does not exist' plain out
: >file
with XDG_STATE_HOME="$work/file"
one_line "flashtwin decode: not kept as the last run: $work/file/flashtwin: Not a directory; "
same 'a file in place of the folder' plain out
mkdir -p busy/flashtwin/last.twin
with XDG_STATE_HOME="$work/busy"
one_line "flashtwin decode: not kept as the last run: $work/busy/flashtwin/last.twin: "
same 'a folder in place of the file' plain out
if [ "$(id -u)" -ne 0 ]; then
	mkdir -p closed/flashtwin
	chmod 0500 closed/flashtwin
	with XDG_STATE_HOME="$work/closed"
	one_line "flashtwin decode: not kept as the last run: $work/closed/flashtwin: Permission denied; "
	same 'a folder that cannot be written' plain out
	chmod 0700 closed/flashtwin
else
	skip 'a folder that cannot be written' 'root can write everywhere'
fi
XDG_STATE_HOME=$work/file decode --json
one_line 'flashtwin decode: not kept'
expect 'the warning is not part of the output' 0
with XDG_STATE_HOME=/dev/full
one_line 'flashtwin decode: not kept as the last run: /dev/full/flashtwin: Not a directory; '
same 'a device in place of the folder' plain out

# --- a GPU ---

if "$flashtwin" info --device cuda >out 2>&1; then
	decode --device both
	run diff
	expect 'diff compares the runs of --device both' 0 ' 0 bits differ'
else
	decode
	before=$(cksum <"$last")
	decode --device both
	expect '--device both without a GPU' 77
	result 'leaves the last run' "$([ "$(cksum <"$last")" = "$before" ] || echo changed)"
fi
plan
