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
	expect "runs: $name" 0 '^2,4/1,128,300 .* [0-9a-f]*[1-9a-f][0-9a-f]*$'
}

form none -D PRODUCERS=0
for n in 1 2 4; do
	form "$n" -D PRODUCERS=$n
	result "the partials of $n producer warps" "$(diff none "$n")"
done
form pair -D PRODUCERS=1 -D SPLIT_PAIR
result 'the partials of two blocks of a multiprocessor' "$(diff none pair)"
form checked --check -D PRODUCERS=2
result 'the checker finds nothing' "$(cat err)"
plan
