#!/bin/sh
# layers.sh - includes point one way only: from commands down to kernels and base, never up.
#
# One line per folder says what its files may include beside their own folder. A file includes
# nothing by a detour that it may not include itself, because every folder is listed.
cd "${abs_srcdir:-$(dirname "$0")/..}" || exit 99

# includes FILE...: prints FILE:LINE:#include "..." of each include of ours.
includes() {
	grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" | grep -v '"config\.h"'
}

# forbidden ALLOWED FILE...: prints every include of the files that ALLOWED does not match.
forbidden() {
	allowed=$1
	shift
	includes "$@" | grep -vE "\"($allowed)\""
}

number=0
result() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

sample=$(mktemp) || exit 99
trap 'rm -f "$sample"' EXIT
printf '#include "config.h"\n#include "traces/store/store.h"\n  # include "tui/command.h"\n' >"$sample"
result 'a wrong include is seen' \
	"$([ "$(forbidden 'traces/.*' "$sample" | wc -l)" -eq 1 ] || echo 'it is not')"

# layer FOLDER [ALLOWED...]: files of FOLDER include those of FOLDER itself and of these, which are
# folders without what is below them, or headers.
folders=
layer() {
	folder=$1
	folders="$folders $folder"
	allowed=
	for part; do
		case $part in
		*.h|*.c) allowed="$allowed|$(echo "$part" | sed 's/\./\\./')" ;;
		*) allowed="$allowed|$part/[^/]*" ;;
		esac
	done
	shift
	files=$(find "$folder" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.cu*')
	result "$folder includes ${*:-nothing else}" "$(forbidden "${allowed#|}" $files)"
}

layer base
layer base/math base/math/ex2_model.c ex2_model.c
layer kernels base
layer traces base traces/store
layer traces/store base traces
layer traces/diff base traces traces/store
layer engine base kernels
layer engine/cuda base kernels engine
layer engine/attention base base/math engine
layer engine/model base traces engine/attention
layer engine/record base kernels traces traces/store engine
layer engine/replay base traces/store traces/diff engine engine/record
layer sim/cuda base/math kernels sim/cuda/include
layer sim/cuda/include sim/cuda/float16
layer sim/cuda/include/cooperative_groups sim/cuda/include
layer sim/cuda/float16
layer sim/cu2c base
layer sim/exec base kernels engine/device.h sim/cuda/runtime.h
layer sim/check base kernels traces/row.h sim/cuda/runtime.h sim/exec
layer sim/device base kernels engine/device.h sim/exec sim/check/check.h
layer tui/views base traces traces/store traces/diff tui/command.h
layer tui/viewer base traces traces/store tui/views
layer tui/export base traces tui/views tui/viewer
all='base kernels traces traces/store traces/diff engine engine/attention engine/model engine/record
	engine/replay sim/cu2c sim/check sim/exec tui tui/views tui/viewer tui/export tui/launch'
layer tui/launch $all
layer tui/bench $all tests/bench
layer tui $all tui/bench

found=$(find base engine kernels sim traces tui -name '*.[ch]' -o -name '*.cu*' |
	sed 's,/[^/]*$,,' | sort -u | while read -r folder; do
		case " $folders " in
		*" $folder "*) ;;
		*) echo "$folder is not listed" ;;
		esac
	done)
result 'every folder is listed' "$found"

echo "1..$number"
