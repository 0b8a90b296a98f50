#!/bin/sh
# counters.sh BUILD_DIR [NCU] - compares counters of Nsight Compute with the simulator's, as tables.
#
# Runs the attention paths under ncu on the GPU and with --count on the simulator, and prints for
# each kernel the sums over its launches; then the same for the kernels of requests.cu, each of
# which makes one access of known shape; then execution counts of instructions that the metrics
# leave out. With COUNTERS_CSV and COUNTERS_SIM set, compares those files and needs no GPU. Where
# ncu may not read counters, prints one line and exits with 0. Takes about a minute and a half.
set -eu

# Pairs of column:metric. Those in more_metrics are used only if this version of ncu knows them.
metrics='load_requests:l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
load_sectors:l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
store_requests:l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
store_sectors:l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
shared_load_requests:smsp__inst_executed_op_shared_ld.sum
shared_store_requests:smsp__inst_executed_op_shared_st.sum
shared_load_conflicts:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
shared_store_conflicts:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum'
more_metrics='shared_load_passes:l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
shared_store_passes:l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
divergent_branches:smsp__sass_branch_targets_threads_divergent.sum'

# ncu_sums CSV: prints sums as lines "kernel column value". Fields are quoted and may contain
# commas.
ncu_sums() {
	awk -v metrics="$metrics" '
	function split_csv(line, field,   n, c, i, quoted) {
		n = 1; field[1] = ""; quoted = 0
		for (i = 1; i <= length(line); i++) {
			c = substr(line, i, 1)
			if (c == "\"") quoted = !quoted
			else if (c == "," && !quoted) field[++n] = ""
			else if (c != "\r") field[n] = field[n] c
		}
		return n
	}
	BEGIN {
		split(metrics, pairs, "\n")
		for (i in pairs) {
			split(pairs[i], pair, ":")
			column[pair[2]] = pair[1]
		}
	}
	!kernel_at && /"Kernel Name"/ {
		n = split_csv($0, f)
		for (i = 1; i <= n; i++) {
			if (f[i] == "Kernel Name") kernel_at = i
			if (f[i] == "Metric Name") metric_at = i
			if (f[i] == "Metric Value") value_at = i
		}
		next
	}
	kernel_at && /^"/ {
		split_csv($0, f)
		sub(/\(.*/, "", f[kernel_at])
		if (f[metric_at] == "sass__inst_executed_per_opcode") {
			# "1,234 (BAR: 12; SHFL: 1,000; ...)"
			gsub(/,/, "", f[value_at])
			while (match(f[value_at], /[A-Z][A-Z0-9_.]*[:=] *[0-9]+/)) {
				split(substr(f[value_at], RSTART, RLENGTH), pair, /[:=] */)
				f[value_at] = substr(f[value_at], RSTART + RLENGTH)
				sum[f[kernel_at] " " pair[1]] += pair[2]
			}
		}
		if (!(f[metric_at] in column)) next
		gsub(/,/, "", f[value_at])
		sum[f[kernel_at] " " column[f[metric_at]]] += f[value_at]
	}
	END { for (key in sum) printf "%s %d\n", key, sum[key] }' "$1"
}

# sim_sums CSV: the same for the simulator, from CSVs of v_counter, whose first line names the
# columns.
sim_sums() {
	awk -F, '
	{ sub(/\r$/, "") }
	$1 == "kernel" { for (i = 2; i <= NF; i++) name[i] = $i; next }
	{ for (i = 2; i <= NF; i++) sum[$1 " " name[i]] += $i }
	END { for (key in sum) printf "%s %d\n", key, sum[key] }' "$1"
}

# table WHAT CSV SIM [COLUMNS]: prints a table of the columns that the regular expression COLUMNS
# matches (default: all).
table() {
	ncu_sums "$2" | sort >"$work/gpu"
	sim_sums "$3" >"$work/sim"
	printf '| %s | counter | GPU | simulator | difference |\n' "$1"
	echo '|------|---------|----:|----------:|-----------:|'
	awk -v columns="${4-.}" '
	NR == FNR { sim[$1 " " $2] = $3; next }
	$2 !~ columns { next }
	!(($1 " " $2) in sim) { printf "| %s | %s | %d | | |\n", $1, $2, $3; next }
	{
		s = sim[$1 " " $2]
		printf "| %s | %s | %d | %d | %s |\n", $1, $2, $3, s,
			$3 == s ? "-" : $3 == 0 ? "new" : sprintf("%+.1f %%", 100 * (s - $3) / $3)
	}' "$work/sim" "$work/gpu"
}

work=$(mktemp -d)
XDG_STATE_HOME=$work/state
XDG_CACHE_HOME=$work/cache
export XDG_STATE_HOME XDG_CACHE_HOME
trap 'rm -rf "$work"' EXIT
if [ -n "${COUNTERS_CSV-}" ]; then
	table kernel "$COUNTERS_CSV" "$COUNTERS_SIM"
	exit
fi

