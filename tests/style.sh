#!/bin/sh
# style.sh - one dialect: lines of at most 100 columns, one spelling of sizeof and of null tests.
#
# The rest of the style is in .clang-format; lines that were laid out by hand keep their layout.
cd "${abs_srcdir:-$(dirname "$0")/..}" || exit 99

number=0
result() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

# too_long FILE...: prints FILE:LINE of lines over 100 columns; a tab ends at a multiple of 8.
too_long() {
	for file; do
		expand "$file" | sed 's/[^ -~][^ -~]*/x/g' |
			awk -v file="$file" 'length($0) > 100 { print file ":" NR }'
	done
}

# Null pointers are tested as `p` and `!p`; `p != NULL` makes a bool of one.
null_tests() {
	grep -nE '(==|\bNULL ==) NULL|\bNULL [!=]=' "$@" | grep -v '"[^"]*== NULL'
}

# `sizeof x`, but `sizeof(type)`.
sizeof_values() {
	grep -nE '\bsizeof\((\*|[a-z_][a-z_0-9]*(->|\.|\[))' "$@"
}

sample=$(mktemp) || exit 99
trap 'rm -f "$sample"' EXIT
printf '\tif (p == NULL)\n\t\tmemset(p, 0, sizeof(*p));%80s/* %s */\n' '' 'long' >"$sample"
for judge in too_long null_tests sizeof_values; do
	result "$judge finds a wrong line" "$($judge "$sample" | wc -l | grep -v '^ *1$')"
done

# Without the files that a build inside the source directory writes.
sources=$(find base engine kernels main.c sim tests traces tui -name '*.[ch]' ! -name '*.*.c' \
	! -name schema.c ! -name export_page.c ! -name 'code.h' ! -name capture_rules.h \
	! -path kernels/sources.c ! -name '*fatbins.c')
kernels=$(find kernels tests/checker tests/gpu tests/*.cu -name '*.cu' -o -name '*.cuh')
result 'lines have at most 100 columns' "$(too_long $sources $kernels)"
result 'null pointers are tested as p and !p' "$(null_tests $sources)"
result 'sizeof of a value has no parentheses' "$(sizeof_values $sources)"
echo "1..$number"
