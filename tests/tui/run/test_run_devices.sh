#!/bin/sh
# test_run_devices.sh - `flashtwin run --devices N`: a program on several simulated devices.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/devices.cu" .
wanted='devices 2
can 0
can 1, b on 1
itself 217
absent 101
disable 705
enable 0
again 704
kernel 0
doubled 1
copy 0
copied 1
before 0
pool 0
after 3
wait 0
pool kernel 0
free 0
stream 0
doubled 1
record 400
other'\''s stream 400
no peer 700
the other 0
none 101'
for seed in 0 5; do
	run run --devices 2 --seed "$seed" devices.cu
	cp err faults
	result "peers, pools and streams, with the seed $seed" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || diff out - <<END
$wanted
END
)"
done
result 'a fault is one line' "$(grep -c '(700): illegal address in twice, ' faults | grep -vx 1)"

cat >count.cu <<'EOF2'
#include <cstdio>
int main() { int n; cudaGetDeviceCount(&n); printf("%d\n", n); }
EOF2
run run count.cu
result 'there is one without the option' "$([ "$(cat out)" = 1 ] || cat out err)"
cp "$XDG_STATE_HOME/flashtwin/last.twin" before
run run --devices 3 count.cu
result 'there are as many as it says' "$([ "$(cat out)" = 3 ] || cat out err)"
result 'a run of several is not kept' \
	"$(cmp before "$XDG_STATE_HOME/flashtwin/last.twin" 2>&1)"
run run --devices 17 count.cu
expect 'up to 16' 2 '--devices.* 1 to 16'
for option in '-o t.twin' --check '--all-orders 2' '--device both' '--count --json'; do
	run run --devices 2 $option count.cu
	expect "not with $option" 2 '^flashtwin run: --devices 2 cannot be used with -'
done

cat >variable.cu <<'EOF2'
__device__ int counter;
__global__ void count() { counter++; }
int main() { count<<<1, 1>>>(); return cudaDeviceSynchronize(); }
EOF2
run run --devices 1 variable.cu
result 'variables are those of one device' "$([ "$code" = 0 ] || cat err)"
run run --devices 2 variable.cu
expect 'and refused with several' 2 '^flashtwin run: variable counter: .* 2 devices'
plan
