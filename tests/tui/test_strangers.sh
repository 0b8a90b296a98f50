#!/bin/sh
# test_strangers.sh - traces from strangers: what their rows, names and schema say runs nothing,
# writes nothing, and neither crashes nor hangs a command.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

romeo=$srcdir/doc/samples/shakespeare/reference/romeo

# Every command ends by itself; the limit only guards against hanging.
run() {
	timeout "$(limit 60)" "$flashtwin" "$@" >out 2>err
	code=$?
}

# attack TRACE SQL...: makes bad.twin, a copy of the trace on which the statements were run.
attack() {
	cp "$1" bad.twin || exit 99
	shift
	python3 - "$@" <<'END' || exit 99
import sqlite3, sys
db = sqlite3.connect("bad.twin")
for statement in sys.argv[1:]:
    db.executescript(statement)
db.commit()
END
}

run decode --prompt A -n 2 --log points -o decode.twin
expect 'a decode is recorded' 0
run attend --q "$romeo/layer0_q.npy" --k "$romeo/layer0_k.npy" --v "$romeo/layer0_v.npy" \
	--chunk 32 --log points -o attend.twin
expect 'an attention is recorded' 0

# --- a kernel that a trace brings along ---

mkdir -p sub/inc
printf '#include "inc/add.cuh"\n__global__ void k(float *x) { x[threadIdx.x] = STEP + ONE; }\n' >sub/k.cu
printf '#define ONE 1\n' >sub/inc/add.cuh
cp sub/k.cu sub/inc/add.cuh .
mkdir inc
mv add.cuh inc
run launch sub/k.cu --kernel k --grid 1 --block 2 -D STEP=2 -D 'LABEL="a b"' -I sub/inc --arg 'x=>o.npy:f32[2]' -o launch.twin
expect 'a launch is recorded' 0
rm -r sub inc
run replay launch.twin
one_line 'flashtwin replay: launch.twin: run 1 would compile and run a kernel from the trace: --trust'
expect 'a replay needs --trust' 2
run replay launch.twin --run 1 --json
expect 'also with --json' 2 'run 1 would compile'
run replay launch.twin --trust
expect 'with --trust the kernel runs, with its -D, and its -I inside the stored sources' 0 '0 bits differ'
run replay decode.twin
expect 'without such a kernel there is nothing to trust' 0 '0 bits differ'

cat >wrapper <<'END'
#!/bin/sh
touch "$(dirname "$0")/ran"
exec "$@"
END
chmod +x wrapper

# flagged FLAG JSON: a trace with these flags is refused with a line that names FLAG.
flagged() {
	attack launch.twin "UPDATE t_run SET options = json_set(options, '$.flags', json('$2'))"
	run replay bad.twin --trust
	one_line 'flashtwin replay: '
	[ ! -e ran ] && [ ! -e deps ] || code=98
	expect "the flag $1 is refused" 6 "'$1.*refused"
	rm -f ran deps
}
flagged -wrapper "[\"-wrapper\",\"$work/wrapper\"]"
flagged -MD "[\"-MD\",\"-MF\",\"$work/deps\"]"
flagged -MF "[\"-D\",\"X\",\"-MF\",\"$work/deps\"]"
flagged '-fplugin=x.so' '["-fplugin=x.so"]'
flagged -o '["-o","x"]'
flagged @file '["@file"]'
flagged -x '["-x"]'
flagged -include '["-include","/etc/passwd"]'
flagged --std=c++98 '["--std=c++98"]'
flagged '-I /etc' '["-I","/etc"]'
flagged '-I /etc' '["-I/etc"]'
flagged '-I a/../..' '["-I","a/../.."]'
flagged '-D 1=2' '["-D","1=2"]'
flagged '-D A.*wrapper' '["-D","A\u0001wrapper"]'
flagged -D '["-D"]'
flagged '-Wl,-z' '["-Wl,-z"]'
attack launch.twin "UPDATE t_run SET options = json_set(options, '$.flags',
	json('[\"-DSTEP=2\",\"-U\",\"X\",\"--std=c++17\",\"-Isub/inc\",\"-I\",\".\"]'))"
run replay bad.twin --trust
expect '-D, -U, -I and --std are taken' 0 '0 bits differ'

# A file name leads nowhere else.
mkdir -p tmp
for name in "$work/evil.cuh" ../evil.cuh a/../../evil.cuh a/../../../evil.cuh; do
	attack launch.twin "INSERT INTO t_source SELECT run, kernel, 7, '$name', text FROM t_source
		WHERE entry = 1"
	TMPDIR=$work/tmp run replay bad.twin --trust
	[ -z "$(find "$work" -name 'evil*')" ] && [ -z "$(ls tmp)" ] || code=98
	expect "a stored source called $(echo "$name" | sed "s,$work,/...,") is not written there" 0
