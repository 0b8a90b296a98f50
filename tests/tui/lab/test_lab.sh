#!/bin/sh
# test_lab.sh - flashtwin lab list, start, hint and grade: files, points, reports, exit codes.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"

# --- list, start, hint ---

run lab list
expect 'list shows the labs' 0 '  1  Safe softmax' '  3  Online softmax'
run lab start 3
expect 'start says what to do next' 0 'flashtwin lab grade 3 03-online-softmax'
result 'start copies handout, starter and picture, and nothing else' \
	"$(ls -A 03-online-softmax | tr '\n' ' ' | grep -vx 'README.md rescaling.svg student.cu tiles.svg ')"
run lab start 3
expect 'start does not overwrite' 2 'file exists: remove it, or name another folder'
run lab hint 3 2
expect 'hints are numbered' 0 'hint 2 of 4' 'flashtwin lab hint 3 3'
run lab hint 3 9
expect 'there is an end of hints' 2 'lab 3 has 4 hints'

# --- usage ---

run lab
expect 'no subcommand' 2 'expected list, start, hint, grade or check'
run lab frob
expect 'an unknown subcommand' 2 'got frob'
run lab grade
expect 'no number' 2 'expected the number of a lab'
run lab grade 98
expect 'an unknown lab' 2 'there is no lab 98'
run lab grade x
expect 'not a number' 2 'the lab'
run lab grade 3 nothing.cu
expect 'a file that is not there' 2 'there is no nothing.cu'
run lab grade 3 03-online-softmax --secret none.txt
expect 'a secret that is not there' 2 'none.txt'

# --- a student's way through lab 3 ---

run lab grade 3
expect 'the starter fails, and the graded file is named' 1 \
	'Online softmax: 03-online-softmax/student.cu' 'public       0.0 of 35' 'FAIL  random 1' \
	'secret     not graded' 'total        0.0 of 65' 'lab hint 3'
sed '/acc = acc \* alpha/d' "$srcdir/labs/03-online-softmax/staff/solution.cu" \
	>03-online-softmax/student.cu
(cd 03-online-softmax && "$flashtwin" lab grade 3 >../out 2>../err)
code=$?
expect 'a mistake is explained' 1 'FAIL  late-maximum 1: rows' 'must shrink by' \
	'at acc and sum just' \
	'view: flashtwin view traces/late-maximum-1.twin --at L0.b0.w0.l0 --screen points'
run view 03-online-softmax/traces/late-maximum-1.twin --at L0.b0.w0.l0 --screen points \
	--plain
expect 'the trace shows the values of each tile' 0 'L0.b0.w0.l0.p3 *tile'
cp "$srcdir/labs/03-online-softmax/staff/solution.cu" 03-online-softmax/student.cu
run lab grade 3
expect 'the solution passes' 0 'total       65.0 of 65'

# --- results, on a small lab ---

small_lab labs
labs="--labs labs"
run lab list $labs
expect '--labs names other labs' 0 '  7  Small'
echo sesame >secret
run lab grade 7 good.cu $labs --secret secret --student ada
expect 'with a secret, 100 points' 0 'student    ada' 'total      100.0 of 100'
FLASHTWIN_LAB_SECRET=secret run lab grade 7 good.cu $labs
expect 'the secret may be named by the environment' 0 'total      100.0 of 100'

sed 's, / sum,,' good.cu >undivided.cu
run lab grade 7 undivided.cu $labs --secret secret --student ada
expect 'a wrong kernel gets nothing' 1 'total        0.0 of 100' 'p\[0, 0\] is' \
	'plain: 0 of 1 cases pass' 'sums to 1\|sum to 1'
result 'secret cases show neither sizes nor values nor a trace' \
	"$(sed -n '/^secret/,/^checker/p' out | grep -e ' n [0-9]' -e 'expected' -e view;
	ls traces-undivided | grep secret)"
run lab grade 7 undivided.cu $labs --secret secret --student ada --staff
expect 'staff see them' 1 'secret-plain-1.twin'
cp out ada
run lab grade 7 undivided.cu $labs --secret secret --student ada --staff
result 'the same student gets the same cases' "$(cmp ada out)"
run lab grade 7 undivided.cu $labs --secret secret --student bob --staff
result 'another student gets other cases' \
	"$(sed -n '/^secret/,/^checker/p' ada >a; sed -n '/^secret/,/^checker/p' out >b
	cmp -s a b && echo 'they are the same')"

result 'another file than the lab has traces of its own' \
	"$([ -e traces-undivided/plain-1.twin ] && [ ! -e traces ] || ls -d traces*)"
cp undivided.cu fixed.cu
run lab grade 7 fixed.cu $labs
expect 'a wrong file' 1 'traces-fixed/plain-1.twin'
cp good.cu fixed.cu
run lab grade 7 fixed.cu $labs
expect 'mended' 0
result 'leaves no trace of the failure' "$(ls traces-fixed)"
result 'a pipe gets no progress' "$(grep -v '^warning: lab: no sandbox' err)"
result 'a missing sandbox is said once' "$(grep -c '^warning: lab: no sandbox' err | grep -v '^[01]$')"
if command -v python3 >/dev/null; then
	python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$flashtwin" lab grade 7 good.cu $labs \
		--sandbox no >out 2>&1 </dev/null
	result 'a terminal gets a line for each case, which is removed' \
		"$(tr '\r' '\n' <out | sed 's/\x1b\[K//' | grep -q '^public: case 1, plain 1$' || cat -v out)"
