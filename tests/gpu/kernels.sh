# kernels.sh - the part of run.sh that launches typical users' kernels on both devices.
#
# Sourced by run.sh, whose functions and variables it uses.

# Needs nvcc. Both devices must give the same bits, and the results that Python computes.
if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	run 300 python3 "$source/tests/launch/cases.py" "$flashtwin" both
	passed "users' kernels"
else
	result SKIP "users' kernels" 'no nvcc'
fi
