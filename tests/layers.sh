#!/bin/sh
# layers.sh - checks that includes point one way only: from commands down to kernels and base.
#
# One line per folder lists what its files may include in addition to their own folder. Every folder
# must be listed, so the rules also bound what a file includes indirectly.
. "${abs_srcdir:-$(dirname "$0")/..}/tests/tap.sh"
cd "$srcdir" || exit 99

# includes FILE...: prints FILE:LINE:#include "..." for each include of a file of the project.
includes() {
	grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" | grep -v '"config\.h"'
}

# forbidden ALLOWED FILE...: prints every include of the files that ALLOWED does not match.
forbidden() {
	allowed=$1
	shift
	includes "$@" | grep -vE "\"($allowed)\""
}

sample=$work/sample
printf '#include "config.h"\n#include "traces/store/store.h"\n  # include "tui/command.h"\n' >"$sample"
result 'a forbidden include is found' \
	"$([ "$(forbidden 'traces/.*' "$sample" | wc -l)" -eq 1 ] || echo 'it is not')"

# confined WHAT FILES [ALLOWED...]: FILES may include only ALLOWED: headers, or folders without
# their subfolders.
confined() {
	what=$1
	files=$2
	shift 2
	allowed=
	for part; do
		case $part in
		*.h|*.c) allowed="$allowed|$(echo "$part" | sed 's/\./\\./')" ;;
		*) allowed="$allowed|$part/[^/]*" ;;
		esac
	done
	result "$what: ${*:-nothing}" "$(forbidden "${allowed#|}" $files)"
}

