#!/bin/sh
# run.sh [BUILD_DIR [OUT_DIR]] - proves on a machine with a GPU that GPU and simulator agree.
#
# Runs the device tests, tries every operation during a capture, decodes the reference prompts and
# attends to the reference tensors on both devices, compares every bit, lets compute-sanitizer look
# at a small run, and records what `make check` needs where there is no GPU (copy OUT_DIR/*.twin and
# OUT_DIR/capture.txt to tests/h200/). A build may have been made elsewhere: only
# BUILD_DIR/flashtwin, BUILD_DIR/tests/ and the source tree are used, with whatever libraries
# LD_LIBRARY_PATH leads to. Takes some minutes; writes OUT_DIR/log.txt and OUT_DIR/report.txt, and
# prints that last; what the attention paths gain goes to OUT_DIR/seeds-claims.md, and what the tools
# of compute-sanitizer find of the checker's corpus to OUT_DIR/checker-table.md. Exit code 1 when
# anything failed, 77 without a GPU.
LC_ALL=C
export LC_ALL

source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=$(cd "${1:-$source/build}" && pwd) || exit 2
mkdir -p "${2:-$build/gpu}" || exit 2
out=$(cd "${2:-$build/gpu}" && pwd) || exit 2
flashtwin=$build/flashtwin
samples=$source/doc/samples/shakespeare
work=$(mktemp -d) || exit 2
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

# The line that a comparison ends with, or whatever was said last.
said() {
	grep 'compared' "$work/stderr" "$work/stdout" | tail -n 1 | sed 's/^[^:]*://' | grep . ||
		tail -n 1 "$work/stderr"
}

# compared WHAT: PASS when the last run ended well and found no differing bit.
compared() {
	line=$(said)
	case $code:$line in
	0:*', 0 bits differ'*) result PASS "$1" "$line" ;;
	*) result FAIL "$1" "exit code $code: $line" ;;
	esac
}

# passed WHAT: PASS when the last run, a test that prints TAP, ended well and tried something.
passed() {
	cat "$work/stdout" >>"$log"
	count=$(grep -c '^ok' "$work/stdout")
	detail="$count passed, $(grep -c '^not ok' "$work/stdout") failed"
	detail="$detail $(sed -n 's/^# \(.*compared\)/(\1)/p' "$work/stdout")"
	if [ "$code" -eq 0 ] && [ "$count" -gt 0 ]; then
		result PASS "$1" "$detail"
	else
		result FAIL "$1" "$detail, exit code $code"
	fi
}

# --- .npy files without NumPy: 1.0 files, as the samples are ---

# npy_data FILE: the bytes behind the header.
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

# greatest_error F32.npy F64.npy
greatest_error() {
	npy_data "$1" | od -An -v -tf4 -w4 >"$work/a"
	npy_data "$2" | od -An -v -tf8 -w8 >"$work/b"
	paste "$work/a" "$work/b" | awk '
		NF != 2 || $1 != $1 + 0 { bad = 1 }
		{ d = $1 - $2; if (d < 0) d = -d; if (d > greatest) greatest = d }
		END { if (bad || !NR) print "inf"; else printf "%.3g\n", greatest }'
}

# --- what is here ---

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

# --- device tests ---

CK_TAP_LOG_FILE_NAME=-
CK_VERBOSITY=silent
abs_srcdir=$source
abs_builddir=$build
export CK_TAP_LOG_FILE_NAME CK_VERBOSITY abs_srcdir abs_builddir
for test in test_cuda test_twin test_graph_twin test_graph test_stream test_stream_capture \
	test_stream_order test_host_behaviour test_host_graphs test_host_slots test_record_graph; do
	run 240 "$build/tests/$test"
	passed "$test"
done

# --- what CUDA does during a capture: `make check` holds the simulator to it ---

run 400 "$build/tests/gpu/capture_table"
cp "$work/stdout" "$out/capture.txt"
cases() {
	grep -v '^#' "$1" | tr -s ' '
}
cases "$out/capture.txt" >"$work/got"
cases "$source/tests/h200/capture.txt" >"$work/wanted"
detail="$(grep -c . "$work/got") cases, $(diff "$work/wanted" "$work/got" | grep -c '^>') differ"
if [ "$code" -eq 0 ] && cmp -s "$work/wanted" "$work/got"; then
	result PASS 'operations during a capture' "$detail"
else
	result FAIL 'operations during a capture' "$detail, exit code $code"
	diff "$work/wanted" "$work/got" >>"$log"
fi

# --- decoding ---

# decode NAME BYTES WHAT OPTION...: on both devices; the text must be the reference's too.
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

# every STEP LAST: "s0,sSTEP,...,sLAST".
every() {
	awk -v step="$1" -v last="$2" 'BEGIN {
		for (s = 0; s < last; s += step)
			printf "s%d,", s
		printf "s%d\n", last
	}'
}

decode short 64 'every point' --log points
decode romeo 200 'every point' --log points
decode romeo 200 'every partial, chunk 16' --log partials --chunk 16
decode long 200 'every buffer' --log launch
decode long 200 'points of 51 steps' --log points --log-at "$(every 4 199)"

# --- attention alone ---

# attend NAME LAYER OPTION...
attend() {
	name=$1 layer=$2
	shift 2
	reference=$samples/reference/$name
	query=$reference/layer${layer}_q.npy
	if [ "$name" = short ]; then
		last_rows "$query" 8 96 >"$work/q.npy"
		query=$work/q.npy
	fi
	what="attend $name, layer $layer${*:+, $*}"
	run 120 "$flashtwin" attend --path flash-decoding --q "$query" \
		--k "$reference/layer${layer}_k.npy" --v "$reference/layer${layer}_v.npy" \
		--device both --log points --out "$work/out.npy" "$@"
	compared "$what"
	[ "$code" -eq 0 ] || return
	error=$(greatest_error "$work/out.npy" "$reference/layer${layer}_out64.npy")
	if [ "$(awk -v e="$error" 'BEGIN { print (e != "inf" && e + 0 <= 2e-6) }')" = 1 ]; then
		result PASS "$what: error" "at most $error off float64"
	else
		result FAIL "$what: error" "$error off float64, 2e-6 is allowed"
	fi
}

