#!/bin/sh
# test_run_random.sh - `flashtwin run`: cuRAND's generators in host code, and Poisson numbers.
#
# The expected sums of integers and uniform numbers are those of cuRAND 10.4 on an NVIDIA H200 over
# the same calls; those of normal numbers are of libcurand 10.4's generators of the host, with the
# functions of glibc 2.36. Those of Poisson numbers are of an NVIDIA H200, whose nvcc 13.0 compiled the
# file with -fmad=false, as flashtwin does; with contraction a few numbers of the means 3999.5 and
# 4000 differ.
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

cat >other.cu <<'EOS'
#include <curand.h>
int main()
{
	curandGenerator_t g = nullptr;
	float x[2];

	return curandGenerateLogNormal(g, x, 2, 0, 1);
}
EOS
run run other.cu
expect 'what is not there is named with its line' 3 \
	'other.cu:7:.*curandGenerateLogNormal() is not supported'

cp "$srcdir/tests/tui/run/random_pairs.cu" .
run run random_pairs.cu --no-record
expect 'two and four numbers at a time are those of one after the other' 0 '^96 of 96 equal$' '^0$'
expect "Philox has Random123's known answers" 0 '^6627e8d5 e169c58d bc57ac4c 9b00dbd8$' \
	'^408f276d 41c83b0e a20bc7c6 6d5451fd$'

# --- normal numbers on the host, in a .cpp file ---

cp "$srcdir/tests/tui/run/random_normal.cpp" .
cat >wanted <<'EOS'
xorwow 0: 0 0 0 0 0 0 0 105 2350345d80dbe6e4
philox 0: 0 0 0 0 0 0 0 7405d42c0ebcc5e1
xorwow 6: 0 0 0 0 0 0 0 105 f630dfdf2c9db608
philox 6: 0 0 0 0 0 0 0 8d0d89fe533da64f
xorwow 1002: 0 0 0 0 0 0 0 105 b137973a2d92c4a1
philox 1002: 0 0 0 0 0 0 0 ca1019c113c51580
refused: 103 104 104
EOS
run run random_normal.cpp --no-record
result "normal numbers are those of cuRAND's generators of the host" \
	"$([ "$code" = 0 ] && diff wanted out 2>&1 || cat err)"
result 'a generator of the device is refused' \
	"$(grep -q '^cuRAND: curandGenerateNormal() of a generator of the device' err || cat err)"
result 'and odd numbers of Philox4_32_10, and odd offsets' \
	"$([ "$(grep -c '^cuRAND: [23] normal numbers .* expected an even number' err)" = 2 ] || cat err)"

# --- the device interface: doubles, and Poisson numbers of means below 64 and above 4000 ---

cp "$srcdir/tests/tui/run/random_device.cu" .
run run random_device.cu --no-record
result 'doubles and Poisson numbers of the device interface are those of an H200' \
	"$([ "$code" = 0 ] && diff "$srcdir/tests/h200/random.txt" out 2>&1 || cat err)"

# --- Poisson numbers in device code ---

cp "$srcdir/tests/tui/run/random_poisson.cu" .
cat >wanted <<'EOS'
xorwow 0 dbd23c62d01097e4 0 0.00
philox 0 4e495fcf0d6c3507 0 0.00
philox4 0 d256e139c1145793 0 0.02
xorwow 0.5 2661de399d13b4f9 3 0.52
philox 0.5 662e824f978c38a2 0 0.52
philox4 0.5 92b077a83500d2b4 0 0.54
xorwow 3.75 d82b23ee3021aaa1 7 3.77
philox 3.75 0304b601e294446e 1 3.77
philox4 3.75 e3ee13814f7d6067 3 3.79
xorwow 20 f35d270151e67f89 16 20.12
philox 20 d30d290daa813ec7 14 20.02
philox4 20 1c806cd323bf8e7c 19 20.07
xorwow 63.99 16d6d78c36f1ce6f 58 64.09
philox 63.99 696e2b78c1c2c715 58 64.10
philox4 63.99 3e7093a949fd7d8d 62 64.10
xorwow 64 5f412edc9c267748 79 64.11
philox 64 5923cd6cf7da95ff 56 64.19
philox4 64 5ed9cc45af7ec549 58 64.13
xorwow 64.5 7d435ec172cf2443 80 64.65
philox 64.5 3a2ecafcada541fa 56 64.71
philox4 64.5 fd6118495007051c 58 64.67
xorwow 100.25 aafd4ee33d3440d5 120 100.46
philox 100.25 83033489ccd23a70 90 100.42
philox4 100.25 488cd08c77fe106f 93 100.40
xorwow 777 c1b3647123f9ed85 767 777.56
philox 777 7966b8f8029fa22c 749 777.41
philox4 777 86de95ea1af07caa 758 777.21
xorwow 3999.5 f111c434ed10be61 3978 4001.01
philox 3999.5 0ccef9ae38d9d81d 3938 4000.79
philox4 3999.5 c0bddcc0869fb63f 3957 4000.32
xorwow 4000 94fe0c410415eb86 3979 4001.59
philox 4000 cfed6ab27757f5b9 3939 4001.15
philox4 4000 38a08efe3f887bb5 3957 4000.71
xorwow 4000.5 1ca2e863188dbf93 3985 3999.78
philox 4000.5 5498d8f4c8729bc2 4040 4000.85
philox4 4000.5 7b80b235c3ff9471 4060 4000.73
xorwow 123457 43335335edc4eec1 123370 123452.69
philox 123457 cb378cdcaa4c668a 123676 123458.75
philox4 123457 4c973d5bd16a83fa 123787 123457.96
xorwow 3e+09 cdad0e72e4f8343a 2999986438 2999999369.45
philox 3e+09 76cbaddd39dfb852 3000034227 3000000314.39
philox4 3e+09 64bb4eac1cbe5541 3000051525 3000000188.70
EOS
run run random_poisson.cu --no-record
result "Poisson numbers are those of cuRAND's header" \
	"$([ "$code" = 0 ] && diff wanted out 2>&1 || cat err)"
run run random_poisson.cu --no-record --check
result 'and under the checker, without findings' \
	"$([ "$code" = 0 ] && diff wanted out 2>&1 || cat err)"
plan
