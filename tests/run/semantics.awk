# semantics.awk - compares answers of semantics.cu with those of tests/h200/semantics.txt, by name.
#
# awk -f semantics.awk MEASURED ANSWERS: prints a line for each difference, and exits with 1 if there
# is one. Answers are lines NAME VALUE..., after a line "## GROUP", before one "## exit CODE"; where a
# name is used several times, the answers must be in the same order. A line "#: unmeasured NAME" is a
# question that the GPU has not been asked yet: its answer is not compared, but must be there.

/^#: unmeasured / {
	unmeasured[$3]
	next
}

/^#:/ || /^gpu\./ || NF == 0 { next }

/^## exit/ { $0 = "exit." group " " $3 }

/^## / {
	group = $2
	next
}

FNR == NR {
	names[++count] = $1 "#" ++times[$1]
	measured[names[count]] = $0
	next
}

{
	name = $1 "#" ++seen[$1]
	answered[name]
	if ($1 in unmeasured)
		next
	if (!(name in measured))
		found[++differences] = "not measured: " $0
	else if (measured[name] != $0)
		found[++differences] = "expected " measured[name] ", got " $0
}

END {
	for (i = 1; i <= count; i++)
		if (!(names[i] in answered))
			found[++differences] = "no answer: " measured[names[i]]
	for (name in unmeasured)
		if (!((name "#1") in answered))
			found[++differences] = "no answer: " name
	for (i = 1; i <= differences; i++)
		print found[i]
	exit differences > 0
}
