#!/bin/sh
# test_lab_formats.sh - results for course systems and test harnesses: are they what the systems
# document, are they safe, and do they keep secret cases secret?
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }

formats='gradescope autolab classroom50 junit tap'

# sample FORMAT: the path of its sample.
sample() {
	ls "$srcdir/labs/formats/$1".*
}

# valid WHAT FORMAT FILE: checks a file against the sample.
valid() {
	result "$1" "$(python3 "$srcdir/tests/tui/lab/check_formats.py" "$2" "$(sample "$2")" "$3" 2>&1)"
}

small_lab labs
labs="--labs labs"
echo sesame >secret
# Prints what breaks terminals, XML, TAP, and the last line of Autolab's output.
sed 's/float m = /printf("\\033[2J<b>]]>\&amp;\\357\\277\\277 # \\"x\\"\\n{\\"scores\\": {\\"public\\": 100}}\\n1..9\\n"); float m = /; s, / sum,,' \
	good.cu >bad.cu

for format in $formats; do
	run lab grade 7 bad.cu $labs --secret secret --student ada --format $format -o bad.$format
	code=$([ $format = gradescope ] && echo $((code + 1)) || echo $code)
	expect "$format: the exit code of a result that is not passed" 1
	valid "$format: a wrong kernel" $format bad.$format
	result "$format: a secret case has family, counts, reason and hint" \
		"$(for part in '0 of 1 cases pass' 'ordinary numbers' 'compute a row by hand'; do
			grep -A 40 'secret' bad.$format | grep -q "$part" || echo "no $part"
		done)"
	result "$format: but no values, sizes or trace" \
		"$(sed -n '/secret/,/checker/p' bad.$format | grep -e expected -e view -e sizes -e printed)"
	result "$format: what it printed is there, but no escape" \
		"$(grep -q 'x1b\[2J' bad.$format || echo 'nothing'; grep -l "$(printf '\033')" bad.$format)"
done
result 'autolab: a printed line is not the autoresult' \
	"$(tail -n 1 bad.autolab | grep -v '"public": 0.0, .*"scoreboard": \[0.0, 0.0, 0.0, 0.0, 0.0\]')"
result 'autolab: what is printed does not look like a line of the result' \
	"$(grep -c '^{"scores"' bad.autolab | grep -vx 1)"
result 'gradescope: a redacted result has nothing to publish' "$(grep after_published bad.gradescope)"

run lab grade 7 bad.cu $labs --secret secret --student ada --staff --format gradescope -o staff.json
expect 'gradescope: exit code 0 once the file is written' 0
valid 'gradescope: with --staff' gradescope staff.json
python3 - >out 2>&1 <<'END'
import json
tests = json.load(open('staff.json'))['tests']
hidden = [test for test in tests if test['visibility'] == 'after_published']
assert [test['name'] for test in hidden] == ['secret: plain 1'], hidden
assert 'expected' in hidden[0]['output'] and 'score' not in hidden[0], hidden
assert all('expected' not in test['output'] for test in tests
           if test['name'].startswith('secret') and test not in hidden), tests
assert sum(test.get('max_score', 0) for test in tests) == 100, tests
END
code=$?
expect 'gradescope: values of secret cases are after_published, and cost no points twice' 0
for format in junit tap; do
	run lab grade 7 bad.cu $labs --secret secret --student ada --staff --format $format -o s.$format
	valid "$format: with --staff" $format s.$format
	result "$format: staff see each secret case" \
		"$(grep -q 'secret: plain 1' s.$format || cat s.$format)"
done

for format in $formats; do
	run lab grade 7 good.cu $labs --format $format -o good.$format
	expect "$format: a right kernel" 0
	valid "$format: without a secret" $format good.$format
done
result 'junit, tap: what was not graded is skipped' \
	"$(grep -q '<skipped/>' good.junit || echo 'not in junit'
	grep -q '^ok 3 - secret # SKIP ' good.tap || echo 'not in tap')"
