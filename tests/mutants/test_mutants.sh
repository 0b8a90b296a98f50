#!/bin/sh
# test_mutants.sh - every defect in tests/mutants/ turns the test red that its patch names.
#
# A patch is applied to a copy of the sources, which it must fit without fuzz. What it changes is
# compiled by this build's makefile in a directory of its own, and linked before the libraries of
# this build with the object of the test program. That must fail in the test named and as the patch
# says; without the defect it must pass. MUTANTS='old-max no-keys' picks some. What a patch holds
# is said in mutants/README.md.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

patches=$srcdir/tests/mutants
build=$(dirname "$flashtwin")
jobs=$(nproc 2>/dev/null || echo 1)
export CK_TAP_LOG_FILE_NAME=- CK_VERBOSITY=silent
# This make is not told what the one that runs the tests was told.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v patch >/dev/null || skip_all 'there is no patch'
[ -e "$build/tests/engine/attention/test_defects.o" ] || skip_all 'there is no Check'

# Prints field "$1" of a patch's heading, the lines before the first difference.
field() {
	sed -n -e '/^--- /q' -e "s/^$1: //p" "$patch"
}

# Prints the files that the patch changes.
changed() {
	sed -n 's,^+++ b/,,p' "$patch"
}

# make_in DIRECTORY GOAL...: by the build's makefile, from the copied sources.
make_in() {
	local directory=$1
	shift
	make -s -j"$jobs" -f "$build/Makefile" -C "$directory" VPATH="$work/tree" \
		srcdir="$work/tree" top_srcdir="$work/tree" abs_srcdir="$work/tree" \
		abs_top_srcdir="$work/tree" abs_builddir="$work/$directory" \
		abs_top_builddir="$work/$directory" -o sim/cu2c/cu2c.same -o kernels/code.h "$@"
}

# The sources, and a directory with what the build made of them, all but objects.
prepare() {
	mkdir tree base && cp -Rs "$srcdir"/*.c "$srcdir"/base "$srcdir"/engine "$srcdir"/kernels "$srcdir"/sim \
		"$srcdir"/tests "$srcdir"/traces "$srcdir"/tui tree && chmod -R u+w tree &&
	mkdir -p base/sim/cu2c base/kernels base/tests && cp -Ps "$build"/*.a "$build"/config.h base &&
	ln -s "$build"/tests/*.a base/tests && ln -s "$build"/sim/cu2c/cu2c "$build"/sim/cu2c/cu2c.same base/sim/cu2c &&
	ln -s "$build"/kernels/code.h base/kernels && make_in base am--depfiles
}

# Prints the objects that the patch changes: a C file's, and the kernels' in each build for the
# simulator that the build has.
objects() {
	changed | sed -n 's/\.c$/.o/p'
	for kernel in $(field Kernels); do
		(cd "$build" && ls kernels/$kernel.*_plain.o)
	done
}

# Applies the patch to the copied sources, or says why not. They are links, but for what it changes.
apply() {
	for file in $(changed); do
		rm -f "tree/$file" && cp "$srcdir/$file" "tree/$file" && chmod u+w "tree/$file" || return
	done
	patch -s -F0 -p1 -r - --no-backup-if-mismatch -d tree <"$patch" || echo "$patch does not apply"
}

restore() {
	for file in $(changed); do
		ln -sf "$srcdir/$file" "tree/$file"
	done
}

# Runs a test program's case into the file log.
run_case() {
	CK_RUN_CASE=$2 "$1" >log 2>&1
	code=$?
}

# sound PROGRAM CASE: it passes as it is. Said once.
sound() {
	case " $passed " in
	*" $1.$2 "*) return ;;
	esac
	passed="$passed $1.$2"
	run_case "$build/$1" "$2"
	grep -q '^ok' log && [ $code -eq 0 ]
	result "$1, $2: passes without a defect" "$([ $? -eq 0 ] || cat log)"
}

# The mutant's test program, as $name/tests/mutant.
compile() {
	cp -RP base "$name" &&
	make_in "$name" tests/mutant MUTANT_OBJECTS="$build/$1.o $(objects | tr '\n' ' ')" \
		>make.log 2>&1 || cat make.log
}

# judge CASE TEST WANTED: the last run failed in that test, and as wanted.
judge() {
	[ $code -ne 0 ] || echo 'the test passes'
	grep "^not ok .*:$1:$2: " log | grep -q -- "$3" || {
		echo "no failure of $2 matches '$3':"
		cat log
	}
}

try() {
	set -- $(field Test)
	[ $# -eq 3 ] || {
		result "$name" "the field Test is '$*', not: program, case, test"
		return
	}
	sound "$1" "$2"
	wrong=$(apply)
	[ -n "$wrong" ] || wrong=$(compile "$1")
	if [ -z "$wrong" ]; then
		run_case "$name/tests/mutant" "$2"
		wrong=$(judge "$2" "$3" "$(field 'Fails with')")
	fi
	restore
	result "$name: $3 fails" "$wrong"
	sed -n "s/^not ok .*:$3: \(.*\)/# \1/p" log
}

# control WHAT SCRIPT PATTERN: a sound mutant, spoilt by the sed script, does not get through.
control() {
	local said
	sed "$2" "$patches/old-max.patch" >spoilt.patch
	said=$(patch=spoilt.patch name=spoilt; try)
	rm -rf spoilt
	echo "$said" | grep -q '^not ok' && echo "$said" | grep -q -- "$3" && said=
	result "$1 is seen" "$said"
}

passed=
prepare >prepare.log 2>&1 || {
	result 'a directory to build mutants in' "$(cat prepare.log)"
	plan
	exit 1
}
control 'a patch that does not fit' 's/^ \(.*score\) = dot/ \1 = product/' 'does not apply'
control 'a mutant that survives' 's/^Kernels: .*/Kernels: flash_decode_reduce/' 'the test passes'
control 'a failure of another kind' 's/^Fails with: .*/Fails with: cold/' "matches 'cold'"
for patch in "$patches"/*.patch; do
	name=$(basename "$patch" .patch)
	case " ${MUTANTS-$name} " in
	*" $name "*) try ;;
	esac
done
plan
