#!/bin/sh
# test_lab_systems.sh - the autograders that labs/systems/ packs: unpacked, installed from a source
# archive, and run where the course systems would, with their folders redirected.
#
# The archive is a stand-in whose installation starts the program under test.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP no python3'; exit 0; }
for program in zip unzip; do
	command -v $program >/dev/null || { echo "1..0 # SKIP no $program"; exit 0; }
done
build=$(dirname "$flashtwin")
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES FLASHTWIN_LAB_SECRET
systems=$srcdir/labs/systems
solution=$srcdir/labs/03-online-softmax/staff/solution.cu
starter=$srcdir/labs/03-online-softmax/student.cu

valid() {
	result "$1" "$(python3 "$srcdir/tests/tui/lab/check_formats.py" "$2" \
		"$(ls "$srcdir/labs/formats/$2".*)" "$3" 2>&1)"
}

echo sesame >secret
: >err
mkdir flashtwin-0
cat >flashtwin-0/bootstrap <<'END'
#!/bin/sh
[ "$1" = build ] && mkdir build || exit 1
prefix=$(echo "$CONFIGURE_FLAGS" | sed 's/.*--prefix=\([^ ]*\).*/\1/')
printf 'install:\n\tmkdir -p %s/bin\n\tcp ../program %s/bin/flashtwin\n' "$prefix" "$prefix" >build/Makefile
END
printf '#!/bin/sh\nexec %s "$@"\n' "$flashtwin" >flashtwin-0/program
chmod +x flashtwin-0/*
tar -cf flashtwin-0.tar.gz flashtwin-0

# --- packing ---

make -s -C "$build" gradescope >out 2>&1
code=$?
expect 'make gradescope needs a lab and a secret' 2 'expected LAB=NUMBER and SECRET=FILE'
make -s -C "$build" autolab LAB=99 SECRET="$work/secret" ARCHIVE=none >out 2>&1
code=$?
expect 'there must be such a lab' 2 'there is no lab 99'
echo >empty
sh "$systems/package.sh" gradescope "$srcdir" 3 empty none >out 2>&1
code=$?
expect 'an empty secret is refused' 2 'expected a text'
sh "$systems/package.sh" gradescope "$srcdir" 3 secret flashtwin-0.tar.gz >out 2>&1
code=$?
expect 'a package for Gradescope' 0 'gradescope-03-online-softmax.zip'
sh "$systems/package.sh" autolab "$srcdir" 3 secret flashtwin-0.tar.gz >out 2>&1
code=$?
expect 'a package for Autolab' 0 'autolab-03-online-softmax'

# --- Gradescope ---

AUTOGRADER=$work/autograder
PREFIX=$work/usr
export AUTOGRADER PREFIX
source=$AUTOGRADER/source
results=$AUTOGRADER/results/results.json
mkdir -p "$source" "$AUTOGRADER/submission" "$AUTOGRADER/results"
unzip -q gradescope-03-online-softmax.zip -d "$source"
result 'the scripts are at the root of the archive, executable' \
	"$(for file in setup.sh run_autograder; do [ -x "$source/$file" ] || echo "$file"; done)"
cp "$source/run_autograder" "$AUTOGRADER/"
"$source/setup.sh" >out 2>&1
code=$?
expect 'setup.sh installs flashtwin from the sources' 0
result 'and leaves no sources, which have solutions' "$(ls "$source" | grep tar; ls "$PREFIX/bin" |
	grep -vx flashtwin)"
result 'and hides what is secret' "$(stat -c %a "$source" | grep -vx 700)"
PATH=$PREFIX/bin:$PATH
export PATH
"$source/setup.sh" >out 2>&1
code=$?
expect 'setup.sh uses a flashtwin that the image has' 0 'flashtwin is installed'

cat >"$AUTOGRADER/submission_metadata.json" <<'END'
{ "id": 123456, "users": [ { "email": "bob@example.com", "id": 2, "name": "B'o\"b" },
  { "email": "ada@example.com", "id": 1, "name": "$(touch here)" } ] }
END
# submit FILE: runs the autograder on it.
submit() {
	rm -rf "$AUTOGRADER/submission" "$results"
	mkdir "$AUTOGRADER/submission"
	cp -P "$1" "$AUTOGRADER/submission/student.cu"
	(cd "$AUTOGRADER" && ./run_autograder) >out 2>err
	code=$?
}
submit "$solution"
expect 'a solution is graded, as that of all members of the group' 0 \
	"student 'ada@example.com,bob@example.com'"
valid 'the results are as documented' gradescope "$results"
result '100 points' "$(grep -q '^  "score": 100.0,' "$results" || cat "$results")"
submit "$starter"
expect 'a starter is graded' 0
result '0 points, and values of secret cases after_published' \
	"$(grep -q '^  "score": 0.0,' "$results" || cat "$results"
	grep -q after_published "$results" || echo 'nothing is published')"
result 'no result names the secret or its path' "$(grep -e sesame -e "$source" "$results")"
ln -s "$source/secret" link
submit link
expect 'a link is not followed' 0 'there is no student.cu'
valid 'a submission without the file has results' gradescope "$results"
rm "$AUTOGRADER/submission_metadata.json"
submit "$solution"
expect 'without metadata there is no id: the autograder fails' 1
result 'and nobody gets points' "$(ls "$results" 2>/dev/null)"
echo '{ "users": [ { "email": "ada@example.com" } ] }' >"$AUTOGRADER/submission_metadata.json"
CXX=/nonexistent/c++ submit "$starter"
expect 'a fault of flashtwin' 70
result 'has no results' "$(ls "$results" 2>/dev/null)"

# --- Autolab: renames the files, and runs make ---

mkdir instance
cp autolab-03-online-softmax/autograde.tar instance/
cp autolab-03-online-softmax/autograde-Makefile instance/Makefile
cp "$starter" instance/student.cu
(cd instance && PATH=${PATH#"$PREFIX/bin:"} HOME=$work/home PREFIX=$work/home/flashtwin make -s \
	STUDENT=ada) >autolab.out 2>err
code=$?
expect 'Autolab: make installs flashtwin and grades' 0
valid 'Autolab: the last line is the autoresult' autolab autolab.out
result 'Autolab: all four parts are graded' "$(tail -n 1 autolab.out |
	grep -v '"public": .*"secret": .*"checker": .*"structure": ')"
result 'Autolab: secret and sources are gone before the student code runs' \
	"$(ls instance | grep -vx -e Makefile -e student.cu)"

# --- Classroom 50: in the student's checkout ---

mkdir checkout
cp "$starter" checkout/student.cu
classroom50() {
	(cd checkout && CLASSROOM=cs ASSIGNMENT=lab3 OWNER=ada SUBMISSION_TAG=submit/1 COMMIT_URL=c \
		RELEASE_URL=r python3 "$systems/classroom50/autograder.py") >out 2>err
	code=$?
}
classroom50
expect 'Classroom 50: a failing submission is no fault of the runner' 0
valid 'Classroom 50: result.json' classroom50 checkout/result.json
result 'Classroom 50: 65 points can be had' \
	"$(grep -q '^  "max-score": 65' checkout/result.json || cat checkout/result.json)"
rm -r checkout/*
ln -s /etc/passwd checkout/student.cu
classroom50
expect 'Classroom 50: a missing file is a result, not a fault' 0
result 'Classroom 50: with 0 points, and without the file of the link' \
	"$(grep -q '^  "score": 0,' checkout/result.json || cat checkout/result.json
	grep root: checkout/result.json)"
result 'Classroom 50: runtime.json is JSON' "$(python3 -m json.tool "$systems/classroom50/runtime.json" \
	2>&1 >out)"
result 'nothing in a name was run' "$(find "$work" -name here)"
plan
