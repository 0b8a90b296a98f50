#!/bin/sh
# test_cached.sh - the path cached, watched: its text, its rows of the cache, what the host computed.
#
# The sample model has 8 query heads on 2 KV heads of 64 elements: decode repeats the KV heads, and
# the host attends to fewer than 64 keys.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

traces=$srcdir/tests/h200
prompt=ROMEO:

# sql QUERY: the answer of a query on t.twin.
sql() {
	"$flashtwin" sql t.twin "$1"
}

# answer WHAT QUERY WANTED: the query's only row.
answer() {
	got=$(sql "$2" 2>&1)
	result "$1" "$([ "$got" = "$3" ] || echo "expected $3, got $got")"
}

# kv TRACE ADDRESS: prints the screen of the KV cache into ./out.
kv() {
	run view "$1" --plain --screen kv --at "$2"
}

### the text, and the heads

run decode --prompt "$prompt" -n 64
cp out wanted
run decode --prompt "$prompt" -n 64 --path cached -o t.twin
same 'cached gives the text of the other paths' wanted out
run decode --prompt "$prompt" --prompt "$prompt" -n 2 --path cached --json
expect 'cached runs one sequence' 2 "cached: expected 1 sequence, got 2; the ladder's rungs from 1 up take several\$"
npy q.npy '(4, 8)' 32
npy k.npy '(2, 5, 8)' 80
run attend --path cached --q q.npy --k k.npy --v k.npy
expect 'attend does not repeat heads' 2 \
	'cached: expected as many KV heads as query heads, got 4 query heads and 2 KV heads'
answer 'the options say how often KV heads are repeated' \
	"SELECT json_extract(options, '\$.repeat_kv') FROM v_run" 4
answer "the model's KV heads stay" 'SELECT heads, kv_heads FROM v_model' '8	2'
answer 'the cache and its copy have all heads' "SELECT group_concat(name || shape, ' ') FROM v_buffer
	WHERE name IN ('k_cache.3', 'v_cache.3', 'k_compact', 'v_compact')" \
	'k_cache.3[1,8,128,64] v_cache.3[1,8,128,64] k_compact[8,128,64] v_compact[8,128,64]'
answer 'repeated heads have equal rows' "SELECT count(*), sum(f32_bits(data(a.data), 5) =
	f32_bits(data(b.data), 5)) FROM v_kv k JOIN v_op a ON a.op = k.op
	JOIN v_kv l ON l.layer = k.layer AND l.tensor = k.tensor AND l.position = k.position
	AND l.kv_head = k.kv_head + 1 AND l.launch IS NULL AND l.source_op JOIN v_op b ON b.op = l.op
	WHERE k.source_op AND k.launch IS NULL AND k.position = 9 AND k.kv_head % 4 < 3" '48	48'

### v_kv

answer 'every row that an upload or a copy wrote has its operation and no launch' "SELECT o.kind,
	count(*), count(k.op), count(k.launch) FROM v_kv k JOIN v_op o USING (run, op)
	WHERE o.step = 58 GROUP BY o.kind ORDER BY 1" \
	"copy	4096	4096	0
upload	64	64	0"
answer 'rows of a prompt have their launch' "SELECT count(*), count(k.launch), count(DISTINCT k.op)
	FROM v_kv k JOIN v_op o USING (run, op) WHERE o.step = 0" '384	384	8'
answer 'an uploaded row is its own source' "SELECT count(*) FROM v_kv k JOIN v_op o USING (run, op)
	WHERE o.kind = 'upload' AND (k.source_op <> k.op OR k.source_offset <> 0
	OR k.offset <> o.offset OR k.bytes <> 256 OR k.buffer <> o.buffer)" 0
answer 'a copied row has no upload, and no gap before the next' "SELECT count(source_op),
	sum(k.offset <> (kv_head * 64 + position) * 256) FROM v_kv k JOIN v_op o USING (run, op)
	WHERE o.kind = 'copy' AND o.step = 58" '0	0'
answer 'a copy is one row of the table' 'SELECT count(*) FROM t_kv JOIN v_op USING (run, op)
	WHERE step = 58 AND kind = '"'copy'" 64

### the KV screen, step by step

