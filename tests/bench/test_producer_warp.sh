#!/bin/sh
# test_producer_warp.sh - whether the forms of tests/bench/producer_warp.cu have the same bits on the
# simulator, and pass its checker.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

# The source folder itself is flashtwin's own, whose headers count as the compiler's.
mkdir include
ln -s "$(cd "$srcdir" && pwd)/kernels" include/kernels

# form NAME OPTION...: the sums of the partials of a form are in NAME.
form() {
	name=$1
	shift
	run run --no-record -I include "$@" "$srcdir/tests/bench/producer_warp.cu" -- small
	cut -d ' ' -f 1,4 out >"$name"
	expect "runs: $name" 0 '^[bfem1346]*,2,4/1,128,300 .* [0-9a-f]*[1-9a-f][0-9a-f]*$'
}

# Rings of all sizes, and both types.
for type in BF16 E4M3; do
	form none -D PRODUCERS=0 -D SPLIT_$type=1
	for n in '1' '2' '4' '0 -D SPLIT_PAIR' '1 -D SPLIT_PAIR' '2 -D SPLIT_PAIR'; do
		# shellcheck disable=SC2086
		form some -D SPLIT_$type=1 -D PRODUCERS=$n
		result "partials of $type, $n producer warps" "$(diff none some)"
	done
done
form checked --check -D PRODUCERS=2
result 'the checker finds nothing' "$(cat err)"
plan
