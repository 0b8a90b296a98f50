#!/bin/sh
# run.sh [BUILD_DIR [OUT_DIR [PART...]]] - checks on a GPU that GPU and simulator agree.
#
# Runs the device tests, tries every operation during a capture, asks what CUDA's runtime API answers,
# decodes the reference prompts and attends to the reference tensors on both devices, compares every
# bit, runs small runs under compute-sanitizer, and records what `make check` replays without a GPU
# (copy OUT_DIR/*.twin, OUT_DIR/capture.txt and OUT_DIR/semantics.txt to tests/h200/). A build may have been made elsewhere: only
# BUILD_DIR/flashtwin, BUILD_DIR/tests/ and the source tree are used, with whatever libraries
# LD_LIBRARY_PATH leads to. All of it takes some twenty minutes; with PARTs named, only those
# run, which are files beside this one. Writes OUT_DIR/log.txt and OUT_DIR/report.txt, and prints
# that last; what the attention paths gain goes to OUT_DIR/seeds-claims.md, what the tools of
# compute-sanitizer find of the checker's corpus to OUT_DIR/checker-table.md, and counters beside
# Nsight Compute's to OUT_DIR/counters.md, public programs on both devices (SUITES names the folder
# of their checkouts) to OUT_DIR/programs.md; the ladder's times go to OUT_DIR/ladder-bench/,
# profiles of its kernels to OUT_DIR/ladder-profile.md, those of forms with producer warps to
# OUT_DIR/producer.txt, and the rows of its matrix that were not run
# to OUT_DIR/ladder-rows-left-out.txt and ladder-large-left-out.txt; its errors next to PyTorch's go to
# OUT_DIR/accuracy.txt. Exit code 1 when anything failed, 77 without a GPU.
LC_ALL=C
export LC_ALL

all_parts='devices semantics decode graphs ladder ladder-options ladder-rows ladder-repeats'
all_parts="$all_parts ladder-accuracy kernels run-programs programs doubles labs record sanitize"
all_parts="$all_parts sanitize-options checker bench ladder-bench ladder-producer ladder-profile"
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=$(cd "${1:-$source/build}" && pwd) || exit 2
mkdir -p "${2:-$build/gpu}" || exit 2
out=$(cd "${2:-$build/gpu}" && pwd) || exit 2
parts=$all_parts
[ $# -le 2 ] || { shift 2 && parts=$*; }
for part in $parts; do
	case " $all_parts " in
	*" $part "*) ;;
	*)
		echo "run.sh: no part $part; there are: $all_parts" >&2
		exit 2
		;;
	esac
done
flashtwin=$build/flashtwin
samples=$source/doc/samples/shakespeare
work=$(mktemp -d) || exit 2
XDG_STATE_HOME=$work/state
XDG_CACHE_HOME=$work/cache
export XDG_STATE_HOME XDG_CACHE_HOME
trap 'rm -rf "$work"' EXIT
log=$out/log.txt
report=$out/report.txt
: >"$log" || exit 2
: >"$report"
failures=0

# --- reporting ---

# result PASS|FAIL|SKIP WHAT DETAIL
result() {
	printf '%-4s  %-44s  %s\n' "$1" "$2" "$3" | tee -a "$report"
	[ "$1" != FAIL ] || failures=$((failures + 1))
}

# run LIMIT COMMAND...: stdout and stderr go to $work/stdout and $work/stderr, and to the log.
run() {
	limit=$1
	shift
	begun=$(date +%s)
	timeout "$limit" "$@" >"$work/stdout" 2>"$work/stderr"
	code=$?
	{
		echo "\$ $*"
		tail -n 30 "$work/stderr"
		echo "exit code $code, $(($(date +%s) - begun)) s"
	} >>"$log"
}

# Prints the last line of a comparison, or the last line of stderr.
said() {
	grep 'compared' "$work/stderr" "$work/stdout" | tail -n 1 | sed 's/^[^:]*://' | grep . ||
		tail -n 1 "$work/stderr"
}

# compared WHAT: PASS if the last run succeeded and found no differing bit.
compared() {
	line=$(said)
	case $code:$line in
	0:*', 0 bits differ'*) result PASS "$1" "$line" ;;
	*) result FAIL "$1" "exit code $code: $line" ;;
	esac
}

# passed WHAT: PASS if the last run, a test that prints TAP, ran at least one case and all succeeded.
passed() {
	cat "$work/stdout" >>"$log"
	count=$(grep -c '^ok' "$work/stdout")
	failed=$(grep -c '^not ok' "$work/stdout")
	detail="$count passed, $failed failed"
	detail="$detail $(sed -n 's/^# \(.*compared\)/(\1)/p' "$work/stdout")"
	if [ "$code" -eq 0 ] && [ "$count" -gt 0 ] && [ "$failed" -eq 0 ]; then
		result PASS "$1" "$detail"
	else
		result FAIL "$1" "$detail, exit code $code"
	fi
}

# --- .npy files without NumPy: 1.0 files, as the samples are ---

# npy_data FILE: prints the bytes after the header.
npy_data() {
	length=$(od -An -tu2 -j8 -N2 "$1" | tr -d ' ')
	tail -c +$((length + 11)) "$1"
}

# bytes_of_i32: int32 values on stdin, as bytes.
bytes_of_i32() {
	od -An -v -tu4 -w4 | awk '{ printf "\\%04o", $1 }' >"$work/escapes"
	printf '%b' "$(cat "$work/escapes")"
}

