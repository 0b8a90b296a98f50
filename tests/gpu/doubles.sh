# doubles.sh - the part of run.sh that sums the bits of a GPU's double functions.
#
# Needs nvcc. The sums of tests/gpu/double_sums.cu go to $out/double_sums.txt, and must equal those in
# tests/h200/double_sums.txt, which kernels/double_sums.h has for the simulator. Sourced by run.sh,
# whose functions and variables it uses.

nvcc=$(command -v nvcc || echo "${NVCC:-/usr/local/cuda/bin/nvcc}")
if [ -x "$nvcc" ]; then
	run 300 "$nvcc" -O3 -fmad=false -I"$source" -arch=native -o "$work/double_sums" \
		"$source/tests/gpu/double_sums.cu"
	[ "$code" -ne 0 ] || run 300 "$work/double_sums"
	cp "$work/stdout" "$out/double_sums.txt"
	sort "$out/double_sums.txt" >"$work/got"
	sort "$source/tests/h200/double_sums.txt" >"$work/wanted"
	detail="$(grep -c . "$work/got") functions, $(comm -23 "$work/got" "$work/wanted" |
		grep -c .) differ"
	if [ "$code" -eq 0 ] && [ -s "$work/got" ] &&
		[ -z "$(comm -23 "$work/got" "$work/wanted")" ]; then
		result PASS 'double functions' "$detail"
	else
		result FAIL 'double functions' "$detail, exit code $code"
		comm -23 "$work/got" "$work/wanted" | cut -d ' ' -f 1 >>"$log"
	fi
else
	result SKIP 'double functions' 'no nvcc'
fi
