#!/bin/sh
# test_cuda_doc.sh - whether doc/cuda.md is what make/cuda_doc.py makes of the sources now.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

python3 "$srcdir/make/cuda_doc.py" "$srcdir" >cuda.md 2>err
result 'doc/cuda.md is up to date (make/cuda_doc.py . >doc/cuda.md)' \
	"$(cat err; diff "$srcdir/doc/cuda.md" cuda.md | head -n 20)"
for word in '`cudaMalloc`' '`cudaGraphLaunch`' '`__shfl_sync`' '`<cuda_bf16.h>`' 'inline PTX' \
	'`cudaIpcGetMemHandle`'; do
	result "it has $word" "$(grep -qF -- "$word" cuda.md || echo missing)"
done
result 'each row has a proof' "$(grep '| - |$' cuda.md)"
plan