# layer FOLDER [ALLOWED...]: files of FOLDER may include only FOLDER itself and ALLOWED.
folders=
layer() {
	folders="$folders $1"
	inside=$(find "$1" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.cu*')
	confined "$1 includes" "$inside" "$@"
}

layer base base/math/narrow_float.h
layer base/math base/math/ex2_model.c ex2_model.c
layer kernels base sim/cuda/async.h sim/cuda/cache_hint.h sim/cuda/narrow.h sim/cuda/cluster.h \
	sim/cuda/programmatic.h sim/cuda/tensor.h sim/cuda/tensor_list.h sim/cuda/ticket.h
layer traces base
layer traces/store base traces
layer traces/diff base traces traces/store
layer engine base base/math/ex2_model.c kernels
layer engine/cuda base kernels engine
layer engine/attention base kernels engine
layer engine/model base base/math/narrow_float.h traces engine/attention
layer engine/record base kernels traces traces/store engine
layer engine/replay base traces traces/store traces/diff engine engine/record
layer engine/runtime base base/math/texture.h kernels engine sim/cuda/include/cuda_runtime_api.h
layer sim/cuda base/math kernels sim/cuda/float16 sim/cuda/include sim/cuda/ptx
layer sim/cuda/include/crt sim/cuda/include
layer sim/cuda/include/nvtx3
layer sim/cuda/include sim/cuda/include/nvtx3 sim/cuda/blas sim/cuda/float16 sim/cuda/float8 \
	sim/cuda/groups sim/cuda/libcu sim/cuda/random sim/cuda/tensor.h sim/cuda/vectors.h kernels/dim3.h
layer sim/cuda/include/cooperative_groups sim/cuda/include sim/cuda/libcu
layer sim/cuda/blas
layer sim/cuda/groups sim/cuda/libcu
layer sim/cuda/float16 sim/cuda/user.h
layer sim/cuda/float8
layer sim/cuda/framework/ATen
layer sim/cuda/framework/ATen/cuda
layer sim/cuda/framework/c10/cuda
layer sim/cuda/framework/c10/util
layer sim/cuda/framework/pybind11
layer sim/cuda/framework/torch
layer sim/cuda/libcu
layer sim/cuda/ptx
layer sim/cuda/cub sim/cuda/groups sim/cuda/thrust
layer sim/cuda/include/cub sim/cuda/cub
layer sim/cuda/include/cub/block sim/cuda/cub
layer sim/cuda/include/cub/device sim/cuda/cub
layer sim/cuda/include/cub/thread sim/cuda/cub
layer sim/cuda/include/cub/warp sim/cuda/cub
layer sim/cuda/random
layer sim/cuda/thrust sim/cuda/include/cuda_runtime.h
layer sim/cuda/include/thrust sim/cuda/thrust
layer sim/cuda/include/thrust/detail sim/cuda/thrust
layer sim/cuda/include/thrust/iterator sim/cuda/thrust
layer sim/cuda/include/thrust/system/cuda sim/cuda/thrust
layer sim/cu2c base
layer sim/exec base base/math kernels engine/device.h sim/cuda/runtime.h
layer sim/check base kernels traces/request.h traces/row.h sim/cuda/runtime.h sim/exec
layer sim/device base kernels engine/device.h sim/exec sim/check/check.h
layer tui/views base base/math/ex2_model.c kernels/head_sizes.h kernels/plan_rule.h \
	kernels/split_rule.h traces traces/store traces/diff
layer tui/views/kernel base traces traces/store traces/diff tui/views
layer tui/views/attend base traces traces/store traces/diff tui/views
layer tui/views/element base traces traces/store traces/diff tui/views tui/views/kernel
layer tui/views/step base kernels/prefill_rule.h traces traces/store traces/diff tui/views
layer tui/viewer base traces traces/store tui/views tui/views/kernel tui/views/element \
	tui/views/step
layer tui/export base traces traces/store traces/diff tui/views tui/views/attend \
	tui/views/kernel tui/views/step tui/viewer
layer tui/launch base kernels traces/store engine engine/record engine/runtime/runtime.h \
	sim/check/check.h sim/cu2c tui
layer tui/program base engine engine/runtime sim/check/check.h tui tui/launch
layer tui/lab/case base kernels traces/store engine tui tui/launch
layer tui/lab/reference base tui/launch tui/lab/case
layer tui/lab/run base kernels traces/store engine tui tui/launch tui/lab/case
layer tui/lab/judge base tui tui/launch tui/lab/case tui/lab/reference tui/lab/run
layer tui/lab/result base tui tui/lab/case
layer tui/lab/grade base traces/store tui tui/launch tui/lab/case tui/lab/judge tui/lab/result \
	tui/lab/run
layer tui/lab/answers base traces/store tui tui/launch tui/lab/case tui/lab/reference \
	tui/lab/judge tui/lab/result tui/lab/run tui/lab/grade
layer tui/lab base traces/store tui tui/launch tui/lab/case tui/lab/result tui/lab/run \
	tui/lab/grade tui/lab/answers
layer tui/bench base kernels/read_rule.h kernels/variant.h traces/store engine engine/attention engine/model \
	engine/record tests/bench tui tui/launch tui/views tui/viewer

# tui/ holds two layers: shared code below these folders, and the commands above them.
folders="$folders tui"
below='base kernels traces traces/store traces/diff engine engine/attention engine/model
	engine/record engine/replay sim/check sim/exec tui'
shared=$(find tui -maxdepth 1 -name '*.[ch]' ! -name 'cmd_*')
confined 'what commands share includes' "$shared" $below
confined 'commands include' "main.c $(find tui -maxdepth 1 -name 'cmd_*')" $below \
	tui/views tui/views/kernel tui/views/step tui/viewer tui/export tui/launch tui/program \
	tui/lab 	tui/lab/result tui/bench

found=$(find base engine kernels sim traces tui -name '*.[ch]' -o -name '*.cu*' |
	sed 's,/[^/]*$,,' | sort -u | while read -r folder; do
		case " $folders " in
		*" $folder "*) ;;
		*) echo "$folder is not listed" ;;
		esac
	done)
result 'every folder is listed' "$found"

found=$(for folder in $folders; do
	case $folder in
	sim/cuda/*) ;;
	*) grep -q "^| \`$folder/\` |" HACKING.md || echo "$folder is not in HACKING.md" ;;
	esac
done)
result "every folder is in HACKING.md's map" "$found"

plan
