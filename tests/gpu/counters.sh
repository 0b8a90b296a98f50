#!/bin/sh
# counters.sh BUILD_DIR [NCU] - counters of Nsight Compute beside the simulator's, as a table.
#
# Runs each attention path under ncu on the GPU and with --count on the simulator, and prints per
# kernel both sums of its launches. With COUNTERS_CSV and COUNTERS_SIM set, compares such files
# instead and needs no GPU. Exit code 0 also where ncu may not read counters: one line says so.
set -eu

metrics='load_requests:l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
load_sectors:l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
store_requests:l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
store_sectors:l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
shared_load_requests:smsp__inst_executed_op_shared_ld.sum
shared_store_requests:smsp__inst_executed_op_shared_st.sum
shared_load_conflicts:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
shared_store_conflicts:l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum'

# Sums of an ncu CSV: "kernel column value" lines. Fields are quoted and may hold commas.
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
		if (!(f[metric_at] in column)) next
		gsub(/,/, "", f[value_at])
		sub(/\(.*/, "", f[kernel_at])
		sum[f[kernel_at] " " column[f[metric_at]]] += f[value_at]
	}
	END { for (key in sum) printf "%s %d\n", key, sum[key] }' "$1"
}

# The same of the simulator, from a CSV of v_counter: kernel, then the columns in order.
sim_sums() {
	awk -F, -v metrics="$metrics" '
	BEGIN {
		n = split(metrics, pairs, "\n")
		for (i = 1; i <= n; i++) {
			split(pairs[i], pair, ":")
			name[i] = pair[1]
		}
	}
	NR > 1 {
		sub(/\r$/, "")
		for (i = 1; i <= n; i++) sum[$1 " " name[i]] += $(i + 1)
	}
	END { for (key in sum) printf "%s %d\n", key, sum[key] }' "$1"
}

# table PATH CSV SIM
table() {
	ncu_sums "$2" | sort >"$work/gpu"
	sim_sums "$3" | sort >"$work/sim"
	awk -v path="$1" '
	NR == FNR { gpu[$1 " " $2] = $3; next }
	($1 " " $2) in gpu {
		g = gpu[$1 " " $2]
		printf "| %s | %s | %s | %d | %d | %s |\n", path, $1, $2, g, $3,
			g == $3 ? "-" : g == 0 ? "new" : sprintf("%+.1f %%", 100 * ($3 - g) / g)
	}' "$work/gpu" "$work/sim"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '| path | kernel | counter | GPU | simulator | difference |'
echo '|------|--------|---------|----:|----------:|-----------:|'
if [ -n "${COUNTERS_CSV-}" ]; then
	table given "$COUNTERS_CSV" "$COUNTERS_SIM"
	exit
fi
flashtwin=$(cd "$1" && pwd)/flashtwin
ncu=${2-ncu}
columns=$(echo "$metrics" | sed 's/:.*//' | paste -sd, -)
names=$(echo "$metrics" | sed 's/.*://' | paste -sd, -)
for path in flash-decoding incremental incremental-multiwarp batched auto; do
	set -- decode --prompt 'ROMEO: and all the world' -n 2 --path "$path"
	"$flashtwin" "$@" --count -o "$work/sim.twin" --force >/dev/null
	"$flashtwin" sql "$work/sim.twin" --csv "SELECT kernel, $columns FROM v_counter" \
		>"$work/sim.csv"
	"$ncu" --csv --metrics "$names" "$flashtwin" "$@" --device cuda --no-record \
		>"$work/ncu.csv" 2>"$work/ncu.err" || :
	if grep -q ERR_NVGPUCTRPERM "$work/ncu.csv" "$work/ncu.err"; then
		echo "counters.sh: $path: ncu may not read counters here (ERR_NVGPUCTRPERM)" >&2
		continue
	fi
	table "$path" "$work/ncu.csv" "$work/sim.csv"
done
