# ladder-profile.sh - the part of run.sh that profiles the ladder's kernels with Nsight Compute.
#
# Writes $out/ladder-profile.md, a table for doc/ladder.md. Sourced by run.sh, whose functions and
# variables it uses.

if command -v ncu >/dev/null; then
	run 580 python3 "$source/tests/gpu/ladder_profile.py" "$flashtwin"
	cp "$work/stdout" "$out/ladder-profile.md"
	if [ "$code" -eq 0 ]; then
		result PASS 'profiles of the ladder' "$(grep -c '`' "$out/ladder-profile.md") kernels"
	elif grep -q ERR_NVGPUCTRPERM "$work/stderr"; then
		result SKIP 'profiles of the ladder' 'the driver lets administrators alone read counters'
	else
		result FAIL 'profiles of the ladder' "exit code $code: $(tail -n 1 "$work/stderr")"
	fi
else
	result SKIP 'profiles of the ladder' 'no ncu in PATH'
fi
