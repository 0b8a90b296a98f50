#!/bin/sh
# sources.sh KERNEL... - writes C to stdout that holds the texts of kernels, which traces keep.
#
# A kernel's sources are its .cu and the .cuh files it includes, at any depth; .h files are the
# dialect, not the kernel. Run in the source directory; the build makes kernels/sources.c with it.
set -e

# includes FILE: FILE and its .cuh files, each as often as it is included.
includes() {
	echo "$1"
	for header in $(sed -n 's,^#include "\(kernels/[a-z0-9_]*\.cuh\)".*,\1,p' "$1"); do
		includes "$header"
	done
}
# Every file once, where it first occurs.
sources_of() {
	includes "kernels/$1.cu" | awk '!seen[$0]++'
}
# kernels/x.cuh is held by text_kernels_x_cuh.
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
