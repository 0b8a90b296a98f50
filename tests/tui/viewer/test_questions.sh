#!/bin/sh
# test_questions.sh - seven questions about a run, each answered in the viewer with at most ten keys
# from opening the file.
#
# What the answers are is computed from the trace by SQL.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"

for run in 'one --seed 0 --prompt ROMEO:' 'two --seed 5 --prompt ROMEA:'; do
	# shellcheck disable=SC2086
	set -- $run
	name=$1
	shift
	"$flashtwin" decode "$@" -n 30 --path flash-decoding --chunk 4 --log points -o "$name.twin" \
		>/dev/null 2>err || result "records $name" "$(cat err)"
done
"$flashtwin" decode --seed 0 --prompt ROMEO: -n 30 --path flash-decoding --chunk 4 --log points \
	-o both.twin >/dev/null 2>err
"$flashtwin" decode --seed 5 --prompt ROMEA: -n 30 --path flash-decoding --chunk 4 --log points \
	--append -o both.twin >/dev/null 2>err || result 'appends' "$(cat err)"

# sql QUERY [TRACE]: prints the only row of the result, fields separated by spaces.
sql() {
	"$flashtwin" sql --csv "${2:-one.twin}" "$1" | tr -d '"\r' | sed -n 2p | tr , ' '
}

# asked WHAT KEY...: types keys in the viewer that was just opened; none may be more than ten. All
# characters of an argument are keys, unless it names one.
asked() {
	local what=$1 count=0 key

	shift
	for key; do
		case $key in
		Enter) count=$((count + 1)) ;;
		*) count=$((count + ${#key})) ;;
		esac
		keys "$key"
	done
	result "$what, at $size: $count keys" "$([ "$count" -le 10 ] || echo 'more than ten')"
}

# open FILE...: the viewer, as a user opens it.
open() {
	start ${size% *} ${size#* } "$*" --ascii
}

# fixed TEXT: the text without the meaning that grep gives to some characters.
fixed() {
	printf '%s' "$1" | sed 's/[][\.*^$]/\\&/g'
}

step20="SELECT launch FROM v_launch WHERE step = 20 AND layer = 3 AND kernel GLOB 'flash_decode_chunk*'"
of_head="launch = ($step20) AND slot = 0 AND head = 3"
set -- $(sql "SELECT chunk, printf('%.1f%%', 100 * share) FROM v_partial WHERE $of_head
	ORDER BY share DESC LIMIT 1")
chunk=$1 share=$2
# Blocks of chunks are counted through heads, then slots, then chunks.
set -- $(sql "SELECT p.key_begin + s.lane, t.byte FROM v_point s JOIN v_launch l USING (run, launch)
	JOIN v_partial p ON p.run = s.run AND p.launch = s.launch AND p.slot = 0 AND p.head = 3
	AND p.chunk = s.block / (l.grid_x * l.grid_y) JOIN v_token t ON t.run = s.run AND t.slot = 0
	AND t.position = p.key_begin + s.lane WHERE s.launch = ($step20) AND s.name = 'score'
	AND s.block % l.grid_x = 3 ORDER BY s.v0 DESC LIMIT 1")
key=$1 byte=$(printf "\\$(printf %o "$2")")
writer=$(sql "SELECT launch FROM v_kv WHERE tensor = 'k' AND layer = 3 AND slot = 0 AND position = 7
	ORDER BY op DESC LIMIT 1")
sql_all() {
	"$flashtwin" sql --csv one.twin "$1" | tr -d '"\r' | sed 1d
}
sql_all "SELECT r.chunk, printf('%.6f', r.factor), printf('%.1f', 100 * p.share), printf('%.6f', r.sum)
	FROM v_reduce r JOIN v_partial p ON p.run = r.run AND p.launch = ($step20) AND p.slot = r.slot
	AND p.head = r.head AND p.chunk = r.chunk WHERE r.launch = ($step20) + 1 AND r.slot = 0
	AND r.head = 3 AND NOT p.empty ORDER BY r.sequence" | tr , ' ' >merges
differs=$(sql "SELECT launch FROM v_diff WHERE what = 'launch' ORDER BY op LIMIT 1" both.twin)
bytes=$(sql "SELECT sum(k.bytes) FROM v_kv k JOIN v_op o USING (run, op) WHERE o.step = 20 AND k.layer = 3")
sql_all "SELECT b.name, k.offset, k.offset + k.bytes - 1 FROM v_kv k JOIN v_op o USING (run, op)
	JOIN v_buffer b ON b.run = k.run AND b.buffer = k.buffer WHERE o.step = 20 AND k.layer = 3
	ORDER BY b.name, k.offset" | awk -F, '{ line[$1] = line[$1] (line[$1] ? ", " : "") $2 ".." $3 }
	END { for (name in line) print name, line[name] }' >ranges
result 'the trace has answers' "$([ "$chunk" ] && [ "$key" ] && [ "$writer" ] && [ "$differs" ] &&
	[ -s merges ] && [ -s ranges ] || echo "$chunk, $key, $writer, $differs")"

# names_first KEY BYTE: the key is the first of the list of keys, or of the line where there is no
# space for a list.
names_first() {
	screen
	grep -A 1 '^ key  byte   weight' captured | grep -q "^ *$1  '$2' " ||
		grep -q "^ looks at  '$2' at $1 " captured
}

for size in '80 24' '160 48'; do
	open one.twin
	asked 'the chunk with the largest share for head 3 at step 20' :s20 Enter lll
	shows 'at that step and head' '^STEP 20  layer 3  head 3 '
	shows "it is chunk $chunk with $share" "| $chunk #[#= ]* $(fixed "$share") "

	open one.twin
	asked 'the key with the largest weight, and its character' :s20 Enter lll
	until_true names_first "$key" "$(fixed "$byte")"
	result "it is $byte at $key" "$(names_first "$key" "$(fixed "$byte")" || cat captured)"

	open one.twin
	asked 'who wrote the K row of position 7' G2+ '/ 7 ' Enter
	shows "it is L$writer" "^>   0         7 .* L$writer  "

	open one.twin
	asked 'what the reduction did, in order' :s20 Enter lll4
	screen
	awk '/^ chunk keys/ { table = 1; next } !/\|/ { table = 0 } table { sub(/^>/, ""); print $1 }' \
		captured >got
	while read -r merged factor part sum; do
		shows "it merged chunk $merged" \
			"^>*  *$merged [0-9]*\.\..* $(fixed "$factor")  *$(fixed "$part") %  *|.*  $(fixed "$sum")"
	done <merges
	result 'in this order, and nothing else' "$(sed 's/ .*//' merges | diff - got)"

	open one.twin two.twin
	asked 'where two runs first differ' ']5'
	shows "it is L$differs" "^ *first difference: L$differs\.o0\.e[0-9]* "
	shows 'of which the elements are shown' '^ \[[0-9,]*\]  .* [1-9][0-9]* [0-9a-f]\{8\} [0-9a-f]\{8\}'

	open one.twin
	asked 'which bytes of the cache changed in this step' :s20 Enter 2
	shows "they are $bytes bytes of a layer" "^ written in step 20: $bytes B of layer 3, "
	while read -r name at; do
		shows "of $name" "^   $(fixed "$name")  slot 0  position [0-9]*  by L[0-9]*  [0-9]* B: $(fixed "$at")$"
	done <ranges

	start ${size% *} ${size#* } one.twin --ascii --at s20
	asked 'one step back' D
	shows 'is step 19' '^STEP 19  layer 3 '
done

plan