# Each step shows its row, and who reads it.
for place in 's0:s0.end:host_softmax:' 's1:s1.end:host_softmax:0..6' \
		's57:s57.end:host_softmax:0..62' 's58:s58.end:copied to k_compact, v_compact:0..63'; do
	IFS=: read -r step title reader keys <<-END
	$place
	END
	kv t.twin "$step"
	if [ -z "$keys" ]; then
		expect "$step is shown" 0 "^KV CACHE at $title, layer [0-9]$" ' written WWWWWW\.\.'
	else
		last=${keys#0..}
		expect "$step is shown" 0 "^KV CACHE at $title, layer [0-9]$" \
			"R .*$reader.*, keys $keys" "^ W *$last  .*  op [0-9]*$" \
			"0    0    k   0..$last " "3    0    v   0..$last "
	fi
done
kv t.twin s70
expect 'a step that does not exist' 2 's70'
upload=$(sql "SELECT min(op) FROM v_op WHERE step = 5 AND kind = 'upload'")
kv t.twin "op $((upload - 1))"
expect 'the cache before an upload' 0 "^KV CACHE after op $((upload - 1)), layer [0-9]$" '^ W *9 ' \
	'0    0    k   0..9 '
kv t.twin "op $upload"
expect 'after the upload of K' 0 "^KV CACHE after op $upload, layer 0$" "^ W *10 .*7fa0dead  op $upload$" \
	'0    0    k   0..10 ' '0    0    v   0..9 '
kv t.twin "op $(sql "SELECT op FROM v_softmax s JOIN v_op o USING (run, op)
	WHERE layer = 2 AND o.step = 5")"
expect 'after what the host computed in another layer' 0 '^ layer 2 slot 0' \
	'R read by op [0-9]* host_softmax, keys 0..10' '2    0    v   0..10 ' '3    0    k   0..9 '
launch=$(sql 'SELECT min(launch) FROM v_launch WHERE step = 59')
kv t.twin "L$launch.b5"
expect 'at a launch of a step, with the rows of the block'"'"'s head' 0 "^KV CACHE at L$launch.end, layer 0$" \
	'kv head 5: ' 'R copied to k_compact, v_compact by op'
result 'all of its values are known' "$(grep '^ [#=W].*nan' out)"

### what the host computed

answer 'one operation for each step with fewer than 64 keys, and layer' "SELECT count(*), min(step),
	max(step) FROM v_op WHERE kind = 'host_softmax'" '228	1	57'
answer 'its inputs and output are there' "SELECT count(*), sum(s.heads = 8 AND s.head_dim = 64
	AND s.keys = o.step + 6 AND length(data(s.q_data)) = 2048 AND length(data(o.data)) = 2048
	AND o.bytes = 2048 AND s.scale = 0.125 AND k.name = 'k_cache.' || s.layer
	AND v.name = 'v_cache.' || s.layer) FROM v_softmax s JOIN v_op o USING (run, op)
	JOIN v_buffer k ON k.buffer = s.k_buffer JOIN v_buffer v ON v.buffer = s.v_buffer" '228	228'
answer 'its ranges were downloaded' "SELECT count(*) FROM v_softmax s WHERE 16 <> (SELECT count(*)
	FROM v_op d WHERE d.kind = 'download' AND d.op BETWEEN s.op - 16 AND s.op - 1
	AND d.bytes = s.keys * 256 AND d.buffer IN (s.k_buffer, s.v_buffer)
	AND d.offset % s.stride = 0)" 0
run replay t.twin
expect 'a replay computes the same bits' 0 ' 0 bits differ'
answer 'level launch has no downloaded bytes' "SELECT count(*), count(data) FROM v_op
	WHERE kind = 'download'" '3844	0'

# altered NAME STATEMENT: t.twin, changed, as NAME.
altered() {
	cp t.twin "$1" && python3 - "$1" "$2" <<-'END'
	import sqlite3, sys
	with sqlite3.connect(sys.argv[1]) as db:
	    assert db.execute(sys.argv[2]).rowcount == 1
	END
}

op=$(sql 'SELECT op FROM v_softmax WHERE keys = 20 AND layer = 1')
altered q.twin "UPDATE t_softmax SET q_data = (SELECT q_data FROM t_softmax WHERE op = $op + 33)
	WHERE op = $op"
