#!/bin/sh
# test_numerics.sh - doc/numerics.md: its commands print what it shows, and its table is measured.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
command -v python3 >/dev/null 2>&1 || {
	echo '1..0 # SKIP no python3'
	exit 0
}

doc=$srcdir/doc/numerics.md
sed -n '/^```python$/,/^```$/p' "$doc" | grep -v '^```' >fill.py
sed -n '/^```console$/,/^```$/p' "$doc" | grep -v '^```' >shown
flashtwin() {
	"$flashtwin" "$@"
}

# Repeats what is shown: commands after "$ ", then their output.
while read -r line; do
	case $line in
	'$ '*)
		printf '%s\n' "$line"
		eval "${line#?}" 2>&1
		;;
	esac
done <shown >printed
result 'the commands print what is shown' "$(diff shown printed)"
result 'both limits are shown' "$([ "$(grep -c '^out: .* inf' shown)" -eq 2 ] &&
	[ "$(grep -c '^out: .* 1 NaN' shown)" -eq 2 ] || cat shown)"

# error KEYS OPTION...: prints the relative error of the mean of KEYS times 0.1.
error() {
	python3 fill.py "$1" 0.1
	shift
	flashtwin attend --q q.npy --k k.npy --v v.npy --out out.npy "$@" >out
	# 0.1 has the bits 1036831949, and is 13421773 units in its last place.
	tail -c 4 out.npy | od -An -tu4 | awk '{
		e = ($1 - 1036831949) / 13421773
		printf "%.1e\n", e < 0 ? -e : e }'
}
for keys in 1024 4096 16384 65536; do
	echo $keys "$(error $keys --path incremental)" \
		"$(error $keys --path incremental-multiwarp)" "$(error $keys --chunk 16)" \
		"$(error $keys --chunk 128)"
done >measured
sed -n 's/^|  *\([0-9]\{4,5\}\) | */\1 /p' "$doc" | tr -d '|' | tr -s ' ' | sed 's/ $//' >table
result 'the table is measured' "$(diff table measured)"

# Paths that the document calls one by one give the same bits.
flashtwin attend --q q.npy --k k.npy --v v.npy --path incremental --out one.npy >out 2>err
flashtwin attend --q q.npy --k k.npy --v v.npy --path batched --out same.npy >out 2>err
result 'batched adds up one by one' "$(cmp one.npy same.npy 2>&1)"
LC_ALL=C sed '1s/(1, 1), }   /(1, 1, 1), }/' q.npy >q3.npy
flashtwin attend --q q3.npy --k k.npy --v v.npy --path prefill --out three.npy >out 2>err
tail -c 4 three.npy | od -An -tx4 >a
tail -c 4 one.npy | od -An -tx4 >b
result 'prefill adds up one by one' "$(cmp a b 2>&1)"

# The NaN that the document shows is the GPU's in a file.
python3 fill.py 16 1e38 -1e38
flashtwin attend --q q.npy --k k.npy --v v.npy --chunk 8 --out nan.npy >out 2>err
result "a NaN in a file is the GPU's" \
	"$(tail -c 4 nan.npy | od -An -tx4 | grep -v '^ *7fffffff$'; cat err)"

grep -q 'numerics.md' "$srcdir/doc/flashtwin.1.in" &&
	grep -q '3\.4e38' "$srcdir/doc/flashtwin.1.in" && grep -q '6\.2e\\-4' "$srcdir/doc/flashtwin.1.in"
result 'the manual has both limits' "$([ $? -eq 0 ] || echo missing)"
plan
