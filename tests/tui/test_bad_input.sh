#!/bin/sh
# test_bad_input.sh - invalid input gives one clear error line and leaves no partial output.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

sample=$srcdir/doc/samples/shakespeare
q=$sample/reference/romeo/layer0_q.npy          # (8, 64)
k=$sample/reference/romeo/layer0_k.npy          # (2, 96, 64)
v=$sample/reference/romeo/layer0_v.npy

# refused CODE PATTERN ARG...: expects this exit code, one line on stderr that names the command and
# matches PATTERN, nothing on stdout, and no new file in ./outputs, where all outputs go.
mkdir outputs || exit 99
refused() {
	local wanted=$1 pattern=$2
	shift 2
	ls -A outputs >before
	run "$@"
	one_line "flashtwin $1: "
	[ ! -s out ] || code=98
	ls -A outputs | cmp -s - before || { code=97; ls -lA outputs >>err; }
	expect "$(sed "s,$srcdir/,," err | head -n 1)" "$wanted" "$pattern"
}
decode() {
	refused 2 "$1" decode --model m --prompt 'ROMEO:' -n 4 -o outputs/t.twin \
		--logits outputs/l.npy
}

# --- models ---

# model: puts a fresh, writable copy of the sample into m.
model() {
	rm -rf m && mkdir m && cp "$sample/config.json" "$sample/model.safetensors" m &&
		chmod u+w m/*
}
# configured NAME VALUE PATTERN: changes a value in config.json; decode must fail with PATTERN.
configured() {
	model
	sed "s/\"$1\": [^,]*/\"$1\": $2/" "$sample/config.json" >m/config.json
	decode "$3"
}
# described FROM TO PATTERN: edits the descriptions of the tensors, keeping their length; decode
# must fail with PATTERN.
described() {
	model
	LC_ALL=C sed "1s/$1/$2/" "$sample/model.safetensors" >m/model.safetensors
	cmp -s m/model.safetensors "$sample/model.safetensors" && result "$1 is replaced" 'it is not'
	decode "$3"
}

rm -rf m
decode 'm/config.json: cannot read: No such file'
mkdir m
decode 'm/config.json: cannot read: No such file'
cp "$sample/config.json" m
decode 'm/model.safetensors: No such file'
cp "$sample/model.safetensors" m && rm -f m/config.json
decode 'm/config.json: cannot read: No such file'
bytes=$(wc -c <"$sample/model.safetensors")
for size in 0 7 8 100 3000 10000 $((bytes / 2)) $((bytes - 1)); do
	model
	head -c "$size" "$sample/model.safetensors" >m/model.safetensors
	decode 'm/model.safetensors: .*[0-9]'
done
model
head -c 100 "$sample/config.json" >m/config.json
decode 'm/config.json:[0-9]*: not JSON'
described '"dtype":"BF16"' '"dtype": "I16"' 'm/model.safetensors: tensor .*got I16'
described '"dtype":"BF16"' '"dtype": "F32"' 'm/model.safetensors: tensor .*F32'
described '\[256,512\]' '[512,256]' 'down_proj.*256, 512.*512, 256'
described 'model.norm.weight' 'model.morn.weight' 'no tensor model.norm.weight'
configured hidden_size 128 'm/model.safetensors: tensor .*256.*128'
configured num_hidden_layers 5 'm/model.safetensors: no tensor model.layers.4'
configured num_key_value_heads 3 'm/config.json: num_attention_heads 8 .*3'
configured num_key_value_heads 4 'm/model.safetensors: tensor .*256, 256.*128, 256'
configured head_dim 63 'm/config.json: head_dim: .*got 63'
configured vocab_size 32000 'm/config.json: vocab_size: .*got 32000'
configured hidden_size '"big"' 'm/config.json: hidden_size'

# --- prompts ---

: >empty.txt
refused 2 '--prompt: the prompt is empty' decode --prompt '' -o outputs/t.twin
refused 2 'empty.txt: the prompt is empty' decode --prompt-file empty.txt -o outputs/t.twin
refused 2 'missing.txt: ' decode --prompt-file missing.txt -o outputs/t.twin
refused 2 '-n 2043: expected at most 2048 positions .* got 2049: a prompt of 6 bytes and 2043 more' \
	decode --prompt 'ROMEO:' -n 2043 -o outputs/t.twin
refused 2 '-n: expected an integer from 0 to 16777216, got -1' decode --prompt 'ROMEO:' -n -1 -o outputs/t.twin

# --- tensors ---

