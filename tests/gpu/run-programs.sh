# run-programs.sh - the part of run.sh that runs the whole programs of tests/tui/run/ on both devices.
#
# Not those that a test runs only for how they end, that the host computes alone, or that need two
# devices. Sourced by run.sh, whose functions and variables it uses.

# program OPTION... FILE [-- ARG...]: its files are in tests/tui/run/.
program() {
	run 240 "$flashtwin" run --device both "$@"
	compared "program $*"
}

if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	here=$PWD
	cd "$source/tests/tui/run" || exit 2
	for name in array_calls arrays atomics_scopes conditions constants copies_boxes cub_device cub_runs \
		device_calls device_functions graph_edges graph_params group_copy headers host_latch kinds \
		language launch_calls points random_device random_poisson thrust thrust_zip vector_add; do
		program "$name.cu"
	done
	program grid.cu -- 70
	program heap.cu -- right
	program nested.cu -- order
	program nested_far.cu nested_far_other.cu
	program pointers.cu -- 7fc00001
	cd "$here" || exit 2
else
	result SKIP "programs" 'no nvcc'
fi
