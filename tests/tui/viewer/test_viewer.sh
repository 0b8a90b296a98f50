#!/bin/sh
# test_viewer.sh - sends keys to the viewer in tmux and compares its screens with --plain.
#
# Also tests several sizes, resizing, the mouse, signals and errors.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"
need_terminal pgrep

trace=$srcdir/tests/h200/demo.twin

### the same lines as --plain

# every_screen ADDRESS [KEY SCREEN ADDRESS]...: starts at the first address in a new terminal of
# $size and compares each screen after its key; once with each set of glyphs.
every_screen() {
	local begin=$1 option

	shift
	for option in --ascii ''; do
		glyphs=${option:---utf8}
		list=$*
		start ${size% *} ${size#* } "$trace" $option --at "$begin" --screen launch
		set -- $list
		while [ $# -gt 0 ]; do
			keys "$1"
			as_plain "$2 at $size $glyphs" "$2" "$3"
			shift 3
		done
		keys Q
		set -- $list
	done
	glyphs=--ascii
}

# Step and Source use the size of the screen: test_viewer_step.sh and test_viewer_source.sh.
for size in '80 24' '100 30' '200 60'; do
	every_screen L6.b0 I launch L6.b0 P points L6.b0 3 chunks L6.b0 8 text L6.b0 \
		2 kv L6.b0 4 reduce L7.b0
	[ "$size" = '200 60' ] || every_screen L6.b0 6 source L6.b0
	every_screen s3 0 time s3 7 findings s3 5 diff s3 i summary s3
done
start 80 24 "$trace" --ascii --at L1018 --screen time
shows 'the row of the address is on the first screen' '^>L1018 '
shows 'and the details below it' '^          blocks      0 ........ ........ eeeeeeee'
shows 'the keys for help and leaving are shown at 80 columns' '? keys  q back'

### glyphs

start 100 30 "$trace" --at L1018.b9 --screen chunks
shows 'UTF-8 glyphs in a UTF-8 locale' '█'
keys '~'
shows '~ switches to shades' 'glyphs: shades'
keys '~'
shows '~ again switches to ASCII' 'glyphs: ASCII'
as_plain 'ASCII shows what --plain prints' chunks L1018.b9

# formatted WHAT SCREEN ADDRESS OPTION KEYS PATTERN: an option of --plain and keys show PATTERN.
formatted() {
	"$flashtwin" view "$trace" --plain --screen "$2" --at "$3" $4 >out 2>err
	result "$1: --plain $4" "$(grep -q -e "$6" out || cat out)"
	start 120 60 "$trace" --ascii --screen "$2" --at "$3"
	until_true on_screen "at $3 *\$"
	keys $5
	shows "$1: keys $5" "$6"
}

formatted 'numbers in hex' points L1018.b1.w0.l0 '--number hex' 'x x' 'score 0x'
formatted 'numbers in bits' points L1018.b1.w0.l0 '--number bits' 'x x x' \
	'score [01] [01]\{8\} [01]\{23\} '
formatted 'relative distances' reduce L1019.b1 '--all --distance rel' 'W u u' 'rel off'
formatted 'charts with a log scale' chunks L1018.b1 '--scale log' L '(log)'

### stepping

# there_and_back WHAT FORWARD BACK ADDRESS NEXT: goes three steps forward from ADDRESS and two back,
# which must be NEXT, and one more back.
there_and_back() {
	start 100 30 "$trace" --at "$4" --screen launch
	until_true on_screen "at $4 *\$" || result "$1: starts at $4" "$(cat captured)"
	keys "$2" "$2" "$2" "$3" "$3"
	shows "$1: forward to $5" "at $5 *\$"
	keys "$3"
	shows "$1: and back to $4" "at $4 *\$"
}

there_and_back 'decode steps' d D L1018 L1034
there_and_back 'launches' f F L1018 L1019
there_and_back 'blocks' ')' '(' L1018.b23 L1019.b0
there_and_back 'operations' o O L1017 L1018
there_and_back 'named points' s S L1018.b1.w0.l0.p1 L1018.b1.w0.l1.p0
there_and_back 'tiles, from a launch' t T L1018 L1018.b0.w0.l0.p1
there_and_back 'tiles' t T L1018.b1.w0.l0.p1 L1018.b2.w0.l0.p1

### the bars

start 80 24 "$trace" --ascii --at L1018.b9 --screen chunks
shows 'at 80 columns, tabs have names as far as they fit' \
	'^ 1Step 2KV.3Chunks. 4Reduce 5Diff 6Source 7Finds 8Text'
keys '?'
shows 'help begins with the screens' '^  1  Step: '
keys q
start 100 30 "$trace" --ascii
shows 'at 100 columns, all do' '1Step. 2KV 3Chunks .* 8Text 9Memory 0Time PPoints ILaunch iInfo'
shows 'the first hint says how to play, step and see other heads' \
	'^ new here? \. plays this step, 2 to 9 are other screens, ? or F1 explains keys'
keys '?' / 'shift and drag' Enter
shows 'help says that shift and drag selects text' 'shift and drag selects text'
keys Escape Escape Escape
shows 'Escape closes the list, but never quits' 'Q quits'

# hint KEY TEXT: the hint of the screen begins with its own keys.
hint() {
	keys "$1"
	shows "the hint of screen $1" "^ $2"
}
hint 2 'd/D step  l/h head  z/Z layer'
hint 3 'j/k chunk  t/T tile'
hint 4 's/S merge  l/h head'
hint 5 'j/k row  f/F launch'
hint 6 's/S point  \* break'
hint 7 'e/E finding'
hint 8 'd/D step  l/h head  z/Z layer'
hint 0 'o/O operation'
hint P 's/S point'
hint I 'f/F launch'
hint i 'enter timeline'

### the same address has the same layer on every screen

start 100 30 "$trace" --ascii --at s20
shows 'Step at s20 is of the last layer' 'STEP 20  layer 3 '
keys 2
shows 'and so is KV' '^KV CACHE at s20.end, layer 3'
keys 3
shows 'and so is Chunks' '^CHUNKS of .*step 20, layer 3'
keys 8
shows 'and so is Text' '^ATTENTION in .*step 20, layer 3'
keys z
shows 'z on Text goes to the next layer' '^ATTENTION in .*step 20, layer 0'
keys l l
shows 'l on Text goes to the next head' '^>head 2 '
keys 2
shows 'KV shows the layer that was chosen' 'KV CACHE at .*, layer 0'

### nothing ends without a way on

start 100 30 "$trace" --ascii --at L1018.b9 --screen kv
until_true on_screen 'KV CACHE'
keys End G 2
keys : 'at L1018.b9' Enter
keys +
shows '+ shows what was left out' 'everything is shown: + shows less'
keys +
shows '+ again shortens lists' 'long lists are shortened'
keys w
shows 'a list that was shortened says how to go on' 'L1016 .*kv_scatter'
keys End
shows 'its last line names the key' '\.\.\. more: + lists them'
keys + End
more_rows() {
	screen
	! grep -q 'L1016 .*kv_scatter' captured
}
until_true more_rows
result '+ makes the list longer' "$(more_rows || cat captured)"
keys q : 'at s20' Enter 3 w
shows 'w at a step is about the launch shown' '^ who last wrote the inputs of L334'
shows 'rows of lists are marked with >' '^> '
keys q r
shows 'r at a step as well' '^ who uses what L334 wrote'
keys q 0 : 'at op 30' Enter w
shows 'w at an operation is about its bytes' '^ who wrote bytes 0 to '
cp "$trace" damaged.twin
python3 -c 'import sqlite3
with sqlite3.connect("damaged.twin") as db:
    db.execute("UPDATE t_op SET \"offset\" = 0, bytes = -9223372036854775807 - 1 WHERE op = 30")'
start 100 30 damaged.twin --ascii --screen time --at op30
until_true on_screen 'at op 30'
keys w
shows 'a size that only a damaged trace has is none' '^ who wrote bytes 0 to -1 of '
start 100 30 "$trace" --ascii
keys 4 : 'at L1019.b1' Enter
shows 'other orders of a merge are behind W' 'the same merge in other orders: W'
keys W
shows 'which shows them' 'what if, from float64 over all keys'

### keys typed while a screen is drawn

start 100 30 "$trace" --ascii --at s20 --screen time
until_true on_screen 'at s20 *$'
for key in d 5 d 3 d 2 d 8 d 4 d 3; do
	type_keys "$key"
done
handled
shows 'no key is lost' '\[3Chunks\].*at s26 *$'

### the Step screen

start 100 30 "$trace" --ascii --at s78
shows 'a decode opens on the Step screen' '^.1Step.'
shows 'with its hint first' '^ \. play  s/S frame  d/D step'
keys l l l l
shows 'l goes to other heads of the step' '^STEP 78  layer 3  head 4 '
keys Z
shows 'Z to the layer before' '^STEP 78  layer 2  head 4 '
keys z D
shows 'D to the step before, the head stays' '^STEP 77  layer 3  head 4 '
keys a
shows 'a says that there is one slot' 'this launch has one slot'
keys End
shows 'End goes to the last row of the screen' '^>.*| 2 '
keys : 'at s78' Enter '>' '>' '>' .
shows '. plays the step to its end' 'the step has ended: \. plays the next one'
shows 'whose frames have addresses' 'at s78.end *$'
keys , ,
shows ', goes back, and pauses' 'frame 1[0-3] of 13'
keys l
shows 'another key shows the whole step' 'out.0. = '
keys Escape
shows 'Escape does not quit' 'Q quits'

### places

ln -s "$trace" link.twin
start 60 15 ./././././link.twin --ascii --at L1018 --screen chunks
until_true on_screen 'L1018 *$'
keys y
shows 'y wraps a command that is too long for a line' "^  --at 'L1018' --screen chunks"
start 100 30 link.twin --ascii
shows 'it starts at the first step' 'at s0 *$'
keys : 'at L1018.b9' Enter
shows ':at goes to an address' 'at L1018.b9 *$'
keys : 'at L1018.b99' Enter
shows ':at rejects an address that does not exist' 'L1018 has blocks b0 to b23, not b99'
keys m a f f f "'" a
shows "' returns to a mark" 'at L1018.b9 *$'
keys 3 : 'save-display saved' Enter
shows ':save-display confirms' 'saved as saved'
run view "$trace" --plain --screen chunks --at L1018.b9
without_bars out
without_bars saved
result ':save-display writes what --plain prints' "$(diff out saved)"
keys y
shows 'y gives the command for this place' "view link.twin --at 'L1018.b9' --screen chunks"
keys x
shows 'x shows all digits' 'numbers: full'
keys x
shows 'x changes the base of numbers' 'numbers: hex'
keys u L
shows 'L changes the scale of charts' 'scale of charts: log'
keys y
shows 'y includes the formats' "L1018.b9' --screen chunks --number hex --distance abs --scale log"
keys x x u u L B
shows 'B lists breakpoints' 'none: \* sets one'
keys q 0 / download Enter
shows '/ finds a line' '^>.*download'
keys 3 : 'at L2' Enter / '7.4426   1.9237' Enter
shows '/ searches the rest of the run' 'at L1018.b8 *$'
keys 3 : 'at L1030' Enter / '7.4426   1.9237' Enter
shows 'the search wraps around' 'the search wrapped to the beginning of the run'
keys / nowhere Enter
shows '/ reports a text that is not found' "'nowhere' not found on this screen at any place"
keys '?' / 'next, previous block' Enter
shows '/ searches help' '^>* *) (  *next, previous block'
keys n
shows 'the search in help wraps around' 'the search wrapped to the top'
keys q 0 '\;' 'SELECT count(*) AS n FROM v_launch' Enter
shows '; runs a query' '1264'
keys q '\;' 'DELETE FROM t_run' Enter
shows '; rejects writes' 'SQL: '
keys '?'
shows '? lists keys' 'play the step, or pause'
keys q H
shows 'H lists visited places' 'L1018.b9  *step'
keys q : 'at L1019' Enter w
shows 'w shows what wrote the data' 'L1018 .*flash_decode_chunk .*partials'
keys Enter
shows 'enter goes there' 'at L1018 *$'
keys : 'at L1018.b9' Enter 2 w
shows 'w on the KV cache lists its rows and their writers' \
	'^  L1016 .*kv_scatter .*k_cache.2  slot 0 position 63'
keys j Enter
shows 'enter goes to the elements of a row' 'at L1016.o0.e4032 *$'
keys r
shows 'r shows what reads them' '^[> ] L1018 .*flash_decode_chunk .*k_cache.2  may read'
without_writers() {
	! on_screen kv_scatter
}
result 'and not what writes other rows' "$(until_true without_writers || cat captured)"
keys q : 'at L1018' Enter
keys : 'break flash_decode_reduce' Enter c
shows 'c runs to a breakpoint' 'at L1019 *$'
keys : 'fence L1019..L1022' Enter
shows ':fence bounds c and C' 'stay within L1019..L1022'
keys c
shows 'c does not leave the fence' 'nowhere to stop in that direction within the fence'
keys : fe Tab Enter
shows 'tab completes :fence, which removes the fence' 'fence removed'
keys c
shows 'c continues without a fence' 'at L1023 *$'
keys : L1019 Enter
shows ': with an address goes there' 'at L1019 *$'
keys : s999 Enter
shows 'an address that does not exist' 's999'
keys : nonsense Enter
shows 'an unknown command is an error' ':nonsense: unknown command'
keys K
shows 'a key without a function says so' 'this key does nothing here'
keys g
shows 'g goes to the first place' 'at op 0 *$'
keys G
shows 'G goes to the last place' 'at op 2634 *$'

### the mouse

# report BUTTON COLUMN LINE: sends a mouse report; 0 presses the left button, 3 releases it, 65 is
# the wheel.
report() {
	keys -l "$(printf "\\033[M\\$(printf %o $((32 + $1)))\\$(printf %o $((32 + $2)))\\$(
		printf %o $((32 + $3)))")"
}

click() {
	report 0 "$@"
	report 3 "$@"
}

start 100 30 "$trace" --ascii --at L1018 --screen time
until_true on_screen 'at L1018 *$'
click "$(sed -n 2p captured | awk '{ print index($0, " 3") + 1 }')" 2
shows 'a click on a tab opens its screen' '\[3Chunks\]'
until_true on_screen 'L1018.b9 '
click 20 "$(grep -n ' L1018.b9 ' captured | cut -d : -f 1)"
shows 'a click on a row goes there' 'at L1018.b9 *$'
keys '?'
shows 'help is shown' 'play the step, or pause'
first=$(sed -n 4p captured)
report 65 20 10
scrolled() {
	screen
	[ "$(sed -n 4p captured)" != "$first" ]
}
until_true scrolled
result 'the wheel scrolls' "$(scrolled || cat captured)"

### two traces

"$flashtwin" decode --model "$srcdir/doc/samples/shakespeare" --prompt 'ROMEO:' -n 4 \
	--path flash-decoding --chunk 32 --log points -o one.twin >/dev/null 2>err
"$flashtwin" decode --model "$srcdir/doc/samples/shakespeare" --prompt 'ROMEA:' -n 4 \
	--path flash-decoding --chunk 32 --log points -o two.twin >/dev/null 2>err
start 200 60 one.twin two.twin --ascii --screen launch --at L0
shows 'two traces are shown side by side' 'LAUNCH L0 .*|LAUNCH L0 '
keys f
shows 'and move together' 'LAUNCH L1 .*|LAUNCH L1 '
keys ']'
# L0 and L1 scatter different K and V rows; the next launch that differs attends to the prompt.
shows '] goes to the next difference' 'at L2 *$'
keys '['
shows '[ goes to the previous difference' 'at L1 *$'
keys v
shows 'v shows one trace' '(v: two.twin'
start 120 40 one.twin two.twin --ascii --screen chunks --at L22.b1
shows 'two runs are side by side where their lines fit' '^CHUNKS of L22 .*|CHUNKS of L22 '
lit() {
	# Reverse, then perhaps a colour, which tmux prints apart.
	on_tmux capture-pane -e -p |
		grep -c "$(printf '\033')\[\([0-9;]*;\)*7m\($(printf '\033')\[[0-9;:]*m\)*[0-9]"
}
differing() {
	[ "$(lit)" -gt 0 ]
}
until_true differing
result 'and their differing digits are lit' "$(differing || cat captured)"
"$flashtwin" decode --model "$srcdir/doc/samples/shakespeare" --prompt 'ROMEO:' -n 4 \
	--path flash-decoding --chunk 4 --log points -o chunks.twin >/dev/null 2>err
run diff one.twin chunks.twin
result 'equal digests are no difference with other chunks' \
	"$(awk '/ digest of / && $(NF - 2) == $NF' out)"
start 80 24 one.twin two.twin --ascii --screen launch --at L0
shows 'two traces are shown one above the other in a narrow terminal' 'one.twin r1 .*| *two.twin'

### the terminal

start 100 30 "$trace" --ascii --at L6.b0 --screen chunks
as_plain 'before resizing' chunks L6.b0
on_tmux resize-window -x 50 -y 10
shows 'a terminal that is too small shows one line' '^flashtwin view needs at least 60 x 15'
on_tmux resize-window -x 100 -y 30
as_plain 'enlarging it shows the screen again' chunks L6.b0
keys q
shows 'q ends with exit code 0' '^ended 0'

# restored: echo and canonical mode are on again.
restored() {
	until_true test -e "$ended"
	grep -q -e ' echo ' "$ended" && grep -q -e ' icanon ' "$ended"
}

viewer_pid() {
	pgrep -f "^$flashtwin view" -P "$(on_tmux display-message -p '#{pane_pid}')"
}

for signal in INT TERM HUP; do
	start 100 30 "$trace"
	shows "the viewer runs before SIG$signal" 'at s0'
	kill -s "$signal" "$(viewer_pid)"
	case $signal in INT) wanted=130 ;; TERM) wanted=143 ;; HUP) wanted=129 ;; esac
	shows "SIG$signal ends it with $wanted" "ended $wanted"
	result "SIG$signal leaves the terminal as it was" "$(restored || cat "$ended")"
