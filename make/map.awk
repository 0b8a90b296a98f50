# map.awk - prints "PATH: DESCRIPTION" for each file named on standard input, by folder.
#
# The description is the first sentence of the file's head comment, which begins with the file's
# name, its arguments if any, and " - " in one of its first three lines. Exit code 1: a file has
# none; standard error names it.
# Used by `make map`; -v srcdir=DIRECTORY is where files are, -v folders='A B' limits them.

# The text of a line without comment markers.
function text(line) {
	gsub(/^[ \t]*(\/\*|\*\/|\*|\/\/|#|--|<!--|""")?[ \t]*/, "", line)
	sub(/[ \t]*(\*\/|-->|""")[ \t]*$/, "", line)
	return line
}

# Reads the first sentence into the global variable `sentence`: "" if the file has none.
function read_sentence(path, name,    line, number, place) {
	sentence = ""
	number = 0
	while ((getline line < path) > 0) {
		number++
		if (sentence == "") {
			if (number > 3)
				break
			place = index(line, name " ")
			if (place == 0)
				continue
			line = substr(line, place + length(name))
			place = index(line, " - ")
			if (place == 0)
				continue
			sentence = text(substr(line, place + 3))
		} else {
			line = text(line)
			if (line == "")
				break
			sentence = sentence " " line
		}
		if (match(sentence, /\.( |$)/)) {
			sentence = substr(sentence, 1, RSTART - 1)
			break
		}
	}
	close(path)
}

BEGIN {
	count = split(folders, list, " ")
	for (i = 1; i <= count; i++)
		wanted[list[i]] = 1
}

{
	slash = match($0, /\/[^\/]*$/)
	folder = slash ? substr($0, 1, slash - 1) : "."
	name = substr($0, slash + 1)
	split(folder, parts, "/")
	if (slash && !(parts[1] in wanted))
		next
	read_sentence(srcdir "/" $0, name)
	if (sentence == "") {
		print $0 ": expected \"" name " - DESCRIPTION\" in the first three lines" \
			>"/dev/stderr"
		failed = 1
	}
	# Keeps the files of a folder together, before those of its subfolders.
	entries[folder] = entries[folder] $0 ": " sentence "\n"
	if (!(folder in seen)) {
		seen[folder] = 1
		order[++folders_seen] = folder
	}
}

END {
	for (i = 1; i <= folders_seen; i++)
		printf "%s%s", (i == 1 ? "" : "\n"), entries[order[i]]
	exit failed
}
