# labs.sh - the part of run.sh that grades the labs' solutions on a GPU too.
#
# Needs nvcc. `lab grade --device both` must find no difference in any case, and must find a kernel
# that computes something else on a GPU. Sourced by run.sh, whose functions and variables it uses.

abs_srcdir=$source
abs_builddir=$build
export abs_srcdir abs_builddir
if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	run 200 sh "$source/tests/tui/lab/test_lab_gpu.sh"
	passed 'lab grade --device both'
	echo sesame >"$work/secret"
	for lab in "$source"/labs/[0-9]*/staff/solution.cu; do
		folder=${lab%/staff/*}
		number=${folder##*/}
		number=$((1${number%%-*} - 100))
		run 200 sh -c 'cd "$1" && shift && "$@"' sh "$work" "$flashtwin" lab grade "$number" \
			"$lab" --labs "$source/labs" --device both --secret "$work/secret" \
			--sandbox no --format json
		cat "$work/stdout" >>"$log"
		detail="$(grep -o '"points": [0-9.]*' "$work/stdout" | head -n 1)"
		if [ "$code" -eq 0 ] && ! grep -q 'on the GPU' "$work/stdout"; then
			result PASS "solution of lab $number" "0 cases differ, $detail"
		else
			result FAIL "solution of lab $number" "exit code $code, $detail"
		fi
	done
else
	result SKIP 'lab grade --device both' 'no nvcc'
fi