done

# --- content ---

attack decode.twin 'UPDATE t_kv SET position = -5 WHERE position = 0'
run view bad.twin --plain --screen kv
one_line 'flashtwin view: bad.twin: '
expect 'a negative position in a KV cache' 6 'position -5'
attack decode.twin 'UPDATE t_kv SET position = 9007199254740992 WHERE position = 0'
run view bad.twin --plain --screen kv
expect 'a position that no cache has' 6 'position 9007199254740992'
for size in 0 -1 9007199254740992; do
	attack decode.twin "UPDATE t_model SET max_len = $size"
	run view bad.twin --plain --screen kv
	expect "a KV cache of $size keys" 6 "capacity of its KV caches is $size"
done
attack decode.twin 'UPDATE t_reduce SET slot = -9223372036854775807 - 1 WHERE head = 1'
run view bad.twin --plain --screen reduce
expect 'a merge of a slot that no grid has' 0 '^REDUCTION of '
attack decode.twin 'UPDATE t_step SET last_op = NULL WHERE step = 0'
run view bad.twin --plain --screen time
grep -q ' between: ' out && code=99
expect 'a step without an end lasts to the end of the run' 0 'TIMELINE'
attack decode.twin 'UPDATE t_op SET launch = 9223372036854775807 WHERE launch = (SELECT max(launch) FROM t_op)'
run replay bad.twin --trust
expect 'a launch after which no number is left' 6 'bad.twin: '
run replay decode.twin --run 9223372036854775807
expect 'a run that the trace does not have' 2 'no run 9223372036854775807'
for at in L3.b0.w9223372036854775807 L3.b0.w288230376151711744.l31 L3.b9223372036854775807; do
	run view decode.twin --plain --at "$at"
	expect "the address $at" 2 'L3 has '
done

# What a kernel reads and writes follows from its arguments.
run decode --prompt AB -n 3 --chunk 4 -o plain.twin
expect 'a decode without points is recorded' 0
for wrong in "bits = 0 WHERE name = 'H'" "bits = x'00ff' WHERE name = 'H'" \
	"bits = 0 WHERE name = 'C'" "bits = -1 WHERE name = 'Hkv'"; do
	attack plain.twin "UPDATE t_arg SET $wrong"
	timeout "$(limit 60)" "$flashtwin" export bad.twin --as html -o page.html --force --steps 0 >out 2>err
	code=$?
	expect "arguments that no launch has: $wrong" 0
done

# Which thread of a cluster merged a value follows from the head size.
run attend --q "$romeo/layer0_q.npy" --k "$romeo/layer0_k.npy" --v "$romeo/layer0_v.npy" \
	--path ladder --rung 10 --log points -o cluster.twin
expect 'clusters are recorded' 0
run replay cluster.twin -o again.twin
for D in 2 0 -4 9223372036854775807; do
	attack cluster.twin "UPDATE t_arg SET value = $D WHERE name = 'D'"
	for screen in chunks reduce step points; do
		run view bad.twin --plain --no-replay --screen $screen --at L2.b0.w0.l0
		expect "$screen of clusters with a head size of $D" 0
	done
	run view bad.twin again.twin --plain --no-replay --screen diff --at L2.o1.e3
	expect "a value of clusters with a head size of $D" 0 ' provenance  out\[0,0,3\] written by '
done

mkfifo fifo
for command in 'info fifo' 'view --plain fifo' 'sql fifo "SELECT 1"' 'find fifo' 'diff fifo fifo' \
	'replay fifo' 'export fifo --as json -o x.json' 'attend --q fifo --k fifo --v fifo' \
	'decode --prompt-file fifo' 'launch fifo --kernel k --grid 1 --block 1' \
	'decode --prompt A --append -o fifo'; do
	eval "run $command"
	one_line "flashtwin ${command%% *}: "
	expect "a named pipe does not block: $command" 2 fifo
done
mkdir model
cp "$srcdir/doc/samples/shakespeare/config.json" model
mkfifo model/model.safetensors
run decode --model model --prompt A
expect 'a named pipe as the weights of a model' 2 'model.safetensors: not a regular file'
rm model/config.json
mkfifo model/config.json
run decode --model model --prompt A
expect 'a named pipe as the configuration of a model' 2 'config.json: .*named pipe'
printf A | "$flashtwin" decode --prompt-file /dev/stdin -n 0 >out 2>err
code=$?
expect 'a pipe at /dev/stdin is read' 0

# --- schema and size ---

