# kernels.sh - the part of run.sh that launches users' kernels, such as courses have, on both devices.
#
# Sourced by run.sh, whose functions and variables it uses.

# Needs nvcc: compiles each for both devices, and holds the two to the same bits and to what Python
# works out.
if command -v nvcc >/dev/null || [ -x "${NVCC:-/usr/local/cuda/bin/nvcc}" ]; then
	run 300 python3 "$source/tests/launch/cases.py" "$flashtwin" both
	passed "users' kernels"
else
	result SKIP "users' kernels" 'no nvcc'
fi
