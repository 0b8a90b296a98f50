#!/bin/sh
# test_mutants_host.sh - checks that each defect of host code in tests/mutants/ makes a test fail.
exec sh "${abs_srcdir:-$(dirname "$0")/../..}/tests/mutants/mutants.sh" host
