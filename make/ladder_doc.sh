#!/bin/sh
# ladder_doc.sh FOLDER [DOC] - puts what tests/gpu/run.sh measured in FOLDER (its part ladder-bench)
# into doc/ladder.md, or DOC, between the marks of its section "Measured", the times of the first
# shapes by rung between those at its beginning, and the plot next to it.
set -e
folder=${1:?expected the folder that tests/gpu/run.sh wrote: ladder-bench}
doc=${2:-$(dirname "$0")/../doc/ladder.md}
for file in "$folder/measured.md" "$folder/plot.svg" "$doc"; do
	[ -s "$file" ] || {
		echo "ladder_doc.sh: $file is missing or empty" >&2
		exit 2
	}
done
[ "$(grep -c '^<!-- measured: \(begin\|end\) -->$' "$doc")" -eq 2 ] || {
	echo "ladder_doc.sh: $doc does not have the two marks of measurements" >&2
	exit 2
}
# A table of the list "table" with a line for each rung and a column for each of its first shapes.
by_rung() {
	awk -F '|' '
		/^### Shapes of the list "table"/ { wanted = 1 }
		/^### / && !/"table"/ { wanted = 0 }
		!wanted || !/^\|/ || /^\| *-/ { next }
		!columns {
			for (columns = 2; columns < NF; columns++)
				name[columns] = $columns
			next
		}
		shapes < 5 {
			shapes++
			for (i = 2; i < columns; i++)
				cell[i] = cell[i] " |" $i
		}
		END {
			if (!shapes)
				exit
			print "| rung" cell[2] " |"
			printf "|---|"
			for (i = 0; i < shapes; i++)
				printf "---:|"
			print ""
			for (i = 3; i < columns; i++)
				if (sub(/^ *rung /, "", name[i]) || sub(/^ *best/, "13", name[i]))
					print "| " name[i] cell[i] " |"
		}' "$folder/measured.md" | sed 's/  */ /g'
}

table=$(by_rung)
{
	if [ -n "$table" ]; then
		sed '/^<!-- by rung: begin -->$/q' "$doc"
		printf '\n%s\n\n' "$table"
		sed -n '/^<!-- by rung: end -->$/,$p' "$doc"
	else
		cat "$doc"
	fi | sed '/^<!-- measured: begin -->$/q'
	echo
	echo '![GB/s against keys](ladder.svg)'
	echo
	# Rows of peers that have no kernel for a shape say so in table.md.
	awk -F '|' '
		/^### / { peers = /^### Peers/ }
		peers && $5 ~ /^ +- +$/ { next }
		/^- / {
			while (length($0) > 100) {
				for (cut = 100; cut > 40 && substr($0, cut, 1) != " "; cut--)
					continue
				print substr($0, 1, cut - 1)
				$0 = "  " substr($0, cut + 1)
			}
		}
		{ print }' "$folder/measured.md" | sed -e 's/   *\([^|]*|\)/ \1/g' -e 's/----*\(:*\) *|/---\1 |/g'
	sed -n '/^<!-- measured: end -->$/,$p' "$doc"
} >"$doc.part"
mv "$doc.part" "$doc"
cp "$folder/plot.svg" "$(dirname "$doc")/ladder.svg"