attend romeo 0
attend romeo 2
attend long 0
attend long 2
attend short 1
for chunk in 1 16 33 95 96 97; do
	attend romeo 0 --chunk "$chunk"
done

# --- from CUDA graphs ---

# graph_decode NAME BYTES OPTION...: on the GPU; the text must be the reference's.
graph_decode() {
	name=$1 bytes=$2
	shift 2
	what="decode $name, $*"
	npy_data "$samples/reference/$name/tokens.npy" | bytes_of_i32 >"$work/prompt"
	npy_data "$samples/reference/$name/greedy.npy" | head -c "$bytes" >"$work/greedy"
	run 120 "$flashtwin" decode --model "$samples" --prompt-file "$work/prompt" -n "$bytes" \
		--device cuda "$@"
	if [ "$code" -eq 0 ] && cmp -s "$work/stdout" "$work/greedy"; then
		result PASS "$what" "$bytes bytes equal greedy.npy"
	else
		result FAIL "$what" "exit code $code: $(tail -n 1 "$work/stderr")"
	fi
}

# attend_romeo OUT OPTION...
attend_romeo() {
	to=$1 reference=$samples/reference/romeo
	shift
	run 60 "$flashtwin" attend --q "$reference/layer0_q.npy" --k "$reference/layer0_k.npy" \
		--v "$reference/layer0_v.npy" --out "$to" "$@"
}

# graph_attend PATH [OPTION...]: in every mode the GPU gives the bits of launches one by one on the
# simulator.
graph_attend() {
	attend_romeo "$work/one_by_one.npy" --path "$@"
	for mode in none capture manual; do
		attend_romeo "$work/graph.npy" --path "$@" --graph "$mode" --device cuda
		if [ "$code" -eq 0 ] && cmp -s "$work/one_by_one.npy" "$work/graph.npy"; then
			result PASS "attend by $*, --graph $mode" 'the bits of the simulator'
		else
			result FAIL "attend by $*, --graph $mode" \
				"exit code $code: $(tail -n 1 "$work/stderr")"
		fi
		rm -f "$work/graph.npy"
	done
}

# Recorded, then not: a recorder adds nodes of its own to a graph.
decode romeo 200 'captured, every point' --path flash-decoding-graph --log points
decode romeo 200 'built by hand, every partial' --graph manual --log partials --chunk 16
decode short 64 'batched, captured' --path batched --graph capture --log points
decode short 64 'incremental, by hand' --path incremental --graph manual --log points
graph_decode romeo 200 --path flash-decoding-graph
graph_decode romeo 200 --graph manual
graph_decode long 200 --graph capture --chunk 16 --warps 2
graph_decode short 64 --path incremental --graph capture
graph_decode short 64 --path incremental-multiwarp --graph manual
graph_decode short 64 --path batched --graph capture
graph_attend flash-decoding --chunk 7
graph_attend flash-decoding --warps 2
graph_attend incremental
graph_attend incremental-multiwarp
graph_attend batched

# --- users' kernels ---

# Needs nvcc: compiles each for both devices, and holds the two to the same bits and to what Python
# works out.
if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	run 300 python3 "$source/tests/launch/cases.py" "$flashtwin" both
	passed "users' kernels"
else
	result SKIP "users' kernels" 'no nvcc'
fi

# --- traces to keep; compute-sanitizer ---

. "$source/tests/gpu/record.sh"
. "$source/tests/gpu/sanitize.sh"
. "$source/tests/gpu/checker.sh"

# --- what the paths claim to gain ---

# Beside it, where PyTorch is installed, kernels that are not ours.
run 300 "$flashtwin" bench --suite seeds
if [ "$code" -eq 0 ]; then
	cp "$work/stdout" "$out/seeds-claims.md"
	detail="$(grep -c '| beaten *|$' "$out/seeds-claims.md") beaten,"
	detail="$detail $(grep -c '| reproduced *|$' "$out/seeds-claims.md") reproduced,"
	detail="$detail $(grep -c '| not reproduced *|$' "$out/seeds-claims.md") not reproduced"
	result PASS 'bench --suite seeds' "$detail"
	if command -v nvidia-smi >/dev/null; then
		echo 'Clocks and power afterwards:'
		nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit \
			--format=csv,noheader
		echo
	fi >>"$out/seeds-claims.md" 2>&1
	run 300 python3 "$source/tests/gpu/reference_bench.py"
	if [ "$code" -eq 0 ]; then
		cat "$work/stdout" >>"$out/seeds-claims.md"
		result PASS 'reference of bench' 'PyTorch'
	else
		result SKIP 'reference of bench' "exit code $code: $(tail -n 1 "$work/stderr")"
	fi
	cat "$out/seeds-claims.md" >>"$log"
else
	result FAIL 'bench --suite seeds' "exit code $code: $(tail -n 1 "$work/stderr")"
fi

# --- the table ---

echo
cat "$report"
if [ "$failures" -eq 0 ]; then
	echo "PASS: $(grep -c '^PASS' "$report") checks" | tee -a "$report"
else
	echo "FAIL: $failures of $(grep -c '^PASS\|^FAIL' "$report") checks" | tee -a "$report"
	exit 1
fi
