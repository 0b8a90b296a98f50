# ladder-rows.sh - the part of run.sh that compares each rung of the ladder with the simulator over a
# matrix of shapes.
#
# ladder_rows runs in one process per processor. The rows that are left out, because they would take
# too long or too much memory, go to $out/ladder-rows-left-out.txt. Takes up to 5 minutes; sourced by
# run.sh, whose functions and variables it uses.

rows=$build/tests/gpu/ladder_rows
jobs=$(nproc)
part=0
begun=$(date +%s)
while [ "$part" -lt "$jobs" ]; do
	(
		"$rows" twin cuda "$part" "$jobs" "${LADDER_ROWS_SECONDS:-220}" >"$work/twin.$part" \
			2>&1 || echo "not ok 0 - exit code $?" >>"$work/twin.$part"
	) &
	part=$((part + 1))
done
wait
sort -u "$work"/twin.* >"$out/ladder-rows.txt"
sed -n 's/^# left out: //p' "$out/ladder-rows.txt" >"$out/ladder-rows-left-out.txt"
grep '^not ok' "$out/ladder-rows.txt" >>"$log"
detail=$(awk '
	/^ok .* rows in/ { for (i = 1; i < NF; i++) if ($(i + 1) == "rows") rows += $i; parts++ }
	/ values compared$/ { values += $2 }
	END { printf "%d parts, %d rows, %.0f values", parts, rows, values }' "$work"/twin.*)
detail="$detail compared, $(wc -l <"$out/ladder-rows-left-out.txt") rows left out"
detail="$detail, $(grep -c '^not ok' "$out/ladder-rows.txt") differences, $(($(date +%s) - begun)) s"
case $detail:$(grep -c '^not ok' "$out/ladder-rows.txt") in
"$jobs parts, "*:0) result PASS 'rungs over the matrix of shapes' "$detail" ;;
*) result FAIL 'rungs over the matrix of shapes' "$detail" ;;
esac
