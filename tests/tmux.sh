# tmux.sh - functions for viewer tests: run the program in tmux, send keys, check the screen.
#
# Sourced first, in place of tap.sh. Skips the test without tmux or a pseudo-terminal.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
need_terminal tmux

LC_ALL=C.UTF-8
export LC_ALL
unset TMUX NO_COLOR

# Each start gets its own tmux server: a new one could collide with the previous one being killed.
servers=0
on_tmux() {
	tmux -S "$work/tmux.$servers" -f /dev/null "$@"
}
trap 'on_tmux kill-server 2>/dev/null; rm -rf "$work"' EXIT

# start COLUMNS LINES [ARG...]: runs the viewer in a new terminal, which prints its exit code.
start() {
	columns=$1 lines=$2
	shift 2
	# Its own files: the shell of the terminal before may still be writing its own.
	ended=ended.$((servers + 1))
	# Without colours for heat, screens are the same as those of --plain.
	printf '%s\n' 'TERM=screen' 'export TERM' "'$flashtwin' view $*" 'echo "ended $?"' \
		"stty -a | tr ';' ' ' >$ended.part" "mv $ended.part $ended" "sleep $(limit 600)" >script
	terminal
}

# terminal: runs ./script in a new terminal. `exec`: some login shells would stay as its parent.
terminal() {
	on_tmux kill-server 2>/dev/null
	servers=$((servers + 1))
	on_tmux new-session -d -x "$columns" -y "$lines" 'exec sh script'
	until_true started
	handled
}

# started: succeeds once the viewer has set up the terminal, or has already ended.
started() {
	[ "$(on_tmux display-message -p '#{alternate_on}')" = 1 ] || on_screen '^ended [0-9]'
}

# handled: waits until the viewer has handled all keys. A key sent too early would stop the work of
# the previous key; and a screen may match before the last of several keys is handled.
handled() {
	"${flashtwin%/flashtwin}/tests/waits_for_key" $(on_tmux display-message -p '#{pane_pid} #{pane_tty}') \
		"$(limit 60)"
}

# type_keys KEY...: sends keys without waiting, for keys that start endless work.
type_keys() {
	on_tmux send-keys "$@"
}

keys() {
	type_keys "$@"
	handled
}

screen() {
	on_tmux capture-pane -p >captured 2>&1
}

on_screen() {
	screen
	grep -q -e "$1" captured
}

# shows WHAT PATTERN: waits until a line of the screen matches PATTERN.
shows() {
	if until_true on_screen "$2"; then
		result "$1"
	else
		result "$1" "no line matches '$2' in:
$(cat captured)"
	fi
}

# content: writes the screen without the three bars at the top and the three at the bottom to
# ./content.
content() {
	screen
	sed -n "4,$((lines - 3))p" captured | sed 's/ *$//' >content
}

# Bars of shares are as long as the terminal allows, and a merge has acc[0] where it is wide; --plain
# knows of no terminal.
without_bars() {
	sed -e 's/%  |[#=█▌ ]*/%  |/' -e 's/\(share  of all keys\)  */\1 /' \
		-e 's/  acc\[0\] so far$//' -e 's/\(%  |[^0-9]*[0-9][0-9.]*\)  *[-0-9.]*$/\1/' "$1" >bare
	mv bare "$1"
}

same_content() {
	content
	without_bars content
	if [ "${glyphs:---ascii}" = --ascii ]; then
		cmp -s wanted content
	else
		python3 "$srcdir/tests/tui/viewer/same_glyphs.py" wanted content
	fi
}

# as_plain WHAT SCREEN ADDRESS: the screen shows what --plain prints for $trace (and $second if
# set), cut to the size of the terminal.
as_plain() {
	"$flashtwin" view "$trace" ${second:+"$second"} --plain --screen "$2" --at "$3" \
		>out 2>err
	awk -v w="$columns" '{ print (length($0) > w ? substr($0, 1, w - 1) ">" : $0) }' out |
		sed -e 's/ *$//' -e 's/^\( the same merge in other orders: \)--all$/\1W/' |
		head -n $((lines - 6)) >wanted
	without_bars wanted
	# Pad with empty lines, which the terminal has as well.
	while [ "$(wc -l <wanted)" -lt $((lines - 6)) ]; do
		echo >>wanted
	done
	if until_true same_content; then
		result "$1"
	else
		result "$1" "$(diff wanted content)"
	fi
}