# refused WHAT SQL: info, sql and view refuse the trace and name WHAT.
refused() {
	attack decode.twin "$2"
	for command in info 'sql --dump' 'view --plain'; do
		run $command bad.twin
		one_line 'flashtwin'
		expect "$command refuses a trace with $1" 6 "$1"
	done
}
refused 'view v_run' 'DROP VIEW v_run; CREATE VIEW v_run AS SELECT run, hex(zeroblob(400000000)) AS
	device, device_name, profile, driver, compute, ordinal, seed, command, path, options, level,
	log_at, version, started, complete, ended, message, 1 AS ops, 1 AS launches, 1 AS steps
	FROM t_run'
refused 'view v_token' 'DROP VIEW v_token; CREATE VIEW v_token AS WITH RECURSIVE n (run) AS (SELECT 1
	UNION ALL SELECT run + 0 FROM n) SELECT run, 1 AS step, 1 AS slot, 1 AS position, 1 AS byte,
	1 AS prompt, 1 AS logit_bits, 1.0 AS logit, 1 AS logit_kind FROM n'
refused 'trigger later' 'CREATE TRIGGER later AFTER INSERT ON t_run BEGIN DELETE FROM t_op; END'
refused 'table mine' 'CREATE TABLE mine (x)'
refused 'index mine' 'CREATE INDEX mine ON t_op (kind)'
refused 'view t_extra' 'CREATE VIEW t_extra AS SELECT 1'
refused 'index t_op_launch' 'DROP INDEX t_op_launch; CREATE INDEX t_op_launch ON t_op (run, abs(op))'
refused 't_byte' 'INSERT INTO t_byte WITH RECURSIVE n (n) AS (SELECT 256 UNION ALL SELECT n + 1
	FROM n WHERE n < 99999) SELECT n, 0, 0 FROM n'
attack decode.twin 'CREATE TRIGGER later AFTER INSERT ON t_run BEGIN DELETE FROM t_op; END'
run decode --prompt A -n 1 -o bad.twin --append
expect 'a run is not appended to such a trace' 6 'trigger later'
attack decode.twin 'INSERT INTO t_piece SELECT 4294967295, zeroblob(16), page, offset, bytes FROM t_piece LIMIT 1'
run decode --prompt B -n 1 -o bad.twin --append
expect 'nor to one whose numbers leave none for its pieces' 6 'pieces are numbered up to 4294967295'

# within KILOBYTES COMMAND...: runs flashtwin, with 99 as its code if it needed more memory.
within() {
	local limit=$1
	shift
	python3 - "$limit" timeout "$(limit 60)" "$flashtwin" "$@" >out 2>err <<'END'
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if used > int(sys.argv[1]):
    print(f"used {used} KiB of memory", file=sys.stderr)
    code = 99
sys.exit(code)
END
	code=$?
}
# large BYTES: bad.twin says that a cache has so many, and that one operation fills all of it.
large() {
	attack decode.twin "UPDATE t_buffer SET shape = json_array(1, 1, $1 / 64, 16), bytes = $1
			WHERE name = 'v_cache.0';
		UPDATE t_op SET bytes = $1 WHERE op = (SELECT op FROM t_buffer
			WHERE name = 'v_cache.0')" \
		"UPDATE t_op SET kind = (SELECT kind FROM t_op_kind WHERE name = 'fill'), offset = 0,
			bytes = $1, pattern = 5, data = NULL, buffer = (SELECT buffer FROM t_buffer
			WHERE name = 'v_cache.0') WHERE op = (SELECT min(op) FROM t_op
			WHERE kind = (SELECT kind FROM t_op_kind WHERE name = 'upload'))"
}
large 3221225472
for command in 'view --plain --screen kv' 'view --plain' info \
	'export --as json -o x.json --force'; do
	within 400000 $command bad.twin
	expect "a buffer said to have 3 GB takes little memory: $command" 0
done
cp bad.twin large.twin
attack large.twin "UPDATE t_op SET kind = (SELECT kind FROM t_op_kind WHERE name = 'upload'),
	data = 1 WHERE kind = (SELECT kind FROM t_op_kind WHERE name = 'fill')"
within 400000 view --plain --screen kv bad.twin
expect 'an upload said to have 3 GB has no rows' 0
large 805306368
within 400000 export --as npz --at L0 bad.twin -o x.npz
expect 'a buffer said to have 768 MB takes little memory: export --as npz' 0
attack decode.twin 'UPDATE t_blob SET bytes = 3221225472, pieces = zeroblob(200000)'
within 400000 sql bad.twin 'SELECT length(data(data)) FROM v_op WHERE data IS NOT NULL LIMIT 1'
expect 'data said to have 3 GB of pieces that do not exist' 2 'piece 0 is damaged'

# --- escape sequences ---

evil="char(27) || '[2J' || char(155) || 'x' || char(7) || char(127)"
# As if recorded before there were sums.
no_sums="UPDATE t_sum SET \"table\" = '', rows = NULL, hash = NULL WHERE run = 1 AND \"table\" = 't_op';
	DELETE FROM t_sum WHERE \"table\" <> ''; DELETE FROM t_point_sum"
