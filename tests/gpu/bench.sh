# bench.sh - the part of run.sh that measures the speed-ups of the attention paths and compares the
# simulator's counters with those of Nsight Compute.
#
# Writes $out/seeds-claims.md and $out/counters.md. Sourced by run.sh, whose functions and variables
# it uses.

# For comparison, PyTorch's kernels are measured as well, where it is installed.
run 300 "$flashtwin" bench --suite seeds
if [ "$code" -eq 0 ]; then
	cp "$work/stdout" "$out/seeds-claims.md"
	detail="$(grep -c '| beaten *|$' "$out/seeds-claims.md") beaten,"
	detail="$detail $(grep -c '| reproduced *|$' "$out/seeds-claims.md") reproduced,"
	detail="$detail $(grep -c '| not reproduced *|$' "$out/seeds-claims.md") not reproduced"
	result PASS 'bench --suite seeds' "$detail"
	if command -v nvidia-smi >/dev/null; then
		echo 'Clocks and power afterwards:'
		nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit \
			--format=csv,noheader
		echo
	fi >>"$out/seeds-claims.md" 2>&1
	run 300 python3 "$source/tests/gpu/reference_bench.py"
	if [ "$code" -eq 0 ]; then
		cat "$work/stdout" >>"$out/seeds-claims.md"
		result PASS 'reference of bench' 'PyTorch'
	else
		result SKIP 'reference of bench' "exit code $code: $(tail -n 1 "$work/stderr")"
	fi
	cat "$out/seeds-claims.md" >>"$log"
else
	result FAIL 'bench --suite seeds' "exit code $code: $(tail -n 1 "$work/stderr")"
fi

# Counters are compared only where the driver lets ncu read them.
run 240 sh "$source/tests/gpu/counters.sh" "$build"
cp "$work/stdout" "$out/counters.md"
cat "$work/stdout" >>"$log"
if [ "$code" -eq 0 ] && [ ! -s "$work/stderr" ]; then
	result PASS 'counters against Nsight Compute' "$(grep -c '^|' "$out/counters.md") rows"
else
	result SKIP 'counters against Nsight Compute' "exit code $code: $(tail -n 1 "$work/stderr")"
fi

# What keeping the last run costs; the limit holds on the simulator.
for device in sim cuda; do
	run 200 "$flashtwin" bench --suite last --device $device
	cat "$work/stdout" >>"$log"
	if [ "$code" -eq 0 ]; then
		result PASS "bench --suite last, $device" "$(sed -n 's/^cost of //p' "$work/stdout" | tr -s ' ')"
	else
		result FAIL "bench --suite last, $device" "exit code $code: $(tail -n 1 "$work/stdout")"
	fi
done