done

start 100 30 "$trace" --screen time
shows 'the viewer runs before SIGTSTP' 'at s0'
pid=$(viewer_pid)
# The kernel does not stop it, because no shell with job control has started it: terminal_setup.py
# does that.
kill -s TSTP "$pid"
handled
kill -s CONT "$pid"
handled
keys f
shows 'it continues after SIGTSTP and SIGCONT' 'at L0 *$'

start 100 30 "$trace --screen nothing"
shows 'an unknown screen is an error' 'ended 2'
printf 'TERM=no-such-terminal\nexport TERM\n' >script.term
printf '%s\n' ". ./script.term; '$flashtwin' view '$trace'" \
	"echo ended \$?; sleep $(limit 600)" >script
terminal
shows 'an unknown TERM is an error line' 'TERM=no-such-terminal: unknown terminal'
shows 'and ends with exit code 2' 'ended 2'

colors() {
	on_tmux capture-pane -e -p | grep -c "$(printf '\033')\[[0-9;]*[34]\([0-7]\|8[;:]5\)"
}
start 100 30 "$trace" --at L1018.b9 --screen chunks
until_true on_screen 'at L1018.b9'
colored() {
	[ "$(colors)" -gt 0 ]
}
result 'colours are used' "$(until_true colored || echo none)"
printf '%s\n' "NO_COLOR=1 '$flashtwin' view '$trace' --at L1018.b9 --screen chunks" >script
terminal
until_true on_screen '? keys  q back'
result 'NO_COLOR turns colours off' "$([ "$(colors)" -eq 0 ] || echo "$(colors) lines")"

