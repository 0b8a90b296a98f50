#!/bin/sh
# test_viewer_step.sh - the forms of the Step screen in the viewer: slots, queries, attention on the
# host, two runs, every size.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"
need_terminal

traces=$srcdir/tests/h200

# decode NAME ARG...: records a short run as ./NAME.twin.
decode() {
	name=$1
	shift
	"$flashtwin" decode -o "$name.twin" --log points -n 3 --json --prompt \
		'ROMEO: O, she doth teach the torches to burn bright! It seems she hangs' \
		"$@" >/dev/null 2>err ||
		result "records $name" "$(cat err)"
}

### slots and queries

decode batched --prompt 'To be' --path batched
decode prefill --prompt 'To be' --path prefill
start 100 30 batched.twin --ascii --at s2
shows 'the first slot of a batch' 'slot 0 of 2  73 keys'
keys a
shows 'a goes to the next slot' 'slot 1 of 2  7 keys'
keys l A
shows 'A to the one before; the head stays' 'head 1 (kv head 0)  slot 0 of 2  73 keys'

start 100 30 prefill.twin --ascii --at L11
shows 'a prefill launch shows its last query' 'query 70 of 71  slot 0 of 2'
keys l A
shows 'A goes to the tile of queries before' 'head 1 (kv head 0)  query 63 of 71  slot 0 of 2'
keys k
shows 'k goes to the query before' 'query 62 of 71'
keys l
shows 'the query stays in another head' 'head 2 (kv head 0)  query 62 of 71'
keys a a
shows 'after the last tile, a goes to the next slot' 'head 2 (kv head 0)  query 4 of 5  slot 1 of 2'
keys A
shows 'and A back' 'head 2 (kv head 0)  query [0-9]* of 71  slot 0 of 2'
start 100 30 prefill.twin --ascii --at s2
shows 'a launch of one query' 'query 0 of 1  slot 1 of 2'
keys a
shows 'a goes to the launch of another slot' 'query 0 of 1  slot 0 of 2'

### attention on the host

"$flashtwin" decode --path cached --prompt ROMEO: -n 3 --log points -o cached.twin >/dev/null
start 100 30 cached.twin --ascii --at s2
shows 'attention on the host' 'HOST SOFTMAX'
keys l l
shows 'l goes to other heads' 'STEP 2  layer 3  head 2 '
keys Z
shows 'Z to the layer before' 'STEP 2  layer 2  head 2 '
keys '>' '>' '>' .
shows 'it plays' 'the step has ended: \. plays the next one'
shows 'in the same layer' 'STEP 2  layer 2  head 2 .* frame 4 of 4'
keys , ,
shows 'and back' 'frame [123] of 4'
keys 2 1
shows 'the screen opens at a step' 'HOST SOFTMAX'

### sizes

for size in '80 24' '100 30' '160 48' '200 60'; do
	start ${size% *} ${size#* } "$traces/demo.twin" --ascii --at s78
	shows "$size: the keys by weight" '^  76  .y.  *86.4%'
	screen
	# The last line of the content, above two lines of the frame and two of messages.
	result "$size: the height is used" "$(sed -n "$((${size#* } - 3))p" captured | grep -q '%' ||
		cat captured)"
done
start 200 60 "$traces/prefill.twin" --ascii --at s0
shows 'all tiles are shown where they fit' '^ *672 .* 21 '
shows 'and the queries by tile' '^ \* *95  '
start 80 24 "$traces/prefill.twin" --ascii --at s0
shows 'gaps have their share' '\.\.\. 0-[0-9]*  *[0-9.]*%'
printf '%s\n' "NO_COLOR=1 TERM=vt100 '$flashtwin' view '$traces/demo.twin' --at s78" >script
columns=80 lines=24
terminal
shows 'W marks the new key where there are no colours' '^  *[^ ]* *.*W  '

### colours

# heats: how many different backgrounds of 256 colours there are.
heats() {
	on_tmux capture-pane -e -p | grep -o '48[;:]5[;:][0-9]*' | sort -u | wc -l
}
hot() {
	[ "$(heats)" -ge 4 ]
}
printf '%s\n' "TERM=screen-256color '$flashtwin' view '$traces/demo.twin' --at s78" >script
columns=100 lines=30
terminal
result 'weights are backgrounds where there are 256 colours' "$(until_true hot || heats)"

### keys that other programs have

start 80 24 "$traces/demo.twin" --ascii --at s78 --screen kv
shows 'KV begins with its title' '^KV CACHE at s78'
for page in ' ' NPage C-f C-d; do
	keys "$page"
	shows "'$page' scrolls down" '^ layer slot tensor'
	result "'$page' sets no breakpoint" "$(grep -i break captured)"
	keys Home
	shows 'Home goes to the first row of the screen' '^KV CACHE at s78\|^>  *0  *0  *k'
	start 80 24 "$traces/demo.twin" --ascii --at s78 --screen kv
done
shows 'Home and paging stay in the step' 'at s78 *$'
keys F1
shows 'F1 shows the keys' 'play the step, or pause'

start 100 30 "$traces/demo.twin" --ascii --at L1263.b4.w0.l0.p0 --screen reduce
shows 'at the first point' ': 1 of 3 chunks merged so far'
keys s
shows 's on Reduce moves the merge' ': 2 of 3 chunks merged so far'
keys S
shows 'and S moves it back' ': 1 of 3 chunks merged so far'

### two runs

decode one --path flash-decoding
decode two --path flash-decoding --seed 3
start 160 48 one.twin two.twin --ascii --at s2
shows 'two runs are compared' 'both runs are equal'
shows 'with the numbers of both' 'other run .*max .* sum '
decode other --path flash-decoding --chunk 64
start 160 48 one.twin other.twin --ascii --at L14
shows 'another number of chunks differs first' 'differs first: keys of chunk 0'

plan