# attend PATTERN [Q [K [V]]]: attend with these tensors must fail with PATTERN.
attend() {
	refused 2 "$1" attend --q "${2:-$q}" --k "${3:-$k}" --v "${4:-$v}" \
		--out outputs/o.npy -o outputs/t.twin
}
# shaped TENSOR SHAPE [BYTES]: makes TENSOR.npy from tensor q, k or v with another shape (as text of
# the same length) and at most BYTES bytes of data.
shaped() {
	eval "LC_ALL=C sed '1s/([0-9, ]*)/$2/' \"\$$1\"" |
		head -c $((128 + ${3:-1000000})) >"$1.npy"
}

attend 'missing.npy: ' missing.npy
attend 'missing.npy: ' "$q" "$k" missing.npy
attend 'config.json: not a .npy file' "$q" "$sample/config.json"
head -c 100 "$q" >q.npy
attend 'q.npy: not a .npy file' q.npy
shaped q '(8, 64)' 2000
attend 'q.npy: truncated: expected 2048 bytes of data by its shape, got 2000' q.npy
LC_ALL=C sed '1s/<f4/<i4/' "$q" >q.npy
attend '--q q.npy: expected dtype f32, f16 or bf16, got i32' q.npy
LC_ALL=C sed '1s/<f4/>f4/' "$q" >q.npy
attend 'q.npy: expected a little-endian dtype, got >f4 (big endian)' q.npy
shaped q '(  512)'
attend '--q q.npy: expected . dimensions, got 1: shape (512,)' q.npy
shaped q '(8, 32)' 1024
attend '--k .*layer0_k.npy: expected shape (-1, -1, 32) (-1: any), got (2, 96, 64)' q.npy
shaped q '(3, 64)' 768
attend '--q q.npy, --k .*3 query heads .* 2 KV heads' q.npy
shaped k '(2, 95, 64)' $((2 * 95 * 64 * 4))
attend '--v .*layer0_v.npy: expected shape (2, 95, 64), got (2, 96, 64)' "$q" k.npy
shaped k '(1, 96, 64)' $((96 * 64 * 4))
attend '--v .*layer0_v.npy: expected shape (1, 96, 64), got (2, 96, 64)' "$q" k.npy
shaped v '(2, 96, 32)' $((2 * 96 * 32 * 4))
attend '--v v.npy: expected shape (2, 96, 64), got (2, 96, 32)' "$q" "$k" v.npy
attend '--k .*layer0_k.npy: expected 4 dimensions, got 3: shape (2, 96, 64)' \
	"$sample/reference/short/layer1_q.npy"
refused 2 '--lengths: expected an integer from 0 to 96, got 97' attend --q "$q" --k "$k" --v "$v" --lengths 97 --out outputs/o.npy

# --- NaN: not an error, and it spreads no further than it must ---

# with_nan TENSOR FLOAT: makes TENSOR.npy, with a NaN with a payload as its FLOATth element.
with_nan() {
	eval "cat \"\$$1\"" >"$1.npy"
	printf '\001\000\300\177' | dd of="$1.npy" bs=4 seek=$((32 + $2)) conv=notrunc 2>dd.err
}
# changed A B: prints the floats that differ, as ranges of head * 64 + element.
changed() {
	cmp -l "$1" "$2" | awk '{ print int(($1 - 129) / 4) }' | uniq | awk '
		NR == 1 { from = $1 }
		NR > 1 && $1 != last + 1 { printf "%d-%d ", from, last; from = $1 }
		{ last = $1 }
		END { if (NR) printf "%d-%d", from, last }'
}
# nan_spreads WHAT COUNT FLOATS OPTION...: in every order, exactly these COUNT floats of the output
# are NaN, and all others are unchanged.
nan_spreads() {
	local what=$1 count=$2 wanted=$3 found
	shift 3
	run attend "$@" --chunk 32 --json --log points -o nan.twin --force --out nan.npy
	expect "$what: allowed" 0 "\"nan\": $count,"
	found=$(changed clean.npy nan.npy)
	result "$what: all other heads are unchanged" \
		"$([ "$found" = "$wanted" ] || echo "changed: $found; expected $wanted")"
	run attend "$@" --chunk 32 --seed 3 --jobs 2 --log points -o nan3.twin --force \
		--out nan3.npy
	result "$what: the same bits in another order" "$(cmp nan.npy nan3.npy 2>&1)"
	run diff nan.twin nan3.twin
	expect "$what: the same trace" 0 ' 0 bits differ'
	run replay nan.twin
	expect "$what: replays" 0 ' 0 bits differ'
}
run attend --q "$q" --k "$k" --v "$v" --chunk 32 --out clean.npy
expect 'without a NaN' 0
with_nan q $((3 * 64 + 5))
nan_spreads 'NaN in q, head 3' 64 192-255 --q q.npy --k "$k" --v "$v"
with_nan k $(((96 + 40) * 64 + 1))
nan_spreads 'NaN in k, KV head 1' 256 256-511 --q "$q" --k k.npy --v "$v"
with_nan v $((90 * 64 + 7))
nan_spreads 'NaN in v, KV head 0, element 7' 4 '7-7 71-71 135-135 199-199' --q "$q" --k "$k" --v v.npy

