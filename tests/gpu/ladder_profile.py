#!/usr/bin/env python3
"""ladder_profile.py FLASHTWIN [NCU] - what limits the ladder's kernels, by Nsight Compute.

Profiles kernels of `bench --suite decode` on the GPU and prints a table of them: how long each ran
by itself, how much of the memory's and of the multiprocessors' peak it used, and what its warps
waited for most. NCU empties the caches before each kernel and leaves the clocks alone. Kernels do
not overlap here, also those that begin while the one before them ends. Run by hand, or by
ladder-profile.sh.
"""
import csv
import subprocess
import sys

# Shapes of the bench, or the name of a list of its shapes, with the rungs to profile and the type of
# keys and values. RAGGED is the suite's list of lengths.
RAGGED = "32,32/8,128,500+"
RUNS = [("1,32/8,128,1K", ["6", "9", "10"], "f32"), ("1,32/8,128,4K", ["6", "9", "10"], "f32"),
	("1,32/8,128,32K", ["6", "9", "10"], "f32"), ("1,32/8,128,128K", ["9", "10"], "f32"),
	("32,32/8,128,4K", ["9", "10"], "f32"), (RAGGED, ["6", "9", "10"], "f32"),
	("1,128/8,128,32K", ["6", "9"], "f32"),
	("1,32/8,128,4K", ["9"], "bf16"), ("1,32/8,128,32K", ["9"], "bf16"),
	("32,32/8,128,8K", ["9", "10"], "bf16"), ("64,28/4,128,4K", ["10"], "bf16"),
	("16,64/8,128,32K", ["10"], "bf16"), (RAGGED, ["7"], "bf16"),
	("1,128/8,128,32K", ["9"], "bf16"),
	("1,32/8,128,32K", ["9"], "e4m3"), ("32,32/8,128,8K", ["9", "10"], "e4m3")]
# Kernels for prompts, and those of the ladder.
PROMPTS, LADDER = ["attention_prefill", "attention_prefill_tiled"], "flash_decode.*"
STALLS = "smsp__average_warps_issue_stalled_"
REASONS = ["barrier", "long_scoreboard", "short_scoreboard", "math_pipe_throttle", "wait",
	   "not_selected", "mio_throttle", "lg_throttle", "membar", "sleeping", "branch_resolving",
	   "no_instruction", "dispatch_stall", "drain", "imc_miss"]
FIGURES = {"us": "gpu__time_duration.sum", "read": "dram__bytes_read.sum",
	   "written": "dram__bytes_write.sum",
	   "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
	   "fma": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
	   "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
	   "warps": "sm__warps_active.avg.pct_of_peak_sustained_elapsed"}
MEGABYTES = {"byte": 1e-6, "Kbyte": 1e-3, "Mbyte": 1, "Gbyte": 1e3}
SCALE = {"us": {"nsecond": 1e-3, "ns": 1e-3, "usecond": 1, "us": 1, "msecond": 1e3, "ms": 1e3,
		"second": 1e6, "s": 1e6},
	 "read": MEGABYTES, "written": MEGABYTES}


def stall(reason):
	return f"{STALLS}{reason}_per_issue_active.ratio"


def profile(ncu, flashtwin, shape, kernels, rung=None, kv_dtype="f32"):
	"""One row of NCU's table for each kernel: {name: (value, unit)} with its name as "kernel"."""
	metrics = ",".join([*FIGURES.values(), *map(stall, REASONS)])
	command = [ncu, "--csv", "--page", "raw", "--clock-control", "none", "--metrics", metrics,
		   "-k", f"regex:^{kernels}$", "--launch-count", "4",
		   flashtwin, "bench", "--suite", "decode", "--shape", shape, "--runs", "1", "--json"]
	if rung:
		command += ["--rung", rung, "--kv-dtype", kv_dtype]
	done = subprocess.run(command, capture_output=True, text=True)
	lines = done.stdout.splitlines()
	begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
	if begin is None:
		sys.exit(f"ladder_profile.py: {shape}: ncu measured nothing: "
			 f"{(done.stdout + done.stderr).strip()[-400:]}")
	rows = list(csv.reader(line for line in lines[begin:] if line.startswith('"')))
	names, units = rows[0], rows[1]
	for row in rows[2:]:
		cells = {name: (value.replace(",", ""), unit)
			 for name, value, unit in zip(names, row, units)}
		cells["kernel"] = cells["Kernel Name"][0].split("(")[0].split()[-1]
		yield cells


def number(cells, name, scale=None):
	value, unit = cells.get(name, ("", ""))
	if not value:
		return None
	return float(value) * (scale[unit] if scale else 1)


def cell(value, digits):
	return "-" if value is None else f"{value:.{digits}f}"


def waits(cells):
	"""The two most frequent reasons why a warp issued nothing, in warps per issued instruction."""
	found = [(number(cells, stall(reason)), reason.replace("_", " ")) for reason in REASONS]
	found = sorted(((value, reason) for value, reason in found if value), reverse=True)[:2]
	return ", ".join(f"{reason} {value:.1f}" for value, reason in found)


def print_row(shape, rung, cells):
	figures = {key: number(cells, name, SCALE.get(key)) for key, name in FIGURES.items()}
	print(f"| {shape} | {rung or '-'} | `{cells['kernel']}` | {cell(figures['us'], 2)} |",
	      f"{cell(figures['read'], 2)} | {cell(figures['written'], 2)} |",
	      f"{cell(figures['memory'], 1)} |",
	      f"{cell(figures['issue'], 1)} | {cell(figures['fma'], 1)} |",
	      f"{cell(figures['warps'], 1)} | {waits(cells)} |", flush=True)


def ragged_lengths(flashtwin):
	listed = subprocess.run([flashtwin, "bench", "--suite", "decode", "--list"], check=True,
				capture_output=True, text=True)
	return next(word for word in listed.stdout.split() if word.startswith(RAGGED))


def main():
	flashtwin = sys.argv[1]
	ncu = sys.argv[2] if len(sys.argv) > 2 else "ncu"
	ragged = ragged_lengths(flashtwin)
	print("| shape | rung | kernel | us | MB read | MB written | memory % | issue % |"
	      " fma % | warps % | warps wait for |")
	print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for shape, rungs, kv_dtype in RUNS:
		for rung in rungs:
			seen = set()
			asked = ragged if shape == RAGGED else shape
			named = "ragged" if shape == RAGGED else shape
			for cells in profile(ncu, flashtwin, asked, LADDER, rung, kv_dtype):
				if cells["kernel"] not in seen:
					print_row(named if kv_dtype == "f32" else f"{kv_dtype} {named}",
						  rung, cells)
				seen.add(cells["kernel"])
	for kernel in PROMPTS:
		print_row("prefill", None, next(profile(ncu, flashtwin, "prefill", kernel)))


if __name__ == "__main__":
	main()
