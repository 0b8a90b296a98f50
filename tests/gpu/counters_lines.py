#!/usr/bin/env python3
"""counters_lines.py FLASHTWIN [NCU] - compares single instructions of Nsight Compute with requests.

Records one launch of each kernel of the attention paths with --log access, all blocks, on the
simulator, and profiles the same launch on the GPU. Prints a table of both by source line: requests
and sectors of global memory, requests and conflicts of shared memory. Reads NCU's report with
the ncu_report module that comes with it. Exit code 1 where NCU measured nothing. Run by hand.
"""
import array
import collections
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

HEADS = ["--q", "q.npy", "--k", "k.npy", "--v", "k.npy"]
WIDE = ["--q", "wide_queries.npy", "--k", "wide.npy", "--v", "wide.npy"]
QUERIES = ["--q", "queries.npy", "--k", "keys.npy", "--v", "keys.npy"]
RUNS = [["attend", *HEADS, "--path", "incremental"],
	["attend", *HEADS, "--path", "incremental-multiwarp"],
	["attend", *HEADS, "--path", "batched"],
	["attend", *HEADS, "--chunk", "64"],
	["attend", *HEADS, "--chunk", "64", "--warps", "2"],
	*(["attend", *HEADS, "--path", "ladder", "--rung", rung] for rung in ("4", "5", "6", "10")),
	["attend", *WIDE, "--path", "ladder", "--rung", "10"],
	["attend", *QUERIES, "--path", "prefill", "--causal"],
	["attend", *QUERIES, "--path", "prefill-tiled", "--causal"]]
# The wide ones have too many KV heads for clusters.
SHAPES = {"q": (4, 64), "k": (2, 150, 64), "queries": (2, 70, 64), "keys": (1, 90, 64),
	  "wide_queries": (18, 64), "wide": (9, 150, 64)}

# The kinds of accesses of each opcode; an asynchronous copy is a load and a store.
OPCODES = {"LDG": [("load", "global")], "STG": [("store", "global")], "LDS": [("load", "shared")],
	   "STS": [("store", "shared")], "LDGSTS": [("load", "global"), ("store", "shared")],
	   "LDSM": [("load", "shared")], "LD": [("load", "generic")], "ST": [("store", "generic")],
	   "UBLKCP": [("load", "bulk")]}
COLUMNS = ("requests", "sectors", "conflicts")
METRICS = {"executed": "inst_executed", "sectors": "memory_l2_theoretical_sectors_global",
	   "passes": "memory_l1_wavefronts_shared", "ideal": "memory_l1_wavefronts_shared_ideal"}


def write_npy(name, shape):
	"""Writes an .npy file of f32 values that differ."""
	count = 1
	for extent in shape:
		count *= extent
	values = array.array("f", ((i * 37 % 101 - 50) / 64 for i in range(count)))
	header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
	with open(name + ".npy", "wb") as file:
		file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
		file.write(header.encode() + values.tobytes())


def query(flashtwin, trace, text):
	done = subprocess.run([flashtwin, "sql", trace, "--csv", text], check=True,
			      capture_output=True, text=True)
	return list(csv.DictReader(done.stdout.splitlines()))


def place_of(path, line):
	return f"{os.path.basename(path)}:{line}"


def simulate(flashtwin, command, known):
	"""Records each kernel's last launch of a command, but those known. Returns
	{kernel: (ordinal of the launch, {(place, kind, space): sums})}."""
	record = [flashtwin, *command, "-o", "sim.twin", "--force"]
	subprocess.run(record, check=True, capture_output=True)
	launches = query(flashtwin, "sim.twin", "SELECT launch, kernel, "
			 "grid_x * grid_y * grid_z AS blocks FROM v_launch ORDER BY launch")
	found = {}
	for row in launches:
		if row["kernel"] not in known:
			found.setdefault(row["kernel"], []).append(row)
	sums = {}
	for kernel, rows in found.items():
		number, blocks = rows[-1]["launch"], int(rows[-1]["blocks"])
		subprocess.run([*record, "--log", "access", "--log-at",
				f"L{number}.b0..L{number}.b{blocks - 1}"], check=True,
			       capture_output=True)
		lines = query(flashtwin, "sim.twin", "SELECT file, line, kind, space, counted, "
			      "sectors, conflicts FROM v_access_line WHERE kind != 'atomic'")
		sums[kernel] = len(rows) - 1, {
			(place_of(row["file"] or "?", row["line"]), row["kind"], row["space"]):
			{"requests": int(row["counted"]), "sectors": int(row["sectors"] or 0),
			 "conflicts": int(row["conflicts"] or 0)} for row in lines}
	return sums


def report_module(ncu):
	"""Imports ncu_report from the folder of Nsight Compute."""
	program = os.path.realpath(subprocess.run(["which", ncu], check=True, capture_output=True,
						  text=True).stdout.strip())
	folder = os.path.dirname(program)
	around = [folder, os.path.dirname(folder), os.path.dirname(os.path.dirname(folder)),
		  "/opt/nvidia/nsight-compute/*", "/usr/local/cuda*/nsight-compute*"]
	for place in around:
		for path in glob.glob(place + "/extras/python"):
			sys.path.append(path)
	import ncu_report # found only now
	return ncu_report


