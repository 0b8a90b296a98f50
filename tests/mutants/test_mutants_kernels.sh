#!/bin/sh
# test_mutants_kernels.sh - checks that each defect of kernels in tests/mutants/ makes a test fail.
exec sh "${abs_srcdir:-$(dirname "$0")/../..}/tests/mutants/mutants.sh" kernels
