#!/bin/sh
# test_viewer_cached.sh - the viewer on the path cached, whose first steps launch no kernel.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"

trace=t.twin
run decode --prompt 'ROMEO:' -n 3 --path cached -o t.twin
expect 'a trace' 0
softmax=$("$flashtwin" sql t.twin "SELECT op FROM v_softmax s JOIN v_op o USING (run, op)
	WHERE o.step = 2 AND layer = 1")

start 100 40 t.twin --ascii --at s1 --screen kv
as_plain 'the KV screen of a step' kv s1
keys d
as_plain 'it follows the next step' kv s2
shows 'what the host read' ' R read by op [0-9]* host_softmax, keys 0..7'
keys w
shows 'who wrote rows of the cache, by step' 'slot 0 position 7'
start 100 40 t.twin --ascii --at "op$softmax" --screen kv
as_plain 'at what the host computed' kv "op $softmax"
keys w
shows 'who wrote rows of its layer' 'upload  *step 2 .*k_cache.1 .*slot 0 position 7'
keys q o
as_plain 'the next operation fills another layer' kv "op $((softmax + 1))"
keys 0
shows 'the timeline there' ">op $((softmax + 1))  *upload k_cache.2"
keys O
shows 'and one before' ">op $softmax  *host_softmax layer 1, 2048 B *host "

plan
