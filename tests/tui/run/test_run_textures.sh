#!/bin/sh
# test_run_textures.sh - textures on the simulator have a GPU's bits (tests/h200/textures.txt);
# arrays, surfaces, what is refused, findings and replays of programs that use them.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

measured=$srcdir/tests/h200/textures.txt
names=$(cut -d' ' -f1 "$measured")
# shellcheck disable=SC2086 # one word for each case
run run --no-record "$srcdir/tests/run/textures.cu" -- $names
expect 'the program of fetches runs' 0
for name in $names; do
	want=$(grep "^$name " "$measured")
	got=$(grep "^$name " out)
	result "$name has the bits of a GPU" \
		"$([ "$got" = "$want" ] || echo "expected $want, got $got")"
done

arrays=$srcdir/tests/tui/run/arrays.cu
run run -o arrays.twin "$arrays"
expect 'a surface is read and written, and a texture reads what it wrote' 0 '^done 0$'
run replay --trust arrays.twin
expect 'its trace replays' 0
run run --no-record --exit program "$arrays" -- outside
expect 'a store outside of a surface is a fault' 0 \
	'surf2Dwrite: the access is outside of the surface'
run run --no-record --exit program "$arrays" -- volume
expect 'linear filtering of volumes is refused' 0 \
	'tex3D: linear filtering in three dimensions is not supported in the simulator'
run run --no-record --exit program "$arrays" -- cube
expect 'a direction that is no direction is refused' 0 \
	'texCubemap: a direction that is 0 or not finite is not supported'
run run --no-record --check "$arrays" -- fresh
expect 'a texture read is a read: of an array that nothing wrote' 4 'uninit in copy.*array\.0'
plan
