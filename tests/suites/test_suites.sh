#!/bin/sh
# test_suites.sh - the lists of public test suites (tests/suites/*.json) are well-formed.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
command -v python3 >/dev/null 2>&1 || {
	echo '1..0 # SKIP no python3'
	exit 0
}
suites=$srcdir/tests/suites

# list FILE...: checks lists; what it says goes to the files out and err.
list() {
	python3 "$suites/list.py" "$srcdir/sim/check/finding.h" "$@" >out 2>err
}

list "$suites"/*.json
result 'all lists are well-formed' "$(cat err)"
result 'each has bugs' "$(awk '$2 == 0' out)"

# Programs under `run`.
python3 "$suites/programs.py" --list "$suites"/programs/*.json >out 2>err
result 'all lists of programs are well-formed' "$(cat err)"
sed '0,/"exit": 0/s//"exit": "0"/' "$suites/programs/lectures.json" >wrong.json
python3 "$suites/programs.py" --list wrong.json >out 2>err
result 'a wrong list is refused' "$(grep -q 'wrong type: exit' err || cat err)"
mkdir -p checkout/a
printf '#include <cstdio>\nint main() { puts("one PASSED"); }\n' >checkout/a/one.cu
cat >programs.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "rows": [ { "path": "a/one.cu", "kind": "program", "exit": 0, "prints": "PASSED" },
    { "path": "a/one.cu", "kind": "program", "args": ["x"], "exit": 0, "prints": "two" },
    { "path": "a/two.cu", "kind": "program", "refused": "missing" } ] }
END
python3 "$suites/programs.py" "$flashtwin" programs.json checkout >out 2>err
result 'programs are run' "$(grep -v '^#' out | tr '\n' '|' | grep -vxF \
	'1..3|ok 1 - a/one.cu|not ok 2 - a/one.cu x|not ok 3 - a/two.cu # TODO missing|')"

# refused WHAT SED: the list of one case and one skipped file is refused after the edit
cat >good.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "cases": [
    { "path": "a.cu", "kernel": "k", "kind": "bug", "class": ["oob"], "lines": [3],
      "truth": "suite" },
    { "path": "b.cu", "skip": "no kernel" } ] }
END
list good.json
result 'a list of one bug and one skipped file' \
	"$(echo 's 1 bug 0 clean 0 disputed 1 skipped' | diff - out 2>&1)$(cat err)"
refused() {
	sed "$2" good.json >bad.json
	if list bad.json; then
		result "refused: $1" accepted
	else
		result "refused: $1" "$(grep -v '^list.py: bad.json: ' err)"
	fi
}
refused 'a short commit' 's/"01234/"/'
refused 'no license' 's/"license": "MIT",//'
refused 'an unknown field' 's/"kernel": "k"/&, "color": "red"/'
refused 'an unknown kind' 's/"kind": "bug"/"kind": "maybe"/'
refused 'an unknown class' 's/"oob"/"oops"/'
refused 'a bug without lines' 's/"lines": \[3\],//'
refused 'a line number that is a string' 's/\[3\]/["3"]/'
refused 'lines of a clean kernel' 's/"kind": "bug", "class": \["oob"\]/"kind": "clean"/'
refused 'no source of the truth' 's/"truth": "suite"/"also": ["oob"]/'
refused 'a path outside of the repository' 's|"a.cu"|"../a.cu"|'
refused 'a file listed twice' 's/{ "path": "b.cu", "skip": .* }/&, &/'
refused 'a reason to skip a case that is described' 's/"truth": "suite"/&, "skip": "no"/'
plan
