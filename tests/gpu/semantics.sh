# semantics.sh - the part of run.sh that compares what CUDA's runtime API answers on a GPU with
# tests/h200/semantics.txt, which the simulator follows.
#
# Each group of questions of tests/run/semantics.cu runs in a process of its own, because some end
# the device. BUILD_DIR/tests/gpu/semantics is that program if it was built before; else nvcc builds
# it. All answers go to $out/semantics.txt, with FLASHTWIN_UPDATE=1 also to tests/h200/. Sourced by
# run.sh; run alone, it takes BUILD_DIR OUT_DIR.

if [ -z "$flashtwin" ]; then
	source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
	build=$(cd "${1:?BUILD_DIR}" && pwd) || exit 2
	out=$(mkdir -p "${2:?OUT_DIR}" && cd "$2" && pwd) || exit 2
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	log=$out/log.txt
	failures=0
	result() {
		printf '%-4s  %-44s  %s\n' "$1" "$2" "$3"
		[ "$1" != FAIL ] || failures=1
	}
	alone=1
fi
semantics=$build/tests/gpu/semantics
what="CUDA's answers about its runtime API"
measured=$source/tests/h200/semantics.txt

# build_semantics: 0 if the program is there, or could be built; 2 without nvcc.
build_semantics() {
	[ ! -x "$semantics" ] || return 0
	nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
	command -v "$nvcc" >/dev/null || return 2
	semantics=$work/semantics
	"$nvcc" -std=c++17 -arch=native -o "$semantics" "$source/tests/run/semantics.cu" \
		>>"$log" 2>&1
}

# ask_group GROUP: prints its answers.
ask_group() {
	echo "## $1"
	timeout 60 "$semantics" "$1" 2>>"$log"
	echo "## exit $?"
}

# value FILE NAME: prints the first answer of this name.
value() {
	sed -n "s/^$2 //p" "$1" | head -n 1
}

# semantics_header ANSWERS: says where they are from.
semantics_header() {
	version=$(value "$1" gpu.device.runtime_version)
	driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
	echo "#: $(value "$1" gpu.property.name), CUDA $((${version:-0} / 1000)).$((${version:-0} %
		1000 / 10)), driver ${driver:-unknown}, $(date -u +%Y-%m-%d)"
	echo '#: Answers to tests/run/semantics.cu, by group. Written by tests/gpu/semantics.sh.'
}

# compare_semantics ANSWERS: reports the comparison, and updates what was measured if that is asked.
compare_semantics() {
	detail="$(grep -vc '^#' "$1") answers"
	crashed=$(awk '/^## exit/ { if ($3 != 0) print group " (" $3 ")"; next }
		/^## / { group = $2 }' "$1")
	if ! grep -q '^## exit' "$1" || [ -n "$crashed" ]; then
		result FAIL "$what" "$detail, groups that crashed: $(echo $crashed)"
	elif [ "${FLASHTWIN_UPDATE:-0}" = 1 ]; then
		cp "$out/semantics.txt" "$measured" &&
			result PASS "$what" "$detail, written to tests/h200/semantics.txt"
	elif awk -f "$source/tests/run/semantics.awk" "$measured" "$1" >"$work/differences"; then
		result PASS "$what" "$detail, 0 differ, $(grep -c '^#: unmeasured' "$measured") new"
	else
		result FAIL "$what" "$detail, $(grep -c . "$work/differences") differ"
		cat "$work/differences" >>"$log"
	fi
}

build_semantics
built=$?
if [ "$built" -eq 0 ]; then
	for group in $("$semantics" list); do
		ask_group "$group"
	done >"$work/answers"
	{
		semantics_header "$work/answers"
		grep -v '^gpu\.' "$work/answers"
	} >"$out/semantics.txt"
	compare_semantics "$out/semantics.txt"
elif [ "$built" -eq 2 ]; then
	result SKIP "$what" 'no nvcc'
else
	result FAIL "$what" "$(tail -n 1 "$log")"
fi
[ -z "$alone" ] || exit "$failures"