# --- outputs ---

run decode --prompt 'ROMEO:' -n 16 --log points -o whole.twin
expect 'a whole trace' 0
cp whole.twin old.twin
for option in -o --logits --out-dir; do
	refused 2 'missing/x[^:]*: ' decode --prompt 'ROMEO:' -n 2 $option missing/x
done
# Rejected before any work: otherwise a trace would have been made.
decoded='decode --prompt ROMEO: -n 2 -o outputs/t.twin'
refused 2 'empty.txt/0.txt: .*Not a directory' $decoded --out-dir empty.txt
refused 2 'empty.txt/l.npy: .*Not a directory' $decoded --logits empty.txt/l.npy
refused 2 'm: .*Is a directory' $decoded --logits m
# A new output directory is removed on failure.
refused 2 'old.twin: file exists' decode --prompt ROMEO: -n 2 -o old.twin --out-dir outputs/d
refused 2 'missing/o.npy: ' attend --q "$q" --k "$k" --v "$v" --out missing/o.npy
refused 2 'empty.txt/x.twin: Not a directory' decode --prompt 'ROMEO:' -n 2 -o empty.txt/x.twin
refused 2 'outputs: is not a regular file' decode --prompt 'ROMEO:' -n 2 -o outputs
refused 2 'outputs: is not a regular file' decode --prompt 'ROMEO:' -n 2 --force -o outputs
refused 2 'old.twin: file exists; --force' decode --prompt 'ROMEO:' -n 2 -o old.twin
result 'the existing trace is unchanged' "$(cmp whole.twin old.twin 2>&1)"

# Root may write anywhere, so the program runs as another user. That user may have no access to the
# checkout, so it gets copies of the program and the model, used by relative names.
user=
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'
mkdir -p open/samples/shakespeare && cp "$flashtwin" open/ &&
	cp "$sample/config.json" "$sample/model.safetensors" open/samples/shakespeare/ &&
	chmod -R u+w,a+rX open
