#!/bin/sh
# test_lab_vectors.sh - lab 11: test vectors, which vector finds which bug, and vectors that are
# refused.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

run lab start 11
result 'start copies handout, starter and pictures, and nothing else' "$(ls -A 11-write-tests |
	tr '\n' ' ' | grep -vx 'README.md lengths.svg merge.svg vectors.json ')"
run lab grade 11
expect 'the starter finds little' 1 'FAIL  kv-head-modulo 1: found by none' 'no vector finds this bug' \
	'how many KV heads' 'scale-forgotten *  X' '1  first'

cp "$srcdir/labs/11-write-tests/staff/solution.json" 11-write-tests/vectors.json
echo sesame >secret
run lab grade 11 --secret secret --student ada
expect 'the solution finds all' 0 'total      100.0 of 100' '  columns-from-16 *  \.  \.  X  \.  \.' \
	'which vector finds which bug, public'
result 'the matrix of the secret part is not shown' "$(grep 'bug, secret' out)"
run lab grade 11 --secret secret --student ada --staff
expect 'staff see it' 0 'which vector finds which bug, secret'
run lab grade 11 --format json
expect 'JSON says who found what' 0 'found by every-length, very-negative'

# vector TEXT: grades a file with one vector, whose end is given.
vector() {
	printf '[ { "name": "bad", "tolerance": 1e-3, "sizes": { "rows": 2, "kv_heads": 1, "group": 1, "n": 9, "d": 4 }%s } ]' \
		"$1" >bad.json
	run lab grade 11 bad.json
}
# refused WHAT PATTERN: nothing is graded, and the message says why.
refused() {
	expect "$1" 1 'cannot be graded' "$2" 'total        0.0 of 50'
}
vector ', "fill": { "q": ["constant", 1e30], "k": ["constant", 1e30] }'
expect 'results that are not finite' 1 'vector bad fails a correct kernel: element 0 of out is nan' \
	'1  bad: fails a correct kernel'
sed 's/1e-4/1e-12/' 11-write-tests/vectors.json >bad.json
run lab grade 11 bad.json
expect 'a tolerance below float32' 1 'vector groups fails a correct kernel: element' \
	'tolerance 1e-12'
result 'vectors that correct kernels fail find nothing' "$(grep '[xX]  \.' out)"
echo '[]' >bad.json
run lab grade 11 bad.json
expect 'no vectors, no points' 1 'there are no vectors' 'total        0.0 of 50'

vector ', "fill": { "lengths": ["constant", 10] }'
refused 'a length above n' 'lengths\[0\] is 10: expected 0 to n, which is 9'
vector ', "fill": { "lengths": ["constant", -1e300] }'
refused 'a length below 0' 'expected 0 to n'
vector ', "fill": { "q": ["nothing"] }'
refused 'an unknown fill' 'vector bad: q: unknown fill nothing'
vector ', "fill": { "out": ["constant", 1] }'
refused 'a fill of the output' 'expected the name of an input'
vector ', "fill": { "q": ["constant", "((((((((((((((((((((((((((((((((((1"] }'
refused 'a long expression' 'up to 16 numbers'
vector ', "fill": { "q": "constant" }'
refused 'a fill that is no list' "expected a list of the fill's name"
vector ', "extra": 1'
refused 'an unknown key' '"extra": expected'
vector ', "name": "twice"'
refused 'a key that is there twice' 'bad.json:1: duplicate object key'
sed 's/"rows": 2/"rows": 1000000/' bad.json | sed 's/, "name": "twice"//' >many.json
run lab grade 11 many.json
refused 'a size above its limit' 'an integer from 1 to 100'
sed 's/"rows": 66/"rows": 100/; s/"n": 65, "d": 1/"n": 100, "d": 32/' 11-write-tests/vectors.json >many.json
run lab grade 11 many.json
refused 'too much work' 'is 323000: the maximum is 10000'
for tolerance in 0 -1 2 '"x"'; do
	sed "s/1e-4/$tolerance/" 11-write-tests/vectors.json >many.json
	run lab grade 11 many.json
	refused "the tolerance $tolerance" 'expected a number above 0'
done
sed 's/"wide"/"\\u001b[2J"/' 11-write-tests/vectors.json >many.json
run lab grade 11 many.json
refused 'a name with an escape sequence' 'up to 32 lower-case letters'
result 'no escape reaches the terminal' "$(grep -c "$(printf '\033')" out | grep -vx 0)"
sed 's/"wide"/"groups"/' 11-write-tests/vectors.json >many.json
run lab grade 11 many.json
refused 'a name that is there twice' 'two vectors have the name groups'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >many.json
run lab grade 11 many.json
refused 'lists in lists' 'many.json:1: '
echo '{}' >many.json
run lab grade 11 many.json
refused 'a file that is no list' 'expected a list of at most 8 vectors'
plan
