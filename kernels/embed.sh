#!/bin/sh
# embed.sh FATBIN... - prints C that embeds each fatbin as bytes: kernels/K.fatbin becomes fatbin_K
# and fatbin_K_size, kernels/K.probed.fatbin becomes fatbin_K_probed and fatbin_K_probed_size. Used
# by the build; kernels/table.c declares the arrays that it uses. The assembler reads the files by
# the names given: as text, they would be hundreds of megabytes that take the compiler minutes.
set -e

for file in "$@"; do
	name=fatbin_$(basename "$file" .fatbin | tr . _)
	cat <<-C

		__asm__(
		    ".section .rodata\n"
		    ".balign 16\n"
		    ".global $name, ${name}_size\n"
		    ".type $name, %object\n"
		    ".type ${name}_size, %object\n"
		    "$name: .incbin \"$file\"\n"
		    ".set ${name}_bytes, . - $name\n"
		    ".size $name, ${name}_bytes\n"
		    ".balign 8\n"
		    "${name}_size: .8byte ${name}_bytes\n"
		    ".size ${name}_size, . - ${name}_size\n"
		    ".previous\n");
	C
done
