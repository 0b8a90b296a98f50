# doubles.sh - the part of run.sh that sums the bits of a GPU's double functions.
#
# Needs nvcc. The sums of tests/gpu/double_sums.cu go to $out/double_sums.txt, and must equal those
# in tests/h200/double_sums.txt, which kernels/double_sums.h has for the simulator. With cuobjdump,
# the instructions of each function go to $out/double_sass.txt; tests/h200/double_sass.txt has those
# that the models were made for. Sourced by run.sh, whose functions and variables it uses.

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
	run 300 "$nvcc" -O3 -fmad=false -I"$source" -arch=sm_90 -cubin -o "$work/double.cubin" \
		"$source/kernels/verify_double.cu"
	cuobjdump=$(command -v cuobjdump || echo "$(dirname "$nvcc")/cuobjdump")
	if [ "$code" -eq 0 ] && [ -x "$cuobjdump" ]; then
		"$cuobjdump" -sass "$work/double.cubin" >"$work/double.sass" 2>>"$log"
		run 60 python3 "$source/tests/gpu/double_sass.py" "$work/double.sass"
		cp "$work/stdout" "$out/double_sass.txt"
		detail="$(grep -v '^#' "$source/tests/h200/double_sass.txt" |
			diff - "$out/double_sass.txt" | grep -c '^>') functions have others than recorded"
		[ "$code" -eq 0 ] && verdict=PASS || verdict=FAIL
		result "$verdict" 'instructions of double functions' "$detail"
	else
		result SKIP 'instructions of double functions' 'no cuobjdump'
	fi
else
	result SKIP 'double functions' 'no nvcc'
fi
