#!/bin/sh
# test_class.sh - flashtwin lab grade --submissions: records, the table, and runs that are ended.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"

"$flashtwin" info >info 2>&1
sandbox=
grep -q 'bubblewrap: /' info || sandbox=--sandbox=no
small_lab labs
echo sesame >secret

# class FOLDER OUT [OPTION...]: grades it.
class() {
	local folder=$1 results=$2
	shift 2
	run lab grade 7 --labs labs --secret secret --submissions "$folder" -o "$results" \
		--jobs 2 $sandbox "$@"
}

# row OUT STUDENT WANTED: compares a student's row without the message.
row() {
	result "$2: $3" "$(grep "^\"$2\"," "$1/grades.csv" | cut -d, -f2-8 | grep -vx -e "$3"
	grep -q "^\"$2\"," "$1/grades.csv" || echo 'there is no row')"
}

# --- usage ---

run lab grade 7 --labs labs --submissions .
expect 'a folder for the results is needed' 2 '--submissions needs -o'
run lab grade 7 --labs labs good.cu --jobs 2
expect '--jobs needs a class' 2 '--jobs needs --submissions'
run lab grade 7 --labs labs --submissions nowhere -o graded
expect 'a class that is not there' 2 '--submissions nowhere'
mkdir empty
run lab grade 7 --labs labs --submissions empty -o graded
expect 'a class without students' 2 'there is no folder in it'
run lab grade 7 --labs labs --submissions empty -o graded --share 3/2
expect 'a share that does not exist' 2 'expected K/N'
run lab grade 7 --labs labs --submissions empty -o graded --student ada
expect 'ids are names of folders' 2 '--student cannot be used'
mkdir -p one/ada
FLASHTWIN_BWRAP=/nonexistent run lab grade 7 --labs labs --submissions one -o graded
expect 'no sandbox, no class' 2 'only in a sandbox' '--sandbox=no'
run lab grade 7 --labs labs --submissions one -o graded --device both
expect 'a class does not run on a GPU outside of the sandbox' 2 'it needs --sandbox=no'
mkdir -p sim/cuda
touch sim/cuda/user.h
run lab grade 7 --labs labs --submissions one -o graded $sandbox
expect 'nor in a folder whose headers hide those of flashtwin' 2 'start from another folder'
rm -r sim
mkdir "bad/$(printf 'a\033[2Jb')" -p
run lab grade 7 --labs labs --submissions bad -o graded $sandbox
expect 'an id is printable' 2 'a\\x1b\[2Jb: .*rename'

# --- what is in a class ---

mkdir -p class/ada class/bob class/cy class/dan class/eve class/=1+1 class/.git class/two
cp good.cu class/ada/student.cu
sed 's, / sum,,' good.cu >class/bob/mine.cu
echo nonsense >class/cy/student.cu
ln -s ../ada/student.cu class/dan/student.cu
ln -s ada class/fay
mkfifo class/eve/student.cu
cp good.cu class/=1+1/student.cu
cp good.cu class/two/a.cu
cp good.cu class/two/b.cu
echo 'not a student' >class/readme.txt
class class graded
expect 'a class' 1 'passed *2$' 'failed *1$' 'does-not-compile *1$' 'no-file *3$' '7/7'
row graded ada 35,35,20,10,100,100,passed
row graded bob 0,0,0,0,0,100,failed
row graded cy 0,0,0,0,0,100,does-not-compile
row graded dan ,,,,,,no-file
row graded eve ,,,,,,no-file
row graded two ,,,,,,no-file
row graded "'=1+1" 35,35,20,10,100,100,passed
result 'one record for each student' "$(ls graded | tr '\n' ' ' | grep -vx \
	'=1+1.json ada.json bob.json cy.json dan.json eve.json grades.csv two.json ')"
result 'a record is the staff result' "$(grep -q '"state": "failed"' graded/bob.json || echo state
	grep -q '"sizes": "rows' graded/bob.json || echo sizes)"

