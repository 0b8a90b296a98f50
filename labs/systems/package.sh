#!/bin/sh
# package.sh - packs the autograder of a lab for a course system; `make gradescope`, `make autolab`.
#
# package.sh gradescope|autolab SOURCES LAB SECRET ARCHIVE writes gradescope-NN-name.zip, or
# autolab-NN-name/ with autograde-Makefile and autograde.tar, to the current folder. LAB is the lab's
# number, SECRET the file with the secret, ARCHIVE flashtwin's source archive; with ARCHIVE `none`,
# the system's image must have flashtwin.
set -eu

fail() {
	echo "$*" >&2
	exit 2
}

system=$1
sources=$2
lab=$3
secret=$4
archive=$5
systems=$sources/labs/systems

[ -r "$secret" ] || fail "$secret: not readable"
[ -n "$(tr -d '\r\n' <"$secret")" ] || fail "$secret: expected a text"
folder=
for json in "$sources"/labs/[0-9][0-9]-*/lab.json; do
	number=$(basename "$(dirname "$json")" | sed 's/^0\{0,1\}\([0-9]*\)-.*/\1/')
	[ "$number" != "$lab" ] || folder=$(dirname "$json")
done
[ -n "$folder" ] || fail "there is no lab $lab in $sources/labs"
name=$(basename "$folder")
file=$(sed -n 's/.*"file":[[:space:]]*"\([^"]*\)".*/\1/p' "$folder/lab.json" | head -n 1)
# The installed labs, which the autograder uses, have no staff/.
! grep -q '"program"' "$folder/lab.json" ||
	fail "lab $lab: its reference is a program in staff/, which is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fill FOLDER: what both systems need.
fill() {
	echo "$lab ${file:-student.cu}" >"$1/lab"
	cp "$secret" "$1/secret"
	cp "$systems/install.sh" "$1/install.sh"
	[ "$archive" = none ] || cp "$archive" "$1/"
}

case $system in
gradescope)
	# Gradescope wants the files at the root of the archive.
	command -v zip >/dev/null || fail "zip is missing: apt-get install zip"
	out=$PWD/gradescope-$name.zip
	fill "$work"
	cp "$systems/gradescope/setup.sh" "$systems/gradescope/run_autograder" "$work/"
	chmod 755 "$work/setup.sh" "$work/run_autograder"
	rm -f "$out"
	(cd "$work" && zip -q -X "$out" ./*)
	;;
autolab)
	out=$PWD/autolab-$name
	mkdir -p "$work/autograde" "$out"
	fill "$work/autograde"
	cp "$systems/autolab/driver.sh" "$work/autograde/"
	tar -cf "$out/autograde.tar" -C "$work" autograde
	cp "$systems/autolab/autograde-Makefile" "$out/"
	;;
*)
	fail "expected gradescope or autolab, got $system"
	;;
esac
echo "$out: keep it as secret as the secret in it"
