#!/bin/sh
# test_run_random.sh - `flashtwin run`: cuRAND's generators in host code.
#
# The expected sums are those of cuRAND 10.4 on an NVIDIA H200 over the same calls.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/random_host.cu" .
wanted='xorwow integer 0 0 6e48b92add90df3c
xorwow integer 4d2 0 f5fffb7168458fe7
xorwow integer 123456789abcdef 1003 5c5dd5612bbb411f
xorwow uniform 0 0 9420ec006053a7e7
xorwow uniform 4d2 0 c5512b5b056d5d97
xorwow uniform 123456789abcdef 1003 280149e8e3678028
philox integer 0 0 3a62159ceae7494d
philox integer 4d2 0 6ba7b3395c47006b
philox integer 123456789abcdef 1003 89a09e86c2daa5b4
philox uniform 0 0 150996926a4686e6
philox uniform 4d2 0 de491b539e892ef3
philox uniform 123456789abcdef 1003 7515a1aeae161862
103'

run run random_host.cu --no-record
result 'the numbers are those of a GPU' \
	"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
result 'another generator is refused by name' \
	"$(grep -q 'generator 141 is not supported: expected XORWOW' err || cat err)"

cat >normal.cu <<'EOS'
#include <curand.h>
int main()
{
	curandGenerator_t g = nullptr;
	float x[2];

	return curandGenerateNormal(g, x, 2, 0, 1);
}
EOS
run run normal.cu
expect 'what is not there is named with its line' 3 \
	'normal.cu:7:.*curandGenerateNormal() is not supported'
plan
