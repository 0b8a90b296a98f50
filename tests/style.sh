#!/bin/sh
# style.sh - one dialect: lines of at most 100 columns, one spelling of sizeof and of null tests.
#
# The rest of the style is in .clang-format; lines that were laid out by hand keep their layout.
. "${abs_srcdir:-$(dirname "$0")/..}/tests/tap.sh"
cd "$srcdir" || exit 99

# too_long FILE...: prints FILE:LINE of lines over 100 columns; a tab ends at a multiple of 8. The
# second and later bytes of a character in UTF-8 take no column.
too_long() {
	LC_ALL=C awk '{
		gsub(/[\200-\277]/, "")
		parts = split($0, part, "\t")
		columns = length(part[1])
		for (i = 2; i <= parts; i++)
			columns += 8 - columns % 8 + length(part[i])
		if (columns > 100)
			print FILENAME ":" FNR
	}' "$@"
}

# Null pointers are tested as `p` and `!p`; `p != NULL` makes a bool of one.
null_tests() {
	grep -nE '== NULL|\bNULL [!=]=' "$@" | grep -v '"[^"]*== NULL'
}

# `sizeof x`, but `sizeof(type)`.
sizeof_values() {
	grep -nE '\bsizeof\((\*|[a-z_][a-z_0-9]*(->|\.|\[))' "$@"
}

sample=$work/sample
printf '\tif (p == NULL)\n\t\tmemset(p, 0, sizeof(*p));%80s/* %s */\n' '' 'long' >"$sample"
for judge in too_long null_tests sizeof_values; do
	result "$judge finds a wrong line" "$($judge "$sample" | wc -l | grep -v '^ *1$')"
done

# Without the files that a build inside the source directory writes.
sources=$(find base engine kernels main.c sim tests traces tui -name '*.[ch]' ! -name '*.*.c' \
	! -name schema.c ! -name export_page.c ! -name 'code.h' ! -name capture_rules.h \
	! -path kernels/sources.c ! -name '*fatbins.c')
kernels=$(find kernels labs tests/checker tests/gpu tests/suites/harness tests/*.cu -name '*.cu' -o -name '*.cuh')
result 'lines have at most 100 columns' "$(too_long $sources $kernels)"
result 'null pointers are tested as p and !p' "$(null_tests $sources)"
result 'sizeof of a value has no parentheses' "$(sizeof_values $sources)"
plan
