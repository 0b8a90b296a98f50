#!/bin/sh
# test_suites.sh - the lists of public test suites (tests/suites/*.json) are well-formed.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
command -v python3 >/dev/null 2>&1 || {
	echo '1..0 # SKIP no python3'
	exit 0
}
suites=$srcdir/tests/suites

# list FILE...: checks lists; what it says goes to the files out and err.
list() {
	python3 "$suites/list.py" "$srcdir/sim/check/finding.h" "$@" >out 2>err
}

list "$suites"/*.json
result 'all lists are well-formed' "$(cat err)"
result 'each has bugs' "$(awk '$2 == 0' out)"

# Programs under `run`.
python3 "$suites/programs.py" --list "$suites"/programs/*.json >out 2>err
result 'all lists of programs are well-formed' "$(cat err)"
sed '0,/"exit": 0/s//"exit": "0"/' "$suites/programs/lectures.json" >wrong.json
python3 "$suites/programs.py" --list wrong.json >out 2>err
result 'a wrong list is refused' "$(grep -q 'wrong type: exit' err || cat err)"
sed '0,/"cause": "fault", /s///' "$suites/programs/lectures.json" >wrong.json
python3 "$suites/programs.py" --list wrong.json >out 2>err
result 'a refused program needs a cause' "$(grep -q 'expected refused and cause' err || cat err)"
sed '0,/"cause": "fault"/s//"cause": "luck"/' "$suites/programs/lectures.json" >wrong.json
python3 "$suites/programs.py" --list wrong.json >out 2>err
result 'of those that there are' "$(grep -q 'unknown cause: luck' err || cat err)"
python3 "$suites/causes.py" "$srcdir" >corpus.md 2>err
result 'doc/corpus.md counts the lists' "$(diff "$srcdir/doc/corpus.md" corpus.md 2>&1; cat err)"
mkdir -p checkout/a
printf '#include <cstdio>\nint main() { puts("one PASSED"); }\n' >checkout/a/one.cu
cat >programs.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "rows": [ { "path": "a/one.cu", "kind": "program", "exit": 0, "prints": "PASSED" },
    { "path": "a/one.cu", "kind": "program", "args": ["x"], "exit": 0, "prints": "two" },
    { "path": "a/two.cu", "kind": "program", "cause": "missing", "refused": "missing" } ] }
END
python3 "$suites/programs.py" "$flashtwin" programs.json checkout >out 2>err
result 'programs are run' "$(grep -v '^#' out | tr '\n' '|' | grep -vxF \
	'1..3|ok 1 - a/one.cu|not ok 2 - a/one.cu x|not ok 3 - a/two.cu # TODO missing|')"

# A harness is compiled in place of the path, and includes headers of the checkout.
mkdir -p harnesses/harness
cp "$suites/programs.py" "$suites/rows.py" harnesses
printf 'const char text[] = "two PASSED";\n' >checkout/a/text.cuh
printf '#include <cstdio>\n#include <a/text.cuh>\nint main() { puts(text); }\n' \
	>harnesses/harness/two.cu
cat >harness.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "rows": [ { "path": "a/text.cuh", "harness": "two.cu", "kind": "program", "include": ["."],
      "exit": 0, "prints": "two PASSED" },
    { "path": "a/text.cuh", "harness": "two.cu", "kind": "program", "exit": 0 },
    { "path": "a/three.cuh", "harness": "two.cu", "kind": "program", "exit": 0 } ] }
END
python3 harnesses/programs.py --list harness.json >out 2>err
result 'two rows of one harness need other options or arguments' \
	"$(grep -q 'a/text.cuh: twice' err || cat out err)"
sed '/"program", "exit": 0 },/s/"exit"/"args": ["x"], &/' harness.json >harness_args.json
python3 harnesses/programs.py "$flashtwin" harness_args.json checkout >out 2>err
result 'a harness is run, with the headers of the checkout' \
	"$(grep -v '^#' out | tr '\n' '|' | grep -vxF '1..3|ok 1 - a/text.cuh two.cu|not ok 2 - a/text.cuh two.cu x|not ok 3 - a/three.cuh two.cu|')$(cat err)"
python3 harnesses/programs.py "$flashtwin" harness_args.json checkout two.cu >out 2>err
result 'rows are chosen by harness' "$(head -n 1 out | grep -vxF 1..3)$(cat err)"
sed 's|two.cu|../two.cu|' harness_args.json >wrong.json
mv harnesses/harness/two.cu harnesses
python3 harnesses/programs.py --list wrong.json >out 2>err
result 'a harness is in its folder' "$(grep -q 'no file harness/../two.cu' err || cat out err)"
python3 harnesses/programs.py --list harness_args.json >out 2>err
result 'a harness that is missing is refused' \
	"$(grep -q 'a/text.cuh: no file harness/two.cu' err || cat out err)"

# Single kernels under `launch`.
python3 "$suites/kernels.py" --list "$suites"/kernels/*.json >out 2>err
result 'all lists of kernels are well-formed' "$(cat err)"
sed '0,/"grid": "/s//"grid": [], "x": "/' "$suites/kernels/lectures.json" >wrong.json
python3 "$suites/kernels.py" --list wrong.json >out 2>err
result 'a wrong list of kernels is refused' "$(grep -q 'wrong type: grid' err || cat err)"
cat >checkout/a/scale.cu <<'END'
__global__ void scale(const float *x, float *y, int n, float by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] = by * x[i];
}
END
cat >kernels.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "rows": [ { "path": "a/scale.cu", "kernel": "scale", "grid": "2", "block": "32",
      "args": { "x": "normal(f4, 50)", "y": ">f32[50]", "n": "i32:50", "by": "f32:2" },
      "where": { "two": "by" }, "values": { "y": "two * x" } },
    { "path": "a/scale.cu", "kernel": "scale", "grid": "1", "block": "64",
      "args": { "x": "normal(f4, 50)", "y": "<>zeros(50, f4)", "n": "i32:49", "by": "f32:2" },
      "values": { "y": "2 * x" }, "error": 1e-6 },
    { "path": "a/scale.cu", "kernel": "other", "grid": "1", "block": "64", "args": { },
      "cause": "missing", "refused": "missing" } ] }
END
if python3 -c 'import numpy' 2>/dev/null; then
	python3 "$suites/kernels.py" "$flashtwin" kernels.json checkout >out 2>err
	result 'kernels are run, and their values compared' "$(grep -v '^#' out | tr '\n' '|' |
		grep -vxF '1..3|ok 1 - a/scale.cu scale|not ok 2 - a/scale.cu scale|not ok 3 - a/scale.cu other # TODO missing|')"
	result 'the first wrong element is named' "$(grep -q '^# y: 1 of 50 .* is (49,): 0.0,' out ||
		cat out err)"
else
	skip 'kernels are run, and their values compared' 'no NumPy'
	skip 'the first wrong element is named' 'no NumPy'
fi

# --- both devices: a program in flashtwin's place says what was compared ---

mkdir -p programs
cat >stand-in <<'END'
#!/bin/sh
case "$*" in
info*) echo 'cuda:0   NVIDIA Test, profile t'; echo 'CUDA 1.0, driver 2'; exit 0 ;;
*--device\ both*same.cu*) echo 'sim and cuda: 2 buffers compared, 0 bits differ' >&2; exit 0 ;;
*--device\ both*_decode.cu*) echo 'sim and cuda: 6 buffers compared, 0 bits differ' >&2; exit 0 ;;
*--device\ both*other.cu*) echo 'sim and cuda: 1 buffer compared, 7 bits differ' >&2; exit 1 ;;
*--device\ both*Intrinsics.cu*) echo 'sim and cuda: 1 buffer compared, 9 bits differ' >&2; exit 1 ;;
*--device\ both*clock.cu*) echo "sim and cuda: 1 buffer compared, 0 bits differ,\
 2 buffers that depend on clock() left out" >&2; exit 0 ;;
*--device\ both*dct8x8.cu*) echo 'flashtwin run: cudaMallocArray: arrays are on the simulator only' >&2
	exit 2 ;;
*--check*other.cu*) printf '%s\n' 'race-block in k, L0: 4 bytes' >&2
	printf '  write by block (0,0,0) thread (%s,0,0) after 0 barriers, ./x.cu:%s\n' 1 7 2 8 >&2; exit 4 ;;
*--check*) exit 0 ;;
esac
echo 'flashtwin run: no GPU' >&2
exit 77
END
chmod +x stand-in
cat >programs/list.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "rows": [ { "path": "same.cu", "kind": "program", "exit": 0 },
    { "path": "other.cu", "kind": "program", "exit": 0 },
    { "path": "Samples/0_Introduction/simpleAtomicIntrinsics/simpleAtomicIntrinsics.cu",
      "kind": "program", "exit": 0 },
    { "path": "clock.cu", "kind": "program", "exit": 0 },
    { "path": "Samples/2_Concepts_and_Techniques/dct8x8/dct8x8.cu", "kind": "program", "exit": 0 },
    { "path": "none.cu", "kind": "program", "exit": 0 },
    { "path": "header.cuh", "harness": "flashinfer_single_decode.cu", "kind": "program",
      "options": ["-D", "DIM=64"], "args": ["1"], "exit": 0 },
    { "path": "refused.cu", "kind": "program", "cause": "missing", "refused": "missing" } ] }
END
mkdir -p both/Samples/0_Introduction/simpleAtomicIntrinsics \
	both/Samples/2_Concepts_and_Techniques/dct8x8
python3 "$suites/both.py" ./stand-in table.md programs/list.json=both >out 2>err
code=$?
expect 'a program that differs' 1 '^differs: s: other.cu: 1 buffer compared, 7 bits differ$' \
	'^not compared: s: none.cu: exit code 77: ' \
	'^not compared: s: .*dct8x8.cu: exit code 2: .*: arrays are on the simulator only$' \
	'^5 compared, 3 with 0 differing bits, 1 whose results depend on order or time, 2 not compared$'
result 'the table of what was compared' "$(grep -q '^NVIDIA Test, CUDA 1.0, driver 2, ' table.md &&
	grep -qF '| s | 5 | 3 |' table.md && grep -qF '| s: same.cu | 2 buffers compared' table.md &&
	grep -qF '| s: header.cuh flashinfer_single_decode.cu -D DIM=64 1 | 6 buffers' table.md &&
	grep -q 'Intrinsics.cu | .* 9 bits differ: atomicExch' table.md || cat table.md)"

# --- the checker: findings of the same stand-in, with and without a judgement ---

cp -r "$suites" checked-suites
python3 checked-suites/checked.py ./stand-in checked.md programs/list.json=both >out 2>err
code=$?
expect 'a finding that nobody judged' 1 '^open: s: race-block x.cu:7, x.cu:8$' \
	'^7 rows, 1 with findings; findings: 1, 1 not judged or false$'
cat >checked-suites/verdicts/findings.json <<'END'
[ { "suite": "s", "finding": "race-block x.cu:8", "verdict": "bug", "why": "No barrier." } ]
END
# No program: the rows were run, and are not run again.
python3 checked-suites/checked.py ./no-such-program checked.md programs/list.json=both >out 2>err
code=$?
expect 'a judgement goes by either side' 0 '^7 rows, 1 with findings; findings: 1, 0 not judged'
result 'and is in the table' "$(grep -qF '| s | `race-block` | x.cu:7, x.cu:8 | 1 | bug | No barrier. |' \
	checked.md || cat checked.md)"

# refused WHAT SED: the list of one case and one skipped file is refused after the edit
cat >good.json <<'END'
{ "suite": "s", "repository": "https://example.org/s", "license": "MIT", "about": "for this test",
  "commit": "0123456789012345678901234567890123456789",
  "cases": [
    { "path": "a.cu", "kernel": "k", "kind": "bug", "class": ["oob"], "lines": [3],
      "truth": "suite" },
    { "path": "b.cu", "skip": "no kernel" } ] }
END
list good.json
result 'a list of one bug and one skipped file' \
	"$(echo 's 1 bug 0 clean 0 disputed 1 skipped' | diff - out 2>&1)$(cat err)"
refused() {
	sed "$2" good.json >bad.json
	if list bad.json; then
		result "refused: $1" accepted
	else
		result "refused: $1" "$(grep -v '^list.py: bad.json: ' err)"
	fi
}
refused 'a short commit' 's/"01234/"/'
refused 'no license' 's/"license": "MIT",//'
refused 'an unknown field' 's/"kernel": "k"/&, "color": "red"/'
refused 'an unknown kind' 's/"kind": "bug"/"kind": "maybe"/'
refused 'an unknown class' 's/"oob"/"oops"/'
refused 'a bug without lines' 's/"lines": \[3\],//'
refused 'a line number that is a string' 's/\[3\]/["3"]/'
refused 'lines of a clean kernel' 's/"kind": "bug", "class": \["oob"\]/"kind": "clean"/'
refused 'no source of the truth' 's/"truth": "suite"/"also": ["oob"]/'
refused 'a path outside of the repository' 's|"a.cu"|"../a.cu"|'
refused 'a file listed twice' 's/{ "path": "b.cu", "skip": .* }/&, &/'
refused 'a reason to skip a case that is described' 's/"truth": "suite"/&, "skip": "no"/'

# run.py finds the lists of a checkout.
mkdir -p SGEMM_CUDA elsewhere
python3 "$suites/run.py" --flashtwin true SGEMM_CUDA >out 2>err
code=$?
result 'run.py: the lists of a checkout, whose rows fail without files' \
	"$([ "$code" = 1 ] && grep -q '^# programs/sgemm_cuda.json' out &&
		grep -q '^# kernels/sgemm_cuda.json' out && grep -q '^not ok 1' out || cat out err)"
python3 "$suites/run.py" --flashtwin true elsewhere >out 2>err
code=$?
result 'run.py: a folder that no list is of' \
	"$([ "$code" = 1 ] && grep -q 'elsewhere: no list is of a repository elsewhere' err || cat err)"
plan
