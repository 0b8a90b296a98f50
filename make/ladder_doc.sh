#!/bin/sh
# ladder_doc.sh FOLDER [DOC] - puts what tests/gpu/run.sh measured in FOLDER (its part ladder-bench)
# into doc/ladder.md, or DOC, between the marks of its section "Measured", and the plot next to it.
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
{
	sed '/^<!-- measured: begin -->$/q' "$doc"
	echo
	echo '![GB/s against keys](ladder.svg)'
	echo
	# Rows of peers that have no kernel for a shape say so in table.md.
	awk -F '|' '/^### / { peers = /^### Peers/ } !(peers && $5 ~ /^ +- +$/)' \
		"$folder/measured.md" | sed -e 's/   *\([^|]*|\)/ \1/g' -e 's/----*\(:*\) *|/---\1 |/g'
	sed -n '/^<!-- measured: end -->$/,$p' "$doc"
} >"$doc.part"
mv "$doc.part" "$doc"
cp "$folder/plot.svg" "$(dirname "$doc")/ladder.svg"
