# capture_rules.awk - converts tests/h200/capture.txt to two C lists, sim/device/capture_rules.h.
#
# A line is "operation mode stream[/how] code state ...". Operations without a stream have the
# same rule for all streams.

function rule(where) {
	rules = rules " \\\n\tX(" $1 ", " mode ", " where ", " how ", " $4 ", " state ")"
}

/^#/ || $4 !~ /^[0-9]+$/ { next }

{
	split($3, place, "/")
	mode = toupper($2)
	sub("-", "_", mode)
	how = place[2] ? toupper(place[2]) : "PLAIN"
	state = $5 == "-" ? "NONE" : toupper($5)
	if (!($1 in seen)) {
		seen[$1]
		names = names " \\\n\tX(" $1 ")"
	}
	if (place[1] != "other")
		rule("SAME")
	if (place[1] != "same")
		rule("OTHER")
}

END {
	print "/* capture_rules.h - written by sim/device/capture_rules.awk; see sim/device/capture.h. */"
	print "#define CAPTURE_OPERATIONS(X)" names
	print "#define CAPTURE_RULES(X)" rules
}