# npy_header SHAPE: of float32s, "8, 64".
npy_header() {
	printf '\223NUMPY\001\000\166\000'
	printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"
}

# tensor FILE SEED SHAPE: random values of a normal distribution.
tensor() {
	{
		npy_header "$3"
		python3 -c '
import array, random, sys
random.seed(int(sys.argv[1]))
count = 1
for n in sys.argv[2].split(","):
    count *= int(n)
array.array("f", (random.gauss(0, 1) for _ in range(count))).tofile(sys.stdout.buffer)
' "$2" "$3"
	} >"$1"
}

# narrow_tensor TYPE F32.npy FILE SHAPE: the numbers of a tensor as f16 or bf16, rounded towards zero in
# bf16; as e4m3 each chooses a code, any but those of NaN.
narrow_tensor() {
	python3 - "$@" <<'PYTHON'
import array, struct, sys
kind, wide, to, shape = sys.argv[1:]
numbers = array.array("f", open(wide, "rb").read()[128:])
if kind == "f16":
    name, data = "<f2", struct.pack(f"<{len(numbers)}e", *numbers)
elif kind == "bf16":
    name, data = "<u2", b"".join(struct.pack("<f", x)[2:] for x in numbers)
else:
    name, data = "|u1", bytes(int(abs(x) * 1e4) % 127 | 128 * (x < 0) for x in numbers)
header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({shape}), }}".ljust(117) + "\n"
open(to, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
PYTHON
}

# last_rows FILE HEADS POSITIONS: of (HEADS, POSITIONS, 64), up to 9 heads, the last position, as a
# (HEADS, 64) file.
last_rows() {
	npy_header "$2, 64"
	npy_data "$1" >"$work/rows"
	head=0
	while [ "$head" -lt "$2" ]; do
		tail -c +$(((head * $3 + $3 - 1) * 256 + 1)) "$work/rows" | head -c 256
		head=$((head + 1))
	done
}

# max_error F32.npy F64.npy: prints the maximum absolute difference.
max_error() {
	npy_data "$1" | od -An -v -tf4 -w4 >"$work/a"
	npy_data "$2" | od -An -v -tf8 -w8 >"$work/b"
	paste "$work/a" "$work/b" | awk '
		NF != 2 || $1 != $1 + 0 { bad = 1 }
		{ d = $1 - $2; if (d < 0) d = -d; if (d > max) max = d }
		END { if (bad || !NR) print "inf"; else printf "%.3g\n", max }'
}

# --- the device ---

"$flashtwin" info --device cuda >"$work/info" 2>&1 || {
	code=$?
	cat "$work/info"
	exit "$code"
}
{
	date -u '+%Y-%m-%d %H:%M:%S UTC'
	"$flashtwin" --version
	sed -n '/^devices/,/^$/p' "$work/info"
} | tee -a "$report"
cat "$work/info" >>"$log"

# --- shared by several parts ---

# decode NAME BYTES WHAT OPTION...: decodes on both devices; the text must also equal the reference.
decode() {
	name=$1 bytes=$2 what="decode $1, $3"
	shift 3
	npy_data "$samples/reference/$name/tokens.npy" | bytes_of_i32 >"$work/prompt"
	npy_data "$samples/reference/$name/greedy.npy" >"$work/greedy"
	run 240 "$flashtwin" decode --model "$samples" --prompt-file "$work/prompt" -n "$bytes" \
		--device both "$@"
	compared "$what"
	if cmp -s "$work/stdout" "$work/greedy"; then
		result PASS "$what: text" "$bytes bytes equal greedy.npy"
	else
		result FAIL "$what: text" "$(cmp "$work/stdout" "$work/greedy" 2>&1)"
	fi
}

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
# sanitize TOOL WHAT COMMAND...: COMMAND and its child processes must get no report.
sanitize() {
	tool=$1 what="compute-sanitizer $1, $2"
	shift 2
	run 240 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 "$@"
	line=$(cat "$work/stdout" "$work/stderr" | grep -a 'SUMMARY\|Error:' |
		grep -av 'SUMMARY: 0 errors\|SUMMARY: 0 hazards' | tail -n 1 | sed 's/.*========= //')
	if [ "$code" -eq 0 ] && [ -z "$line" ]; then
		result PASS "$what" 'no report'
	elif [ "$code" -eq 0 ] || [ "$code" -eq 9 ]; then
		result FAIL "$what" "$line"
	else
		result SKIP "$what" "it does not run here: exit code $code $line"
	fi
}

# Prompts and queries for the parts record and sanitize.
printf 'ROMEO:' >"$work/first"
printf 'JULIET:\nO' >"$work/second"
printf 'To be' >"$work/third"
last_rows "$samples/reference/romeo/layer0_k.npy" 2 96 >"$work/q2.npy"

# --- the parts ---

for part in $parts; do
	. "$source/tests/gpu/$part.sh"
done

# --- the table ---

echo
cat "$report"
if [ "$failures" -eq 0 ]; then
	echo "PASS: $(grep -c '^PASS' "$report") checks" | tee -a "$report"
else
	echo "FAIL: $failures of $(grep -c '^PASS\|^FAIL' "$report") checks" | tee -a "$report"
	exit 1
fi
