#!/bin/sh
# compile_commands.sh - prints compile_commands.json entries: how clangd and clang-tidy parse sources.
#
# compile_commands.sh SRCDIR DIRECTORY FILE... -- COMPILER ARGUMENT... prints one entry, with a comma
# before it, for each file: COMPILER ARGUMENT... -c FILE, run in DIRECTORY. A file that is not below
# SRCDIR is one that the build makes. Used by the makefile.
srcdir=$1 directory=$2
shift 2

# quoted WORD...: each as a JSON string, with commas between.
quoted() {
	for word; do
		printf '%s\n' "$word"
	done | sed -e 's/[\\"]/\\&/g' -e 's/.*/"&"/' -e '$!s/$/,/' | tr '\n' ' ' | sed 's, $,,'
}

files=
while [ "$1" != -- ]; do
	files="$files $1"
	shift
done
shift
# A launcher before the compiler would be taken for it.
case ${1##*/} in
ccache|distcc|sccache) shift ;;
esac
arguments=$(quoted "$@")
directory=$(quoted "$directory")

for file in $files; do
	[ ! -e "$srcdir/$file" ] || file=$srcdir/$file
	file=$(quoted "$file")
	printf ',{ "directory": %s, "file": %s,\n  "arguments": [ %s, "-c", %s ] }\n' \
		"$directory" "$file" "$arguments" "$file"
done