result 'autolab: what was not graded has no score' \
	"$(tail -n 1 good.autolab | grep '"secret"')"
if command -v prove >/dev/null; then
	prove -e cat good.tap >out 2>&1
	code=$?
	expect 'prove: a right kernel' 0 'Result: PASS'
	prove -e cat bad.tap >out 2>&1
	code=$?
	expect 'prove: a wrong kernel' 1 'Failed tests:  2-5' 'Result: FAIL'
	result 'prove: no parse errors' "$(grep -i parse out)"
else
	skip 'prove' 'no prove here'
fi

# Identity comes from Classroom 50's runner.
CLASSROOM=cs ASSIGNMENT=lab7 OWNER=alice SUBMISSION_TAG=submit/1 COMMIT_URL=https://c/1 \
	RELEASE_URL=https://r/1 "$flashtwin" lab grade 7 good.cu $labs --format classroom50 -o r.json
valid 'classroom50: in its environment' classroom50 r.json
result 'classroom50: the environment is in the result' \
	"$(for pair in '"classroom": "cs"' '"assignment": "lab7"' '"owner": "alice"' \
		'"submission": "submit/1"' '"review": "https://c/1"'; do
		grep -q "$pair" r.json || echo "no $pair"; done)"

# --- files that do not compile, names ---

name=$(printf 'x\033[31m#.cu')
printf '#error <&"]]> # \\\n' >"$name"
for format in $formats text json; do
	run lab grade 7 "$name" $labs --secret secret --student "$(printf 'a\033b\377')" --format $format \
		-o broken.$format
	case $format in
	text|json) ;;
	*) valid "$format: a file that does not compile" $format broken.$format ;;
	esac
	result "$format: names and messages are safe" \
		"$(grep -q 'error' broken.$format || echo 'no message'
		LC_ALL=C grep -l "$(printf '[\033\377]')" broken.$format)"
done
result 'gradescope: 0 points' "$(grep -q '^  "score": 0.0' broken.gradescope || cat broken.gradescope)"

# --- faults ---

for format in gradescope classroom50; do
	CXX=/nonexistent/c++ run lab grade 7 bad.cu $labs --format $format -o fault.json
	expect "$format: a fault of the grader" 70
	result "$format: has no result" "$(ls fault.json 2>/dev/null)"
done
run lab grade 7 bad.cu $labs --format gradescope -o /nonexistent/r.json
expect 'gradescope: a result that cannot be written' 2
run lab grade 7 bad.cu $labs --format canvas
expect 'an unknown format' 2 'gradescope'

# --- check_formats.py itself ---

# finds WHAT FORMAT EDIT: a wrong file is found.
finds() {
	sed "$3" bad.$2 >wrong
	cmp -s wrong bad.$2 && echo same >wrong
	result "check_formats.py finds $1" "$(python3 "$srcdir/tests/tui/lab/check_formats.py" $2 \
		"$(sample $2)" wrong | grep wrong: >found || echo 'it does not')"
}
finds 'a score of the wrong type' gradescope 's/"score": 0.0/"score": "0"/'
finds 'an unknown visibility' gradescope 's/"visibility": "visible"/"visibility": "public"/'
finds 'an unknown name' gradescope 's/max_score/max-score/'
finds 'a last line that is no autoresult' autolab '$s/$/;/'
finds 'scores that are not integers' classroom50 's/"score": 0,/"score": 0.5,/'
finds 'a missing identity' classroom50 '/"owner"/d'
finds 'a wrong count' junit 's/failures="1"/failures="0"/'
finds 'an unescaped text' junit 's/&lt;b/<b/'
finds 'a missing attribute' junit 's/ hostname="localhost"//'
finds 'a wrong plan' tap 's/^1\.\.5/1..6/'
finds 'printed lines outside of the diagnostics' tap 's/^  message: .*/1..9/'
plan
