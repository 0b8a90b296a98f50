#!/bin/sh
# test_viewer_memory.sh - the Memory screen in a terminal: requests of a warp, their source line, and
# who wrote and reads what they access.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"

"$flashtwin" decode --prompt 'ROMEO: what light' -n 2 --chunk 16 --log access \
	--log-at L14.b0..L14.b1 -o t.twin >text 2>err
result 'a trace with two blocks' "$([ -f t.twin ] || cat err)"

start 80 24 t.twin --ascii --at L14
keys 9
shows 'the launch opens on the line with the most waste' \
	'^ b0.w0.a[0-9]* of a0 to a[0-9]*: load of global memory by 16 lanes, 16 bytes each'
shows 'lane by lane' '^  k_cache.0+256  *|1111\.\.\.\.|        |        |        | lane 1$'
shows 'V below K, to compare' '^  v_cache.0+0  *|01234567|89abcdef|ghijklmn|opqrstuv| lanes 0 to 31$'
shows 'the tab has the key 9' '\[9Memory\]'
keys NPage
shows 'the lines of the source, worst first' '^  online_softmax.cuh:101  *load  *[0-9.]*  *50%  0123456789'
keys PPage
keys a
shows 'a goes to the first request' '^>b0.w0.a0 of a0 to a'
keys a a
shows 'and on' '^>b0.w0.a2 of a0 to a'
shows 'of shared memory' '^  pass over the banks       bank 0   bank 8'
keys A
shows 'A goes back' '^>b0.w0.a1 of a0 to a'
keys : L14.b0.w0.a9 Enter
shows 'an address names a request' '^>b0.w0.a9 of a0 to a'
keys Enter
shows 'enter opens its source line' '^> *[0-9]* *101 .*\*(const float4 \*)'
keys q
shows 'q returns' '^>b0.w0.a9 of a0 to a'
keys w
shows 'w: who wrote these bytes' 'who wrote bytes [0-9]* to [0-9]* of k_cache.0'
shows 'an operation of the window' '^> op [0-9]* *restore'
keys q r
shows 'r: who reads them' 'who reads bytes [0-9]* to [0-9]* of k_cache.0'
keys q : L14.b1 Enter
shows 'another block' '^[> ]b1.w0.a[0-9]* of a0 to a'
keys : L14.b2 Enter
shows 'a block that was not recorded' 'no loads and stores were recorded here'
type_keys Q
shows 'Q quits' '^ended 0'

start 160 50 t.twin --ascii --at L14
keys 9
shows 'a wide terminal has K and V next to each other' \
	'^ b0.w0.a[0-9]* of .* by 16 lanes, 16 bytes each  *b0.w0.a[0-9]*: load .* by 32 lanes, 4 bytes'
shows 'row by row' '^  k_cache.0+0  *|0000....|.* lane 0  *v_cache.0+0  *|01234567|89abcdef|'
keys a
shows 'a request of one lane has no row in the way' '^>b0.w0.a0 of a0 to a'
type_keys Q
shows 'and Q quits' '^ended 0'
plan