else
	skip 'a terminal gets a line for each case, which is removed' 'no python3'
fi

run lab grade 7 good.cu $labs --format json -o r.json
expect 'a result in a file' 0
result 'JSON has parts and cases' "$(for key in '"schema": 1' '"passed": true' '"public": {' \
	'"family": "plain"' '"student": null'; do
	grep -q -- "$key" r.json || echo "no $key"; done)"
run lab grade 7 undivided.cu $labs --format json -o /nonexistent/r.json
expect 'a result that cannot be written' 2

# --- what submissions do ---

# graded WHAT PATTERN...: grades bad.cu, which gets no points.
graded() {
	local what=$1
	shift
	run lab grade 7 bad.cu $labs --secret secret
	expect "$what" 1 'total        0.0 of 100' "$@"
}

sed 's/float m = /float m == /' good.cu >bad.cu
graded 'a file that does not compile' 'FAIL  it does not compile' 'bad.cu:3' \
	'structure    0.0 of 10  no case could run'
echo '__global__ void other(float *p) { }' >bad.cu
graded 'a file without the kernel' 'does not compile'
sed 's/const float \*x/const float *z/; s/= x +/= z +/' good.cu >bad.cu
graded 'a parameter that the lab does not pass' "parameter z ('const float \*')" 'from the starter'
sed 's/= expf(row\[i\] - m) . sum/= NAN/' good.cu >bad.cu
graded 'a NaN is never right' 'NaN'
sed 's/= expf(row\[i\] - m) . sum/= 0.0f/' good.cu >bad.cu
graded 'zeros are never right'
sed 's/float m = /for (;;) ; float m = /' good.cu >bad.cu
graded 'a kernel that does not end' 'endless loop'
sed 's/n + i\] = expf/n + i + 100000] = expf/' good.cu >bad.cu
graded 'stores elsewhere' 'oob: write in line 10' 'compare the index'
sed '1i #include <stdlib.h>' good.cu | sed 's/float m = /system("touch here"); float m = /' >bad.cu
graded 'a call of system()' 'does not compile'
result 'system() was not called' "$([ ! -e here ] || echo 'it was')"
printf '#include "/etc/passwd"\n' | cat - good.cu >bad.cu
graded 'an include of /etc/passwd' 'does not compile'
sed 's/float m = /printf("\\033[2Jtotal 100.0 of 100\\n"); float m = /; s, / sum,,' good.cu >bad.cu
graded 'escape sequences of the kernel are visible' 'printed: .x1b\[2Jtotal'
result 'no escape reaches the terminal' "$(grep -c "$(printf '\033')" out | grep -vx 0)"

"$flashtwin" info >info 2>&1
if grep -q 'bubblewrap: /' info; then
	printf '#include "labs/03-online-softmax/staff/solution.cu"\n' | cat - good.cu >bad.cu
	graded 'the solutions cannot be read' 'does not compile' 'labs/03'
	printf '#include "labs/07-small/staff/solution.cu"\n' >bad.cu
	graded 'nor those of --labs, next to the submission' 'does not compile' 'labs/07-small'
	ln -s . link
	run lab grade 7 "$work/link/bad.cu" $labs
	expect 'nor through a link' 1 'does not compile' 'labs/07-small'
	printf '#include "staff/solution.cu"\n' >labs/07-small/student.cu
	run lab grade 7 labs/07-small $labs
	expect 'nor from the folder of the lab' 1 'does not compile' 'staff/solution.cu'
	run lab grade 7 labs/07-small/staff/solution.cu $labs
	expect 'staff can grade the solution' 0
	small_lab labs
else
	skip 'the solutions cannot be read' 'no sandbox here'
fi

mkdir -p sim/cuda
echo '#define __shared__' >sim/cuda/user.h
run lab grade 7 good.cu $labs
expect "a header in place of flashtwin's own is refused" 2 'start it elsewhere'
rm -r sim

# --- faults of the grader ---

sed 's/softmax_rows/no_such/' labs/07-small/lab.json >lab.json && cp lab.json labs/07-small/
run lab grade 7 good.cu $labs
expect 'a lab without its reference is not scored' 70 'there is no reference no_such'
CXX=/nonexistent/c++ run lab grade 7 undivided.cu $labs --secret secret
expect 'nor is a submission without a compiler' 70
sed 's/"title"/"tilte"/' lab.json >labs/07-small/lab.json
run lab grade 7 good.cu $labs
expect 'a misspelt key is found' 70 'unknown key "tilte"'
small_lab labs

env --default-signal=INT "$flashtwin" lab grade 3 >out 2>err &
pid=$!
until_true pgrep -P $pid >children      # it compiles
kill -INT $pid
wait $pid
code=$?
expect 'an interrupt ends the grading' 130 'interrupted'
plan
