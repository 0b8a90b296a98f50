# run-programs.sh - the part of run.sh that runs the whole programs of tests/tui/run/ on both devices.
#
# Left out are programs whose results depend on the order of atomics (atomics_scopes) or on addresses
# (heap); with what only the simulator has: textures (arrays, array_calls), conditional nodes
# (conditions), launches by device code (nested, nested_far), headers before CUDA 13 (headers), functions
# of the host in kernels (device_functions, thrust_zip); and host_latch, whose kernel waits for the host.
# Sourced by run.sh, whose functions and variables it uses.

# program OPTION... FILE [-- ARG...]: its files are in tests/tui/run/.
program() {
	run 240 "$flashtwin" run --device both "$@"
	compared "program $*"
}

if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	here=$PWD
	cd "$source/tests/tui/run" || exit 2
	for name in clock constants copies_boxes cub_device cub_runs device_calls graph_edges \
		group_copy kinds language launch_calls points random_device random_poisson thrust \
		vector_add; do
		program "$name.cu"
	done
	program graph_params.cu -- memory
	program grid.cu -- 70
	program grid_arrive.cu -- 70
	program pointers.cu -- 7fc00001
	cd "$here" || exit 2
else
	result SKIP "programs" 'no nvcc'
fi
