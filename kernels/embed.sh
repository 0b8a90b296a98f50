#!/bin/sh
# embed.sh FATBIN... - prints each fatbin as a C array: kernels/K.fatbin becomes fatbin_K and
# fatbin_K_size, kernels/K.probed.fatbin becomes fatbin_K_probed and fatbin_K_probed_size. Used by
# the build; kernels/table.c declares the arrays that it uses.
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
