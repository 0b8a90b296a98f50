# manual_options.awk - which options the manual's section of a command describes, for test_cli.sh.
#
# awk -v section=DECODE -f manual_options.awk flashtwin.1.in prints each option that is the tag of a
# paragraph, as "--chunk C", and for each that a sentence refers to decode for, "as --chunk".

# The text of a macro's line: its words, or quoted strings, joined, without fonts and escapes.
function text(line,    out, word, joined) {
	joined = line ~ /^\.(BI|BR|RB|IR|RI) /
	if (line ~ /^\.[A-Z]+ /)
		sub(/^\.[A-Z]+ +/, "", line)
	if (joined) {
		out = ""
		while (match(line, /^ *("[^"]*"|[^ "]+)/)) {
			word = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			sub(/^ */, "", word)
			gsub(/"/, "", word)
			out = out word
		}
		line = out
	}
	gsub(/"/, "", line)
	gsub(/\\f[A-Z]/, "", line)
	gsub(/\\-/, "-", line)
	return line
}

function print_tag(line,    count, parts, i) {
	count = split(line, parts, /, -/)
	for (i = 1; i <= count; i++)
		if ((i > 1 ? "-" : "") parts[i] ~ /^-/)
			print (i > 1 ? "-" : "") parts[i]
}

function print_references(sentence,    option) {
	if (sentence !~ /as( are)? for decode/)
		return
	while (match(sentence, /--?[a-z][a-z-]*/)) {
		option = substr(sentence, RSTART, RLENGTH)
		print "as " option
		sentence = substr(sentence, RSTART + RLENGTH)
	}
}

/^\.SH / {
	print_references(sentence)
	sentence = ""
	inside = $2 == section
}
!inside { next }
/^\.(TP|PP|SS)/ {
	print_references(sentence)
	sentence = ""
	tag = /^\.TP/
	next
}
tag {
	print_tag(text($0))
	tag = 0
	next
}
{ sentence = sentence " " text($0) }
