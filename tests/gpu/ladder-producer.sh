# ladder-producer.sh - the part of run.sh that times forms of rung 9 with producer warps.
#
# Needs nvcc. Builds of tests/bench/producer_warp.cu for bf16 and e4m3, one block of a multiprocessor with
# 0, 1, 2 and 4 producer warps and two blocks with 0, 1 and 2, take turns, three times.
# $out/producer.txt has a line for each shape with the median of the turns of each build; their
# partials must have the same bits.
# Sourced by run.sh, whose functions and variables it uses.

nvcc=$(command -v nvcc || echo "${NVCC:-/usr/local/cuda/bin/nvcc}")
forms='1x0 1x1 1x2 1x4 2x0 2x1 2x2'
if [ -x "$nvcc" ]; then
	: >"$work/producers"
	# Several at once, since each compiles the whole of the kernel.
	for form in $forms; do
		pair=
		[ "${form%x*}" = 1 ] || pair=-DSPLIT_PAIR
		for type in bf16 e4m3; do
			[ "$type" = bf16 ] || pair="$pair -DSPLIT_E4M3"
			# shellcheck disable=SC2086
			timeout 240 "$nvcc" -O3 -fmad=false -std=c++17 -arch=native -I"$source" \
				-DPRODUCERS="${form#*x}" $pair -o "$work/producer.$form.$type" \
				"$source/tests/bench/producer_warp.cu" >>"$log" 2>&1 &
		done
	done
	wait
	worst=0
	for turn in 1 2 3; do
		for type in bf16 e4m3; do
			for form in $forms; do
				run 120 "$work/producer.$form.$type"
				[ "$code" -eq 0 ] || worst=$code
				cat "$work/stdout" >>"$work/producers"
			done
		done
	done
	# Of each shape: the form, us and the sum. The second of three is the median.
	{
		echo "shape $forms"
		sort -k1,1 -k2,2 -k3,3n "$work/producers" | awk '
			$1 != shape { printf "%s%s", shape == "" ? "" : "\n", $1; shape = $1; sum = $4 }
			$4 != sum { printf " differs" }
			++seen[$1, $2] == 2 { printf " %s", $3 }
			END { print "" }'
	} >"$out/producer.txt"
	cat "$out/producer.txt" >>"$log"
	detail="$(grep -c '^[be][^ ]*\( [0-9.]*\)\{7\}$' "$out/producer.txt") shapes"
	detail="$detail, $(grep -c differs "$out/producer.txt") differ"
	if [ "$worst" -eq 0 ] && [ "$detail" = '10 shapes, 0 differ' ]; then
		result PASS 'producer warps' "$detail"
	else
		result FAIL 'producer warps' "$detail, exit code $worst"
	fi
	sed 's/^/      /' "$out/producer.txt" | tee -a "$report"
else
	result SKIP 'producer warps' 'no nvcc'
fi