source=$(cd "$(dirname "$0")/../.." && pwd)
flashtwin=$(cd "$1" && pwd)/flashtwin
ncu=${2-ncu}
columns='load_requests, load_sectors, store_requests, store_sectors, shared_load_requests,
	shared_store_requests, shared_load_conflicts, shared_store_conflicts, divergent_branches,
	shuffles AS SHFL'
"$ncu" --query-metrics >"$work/known" 2>&1 || :
for pair in $more_metrics; do
	metric=${pair#*:}
	if grep -q "^${metric%.sum}[[:space:]]" "$work/known"; then
		metrics="$metrics
$pair"
	fi
done
names=$(echo "$metrics" | sed 's/.*://' | paste -sd, -)

# npy FILE SHAPE COUNT: writes an .npy file of f32 zeros.
npy() {
	{
		printf '\223NUMPY\001\000\166\000'
		printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': $2, }"
		head -c $(($3 * 4)) /dev/zero
	} >"$1"
}

# profile METRICS COMMAND...: prints the rows of an ncu CSV; exits if ncu may not read counters.
profile() {
	"$ncu" --csv --log-file "$work/one.csv" --clock-control none \
		--print-metric-instances details --metrics "$@" >/dev/null 2>"$work/ncu.err" || :
	if grep -q ERR_NVGPUCTRPERM "$work/one.csv" "$work/ncu.err"; then
		echo 'counters.sh: ncu may not read counters here (ERR_NVGPUCTRPERM)' >&2
		exit
	fi
	if ! grep -q '"Metric Name"' "$work/one.csv"; then
		echo "counters.sh: ncu measured nothing: $*" >&2
		cat "$work/one.csv" "$work/ncu.err" >&2
	fi
	cat "$work/one.csv"
}

# measure COMMAND...: runs a flashtwin command on both devices.
measure() {
	"$flashtwin" "$@" --count -o "$work/sim.twin" --force >/dev/null
	"$flashtwin" sql "$work/sim.twin" --csv "SELECT kernel, $columns FROM v_counter" \
		>>"$work/sim.csv"
	profile "$names" "$flashtwin" "$@" --device cuda --no-record >>"$work/ncu.csv"
}

cd "$work"
npy q64.npy '(4, 64)' 256
npy q128.npy '(8, 128)' 1024
npy k4x64.npy '(4, 300, 64)' 76800
npy k128.npy '(2, 700, 128)' 179200
npy q256.npy '(2, 256)' 512
npy k256.npy '(1, 500, 256)' 128000
npy queries64.npy '(4, 90, 64)' 23040
npy keys64.npy '(2, 150, 64)' 19200
npy queries128.npy '(2, 40, 128)' 10240
npy keys128.npy '(1, 75, 128)' 9600
for path in flash-decoding incremental incremental-multiwarp batched; do
	measure decode --prompt 'ROMEO: and all the world' -n 2 --path "$path"
done
measure attend --path cached --q q64.npy --k k4x64.npy --v k4x64.npy
measure attend --chunk 16 --warps 2 --q q128.npy --k k128.npy --v k128.npy
measure attend --chunk 64 --q q256.npy --k k256.npy --v k256.npy
measure attend --path prefill --causal --q queries64.npy --k keys64.npy --v keys64.npy
measure attend --path prefill --q queries128.npy --k keys128.npy --v keys128.npy
table kernel "$work/ncu.csv" "$work/sim.csv"

echo
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" -arch=native -o requests "$source/tests/gpu/requests.cu"
profile "$names" ./requests >requests.csv
npy in.npy '(4096,)' 4096
# launch KERNEL: counts a kernel of requests.cu on the simulator.
launch() {
	"$flashtwin" launch "$source/tests/gpu/requests.cu" --kernel "$1" --grid 1 --block 32 \
		--arg in=@in.npy --arg "out=>$1.npy:f32[32]" --count -o "$1.twin" \
		>/dev/null 2>"$1.err" || cat "$1.err" >&2
	"$flashtwin" sql "$1.twin" --csv "SELECT kernel, $columns FROM v_counter" >"$1.sim"
}
count=0
for kernel in $(ncu_sums requests.csv | sed 's/ .*//' | sort -u); do
	launch "$kernel" &
	count=$((count + 1))
	[ $((count % $(nproc))) -ne 0 ] || wait
done
wait
cat ./*.sim >requests.sim.all
table access requests.csv requests.sim.all '^(shared_)?(load|store)_'

echo
for path in flash-decoding incremental-multiwarp; do
	set -- decode --prompt 'ROMEO: and all the world' -n 2 --path "$path"
	"$flashtwin" "$@" --count -o "$work/sim.twin" --force >/dev/null
	"$flashtwin" sql "$work/sim.twin" --csv "SELECT kernel, $columns FROM v_counter" \
		>>opcodes.sim
	profile sass__inst_executed_per_opcode "$flashtwin" "$@" --device cuda --no-record \
		>>opcodes.csv
done
table instructions opcodes.csv opcodes.sim '^(SHFL|BAR|LDS|LDG|STS|STG|BSYNC|BSSY|BRA)'
if [ ! -s "$work/gpu" ]; then
	echo 'counters.sh: no instructions in what ncu printed:' >&2
	head -c 3000 opcodes.csv >&2
fi
