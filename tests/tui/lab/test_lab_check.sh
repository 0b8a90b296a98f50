#!/bin/sh
# test_lab_check.sh [--update] - flashtwin lab check: all labs are right, what is wrong in a lab is
# found, and labs/mutants.md is what it prints; --update writes it there.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"

small_lab labs
run lab check 7 --labs labs
expect 'a lab that is right' 0 'not-divided' 'solution *100.0'

# wrong WHAT FILE EDIT PATTERN: the small lab with a sed script applied to one file.
wrong() {
	small_lab labs
	sed "$3" "labs/07-small/$2" >edited && cp edited "labs/07-small/$2"
	run lab check --labs labs
	expect "$1" "${5:-1}" "$4"
}
wrong 'a solution that fails' staff/solution.cu 's/sum += /sum = /' 'WRONG  solution: does not pass'
wrong 'a tolerance without a margin' lab.json 's/1e-5/1e-9/; s/1e-4/2e-7/' 'tenth of the tolerance'
wrong 'a family without a reason' lab.json 's/"ordinary numbers"/""/' 'WRONG  plain: no reason'
wrong 'an invariant without a next step' lab.json 's/"divide by the sum"/""/' 'sums-to-one: no next'
wrong 'a mutant that no case kills' staff/mutants.json 's/ . sum", "with": ""/ x", "with": " x"/; s/ x", "with/ \/ sum", "with/; s/": " x"/": " \/ sum"/' 'no public case kills it'
wrong 'a mutant that does not apply' staff/mutants.json 's/ . sum/ nowhere/' 'occurs nowhere' 70
wrong 'a tolerance that zeros pass' lab.json 's/1e-5/1/' 'an output of zeros passes'
rm -r labs/07-small/staff
run lab check --labs labs
expect 'a lab without solutions, as installed' 2 '07-small/staff: No such .* --labs'
small_lab labs
cp good.cu labs/07-small/student.cu
run lab check --labs labs
expect 'a starter that passes' 1 'WRONG  starter: passes'

run lab check
cat out
expect 'all labs are right' 0 'mutants  *\([5-9][0-9]\|4[5-9]\|1[0-9][0-9]\), of which'
table=$srcdir/labs/mutants.md
if [ "${1-}" = --update ]; then
	{ sed '/^\$ flashtwin lab check$/q' "$table"; cat out; echo '```'; } >table
	cp table "$table"
fi
sed '1,/^\$ flashtwin lab check$/d; /^```$/,$d' "$table" >wanted
result 'the table of labs/mutants.md is true' "$(diff wanted out)"
plan
