#!/bin/sh
# embed.sh - writes each fatbin given as bytes of C: kernels/K.fatbin becomes fatbin_K and
# fatbin_K_size, kernels/K.probed.fatbin becomes fatbin_K_probed and its size. To stdout, for the
# build; kernels/table.c declares what it uses of it.
set -e

echo '#include <stddef.h>'
for file in "$@"; do
	name=fatbin_$(basename "$file" .fatbin | tr . _)
	echo
	echo "extern const unsigned char $name[];"
	echo "extern const size_t ${name}_size;"
	echo "__attribute__((aligned(16))) const unsigned char $name[] = {"
	od -An -v -tx1 "$file" | sed 's/ \(..\)/0x\1,/g'
	echo "};"
	echo "const size_t ${name}_size = sizeof $name;"
done
