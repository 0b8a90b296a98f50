#!/bin/sh
# test_lab_way.sh - a student's way through labs 1, 2 and 4: what typical mistakes are told, and that the
# printed commands open the launch, thread or line where the mistake shows.
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
	(cd "$2" && "$flashtwin" view --plain $at >../shown 2>&1)
	result "$1" "$(grep -q -e "$3" shown || cat out shown)"
}

grade 1 safe-softmax 's|scale \* sum;|sum;|; s|scores\[i\] - m) . sum|scores[i] - m)|'
expect 'two kernels that are wrong' 1 'what: scores\[0\] is' 'what: p\[0\] is'
shows 'the first array opens the first launch' safe-softmax 'L0.b0.w0.l0.p0 *dot' 'traces/random-1.*--screen points'
result 'the second array opens the second launch' "$(grep -q 'random-1.twin --at L1.b0.w0.l0' out || cat out)"

grade 1 safe-softmax 's/i >= n/i > n/'
expect 'a fault is explained as one' 1 'error on a GPU too' 'oob: read in line'
result 'and so does the error' "$(awk '/what: CUDA_ERROR/ { error = 1 }
	error && /view:/ { exit !/--at L[01].n[0-9]* --screen source/ }' out || cat out)"
shows 'a finding opens its line' safe-softmax '> !.*<- oob' 'traces.*--screen source'

grade 2 block-reduction '/all have read the maximum/d'
expect 'a race is explained' 1 'race-shared: write in line' 'put __syncthreads'
shows 'a race opens its line' block-reduction '> !.*part.*<- race-shared' 'traces.*--screen source'

grade 4 split-partials '/acc = acc \* alpha/d'
expect 'partials that are no averages' 1 'divided by its split.s sum it is' 'rescaled by the same'
shows 'its thread has the values of each tile' split-partials 'b0.w0.l.*p1 *tile' traces/long-chunk-1
plan
