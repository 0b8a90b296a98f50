#!/bin/sh
# test_checker_table.sh - the table of tests/gpu/checker.sh, made without a GPU: a fake sanitizer
# prints fixed reports and dies where kernels fault.
. "${abs_srcdir:-$PWD}/tests/tap.sh"
build=$(dirname "$flashtwin")

# Called as: --tool TOOL --log-file FILE corpus cuda FIRST LAST
cat >sanitizer <<'END'
#!/bin/sh
tool=$2 log=$4 number=$7
while [ "$number" -le "$8" ]; do
	name=$("$5" list | awk -v n="$number" '$1 == n { print $2 }')
	[ -n "$name" ] || exit 0
	echo "begin $number"
	case $tool:$name in
	memcheck:oob_*_clean) ;;
	memcheck:oob_*)
		echo "========= Invalid __global__ write of size 4 bytes"
		echo "=========     at $name(const float *, float *, int *, int)+0x50"
		echo "=========     Host Frame: race_no_barrier_clean"
		exit 3 ;;
	racecheck:race_no_barrier | racecheck:race_overwrite_clean)
		echo "========= Error: Race reported between Write access at void $name(float *)+0x90" ;;
	synccheck:deadlock_two_orders) kill -KILL $$ ;;
	esac >>"$log"
	echo "end $number"
	number=$((number + 1))
done
END
chmod +x sanitizer
SANITIZER=$PWD/sanitizer sh "$srcdir/tests/gpu/checker.sh" "$build" out >said 2>&1
table=out/checker-table.md
# row NAME COLUMN: prints a number of the table
row() {
	awk -F'|' -v name="$1" -v column="$2" '{ gsub(/^ | $/, "", $2) } $2 == name { print $column + 0 }' $table
}

total=$("$build/tests/gpu/corpus" count)
# ok WHAT COMMAND...
ok() {
	what=$1
	shift
	if "$@"; then
		result "$what"
	else
		result "$what" "$(cat said out/checker-table.md)"
	fi
}
ok 'every kernel ran' grep -q "$total of $total kernels ran" said
ok 'flashtwin finds every planted bug' awk -F'|' '
	NF > 5 && $3 ~ /[0-9]/ && $2 !~ /clean/ { rows++; bad += $3 + 0 != $4 + 0 }
	END { exit !(rows > 8 && bad == 0) }' $table
ok 'flashtwin finds nothing in clean twins' test "$(row 'clean twins' 4)" = 0
ok 'a fault ends only its own process' test "$(row oob 5)" = "$(row oob 3)"
ok 'a report counts for the kernel it names' test "$(row race-shared 6)" = 1
ok 'a false report counts for the clean twin' test "$(row 'clean twins' 6)" = 1
ok 'kernel names in host backtraces are ignored' test "$(row 'clean twins' 5)" = 0
ok 'the last column counts kernels that any tool reports' test "$(row race-shared 9)" = 1
# The table in doc/checker.md, made on a GPU, must be of the current corpus, without files of which
# doc/checker.md says that they are newer.
newer=$(sed -n 's,^`tests/checker/\([a-z_]*\)\.cu` is newer than the table.*,\1,p' \
	"$srcdir/doc/checker.md")
for file in $newer; do
	sed -n "s/^CASE($file, \([a-z0-9_]*\),.*/\1/p" "$srcdir/tests/checker/cases.h"
done >newer
"$build/tests/gpu/corpus" list | awk 'NR == FNR { newer[$1] = newer[$1 "_clean"] = 1; next }
	!($2 in newer)' newer - | awk '{ n[$4 == "bug" ? $3 : "clean twins"]++ }
	END { for (class in n) print class, n[class] }' | sort >corpus
sed -n '/^<!-- table: tests.gpu.checker/,/^<!-- end of table/p' "$srcdir/doc/checker.md" |
	awk -F ' *[|] *' '$3 ~ /^[0-9]/ { print $2, $3 }' | sort >documented
result 'doc/checker.md shows this corpus' "$(diff documented corpus)"
plan
