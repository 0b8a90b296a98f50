#!/bin/sh
# sources.sh KERNEL... - prints the sources of the kernels as C strings, which traces store.
#
# The sources of a kernel are its .cu file and the .cuh files that it includes, at any depth; .h
# files are left out. Must run in the source directory. Used by the build to make kernels/sources.c.
set -e

# includes FILE: prints FILE and its .cuh files, each as often as it is included.
includes() {
	echo "$1"
	for header in $(sed -n 's,^#include "\(kernels/[a-z0-9_]*\.cuh\)".*,\1,p' "$1"); do
		includes "$header"
	done
}
# sources_of KERNEL: prints each file once, in order of first inclusion.
sources_of() {
	includes "kernels/$1.cu" | awk '!seen[$0]++'
}
# name_of FILE: prints its variable's name: text_kernels_x_cuh for kernels/x.cuh.
name_of() {
	echo "text_$1" | tr './' '__'
}

echo '#include "kernels/kernel_table.h"'
for file in $(for kernel; do sources_of "$kernel"; done | sort -u); do
	sh base/embed_text.sh "$(name_of "$file")" "$file"
done
for kernel; do
	echo "extern const struct kernel_source sources_$kernel[];"
	echo "const struct kernel_source sources_$kernel[] = {"
	for file in $(sources_of "$kernel"); do
		echo "	{ \"$file\", $(name_of "$file") },"
	done
	echo '	{ NULL, NULL }'
	echo '};'
done
