#!/bin/sh
# test_limits.sh - --check under limits on addresses (ulimit -v) and data (ulimit -d).
#
# Results and findings must be those without limits, except for what doc/checker.md names; too
# little memory must be one error line. Also measures resident memory.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
corpus=$abs_builddir/tests/gpu/corpus
peak_memory=$abs_builddir/tests/peak_memory

# give_up WHY: skips the whole test.
give_up() {
	echo "1..0 # SKIP $1"
	exit 0
}
"$peak_memory" memory true || exit 99
[ "$(cat memory)" != unknown ] || give_up 'a sanitizer needs more addresses'
for option in v d; do
	(ulimit -$option 1048576) 2>limit.err || give_up "ulimit -$option: $(cat limit.err)"
done

# limited LIMIT COMMAND...: runs a command under LIMIT, "-v KIB" or "-d KIB".
limited() {
	limits=$1
	shift
	(
		[ -z "$limits" ] || ulimit $limits || exit 99
		exec timeout "$(limit 60)" "$@"
	) >out 2>err
	code=$?
}

cat >bugs.cu <<'CU'
__device__ int last;
__global__ void bugs(const float *in, float *out)
{
	extern __shared__ float s[];
	int t = threadIdx.x;

	s[t] = in[t];
	last = t;
	out[blockIdx.x * 64 + t] = s[63 - t];
}
CU
npy in.npy '(60,)' 60
npy q.npy '(4, 32)' 128
npy kv.npy '(4, 70, 32)' 8960

# try LIMIT WHAT: runs decode, attend or launch; what it wrote is in "result", findings in "found".
try() {
	case $2 in
	decode)
		limited "$1" "$flashtwin" decode --prompt ROMEO: -n 2 --check
		mv out result ;;
	attend)
		limited "$1" "$flashtwin" attend --q q.npy --k kv.npy --v kv.npy --out result --check ;;
	launch)
		limited "$1" "$flashtwin" launch bugs.cu --kernel bugs --grid 2 --block 64 --shared 256 \
			--arg in=@in.npy --arg 'out=>result:f32[128]' --check ;;
	esac
	: >>out
	grep -v '^warning: --check: ' err >found
}

# warned COUNT: prints what is wrong unless stderr has COUNT lines about spacing.
warned() {
	pattern='^warning: --check: buffers are .* apart instead of 32 GiB, addresses are limited to '
	[ "$(grep -c "$pattern" err)" -eq "$1" ] || echo "expected $1 warnings about spacing"
}

for command in decode attend launch; do
	try '' $command
	mv result $command.result
	mv found $command.found
	echo $code >$command.code
	result "$command without limits" "$(warned 0)"
done
result 'launch has findings without limits' "$(for word in oob race-shared race-grid; do
	grep -q "^$word in bugs" launch.found || echo "no $word"
done)"
# An index that is farther off than all device memory under a limit has no nearest buffer.
findings() {
	sed 's/: [0-9]\{9,\} bytes past .*/: at an address that is not device memory/' "$@"
}
limited '' "$corpus" sim 0 1000
findings out >corpus.found
result 'the corpus without limits' "$([ "$(grep -c '^found' corpus.found)" -gt 100 ] || cat err)"

GiB=1048576
for limits in "-v $GiB" "-v $((2 * GiB))" "-v $((4 * GiB))" "-v $((8 * GiB))" "-v $((16 * GiB))" \
	"-d 65536" "-d 262144" "-d $GiB"; do
	case $limits in -v*) warnings=1 ;; *) warnings=0 ;; esac
	for command in decode attend launch; do
		rm -f result
		try "$limits" $command
		result "$command, ulimit $limits" "$(
			[ "$code" -eq "$(cat $command.code)" ] || echo "exit code $code"
			cmp $command.result result 2>&1
			diff $command.found found
			warned $warnings)"
	done
	limited "$limits" "$corpus" sim 0 1000
	result "findings of the corpus, ulimit $limits" "$([ $code -eq 0 ] || cat err
		findings out | diff corpus.found -)"
done

# one_error: prints what is wrong unless the run succeeded, or failed with one line.
one_error() {
	grep -v '^warning: --check: ' err >lines
	case $code in
	0) [ ! -s lines ] || cat lines ;;
	1 | 2 | 70 | 127)
		[ "$(wc -l <lines)" -eq 1 ] &&
			grep -q 'flashtwin.*: .*memory\|flashtwin: error while loading' lines ||
			{ echo "exit code $code"; cat lines; } ;;
	*) echo "exit code $code"; cat lines ;;
	esac
}
# KiB of addresses that the program itself takes, the kernels for GPUs of a build with CUDA included,
# and of data, 4 MB: less than these ends it in exec(). A little more data ends it while libraries load.
own=$(size "$flashtwin" | awk 'NR == 2 { print int($4 / 1024) }')
data=$(size "$flashtwin" | awk 'NR == 2 { print int(($2 + $3) / 1024) }')
[ "${own:-0}" -gt 1024 ] || result 'the size of the program' "size printed '$own'"
for limits in "-v $((own + 13000))" "-v $((own + 29000))" "-v $((own + 45000))" \
	"-v $((own + 61000))" "-v $((own + 94000))" "-v $((own + 225000))" \
	"-d $((data + 400))" '-d 6144' '-d 8192' '-d 12288' '-d 16384' '-d 32768'; do
	for command in decode attend; do
		try "$limits" $command
		result "$command, ulimit $limits: exit code $code" "$(one_error)"
	done
done
for limits in "-v $((own + 94000))" '-d 8192' '-d 32768'; do
	try "$limits" launch
	result "launch, ulimit $limits: exit code $code" "$([ $code -lt 71 ] || echo "exit code $code"
		! grep 'died of signal' err)"
done

# --- resident memory: at most twice the device memory, 64 MiB, and the shadow in use ---

cat >fill.cu <<'CU'
__global__ void fill(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = i;
}
CU
# peak WHAT DEVICE SHADOW: checks the last peak, with the bytes of device memory and shadow in use.
peak() {
	most=$(((2 * $2 + 64 * 1048576 + $3) / 1000))
	measured=$(cat memory)
	result "resident memory, $1: $measured kB" "$([ "$code" -eq 0 ] || cat err
		[ "$measured" -le $most ] || echo "the maximum is $most kB")"
}
bytes=$((64 * 1048576))
for limits in '' "-v $((2 * GiB))" "-d $GiB"; do
	for used in 1024 1048576; do
		limited "$limits" "$peak_memory" memory "$flashtwin" launch fill.cu --kernel fill --check \
			--grid $((used / 256)) --block 256 --arg "out=>out.npy:f32[$((bytes / 4))]" \
			--arg n=i32:$used
		# A state for every word, records for those used.
		peak "$((used * 4)) of $bytes bytes used${limits:+, ulimit $limits}" $bytes \
			$((bytes / 4 + used * 24))
	done
done
"$flashtwin" decode --prompt ROMEO: -n 64 -o t.twin >out 2>err
bytes=$("$flashtwin" sql t.twin 'SELECT sum(bytes) FROM t_buffer' | grep -o '[0-9]*' | tail -1)
limited '' "$peak_memory" memory "$flashtwin" decode --prompt ROMEO: -n 64 --check
peak "decode" "${bytes:-0}" $((${bytes:-0} * 25 / 4))

plan
