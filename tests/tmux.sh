# tmux.sh - for tests of the viewer: the real program in a terminal of tmux, keys sent to it, and
# what the screen shows then. Sourced first; skips the test where there is no tmux or no terminal.
. "${abs_srcdir:-$(dirname "$0")/..}/tests/tap.sh"
need_terminal tmux

LC_ALL=C.UTF-8
export LC_ALL
unset TMUX NO_COLOR

# A server of its own for each start: one that is being killed would take the next one's place.
servers=0
on_tmux() {
	tmux -S "$work/tmux.$servers" -f /dev/null "$@"
}
trap 'on_tmux kill-server 2>/dev/null; rm -rf "$work"' EXIT

# start COLUMNS LINES [ARG...]: the viewer in a fresh terminal, which says how it ended.
start() {
	columns=$1 lines=$2
	shift 2
	rm -f shell_done
	printf '%s\n' "'$flashtwin' view $*" 'echo "ended $?"' 'stty -a | tr ";" " " >stty' \
		'echo done >shell_done' "sleep $(limit 600)" >script
	terminal
}

# terminal: runs ./script in a new one.
terminal() {
	on_tmux kill-server 2>/dev/null
	servers=$((servers + 1))
	on_tmux new-session -d -x "$columns" -y "$lines" 'sh script'
	until_true begun
	handled
}

# The viewer has taken the terminal, or has ended already.
begun() {
	[ "$(on_tmux display-message -p '#{alternate_on}')" = 1 ] || on_screen '^ended [0-9]'
}

# Waits until the viewer has handled all keys. One typed too early would stop the work of the key
# before it, if that takes long; and a screen may match before the last of several keys is handled.
handled() {
	"${flashtwin%/flashtwin}/tests/waits_for_key" $(on_tmux display-message -p '#{pane_pid} #{pane_tty}') \
		"$(limit 60)"
}

# type_keys KEY...: for those that start work without an end.
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

# shows WHAT PATTERN
shows() {
	if until_true on_screen "$2"; then
		result "$1"
	else
		result "$1" "no line matches '$2' in:
$(cat captured)"
	fi
}

# The content of the screen: without three bars above and three below.
content() {
	screen
	sed -n "4,$((lines - 3))p" captured | sed 's/ *$//' >content
}

same_content() {
	content
	if [ "${glyphs:---ascii}" = --ascii ]; then
		cmp -s wanted content
	else
		python3 "$srcdir/tests/tui/viewer/same_glyphs.py" wanted content
	fi
}

# as_plain WHAT SCREEN ADDRESS: the screen shows the lines of --plain of $trace, and of $second if it
# is set, cut to its size.
as_plain() {
	"$flashtwin" view "$trace" ${second:+"$second"} --plain --screen "$2" --at "$3" \
		>out 2>err
	awk -v w="$columns" '{ print (length($0) > w ? substr($0, 1, w - 1) ">" : $0) }' out |
		sed 's/ *$//' | head -n $((lines - 6)) >wanted
	# The terminal's empty lines count too.
	while [ "$(wc -l <wanted)" -lt $((lines - 6)) ]; do
		echo >>wanted
	done
	if until_true same_content; then
		result "$1"
	else
		result "$1" "$(diff wanted content)"
	fi
}
