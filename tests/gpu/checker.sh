# checker.sh - the part of run.sh that compares the checker with compute-sanitizer on the corpus.
#
# Runs every kernel of tests/checker/, with its bug and without, under the four tools, in
# parallel. A kernel that faults or hangs ends its process; a new one continues with the next
# kernel. Writes a table to $out/checker-table.md: per class, how many planted bugs and clean
# twins each tool reports. A kernel counts as reported if a report names it. Sourced by run.sh;
# run alone, it takes BUILD_DIR OUT_DIR. SANITIZER names a program to use in place of
# compute-sanitizer.

if [ -z "$flashtwin" ]; then
	build=$(cd "${1:?BUILD_DIR}" && pwd) || exit 2
	out=$(mkdir -p "${2:?OUT_DIR}" && cd "$2" && pwd) || exit 2
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	result() {
		printf '%-4s  %-44s  %s\n' "$1" "$2" "$3"
	}
fi
corpus=$build/tests/gpu/corpus
watcher=${SANITIZER:-$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)}
table=$out/checker-table.md
kernels=$("$corpus" count)
per_process=10                  # kernels per process, unless one ends it
at_once=16                      # processes in parallel
deadline=$(($(date +%s) + 420)) # for the whole script

# watch TOOL FIRST LAST: runs these kernels under TOOL. Reports go to
# $work/checker/TOOL.FIRST.*.report, the output of corpus to *.said.
watch() {
	next=$2
	while [ "$next" -le "$3" ] && [ "$(date +%s)" -lt "$deadline" ]; do
		to=$work/checker/$1.$2.$next
		if [ "$1" = flashtwin ]; then
			timeout -k 1 60 "$corpus" sim "$next" "$3" >"$to.said" 2>&1
		else
			timeout -k 1 60 "$watcher" --tool "$1" --log-file "$to.report" \
				"$corpus" cuda "$next" "$3" >"$to.said" 2>"$to.errors"
		fi
		last=$(sed -n 's/^begin //p' "$to.said" | tail -n 1)
		# A kernel that could not even begin is skipped and not counted as run.
		next=$((${last:-$next} + 1))
	done
}

# watch_all TOOL: runs all kernels under TOOL and waits for its processes.
watch_all() {
	first=0 running=0
	while [ "$first" -lt "$kernels" ]; do
		watch "$1" "$first" $((first + per_process - 1)) &
		first=$((first + per_process)) running=$((running + 1))
		if [ "$running" -eq "$at_once" ]; then
			wait
			running=0
		fi
	done
	wait
}

# reported TOOL: prints the numbers of the kernels that it reports, one per line.
reported() {
	if [ "$1" = flashtwin ]; then
		# For a bug, only findings of the right class count; for a clean twin, any finding.
		cat "$work"/checker/flashtwin.*.said | awk '
			NR == FNR { class[$1] = $3; bug[$1] = $4 == "bug"; next }
			$1 == "found" && (!bug[$2] || class[$2] == $3) { print $2 }
		' "$work/checker/list" - | sort -un
		return
	fi
	# Kernel names anywhere in the tool's report, except in host backtraces.
	cat "$work"/checker/"$1".*.report 2>/dev/null | grep -a '^=========' |
		grep -av 'Host Frame' | tr -c 'A-Za-z0-9_\n' ' ' | awk '
		NR == FNR { number[$2] = $1; next }
		{ for (i = 1; i <= NF; i++) if ($i in number) print number[$i] }
	' "$work/checker/list" - | sort -un
}

# Prints the table; the column "any" counts what at least one of the four tools reports.
write_table() {
	for tool in flashtwin memcheck racecheck initcheck synccheck; do
		reported "$tool" | sed "s/^/$tool /"
	done | awk '
		BEGIN {
			tools = split("flashtwin memcheck racecheck initcheck synccheck any", tool)
			line = "| class | kernels |"
			rule = "|---|---:|"
			for (t = 1; t <= tools; t++) {
				line = line " " tool[t] " |"
				rule = rule "---:|"
			}
			print line
			print rule
		}
		NR == FNR {
			class[$1] = $4 == "bug" ? $3 : "clean twins"
			called[$1] = $2
			last = $1
			if (!(class[$1] in of))
				order[++classes] = class[$1]
			of[class[$1]]++
			next
		}
		{
			count[class[$2], $1]++
			if ($1 != "flashtwin" && !seen[$2]++)
				count[class[$2], "any"]++
			if ($1 == "flashtwin")
				ours[$2] = 1
			theirs[$2] += $1 != "flashtwin"
			by[$2] = by[$2] ($1 != "flashtwin" ? " " $1 : "")
		}
		function row(name) {
			line = "| " name " | " of[name] " |"
			for (t = 1; t <= tools; t++)
				line = line " " count[name, tool[t]] + 0 " |"
			print line
		}
		END {
			for (c = 1; c <= classes; c++)
				if (order[c] != "clean twins")
					row(order[c])
			row("clean twins")
			for (k in theirs)
				missed += class[k] != "clean twins" && theirs[k] && !(k in ours)
			print ""
			for (k = 0; k <= last; k++)
				if (theirs[k] && (class[k] == "clean twins" || !(k in ours)))
					printf "Also reported: %s (%s), by%s.\n", called[k], class[k], by[k]
			printf "Reported by any of the four and not by flashtwin: %d.\n", missed
		}
	' "$work/checker/list" -
}

if [ ! -x "$watcher" ]; then
	result SKIP 'the corpus under compute-sanitizer' 'no compute-sanitizer here'
else
	mkdir "$work/checker"
	"$corpus" list >"$work/checker/list"
	for tool in flashtwin memcheck racecheck initcheck synccheck; do
		watch_all "$tool"
	done
	write_table >"$table"
	cat "$table"
	ran=$(cat "$work"/checker/memcheck.*.said | grep -c '^begin')
	detail="$ran of $kernels kernels ran; $(tail -n 1 "$table")"
	if [ "$ran" -gt 0 ] && grep -q 'by flashtwin: 0\.' "$table"; then
		result PASS 'the corpus under compute-sanitizer' "$detail"
	else
		result FAIL 'the corpus under compute-sanitizer' "$detail"
	fi
fi
