# ladder-accuracy.sh - the part of run.sh that compares the ladder's errors in f16 and bf16 with
# PyTorch's, and checks those with e4m3.
#
# accuracy.py runs in one process for each processor, spread over the GPUs, and accuracy_e4m3.py beside
# them; their lines go to $out/accuracy.txt. FlashInfer's list has caches of 9 GB, which a process holds
# three times in the GPU's memory and three times in the host's or on disk: it gets fewer processes.
# ACCURACY_LISTS names some of the lists. Sourced by run.sh, whose functions and variables it uses.

# accuracy PROCESSES LISTS: starts so many processes for those lists.
accuracy() {
	first=$part
	while [ "$part" -lt $((first + $1)) ]; do
		(
			[ "$gpus" -lt 2 ] || export CUDA_VISIBLE_DEVICES=$((part % gpus))
			OMP_NUM_THREADS=1 python3 "$source/tests/gpu/accuracy.py" "$flashtwin" \
				--part "$((part - first))/$1" --lists "$2" \
				>"$work/accuracy.$part" 2>&1 || echo "FAIL part $part: exit code $?" \
				>>"$work/accuracy.$part"
		) &
		part=$((part + 1))
	done
}

if python3 -c 'import numpy, torch' 2>>"$log"; then
	jobs=$(nproc)
	gpus=$(nvidia-smi -L 2>>"$log" | grep -c '^GPU')
	part=0
	some=$(echo "${ACCURACY_LISTS:-matrix,FlashInfer,FlashMLA,FlashAttention}" | tr , '\n')
	large=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 32000000))
	[ "$large" -le $((4 * gpus)) ] || large=$((4 * gpus))
	[ "$large" -ge 1 ] || large=1
	! echo "$some" | grep -qx FlashInfer || accuracy "$large" FlashInfer
	rest=$(echo "$some" | grep -vx FlashInfer | paste -sd ,)
	[ -z "$rest" ] || accuracy "$jobs" "$rest"
	python3 "$source/tests/gpu/accuracy_e4m3.py" "$flashtwin" >"$work/accuracy.e4m3" 2>&1 ||
		echo "FAIL e4m3: exit code $?" >>"$work/accuracy.e4m3"
	wait
	# The sums of the parts.
	cat "$work"/accuracy.* | awk -F ': | cases, | outputs, error / PyTorch.s at most ' '
		/ cases, .* outputs, / {
			cases[$1] += $2; outputs[$1] += $3; if ($4 > worst[$1]) worst[$1] = $4; next
		}
		{ print }
		END {
			for (list in cases)
				printf "%s: %d cases, %d outputs, error / PyTorch'\''s at most %s\n",
					list, cases[list], outputs[list], worst[list]
		}' | sort >"$out/accuracy.txt"
	cat "$out/accuracy.txt" >>"$log"
	detail=$(awk -F ': | cases, ' '/ cases, / { n += $2 } END { print n + 0 }' "$out/accuracy.txt")
	if [ "$detail" -gt 0 ] && ! grep -q 'FAIL\|Error\|Traceback' "$out/accuracy.txt"; then
		result PASS 'errors next to PyTorch' "$detail cases"
	else
		result FAIL 'errors next to PyTorch' "$detail cases, $(grep -c FAIL "$out/accuracy.txt") fail"
	fi
else
	result SKIP 'errors next to PyTorch' 'no NumPy and PyTorch here'
fi
