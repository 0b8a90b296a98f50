#!/bin/sh
# test_lab_way.sh - a student's way through labs 1, 2, 4 and 7: what typical mistakes are told, and that
# the printed commands open the launch, thread or line where the mistake shows.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# grade NUMBER NAME SED: grades the solution of a lab with a sed script applied to it.
grade() {
	mkdir -p "$2"
	sed "$3" "$srcdir/labs/0$1-$2/staff/solution.cu" >"$2/student.cu"
	cmp -s "$srcdir/labs/0$1-$2/staff/solution.cu" "$2/student.cu" && echo 'not edited' >&2
	(cd "$2" && "$flashtwin" lab grade "$1" >../out 2>../err)
	code=$?
}

# shows WHAT NAME PATTERN COMMAND: follows the first printed command that matches.
shows() {
	at=$(sed -n "s|.*view: flashtwin view \\($4.*\\)|\\1|p" out | head -1)
	folder=$PWD
	(cd "$2" && "$flashtwin" view --plain $at >"$folder/shown" 2>&1)
	result "$1" "$(grep -q -e "$3" shown || cat out shown)"
}

grade 1 safe-softmax 's|scale \* sum;|sum;|; s|scores\[i\] - m) . sum|scores[i] - m)|'
expect 'two kernels that are wrong' 1 'what: scores\[0\] is' 'what: p\[0\] is'
shows 'the first array opens the first launch' safe-softmax 'L0.b0.w0.l0.p0 *dot' 'traces/random-1.*--screen points'
result 'the second array opens the second launch' "$(grep -q 'random-1.twin --at L1.b0.w0.l0' out || cat out)"

# in_case CASE PATTERN: the lines of a case of the result that match.
in_case() {
	awk -v name="  $1:" '/^  (FAIL|LOOK)/ { on = index($0, name) } /^[a-z]/ { on = 0 } on' out |
		grep -e "$2"
}

grade 1 safe-softmax 's/i >= n/i > n/'
expect 'a fault is explained as one' 1 'ends the launch with an error' 'oob: read in line'
result 'once, and without an address that means nothing' "$(grep -e CUDA_ERROR -e 0x out)"
shows 'a finding opens its line' safe-softmax '> !.*<- oob' 'traces/tail-1.*--screen source'
shows 'at the thread that did it' safe-softmax 'block 2  thread 1/64' 'traces/tail-1.*--screen source'
result 'at most two findings of a kind are reported' "$(in_case 'few-keys 1' 'oob:' |
	grep -c oob | grep -vx 2)$(in_case 'few-keys 1' 'and 1 more' >shown || cat out)"
result 'bytes outside of arrays are not reported as too many bytes, too' \
	"$(in_case 'few-keys 1' 'load_bytes\|store_bytes')"

grade 2 block-reduction '/all have read the maximum/d'
expect 'a race is explained' 1 'race-shared: write in line' 'put __syncthreads'
shows 'a race opens its line' block-reduction '> !.*part.*<- race-shared' 'traces.*--screen source'
expect 'and takes the blame for wrong values' 1 'probably a consequence of the race above'
result 'instead of what the family is about' "$(grep 'whose tree has no remainder' out)"
shows 'a wrong value opens the points of its thread' block-reduction 'POINTS of L0' 'traces.*--screen points'

grade 2 block-reduction 's/ - max)/)/'
expect 'infinity is explained' 1 'l\[0\] is inf' 'why:  exp(x) is infinite above 88'
result 'once' "$(grep 'exp() overflows' out)"

grade 2 block-reduction 's/^\(.*\)max = -INFINITY, sum = 0.0f;/&\n\tif (t >= n)\n\t\treturn;/'
expect 'an early return is named as one' 1 'short-row 1' 'barrier-divergence:.* has ended' \
	'at a return before' 'consequence of the barrier above'

grade 4 split-partials '/acc = acc \* alpha/d'
expect 'partials that are no averages' 1 'divided by its split.s sum it is' 'rescaled by the same'
shows 'its thread has the values of each tile' split-partials 'b0.w0.l.*p1 *tile' traces/long-chunk-1
grade 4 split-partials 's/, lengths\[row\])/, n)/; s/, n);/, split * chunk + chunk);/'
expect 'keys of nobody' 1 'what: o\[' 'what: l\['
result 'where o and l are both wrong, nothing is said about how they are related' \
	"$(in_case 'ragged 1' 'divided by its split')"

grade 7 paged-cache 's/ || refs\[[^]]*\] > 1//'
expect 'a page that others read' 1 'k_pool\[2, 2, 0, 0\] is' '1 of 2 elements of refused is wrong'
shows 'the thread that stored an element is found by its point' paged-cache \
	'L0.b0.w0.l0.p. *append .*v2 576' 'traces/shared-page.*--screen points'

mkdir starter
cp "$srcdir/labs/07-paged-cache/student.cu" starter
run lab grade 7 starter
result 'an element that nobody wrote is shown for that reason' \
	"$(in_case 'page-boundary 1' 'k_pool.* is not written' >shown &&
	in_case 'page-boundary 1' 'no thread wrote' >shown || cat out)"
shows 'it opens a thread that wrote another' . 'L0.b0.w0.l0.p0 *append' 'starter/traces/page-boundary.*--screen points'
plan