ls -l --time-style=full-iso graded | grep json >before
class class graded
expect 'nothing is graded again' 1 'passed *2$'
ls -l --time-style=full-iso graded | grep json >after
unchanged=$(diff before after)
result 'records stay as they are' "$unchanged"
cp good.cu class/bob/mine.cu
class class graded
expect 'a file that changed is' 1 'passed *3$' 'bob: passed'
result 'and no other' "$(grep -c '/7' err | grep -vx 1)"

# --- faults of the grader ---

mkdir -p two/ada two/bob
cp good.cu two/ada/
cp good.cu two/bob/
CXX=/nonexistent/c++ class two faults
expect 'a fault of the grader is exit 70' 70 'fault *2$' 'have no points'
row faults ada ,,,,,,fault
cat >killed-compiler <<'SH'
#!/bin/sh
echo 'c++: fatal error: Killed signal terminated program cc1plus' >&2
exit 1
SH
chmod +x killed-compiler
mkdir -p compilers
mv killed-compiler compilers/c++
CXX=$work/compilers/c++ class two faults
expect 'so is a compiler that was killed' 70 'fault *2$' 'the compiler was killed'
class two faults
expect 'and is graded the next time' 0 'passed *2$'
row faults ada 35,35,20,10,100,100,passed

# --- shares ---

class two shares --share 1/2
first=$(ls shares | grep -c json)
result 'a share makes no table' "$([ ! -e shares/grades.csv ] || echo 'it does')"
class two shares --share 2/2
second=$(ls shares | grep -c json)
result 'two shares are the class' "$([ "$second" -eq 2 ] && [ "$first" -le 2 ] ||
	echo "$first $second")"
class two shares
expect 'a run without shares makes the table' 0 'passed *2$'
result 'and grades nothing again' "$(grep / err)"
row shares bob 35,35,20,10,100,100,passed

# --- runs that are ended ---

for i in 01 02 03 04 05 06 07 08; do
	mkdir -p "many/s$i"
	cp good.cu "many/s$i/student.cu"
done
records() { ls killed 2>/dev/null | grep -c '\.json$'; }
some() { [ "$(records)" -ge 2 ]; }
free() { flock -n killed/.lock true; }
"$flashtwin" lab grade 7 --labs labs --secret secret --submissions many -o killed --jobs 2 \
	$sandbox >out1 2>err1 &
pid=$!
until_true some
kill -KILL "$pid"
wait "$pid" 2>/dev/null
until_true free || echo '# processes were left'
left=$(records)
result 'a killed run has part of the class' "$([ "$left" -ge 2 ] && [ "$left" -lt 8 ] \
	|| echo "$left records")"
ls -l --time-style=full-iso killed | grep 'json$' >before
class many killed
expect 'it goes on where it stopped' 0 'passed *8$'
result 'with the others only' "$(grep -c '/8 ' err | grep -vx $((8 - left)))"
ls -l --time-style=full-iso killed | grep 'json$' >after
result 'none was graded twice' "$(grep -vxFf after before)"
result 'none is lost' "$(grep -c ',100,100,passed,' killed/grades.csv | grep -vx 8)"

some() { [ "$(ls stopped 2>/dev/null | grep -c '\.json$')" -ge 1 ]; }
env --default-signal=INT "$flashtwin" lab grade 7 --labs labs --secret secret \
	--submissions many -o stopped $sandbox >out 2>err &
pid=$!
until_true some
kill -INT "$pid"
wait "$pid"
code=$?
expect 'an interrupt' 130 'start it again'
result 'leaves a table with what is missing' "$(grep -q ',,,,,,missing,' stopped/grades.csv ||
	echo no)"
result 'and no part of a result' "$(ls stopped | grep tmp)"

# --- two runs at once ---

flock stopped/.lock sleep 30 &
holder=$!
locked() { ! flock -n stopped/.lock true; }
until_true locked
class many stopped
expect 'a folder of results has one run at a time' 2 'another run is grading'
kill "$holder"
plan