run replay q.twin
expect 'replay notices another q' 1 "^op $op host_softmax out\["
run diff t.twin q.twin
expect 'diff notices another q' 1 "^op $op host_softmax q\["
altered scale.twin "UPDATE t_softmax SET scale = scale + 1 WHERE op = $op"
run replay scale.twin
expect 'replay notices another scale' 1 "^op $op host_softmax out\["
run diff t.twin scale.twin
expect 'diff notices another scale' 1 "^op $op host_softmax scale: 0.125 "
altered out.twin "UPDATE t_op SET data = (SELECT data FROM t_op WHERE op = $op + 33) WHERE op = $op"
run replay out.twin
expect 'replay notices another output' 1 "^op $op host_softmax out\["
altered k.twin "UPDATE t_op SET data = (SELECT data FROM t_op WHERE op = 53) WHERE op = 52"
run replay k.twin
expect 'replay notices another row of K' 1 '^op 84 host_softmax out\['
altered keys.twin "UPDATE t_softmax SET keys = 19 WHERE op = $op"
run replay keys.twin
expect 'keys that were not downloaded' 6 "operation $op: host_softmax reads 4864 bytes at offset"
altered range.twin "UPDATE t_softmax SET keys = 129 WHERE op = $op"
run replay range.twin
expect 'keys that overlap those of the next head' 6 "op $op: 129 keys of 8 heads"
altered lost.twin "DELETE FROM t_softmax WHERE op = $op"
run replay lost.twin
expect 'one without its inputs' 6 "op $op: its softmax is missing"

### levels and windows

run decode --prompt "$prompt" -n 4 --path cached --log partials --log-at s2..s3 -o window.twin
expect 'a window' 0
"$flashtwin" sql window.twin "SELECT kind, count(*), count(data) FROM v_op
	WHERE kind IN ('download', 'host_softmax') GROUP BY kind" >out
result 'level partials has the downloaded bytes' "$(printf 'download\t128\t128\nhost_softmax\t8\t8\n' |
	diff - out)"
run replay window.twin
expect 'a window is replayed' 0 ' 0 bits differ'
kv window.twin s2
expect 'and shows rows from before as loaded' 0 ' written =======W' ' W *7 .* op [0-9]*$'

### the other screens, and exports

run view t.twin --plain --screen time --at s5
expect 'the timeline has it, with its bytes, beside the streams' 0 \
	' H computed by the host ' ' op [0-9]*  *host_softmax layer 3, 2048 B *host  *H$'
run view t.twin q.twin --plain --screen time --at "op $op"
expect 'with a second trace it has a verdict' 0 "op $op  *host_softmax layer 1, 2048 B .* equal"
altered wrong.twin "UPDATE t_op SET data = (SELECT data FROM t_op WHERE op = $op + 33) WHERE op = $op"
run view t.twin wrong.twin --plain --screen time --at "op $op"
expect 'which says what differs' 0 "op $op  *host_softmax layer 1, 2048 B .* DIFFERS"
run view t.twin q.twin --plain --screen diff
expect 'the screen of differences names it' 0 "^op $op host_softmax q\["
run export t.twin --as json --at "op $op"
expect 'JSON has its inputs' 0 '"softmaxes": \[' "\"keys\": *20,"
run export t.twin --as html --steps 5 -o t.html
expect 'HTML is written' 0
python3 "$srcdir/tests/tui/export/export_check.py" lines t.html >out
expect 'in its timeline, and the cache after the step' 0 'host_softmax layer 3, 2048 B' \
	'^KV CACHE at s5.end' 'read by op [0-9]* host_softmax, keys 0..10'
run sql t.twin --csv "SELECT kind, bytes FROM v_op WHERE op = $op"
expect 'CSV' 0 '^host_softmax,2048'
run export t.twin --as perfetto --at s5
expect 'Perfetto' 0 '"name":"host_softmax"'
run export t.twin --as npz --at s5 -o t.npz
expect 'NumPy' 0

### earlier traces

run replay "$traces/cached.twin"
expect 'a trace of version 4 replays' 0 ' 0 bits differ'
run view "$traces/cached.twin" --plain --screen kv
expect 'its KV screen shows what it showed' 0 '^KV CACHE at the end of the run, layer 0$' \
	' 0    0    k   0..95          96  k_cache.0    op 14     ===' '^    0        95 .* op 14     op 15$'
cp "$traces/romeo.twin" t.twin
kv t.twin s1
cp out before
run decode --prompt O -n 1 --path cached -o t.twin --append
expect 'a run is added to it' 0
kv t.twin s1
same 'which changes nothing for the others' before out
run diff t.twin "$traces/romeo.twin" --runs 1,1
expect 'not a row' 0 ' 0 bits'
kv t.twin "r$(sql 'SELECT max(run) FROM v_run').s1"
run replay t.twin --run "$(sql 'SELECT max(run) FROM v_run')"
expect 'and the new run replays' 0 ' 0 bits differ'

plan
