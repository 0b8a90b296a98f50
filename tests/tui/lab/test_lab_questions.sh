#!/bin/sh
# test_lab_questions.sh - lab 0: a student's trace, the answer sheet, and what queries may not do.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# --- a student's way ---

run lab start 0 ada --student ada
expect 'start makes a trace' 0 'ada/answers.txt'
result 'start copies handout, sheet and pictures, and nothing else' \
	"$(ls -A ada | tr '\n' ' ' | grep -vx 'README.md answers.txt kv.svg step.svg trace.twin ')"
result 'the sheet is signed' "$(grep -qx 'student = ada' ada/answers.txt || cat ada/answers.txt)"
"$flashtwin" lab start 0 again --student ada >out
"$flashtwin" lab start 0 bob --student bob >out
for name in ada again bob; do
	"$flashtwin" sql $name/trace.twin --dump | grep -v started >$name.dump
done
result 'the same student gets the same trace' "$(cmp ada.dump again.dump)"
result 'another student gets another trace' \
	"$(cmp -s ada.dump bob.dump && echo 'they are the same')"

run lab grade 0 ada
expect 'the empty sheet fails' 1 'student    ada' 'total        0.0 of 60' 'there is no answer' \
	'view: flashtwin view ada/trace.twin --at L[0-9]*.b3 --screen step'
view=$(sed -n 's/ *view: flashtwin //p' out | grep 'screen step' | head -n 1)
run $view --plain
expect 'the command of a failure opens the Step screen' 0 'STEP .* layer 0  head 3'

# The queries of the solution give a student's answers.
solution=$srcdir/labs/00-read-a-trace/staff/solution.txt
query() {
	awk -v name="[$1]" '$0 == name { on = 1; next } /^\[/ { on = 0 } on && !/^answer/' "$solution" |
		sed 's/^query = //'
}
{
	echo 'student = ada'
	for name in $(sed -n 's/^\[\(.*\)\]/\1/p' "$solution"); do
		printf '[%s]\nanswer = %s\nquery = %s\n' "$name" \
			"$("$flashtwin" sql ada/trace.twin "$(query "$name")")" \
			"$(query "$name" | sed '2,$s/^/ /')"
	done
} >ada/answers.txt
run lab grade 0 ada
expect 'right answers pass' 0 'total       60.0 of 60'
echo sesame >secret
run lab grade 0 ada --student ada --secret secret
expect 'queries pass on other traces' 0 'total      100.0 of 100' 'secret      40.0 of 40'
run lab grade 0 ada --student bob
expect "another student's sheet gets nothing" 1 'is the sheet of student "ada"' 'total        0.0 of 60' \
	"why:  the sheet is another student's" 'lab start 0 NEW --student "bob"'
run lab list
expect 'list says that lab 0 needs an ID' 0 'Read a trace .*--student ID'
run lab start 0 anonymous
expect 'a start without an ID is warned about' 0 'warning: anonymous/answers.txt belongs to nobody'
run lab grade 0 anonymous
expect 'and so is its grading' 1 'note: "student =" is empty in anonymous/answers.txt'
run lab grade 0 anonymous --student ada
expect 'which an ID does not change' 1 'is the sheet of nobody' 'total        0.0 of 60'
run lab start 0 anonymous --student ada
expect 'a folder that exists' 2 'remove it, or name another folder: flashtwin lab start 0 DIR'

# answered QUESTION FORMAT [FACTOR]: grades the right sheet with an answer made from the right one.
answered() {
	value=$(awk -v name="[$1]" '$0 == name { on = 1 } on && /^answer/ { print $3; exit }' ada/answers.txt)
	given=$(awk -v value="$value" "BEGIN { printf \"$2\", value * ${3:-1} }")
	awk -v name="[$1]" -v given="$given" '/^\[/ { on = $0 == name }
		on && /^answer/ { print "answer = " given; next } { print }' ada/answers.txt >near.txt
	run lab grade 0 near.txt
}
answered factor '%.9f' 1.004
expect 'too few digits are named' 1 'is 0.40 % off: give four significant digits'
answered launches '0,%s'
expect 'a number with a comma' 1 'is not a number such as 391'
answered last-reduce 'launch %s'
expect 'a word in an answer' 1 'the answer launch [0-9]* is not a number'

sed 's/^query = SELECT launch FROM v_launch.*/query = SELECT 519/
	/^ AND step = (SELECT max(step) FROM v_step)$/d' ada/answers.txt >neighbour.txt
run lab grade 0 neighbour.txt --secret secret
expect 'a number in place of a query fails on other traces' 1 'last-reduce: 0 of 2 cases pass'
result 'secret cases show no values' "$(sed -n '/^secret/,$p' out | grep -E '519|view')"

# --- sheets and queries that are wrong ---

# sheet QUERY: the sheet bad.txt with this query for the first question.
sheet() {
	printf 'student = ada\n[launches]\nanswer = 12\nquery = %s\n' "$1" >bad.txt
	run lab grade 0 bad.txt
}
sheet 'SELECT 1 UNION SELECT 2'
expect 'several rows' 1 'several rows: expected one'
sheet 'SELECT 1, 2'
expect 'several columns' 1 'several columns: expected one'
sheet 'SELECT 1; SELECT 2'
expect 'several statements' 1 'expected one SELECT'
sheet 'SELECT launch FROM v_launch WHERE 0'
expect 'no row' 1 'it gives no row'
sheet 'SELECT frob FROM v_launch'
expect 'an error of SQL' 1 'no such column: frob'
sheet 'DELETE FROM t_launch'
expect 'a query cannot write' 1 'a trace is read-only'
sheet "ATTACH '$PWD/made.db' AS x"
expect 'or make files' 1 'a trace is read-only'
result 'no file was made' "$([ ! -e made.db ] || echo made.db)"
sheet "SELECT load_extension('/tmp/x')"
expect 'or load code' 1 'the query fails'
sheet 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r'
expect 'an endless query ends' 1 'it takes too long'
sheet "SELECT hex(zeroblob(1000000000))"
expect 'a value that is too large' 1 'too big'
sheet 'WITH RECURSIVE r(n) AS (SELECT zeroblob(60000) UNION ALL SELECT n FROM r) SELECT count(*) FROM (SELECT n FROM r ORDER BY n)'
expect 'memory has an end' 1 'the query fails: out of memory'
sheet "SELECT char(27) || '[2J'"
expect 'escape sequences are visible' 1 'the query gives .x1b'
result 'no escape reaches the terminal' "$(grep -c "$(printf '\033')" out | grep -vx 0)"
sheet 'SELECT sum(1e308 * 10)'
expect 'infinity is no answer' 1 'the query gives Inf'

printf 'student = ada\n[nothing]\n' >bad.txt
run lab grade 0 bad.txt
expect 'an unknown question' 1 'cannot be graded' 'bad.txt:2: expected the name of a question'
printf 'student = ada\nhello\n' >bad.txt
run lab grade 0 bad.txt
expect 'a line that is neither' 1 'bad.txt:2: expected a line like'
printf 'student = ada\n[total]\nanswer = nan\n' >bad.txt
run lab grade 0 bad.txt
expect 'a NaN is never right' 1 'the answer nan is not a number such as 0.01372'
head -c 1000 /dev/zero >bad.txt
run lab grade 0 bad.txt
expect 'a file that is no text' 1 'expected a text'
run lab start 0 x --student "$(printf 'a\nb')"
expect 'an id of two lines' 2 'expected one line'
plan
