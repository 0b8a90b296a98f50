# ladder-rows.sh - the part of run.sh that compares each rung of the ladder with the simulator over a
# matrix of shapes, for each type of keys and values.
#
# ladder_rows runs in one process per processor. The rows that are left out for time go to
# $out/ladder-rows-left-out.txt. Takes up to 5 minutes for each type, of LADDER_TYPES; sourced by
# run.sh, whose functions and variables it uses.

# compare_rows TYPE
compare_rows() {
	jobs=$(nproc)
	part=0
	begun=$(date +%s)
	while [ "$part" -lt "$jobs" ]; do
		(
			"$build/tests/gpu/ladder_rows" twin cuda "$1" "$part" "$jobs" \
				"${LADDER_ROWS_SECONDS:-220}" >"$work/twin.$1.$part" 2>&1 ||
				echo "not ok 0 - exit code $?" >>"$work/twin.$1.$part"
		) &
		part=$((part + 1))
	done
	wait
	sort -u "$work/twin.$1".* >"$work/rows"
	sed -n 's/^# left out: //p' "$work/rows" >>"$out/ladder-rows-left-out.txt"
	grep '^not ok' "$work/rows" >>"$log"
	differences=$(grep -c '^not ok' "$work/rows")
	detail=$(awk '
		/^ok .* rows in/ {
			for (i = 1; i < NF; i++) if ($(i + 1) == "rows") rows += $i
			parts++
		}
		/ values compared$/ { values += $2 }
		END { printf "%d parts, %d rows, %.0f values", parts, rows, values }
	' "$work/twin.$1".*)
	detail="$detail compared, $(grep -c '^# left out: ' "$work/rows") rows left out"
	detail="$detail, $differences differences, $(($(date +%s) - begun)) s"
	case $detail:$differences in
	"$jobs parts, "*:0) result PASS "rungs over the matrix of shapes, $1" "$detail" ;;
	*) result FAIL "rungs over the matrix of shapes, $1" "$detail" ;;
	esac
}

: >"$out/ladder-rows-left-out.txt"
for type in ${LADDER_TYPES:-f32 f16 bf16 e4m3}; do
	compare_rows "$type"
done
