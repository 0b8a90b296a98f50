#!/bin/sh
# test_run_conditions.sh - `flashtwin run`: conditional nodes of graphs, which kernels decide.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/conditions.cu" .
wanted='instantiate 0
sum 36
sum 36
end 0'
for seed in 0 3; do
	run run --seed "$seed" --no-record conditions.cu
	result "a loop around an if, with the seed $seed" \
		"$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
done
run run --check -o t.twin conditions.cu
result 'without a finding' "$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
run replay --trust t.twin
expect 'what ran is recorded, and replayed' 0 ' 0 bits differ'
# 2 launches of the graph: 12 of one kernel and 6 of the other in each.
result 'as launches of their own' "$("$flashtwin" sql t.twin \
	'SELECT count(*) FROM v_launch' 2>&1 | grep -vx 36)"
plan