chmod 755 . && mkdir closed && cp whole.twin closed && chmod 444 closed/* && chmod 555 closed
if ! FLASHTWIN_DATADIR=open $user open/flashtwin decode --prompt 'ROMEO:' -n 1 >out 2>err; then
	skip 'a directory without write permission' \
		"cannot decode as another user: $(tail -n 1 err)"
else
	for option in '-o closed/t.twin' '--append -o closed/whole.twin' \
			'--force -o closed/whole.twin' '--logits closed/l.npy' \
			'--out-dir closed/d'; do
		FLASHTWIN_DATADIR=open $user open/flashtwin decode --prompt 'ROMEO:' -n 2 $option \
			>out 2>err
		code=$?
		one_line 'flashtwin decode: '
		expect "no permission: $option" 2 'closed/.*: .*\(Permission denied\|readonly\)'
	done
	result 'and nothing changed there' "$(ls -A closed | grep -vx whole.twin
		cmp whole.twin closed/whole.twin 2>&1)"
fi
chmod 755 closed

# --- full disks ---

# check_rest WHAT FILE PATTERN: decode failed with PATTERN; its trace, if any, holds what was
# committed.
check_rest() {
	one_line 'flashtwin decode: '
	expect "$1: one line" 2 "$2: .*$3"
	[ -e "$2" ] || return
	run info "$2"
	expect "$1: the trace opens" 0 'cut off: it holds what was committed'
	run diff whole.twin "$2"
	expect "$1: the trace agrees as far as it goes" 0 ' 0 bits differ'
	run replay "$2"
	expect "$1: the trace replays" 0 ' 0 bits differ'
}
# limited BYTES ARG...: limits the size of files. The signal SIGXFSZ must not end the program.
limited() {
	local bytes=$1
	shift
	prlimit --fsize="$bytes" "$flashtwin" "$@" >out 2>err
	code=$?
}
for bytes in 20000 350000 500000 750000; do
	for graph in none capture; do
		rm -f full.twin*
		limited $bytes decode --prompt 'ROMEO:' -n 16 --graph $graph --log points \
			-o full.twin
		check_rest "$bytes bytes, graph $graph" full.twin 'disk\|large'
		result "$bytes bytes, graph $graph: nothing else is left" \
			"$(ls -A | grep '^full\.twin.')"
	done
done
[ -e full.twin ]
result 'at least one of these runs left a trace' "$([ $? -eq 0 ] || echo none)"
limited 500 attend --q "$q" --k "$k" --v "$v" --out outputs/o.npy --no-record
one_line 'flashtwin attend: '
expect 'no space for --out' 2 'outputs/o.npy: cannot write: File too large'
limited 500 decode --prompt 'ROMEO:' -n 600 --out-dir outputs --no-record
one_line 'flashtwin decode: '
expect 'no space for --out-dir' 2 'outputs/0.txt: cannot write: File too large'
result 'no partial output of either is left' "$(ls -A outputs)"
if [ -e /dev/full ]; then
	"$flashtwin" decode --prompt 'ROMEO:' -n 16 >/dev/full 2>err
	code=$?
	: >out
	one_line 'flashtwin decode: '
	expect 'no space for stdout' 2 'No space left'
fi

mkdir small
if mount -t tmpfs -o size=512k tmpfs small 2>mount.err; then
	trap 'umount "$work/small"; rm -rf "$work"' EXIT
	run decode --prompt 'ROMEO:' -n 16 --log points -o small/t.twin
	check_rest 'a full disk' small/t.twin 'full\|No space'
	[ -e small/t.twin ]
	result 'a full disk: the trace exists' "$([ $? -eq 0 ] || ls -la small)"
	umount small && trap 'rm -rf "$work"' EXIT
else
	skip 'a full disk' "$(head -n 1 mount.err)"
fi

# --- traces ---

# no_trace FILE PATTERN: every command that reads traces rejects FILE, and so does --append.
no_trace() {
	local before
	before=$(cksum <"$1")
	for command in info diff replay 'sql --dump' 'view --plain'; do
		refused 6 "$1: $2" $command "$1"
	done
	refused 6 "$1: $2" decode --prompt 'ROMEO:' -n 2 --append -o "$1"
	result "$1 is unchanged" "$([ "$before" = "$(cksum <"$1")" ] || echo changed)"
}
# patched NAME OFFSET BYTES: makes NAME.twin, a copy of the whole trace with other bytes at OFFSET.
patched() {
	cp whole.twin "$1.twin"
	printf "$3" | dd of="$1.twin" bs=1 seek="$2" conv=notrunc 2>dd.err
}
echo 'this is no trace' >foreign.twin
no_trace foreign.twin 'is not a SQLite file'
: >empty.twin
no_trace empty.twin 'is empty'
patched other 68 'abcd'
no_trace other.twin "is another program's SQLite file.*0x61626364"
patched newer 60 '\000\000\000\143'
no_trace newer.twin 'is from a newer flashtwin: trace format 99'
bytes=$(wc -c <whole.twin)
for size in 50 100 2048 $((bytes / 2)) $((bytes - 1)); do
	head -c "$size" whole.twin >cut.twin
	no_trace cut.twin '.*truncated'
done
refused 2 'missing.twin: ' info missing.twin
refused 2 'outputs: ' info outputs

# --- devices ---

run info --device cuda
if [ "$code" -eq 77 ]; then
	refused 77 'no GPU' decode --prompt 'ROMEO:' -n 2 --device cuda -o outputs/t.twin
	refused 77 'no GPU' decode --prompt 'ROMEO:' -n 2 --device both -o outputs/t.twin
	refused 77 'no GPU' attend --q "$q" --k "$k" --v "$v" --device cuda --out outputs/o.npy
	refused 77 'no GPU' replay whole.twin --device cuda -o outputs/t.twin
else
	skip '--device cuda without a GPU' 'there is one'
fi
# --- addresses, empty names and formats ---

h200=$srcdir/tests/h200/demo.twin
at() {
	refused 2 "$2" view "$h200" --plain --at "$1"
}
at L14.o9 'L14 has outputs o0 to o0, not o9'
at L14.o0.e99999999 'L14.o0 has elements e0 to e1583, not e99999999'
at L14.n9999 'flash_decode_chunk.cu has lines n1 to n52, not n9999'
at L14.f99.n3 'flash_decode_chunk has files f0 to f2, not f99'
at L14.a3 'L14 has no loads or stores recorded, so no a3'
at L14.b0.p9999 'L14.b0 has points p0 to p1, not p9999'
at L14.b9999 'L14 has blocks b0 to b23, not b9999'
at L9999999 'run 1 has no launch L9999999'
at s9999 'run 1 has no step s9999'
at 'op 999999' 'run 1 has no op 999999'
for address in L14.o0.e1583 L14.n52 L14.f2.n3 L14.b0.p1 s3.end 'op 9'; do
	run view "$h200" --plain --at "$address"
	expect "$address exists" 0
done
refused 2 'an empty name cannot be a trace file' view '' --plain
refused 2 'an empty name cannot be an output file' export "$h200" --as json -o ''
refused 2 'an empty name cannot be an .npy file' attend --q '' --k k.npy --v v.npy
refused 2 'an empty name cannot be a file' decode --prompt-file ''
refused 2 '^flashtwin sql: --csv and --json are mutually exclusive' sql --csv "$h200" 'SELECT 1' --json

plan
