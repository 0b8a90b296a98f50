#!/bin/sh
# layers.sh - includes point one way only: from commands down to kernels and traces, never up.
cd "${abs_srcdir:-$(dirname "$0")/..}" || exit 99

# forbidden ALLOWED FILE...: prints every #include "..." of the files that ALLOWED does not match.
forbidden() {
	allowed=$1
	shift
	grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" |
		grep -vE "\"(config\\.h|$allowed)\""
}

number=0
result() {
	number=$((number + 1))
	if [ "$1" = ok ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

# layer WHAT ALLOWED FILE...
layer() {
	what=$1 allowed=$2
	shift 2
	found=$(forbidden "$allowed" "$@")
	if [ -z "$found" ]; then
		result ok "$what"
	else
		result bad "$what" "$found"
	fi
}

echo 1..7

sample=$(mktemp) || exit 99
trap 'rm -f "$sample"' EXIT
printf '#include "config.h"\n#include "traces/store.h"\n  # include "tui/command.h"\n' >"$sample"
if [ "$(forbidden 'traces/.*' "$sample" | wc -l)" -eq 1 ]; then
	result ok 'a wrong include is seen'
else
	result bad 'a wrong include is seen'
fi

layer 'kernels include kernels' 'kernels/.*' kernels/*.h kernels/*.cu kernels/*.cuh kernels/*.c
layer 'traces include traces' 'traces/.*' traces/*.[ch]
layer 'engine includes engine, kernels, traces and models of CUDA arithmetic' \
	'((engine|kernels|traces)/.*|sim/cuda_math/[a-z0-9]+_model\.c)' engine/*.[ch]
layer 'sim includes sim, engine/device.h, kernels and traces' \
	'((sim|kernels|traces)/.*|engine/device\.h|[a-z0-9]+_model\.c)' sim/*.[ch] sim/*/*.[ch]

# What a view may include must not lead to the engine by a detour.
views=$(ls tui/view*.[ch] tui/address.[ch] tui/breakpoints.[ch] \
	tui/command.[ch] tui/kernel_text.[ch] tui/sql_print.[ch])
layer 'views include traces and views' \
	'(traces/.*|tui/(view.*|address|breakpoints|command|kernel_text|sql_print)\.h)' $views

layer 'includes are spelled from the top' \
	'(engine|kernels|labs|sim|tests|traces|tui)/.*' \
	main.c engine/*.[ch] kernels/*.[ch] kernels/*.cu* sim/*.[ch] traces/*.[ch] tui/*.[ch]
