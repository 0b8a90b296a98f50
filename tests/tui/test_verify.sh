#!/bin/sh
# test_verify.sh - changed traces: what verify, diff, replay and the viewer say.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

if ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip 'changed traces' 'python3 has no sqlite3'
	plan
	exit
fi
# changed SQL: makes x.twin, a copy of t.twin that SQL has changed.
changed() {
	cp t.twin x.twin
	python3 -c 'import sqlite3, sys
database = sqlite3.connect("x.twin")
database.executescript(sys.argv[1])
if not database.total_changes: sys.exit("no row was changed")' "$1" || exit 99
}

run decode --prompt 'All:' -n 2 --log points -o t.twin
run decode --prompt 'All:' -n 2 --log points --seed 3 --append -o t.twin
run verify t.twin
expect 'a whole trace' 0 '^t.twin: 2 runs, .* rows under .* sums, .* stored bytes: nothing is wrong$'
run verify t.twin --json; expect 'the same as JSON' 0 '"wrong": \[\]'
run verify;               one_line 'flashtwin verify: '; expect 'no trace' 2 'expected a trace: there is no last run'
run diff t.twin
expect 'diff says what it did not read' 0 \
	'operations: bytes of .* buffers and .* points by verified sums, other rows read: .*, 0 bits differ$'
run replay t.twin --run 1
expect 'replay does too' 0 ' points by verified sums, other rows read: .*, 0 bits differ$'
run decode --prompt 'All:' -n 1 -o launch.twin
run replay launch.twin --trust
expect 'nothing is covered by a sum alone' 0 ': all rows read: .*, 0 bits differ$'

changed 'UPDATE t_point SET v0 = v0 + 1 WHERE run = 2'
run diff x.twin;          one_line 'flashtwin diff: '
expect 'diff: changed points' 6 'x.twin: run 2: t_point: its rows '
run replay x.twin;        expect 'replay: changed points' 6 'x.twin: run 2: t_point: its rows '
run view x.twin --plain --screen diff
expect 'view: changed points' 6 'x.twin: run 2: t_point: its rows '
run view x.twin --plain --screen diff --at L2
expect 'view at a launch: changed points' 6 'x.twin: run 2: t_point: its rows '
run verify x.twin;        one_line 'flashtwin verify: '
expect 'verify: changed points' 6 '^x.twin: run 2: t_point: its rows ' \
	' expected the digest .* of its points by t_point_sum, got ' 'x.twin: 2 checks failed$'
run verify x.twin --json; expect 'verify: as JSON' 6 'run 2: t_point: its rows '

changed 'UPDATE t_digest SET data = (SELECT max(data) FROM t_digest) WHERE run = 2 AND data = (
	SELECT min(data) FROM t_digest WHERE run = 2)'
run diff x.twin;          one_line 'flashtwin diff: '
expect 'diff: other bytes of a digest' 6 'x.twin: run 2: t_digest: its rows '
run replay x.twin;        expect 'replay: other bytes of a digest' 6 'x.twin: run 2: t_digest: '
run view x.twin --plain --screen diff
expect 'view: other bytes of a digest' 6 'x.twin: run 2: t_digest: '
run verify x.twin
expect 'verify: other bytes of a digest' 6 'x.twin: run 2: t_digest: ' \
	' op [0-9]*: expected .* stored bytes of buffer '

# Each of these is noticed by verify alone: diff and replay do not compare these columns.
for change in 'UPDATE t_kv SET position = position + 100' 'UPDATE t_reduce SET weight = 0' \
	'UPDATE t_model SET max_len = 1' 'UPDATE t_run SET device_name = "NVIDIA H200"' \
	'UPDATE t_partial SET lse = lse + 1' 'UPDATE t_partial SET weight = weight / 2'; do
	changed "$change"
	table=${change#UPDATE }
	run verify x.twin; expect "verify: $change" 6 "^x.twin: run 1: ${table%% *}: its rows "
done

# A run that was cut off, and a trace of an earlier version.
changed 'UPDATE t_run SET complete = 0, ended = NULL WHERE run = 2; DELETE FROM t_sum WHERE run = 2'
run verify x.twin
expect 'a run that was cut off' 0 '^warning: run 2 is incomplete, so these tables have no sum: .*t_op' \
	'nothing is wrong$'
run diff x.twin
expect 'diff of a run that was cut off' 0 'points by verified sums, .*, 0 bits differ$'
cp "$srcdir/tests/h200/incremental.twin" .
run verify incremental.twin
expect 'an earlier version' 0 '^warning: run 1 was recorded in an earlier format, ' \
	'^warning: format 2 has no sums' ': 1 run, 0 rows under 0 sums, .*: nothing is wrong$'
plan
