#!/bin/sh
# embed_text.sh NAME FILE - prints FILE as C: an array NAME[], ended by a NUL, and NAME_size.
# Used by the build to embed the trace schema and the kernel sources.
set -e
test $# -eq 2 || { echo "usage: embed_text.sh NAME FILE" >&2; exit 2; }
test -r "$2" || { echo "embed_text.sh: cannot read $2" >&2; exit 2; }
echo "#include <stddef.h>"
echo "extern const char $1[];"
echo "extern const size_t $1_size;"
echo "const char $1[] = {"
od -An -v -to1 "$2" | sed "s/ *\([0-7][0-7]*\)/'\\\\\1',/g"
echo "0 };"
echo "const size_t $1_size = sizeof($1) - 1;"
