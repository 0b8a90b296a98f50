# bench.sh - the part of run.sh that measures what the attention paths claim to gain, and counts what
# Nsight Compute counts.
#
# Writes $out/seeds-claims.md and $out/counters.md. Sourced by run.sh, whose functions and variables
# it uses.

# Beside it, where PyTorch is installed, kernels that are not ours.
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

# Beside the simulator's counters, where the driver lets ncu read its own.
run 240 sh "$source/tests/gpu/counters.sh" "$build"
cp "$work/stdout" "$out/counters.md"
cat "$work/stdout" >>"$log"
if [ "$code" -eq 0 ] && [ ! -s "$work/stderr" ]; then
	result PASS 'counters beside Nsight Compute' "$(grep -c '^|' "$out/counters.md") rows"
else
	result SKIP 'counters beside Nsight Compute' "exit code $code: $(tail -n 1 "$work/stderr")"
fi