def instances(action, name):
	"""The values of a metric by address."""
	metric = action.metric_by_name(name)
	if metric is None or not metric.has_correlation_ids():
		return {}
	places = metric.correlation_ids()
	return {places.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


def measured(action):
	"""Sums of one launch's instructions by (place, kind, space), as simulate() returns them."""
	values = {key: instances(action, name) for key, name in METRICS.items()}
	sums = collections.defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
	for address, executed in values["executed"].items():
		text = action.sass_by_pc(address)
		opcode = re.match(r"\s*(?:@!?U?P\w+\s+)?(\w+)", text)
		accesses = OPCODES.get(opcode.group(1) if opcode else "", [])
		if not accesses or not executed:
			continue
		source = action.source_info(address)
		place = place_of(source.file_name(), source.line()) if source else "?"
		for kind, space in accesses:
			one = sums[place, kind, space]
			one["requests"] += executed
			if space == "global":
				one["sectors"] += values["sectors"].get(address, 0)
			if space == "shared":
				one["conflicts"] += (values["passes"].get(address, 0)
						     - values["ideal"].get(address, 0))
		print(f"{action.name()} {address:x} {place} {executed}",
		      *(values[key].get(address, "-") for key in ("sectors", "passes", "ideal")),
		      text.strip(), file=sys.stderr)
	if not sums:
		explain_nothing(action, values["executed"])
	return sums


def explain_nothing(action, executed):
	"""Exits with what NCU's report has instead of instructions that access memory."""
	print("metrics:", *sorted(action.metric_names()), file=sys.stderr)
	for name in METRICS.values():
		metric = action.metric_by_name(name)
		print(name, "missing" if metric is None else
		      f"{metric.num_instances()} instances, correlated "
		      f"{metric.has_correlation_ids()}", file=sys.stderr)
	for address in sorted(executed)[:20]:
		print(f"{address:x} {executed[address]} {action.sass_by_pc(address)!r}",
		      file=sys.stderr)
	sys.exit(f"counters_lines.py: no instruction of {action.name()} accesses memory, "
		 f"of {len(executed)} measured")


def profile(ncu, module, flashtwin, command, kernels):
	"""Profiles the launches that simulate() recorded. Returns {kernel: sums}."""
	done = subprocess.run(
		[ncu, "-f", "-o", "gpu", "--clock-control", "none", "--import-source", "yes",
		 "--section", "SourceCounters", "--section", "LaunchStats",
		 "--metrics", ",".join(METRICS.values()),
		 "--kernel-name", "regex:^(" + "|".join(kernels) + ")$",
		 flashtwin, *command, "--device", "cuda", "--no-record"],
		capture_output=True, text=True)
	if not os.path.exists("gpu.ncu-rep"):
		sys.exit("counters_lines.py: ncu measured nothing: " + done.stdout[-800:]
			 + done.stderr[-800:])
	actions = collections.defaultdict(list)
	launches = module.load_report("gpu.ncu-rep").range_by_idx(0)
	for i in range(launches.num_actions()):
		action = launches.action_by_idx(i)
		actions[action.name().split("(")[0]].append(action)
	os.remove("gpu.ncu-rep")
	missing = [kernel for kernel, (ordinal, _) in kernels.items()
		   if len(actions[kernel]) <= ordinal]
	if missing:
		sys.exit(f"counters_lines.py: ncu did not measure {', '.join(missing)}")
	return {kernel: measured(actions[kernel][ordinal])
		for kernel, (ordinal, _) in kernels.items()}


def join_lines(gpu, sim):
	"""A statement may have several lines. Where only NCU has an access on a line and only the
	simulator has one of that kind at most three lines away, moves NCU's to the simulator's
	line."""
	for key in sorted(gpu.keys() - sim.keys()):
		(file, line), *kind = key[0].split(":"), *key[1:]
		near = [other for other in sim.keys() - gpu.keys()
			if [*other[1:]] == kind and other[0].split(":")[0] == file
			and abs(int(other[0].split(":")[1]) - int(line)) <= 3]
		if near:
			gpu[min(near, key=lambda other: abs(int(other[0].split(":")[1])
							    - int(line)))] = gpu.pop(key)
	return gpu


def cell(gpu, sim):
	return str(gpu) if gpu == sim else f"{gpu} ({sim})"


def print_table(kernel, gpu, sim):
	gpu = join_lines(gpu, sim)
	nothing = dict.fromkeys(COLUMNS, 0)
	for key in sorted(gpu.keys() | sim.keys(), key=lambda key: (key[2], key)):
		place, kind, space = key
		on_gpu, on_sim = gpu.get(key, nothing), sim.get(key, nothing)
		cells = {column: cell(on_gpu[column], on_sim[column]) for column in COLUMNS}
		print(f"| `{kernel}` | `{place}` | {space} {kind} | {cells['requests']} |",
		      cells["sectors"] if space == "global" else "", "|",
		      cells["conflicts"] if space == "shared" else "", "|")


def main():
	flashtwin = os.path.abspath(sys.argv[1])
	ncu = sys.argv[2] if len(sys.argv) > 2 else "ncu"
	module = report_module(ncu)
	with tempfile.TemporaryDirectory() as folder:
		os.chdir(folder)
		for name, shape in SHAPES.items():
			write_npy(name, shape)
		print("| kernel | line | access | requests | sectors | conflicts |")
		print("|---|---|---|---:|---:|---:|")
		known = set()
		for command in RUNS:
			kernels = simulate(flashtwin, command, known)
			known.update(kernels)
			if not kernels:
				continue
			gpu = profile(ncu, module, flashtwin, command, kernels)
			for kernel, (_, sim) in kernels.items():
				print_table(kernel, gpu[kernel], sim)
		os.chdir("/")


if __name__ == "__main__":
	main()