### long work

start 100 30 "$trace" --at L1018
shows 'the viewer runs before long work' 'at L1018'
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
type_keys '\;' "$endless" Enter
shows 'long work says that any key stops it' 'at work: any key stops it'
keys x
shows 'a key stops it and has no other effect' '^ stopped *$'
type_keys '\;' "$endless" Enter
until_true on_screen 'at work'
keys C-c
shows 'ctrl-C stops it too' '^ stopped *$'
keys : 'at L1019' Enter
shows 'the viewer continues' 'at L1019 *$'

### random keys

start 100 30 "$trace" --at L1018
shows 'the viewer runs before random keys' 'at L1018'
seed=7 sent=0
while [ "$sent" -lt 300 ]; do
	# Any of 32 to 126, except Q and q, which end it, and ;, which starts a query.
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	code=$((seed / 65536 % 95 + 32))
	sent=$((sent + 1))
	case $code in 81|113|59) continue ;; esac
	type_keys "$(printf "\\$(printf %o "$code")" | sed 's/;/\\;/')" Escape 2>/dev/null
	if [ $((sent % 50)) -eq 0 ]; then
		on_tmux resize-window -x $((seed / 65536 % 150 + 20)) -y $((seed / 65536 % 50 + 5))
	fi
done
handled
on_tmux resize-window -x 100 -y 30
handled
keys : 'at L0' Enter
until_true on_screen 'at L0 *$\|ended 0'
result 'it survives 300 random keys' "$(grep -q 'at L0 *$\|ended 0' captured || cat captured)"

plan
