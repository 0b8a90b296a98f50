# ladder-bench.sh - the part of run.sh that measures the ladder, and PyTorch's kernels next to it.
#
# Writes to $out/ladder-bench: decode.json and peers.json, what was measured; table.md and plot.svg,
# both together with times cited for other kernels; measured.md, the section of doc/ladder.md.
# KV_DTYPES names types of keys and values, f32 by default; what is of another one goes to
# $out/ladder-bench-TYPE, and has peers in bf16 only. SHAPES restricts all to a list or one shape of
# the suite. Sourced by run.sh, whose functions and variables it uses.

# Clocks and power each second; the line with the most power is one of the GPU at work.
clocks='clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit'
sampler=
sample_clocks() {
	: >"$work/clocks"
	command -v nvidia-smi >/dev/null || return 0
	nvidia-smi --query-gpu=$clocks --format=csv,noheader,nounits -l 1 >"$work/clocks" 2>>"$log" &
	sampler=$!
}
end_sampling() {
	[ -z "$sampler" ] || { kill "$sampler"; wait "$sampler"; } 2>>"$log"
	sampler=
}

# time_peers FOLDER TYPE: sets saved to the files with results.
time_peers() {
	saved=$1/decode.json cited=$source/tests/bench/cited.json dtypes=
	# A run that is ended has written the shapes before.
	rm -f "$1/peers.json"
	case $2 in
	f32) ;;
	bf16)
		dtypes='--dtype bf16 --flex none'
		cited="$cited $source/tests/bench/cited_narrow.json"
		;;
	*) return ;;
	esac
	# shellcheck disable=SC2086
	run 1200 python3 "$source/tests/bench/peers.py" $dtypes --paired "$flashtwin" --kv-dtype "$2" \
		--out "$1/peers.json" "$saved"
	peers=$(grep -c '"us": [0-9]' "$1/peers.json" 2>/dev/null)
	if [ "$code" -eq 0 ]; then
		result PASS "peers of bench --suite decode, $2" "$peers times"
	else
		result SKIP "peers of bench --suite decode, $2" \
			"exit code $code, ${peers:-0} times: $(tail -n 1 "$work/stderr")"
	fi
	[ ! -s "$1/peers.json" ] || saved="$saved $1/peers.json"
	saved="$saved $cited"
}

# measure_ladder FOLDER TYPE
measure_ladder() {
	mkdir -p "$1" || exit 2
	sample_clocks
	run 580 "$flashtwin" bench --suite decode --kv-dtype "$2" --json ${SHAPES:+--shape "$SHAPES"}
	end_sampling
	if [ "$code" -ne 0 ]; then
		result FAIL "bench --suite decode, $2" "exit code $code: $(tail -n 1 "$work/stderr")"
		return
	fi
	cp "$work/stdout" "$1/decode.json"
	result PASS "bench --suite decode, $2" "$(grep -c '"us": [0-9]' "$1/decode.json") times"
	time_peers "$1" "$2"
	# shellcheck disable=SC2086
	run 60 "$flashtwin" bench --suite decode $saved --plot "$1/plot.svg"
	cp "$work/stdout" "$1/table.md"
	if [ "$code" -eq 0 ]; then
		result PASS "table and plot of the ladder, $2" "$(grep -c '^|' "$1/table.md") lines"
	else
		result FAIL "table and plot of the ladder, $2" \
			"exit code $code: $(tail -n 1 "$work/stderr")"
	fi
	{
		sed -e '1,2d' -e '/^## All measurements/,$d' -e 's/^## /### /' "$1/table.md"
		if [ -s "$work/clocks" ]; then
			echo 'SM clock, SM clock at most, memory clock in MHz, power, power limit in W, when it'
			echo 'drew most:'
			sort -t , -k 4 -g "$work/clocks" | tail -n 1
			echo
		fi
	} >"$1/measured.md" 2>&1
}

for type in ${KV_DTYPES:-f32}; do
	folder=$out/ladder-bench
	[ "$type" = f32 ] || folder=$folder-$type
	measure_ladder "$folder" "$type"
done
