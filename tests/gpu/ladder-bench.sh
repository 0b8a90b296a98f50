# ladder-bench.sh - the part of run.sh that measures the ladder, and PyTorch's kernels next to it.
#
# Writes to $out/ladder-bench: decode.json and peers.json, what was measured; table.md and plot.svg,
# both together with times cited for other kernels; measured.md, the section of doc/ladder.md.
# SHAPES restricts it to a list or one shape of the suite. Sourced by run.sh, whose functions and
# variables it uses.

folder=$out/ladder-bench
mkdir -p "$folder" || exit 2
# Clocks and power each second; the line with the most power is one of the GPU at work.
clocks='clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit'
: >"$work/clocks"
sampler=
if command -v nvidia-smi >/dev/null; then
	nvidia-smi --query-gpu=$clocks --format=csv,noheader,nounits -l 1 >"$work/clocks" 2>>"$log" &
	sampler=$!
fi
run 580 "$flashtwin" bench --suite decode --json ${SHAPES:+--shape "$SHAPES"}
[ -z "$sampler" ] || { kill "$sampler"; wait "$sampler"; } 2>>"$log"
if [ "$code" -eq 0 ]; then
	cp "$work/stdout" "$folder/decode.json"
	result PASS 'bench --suite decode' "$(grep -c '"us": [0-9]' "$folder/decode.json") times"
	saved=$folder/decode.json
	# A run that is ended has written the shapes before.
	rm -f "$folder/peers.json"
	run 580 python3 "$source/tests/bench/peers.py" --paired "$flashtwin" \
		--out "$folder/peers.json" "$saved"
	peers=$(grep -c '"us": [0-9]' "$folder/peers.json" 2>/dev/null)
	if [ "$code" -eq 0 ]; then
		result PASS 'peers of bench --suite decode' "$peers times"
	else
		result SKIP 'peers of bench --suite decode' \
			"exit code $code, ${peers:-0} times: $(tail -n 1 "$work/stderr")"
	fi
	[ ! -s "$folder/peers.json" ] || saved="$saved $folder/peers.json"
	run 60 "$flashtwin" bench --suite decode $saved "$source/tests/bench/cited.json" \
		--plot "$folder/plot.svg"
	cp "$work/stdout" "$folder/table.md"
	if [ "$code" -eq 0 ]; then
		result PASS 'table and plot of the ladder' "$(grep -c '^|' "$folder/table.md") lines"
	else
		result FAIL 'table and plot of the ladder' \
			"exit code $code: $(tail -n 1 "$work/stderr")"
	fi
	{
		sed -e '1,2d' -e '/^## All measurements/,$d' -e 's/^## /### /' "$folder/table.md"
		if [ -s "$work/clocks" ]; then
			echo 'SM clock, SM clock at most, memory clock in MHz, power, power limit in W, when it'
			echo 'drew most:'
			sort -t , -k 4 -g "$work/clocks" | tail -n 1
			echo
		fi
	} >"$folder/measured.md" 2>&1
else
	result FAIL 'bench --suite decode' "exit code $code: $(tail -n 1 "$work/stderr")"
fi