attack decode.twin "$no_sums" "UPDATE t_run SET device_name = $evil, profile = $evil, path = $evil,
	options = json_object($evil, $evil), ended = 'DEVICE', message = $evil, log_at = NULL" \
	"UPDATE t_buffer SET name = $evil || name" "UPDATE t_call SET kernel = kernel || $evil" \
	"INSERT INTO t_kernel SELECT run, kernel || $evil, params, origin, independent FROM t_kernel" \
	"UPDATE t_point_name SET content = content || $evil" "UPDATE t_token SET byte = 27" \
	"UPDATE t_model SET config = $evil, directory = $evil" \
	"INSERT INTO t_finding VALUES (1, 0, 'uninit', 3, 0, 0, 0, 1, 0, 4, $evil, 1, 1,
	json_object('class', $evil, 'lint', json('false'), 'kernel', $evil, 'launch', 0, 'detail', $evil,
	'what', $evil, 'file', $evil, 'why', $evil, 'fix', $evil))"
cp bad.twin evil.twin
attack decode.twin "$no_sums" 'UPDATE t_digest SET digest = digest + 1, data = NULL' \
	"UPDATE t_buffer SET name = $evil || name"
cp bad.twin other.twin

# harmless WHAT CODE: nothing of the last run's output is a control character but tabs and line
# breaks, and what was one is visible.
harmless() {
	python3 - out err <<'END' >>err || code=98
import re, sys
text = b"".join(open(name, "rb").read() for name in sys.argv[1:])
bad = re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\xbf]", text)
if bad:
    print("control characters:", sorted(set(bad)))
    sys.exit(1)
END
	expect "$1" "$2" "$3"
}
seen='\\x1b\[2J\\u009bx\\x07\\x7f'
json='\\u001B\[2J\\u009bx\\u0007\\u007f'
run info evil.twin
harmless 'no escape sequences: info' 0 "$seen"
run find evil.twin
harmless 'no escape sequences: find' 4 "$seen"
run find evil.twin --json
harmless 'no escape sequences: find --json' 4 "$json"
for format in '' --table --plain; do
	run sql evil.twin $format "SELECT device_name, $evil AS \"$(printf '\033[2J\302\233x')\" FROM v_run"
	harmless "no escape sequences: sql $format" 0 "$seen"
done
expect 'names of columns too' 0
run sql evil.twin --table "SELECT 1 AS \"$(printf '\033[2J\302\233x\007\177')\""
harmless 'no escape sequences: names of columns' 0 "$seen"
run sql evil.twin --json "SELECT device_name FROM v_run"
harmless 'no escape sequences: sql --json' 0 "$json"
run sql evil.twin --dump
harmless 'no escape sequences: sql --dump' 0 "$seen"
run sql evil.twin "SELECT x FROM \"$(printf '\033[2J\302\233x\007\177')\""
harmless 'no escape sequences: errors' 2 "$seen"
for screen in summary time launch kv chunks reduce points text findings; do
	run view evil.twin --plain --screen $screen --all
	case $screen in
	summary|launch|findings) wanted=$seen ;;
	*) wanted= ;;
	esac
	harmless "no escape sequences: view --screen $screen" 0 "$wanted"
done
run view evil.twin --plain --at 'op 3'
harmless 'no escape sequences: view --at' 0
run view evil.twin other.twin --plain --screen diff
harmless 'no escape sequences: view --screen diff' 0 "$seen"
run diff evil.twin other.twin
harmless 'no escape sequences: diff' 1 "$seen"
run diff evil.twin other.twin --plain
harmless 'no escape sequences: diff --plain' 1 "$seen"
run diff evil.twin other.twin --json
harmless 'no escape sequences: diff --json' 1 "$json"
attack evil.twin "UPDATE t_run SET level = $evil"
run info bad.twin
harmless 'no escape sequences: a damaged trace' 6
run sql evil.twin --csv 'SELECT device_name FROM v_run'
grep -q "$(printf '\033\\[2J\302\233x')" out || code=98
expect 'CSV for a file is data' 0
if python3 -c 'import pty' && script=$(python3 - "$flashtwin" <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], [sys.argv[1], "sql", "evil.twin", "--csv",
                           "SELECT device_name FROM v_run"])
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:
    pass                    # the other side is closed
print("escaped" if b"\\x1b[2J\\u009bx" in text and b"\x1b" not in text else repr(text))
END
); then
	result 'CSV for a terminal is safe to show' "$([ "$script" = escaped ] || echo "$script")"
else
	skip 'CSV for a terminal is safe to show' 'no pseudo-terminal'
fi

plan
