#!/bin/sh
# test_recipe.sh - "Write a lab in an hour" of labs/README.md, executed; and reference programs.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
if ! command -v python3 >/dev/null; then
	echo '# WARNING: the recipe is not tested: no python3' >&2
	echo '1..0 # SKIP no python3'
	exit 0
fi
PATH=$(dirname "$flashtwin"):$PATH
export PATH

# Files of the section are blocks whose first line names them; commands are blocks of `sh`.
mkdir -p labs/20-centre/staff
awk '/^## / { on = $0 == "## Write a lab in an hour"; next }
	!on { next }
	/^```./ { file = $1 == "```sh" ? "commands" : $2; next }
	/^```$/ { file = ""; next }
	file { print >>file }' "$srcdir/labs/README.md"
result 'the recipe has commands and files' "$([ -s commands ] && [ -s labs/20-centre/lab.json ] \
	|| echo no)"
sh -e commands >out 2>err
code=$?
expect 'the recipe makes a lab that is right' 0 'solution *100.0' 'no-barrier' 'first-64' \
	'read mine/README.md'
run lab grade 20 mine --labs labs
expect 'which can be graded' 1 'total        0.0 of 65' 'no thread wrote\|expected'

cp -r labs whole
# changed EDIT...: the lab with its lab.json edited by Python.
changed() {
	rm -r labs
	cp -r whole labs
	python3 - "$1" <<'END'
import json, sys
lab = json.load(open("labs/20-centre/lab.json"))
exec(sys.argv[1])
json.dump(lab, open("labs/20-centre/lab.json", "w"))
END
}
changed 'del lab["families"][1]'
run lab check 20 --labs labs
expect 'a mutant that survives is named' 1 'first-64: no public case kills it'

# --- the program ---

solution=labs/20-centre/staff/solution.cu
# program WHAT CODE PATTERN: the standard input is the reference.
program() {
	changed "${4-pass}"
	cat >labs/20-centre/staff/expected.py
	chmod +x labs/20-centre/staff/expected.py
	run lab grade 20 $solution --labs labs --format json
	expect "$1" "$2" "$3"
}
program 'a program that fails is not the fault of students' 70 'cannot be run, or failed' <<'END'
#!/bin/sh
exit 1
END
program 'nor is one that writes nothing' 70 'y.expected.npy' <<'END'
#!/bin/sh
echo nothing
END
result 'what it prints is not part of the result' "$(grep nothing out)"
program 'nor one that writes another shape' 70 'y.expected.npy' <<'END'
#!/bin/sh
head -c 700 "$1/x.npy" >"$1/y.expected.npy"
END
program 'a program gets family, sizes and scalars' 70 \
	'{"family": "random", "sizes": {"rows": [23].0, "n": 50.0}, "scalars": {"half": 25.0}}' \
	'lab["scalars"] = { "half": { "type": "f32", "value": "n / 2" } }' <<'END'
#!/bin/sh
cat "$1/case.json" >&2
exit 1
END
any='s/^y = .*/y = array.array("d", [float("nan")] * (rows * n))/; s/y.extend(.*/pass/'
changed pass
sed "$any" whole/20-centre/staff/expected.py >labs/20-centre/staff/expected.py
run lab grade 20 $solution --labs labs
expect 'a NaN of the program stands for any value' 0 'public      35.0 of 35'
rm labs/20-centre/staff/expected.py
run lab grade 20 $solution --labs labs
expect 'a program that is not there' 70 'expected.py: cannot be run'
plan
