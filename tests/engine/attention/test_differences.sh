#!/bin/sh
# test_differences.sh - every place where a path differs from its model on purpose says so.
#
# Someone who knows the models looks there, and could take the difference for a mistake.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# differs FILE WORDS: after "Unlike the model" the comment has these words.
differs() {
	tr -s '\n\t *' ' ' <"$srcdir/$1" | grep -q "nlike the model[^/]*$2"
	result "$1: $2" "$([ $? -eq 0 ] || echo "no comment that begins with 'Unlike the models'")"
}
differs engine/attention/path_cached.c 'copies stay on the device'
differs engine/attention/path_flash_decoding.c 'a base pointer and the stride'
differs engine/attention/path_flash_decoding.c 'sizes are arguments'
differs engine/attention/path.h 'this one call replaces several'
differs engine/attention/step_io.c 'written by synchronous copies'
differs engine/attention/attention_graph.h 'this launches nothing, where their recording'
differs engine/attention/attention_graph.h 'a capture that fails is an error'
differs kernels/attention_prefill.cu 'accumulators are in registers and are divided once'
differs kernels/attention_prefill.cu 'the division is IEEE'
differs kernels/attention_prefill.cu 'maximum begins at -inf'
differs kernels/flash_decode_reduce.cu 'skipped by a guard'
differs kernels/flash_decode_reduce.cu 'the division is IEEE'
plan
