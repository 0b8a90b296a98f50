#!/bin/sh
# mutants.sh kernels|host - checks that each defect in tests/mutants/ makes a test fail: those in
# kernels, or those in host code. Used by test_mutants_kernels.sh and test_mutants_host.sh.
#
# Each patch is applied to a copy of the sources, without fuzz. This build's makefile compiles the
# changed files in a separate directory. Their objects and that of the test program are linked ahead
# of this build's libraries, so they take precedence. The program must fail in the test that the
# patch names, with the message that the patch gives; without the defect it must pass.
# MUTANTS='old-max no-keys' selects patches. README.md in mutants/ describes their format.
part=$1
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"

patches=$srcdir/tests/mutants
build=$(dirname "$flashtwin")
jobs=$(nproc 2>/dev/null || echo 1)
export CK_TAP_LOG_FILE_NAME=- CK_VERBOSITY=silent
# The make below must not inherit the options of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v patch >/dev/null || skip_all 'patch is not installed'
[ -e "$build/tests/engine/attention/test_defects.o" ] || skip_all 'built without Check'

# Prints field "$1" of the patch's header, which ends at the first diff.
field() {
	sed -n -e '/^--- /q' -e "s/^$1: //p" "$patch"
}

# Prints the files that the patch changes.
changed() {
	sed -n 's,^+++ b/,,p' "$patch"
}

# make_in DIRECTORY GOAL...: runs the build's makefile on the copied sources.
make_in() {
	local directory=$1
	shift
	make -s -j"$jobs" -f "$build/Makefile" -C "$directory" VPATH="$work/tree" \
		srcdir="$work/tree" top_srcdir="$work/tree" abs_srcdir="$work/tree" \
		abs_top_srcdir="$work/tree" abs_builddir="$work/$directory" \
		abs_top_builddir="$work/$directory" -o sim/cu2c/cu2c.same -o kernels/code.h "$@"
}

# Fills tree/ with links to the sources, and base/ with links to what was built, except objects.
prepare() {
	mkdir tree base && cp -Rs "$srcdir"/*.c "$srcdir"/base "$srcdir"/engine "$srcdir"/kernels "$srcdir"/sim \
		"$srcdir"/tests "$srcdir"/traces "$srcdir"/tui tree && chmod -R u+w tree &&
	mkdir -p base/sim/cu2c base/kernels base/tests && cp -Ps "$build"/*.a "$build"/config.h base &&
	ln -s "$build"/tests/*.a base/tests && ln -s "$build"/sim/cu2c/cu2c "$build"/sim/cu2c/cu2c.same base/sim/cu2c &&
	ln -s "$build"/kernels/code.h base/kernels && make_in base am--depfiles
}

# Prints the objects that the patch changes: those of C files, and all simulator variants of its
# kernels.
objects() {
	changed | sed -n 's/\.c$/.o/p'
	for kernel in $(field Kernels); do
		(cd "$build" && ls kernels/$kernel.*_plain.o)
	done
}

# Applies the patch to the copied sources, or prints why not. Only the files that it changes are
# copies, the others are links.
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

# sound PROGRAM CASE: the case passes without a defect. Checked once for each case.
sound() {
	case " $passed " in
	*" $1.$2 "*) return ;;
	esac
	passed="$passed $1.$2"
	run_case "$build/$1" "$2"
	grep -q '^ok' log && [ $code -eq 0 ]
	result "$1, $2: passes without a defect" "$([ $? -eq 0 ] || cat log)"
}

# Builds the mutant's test program, $name/tests/mutant.
compile() {
	cp -RP base "$name" &&
	make_in "$name" tests/mutant MUTANT_OBJECTS="$build/$1.o $(objects | tr '\n' ' ')" \
		>make.log 2>&1 || cat make.log
}

# judge CASE TEST WANTED: prints an error unless the last run failed in TEST with a message that
# matches WANTED.
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
		result "$name" "field Test: expected PROGRAM CASE TEST, got '$*'"
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

# control WHAT SCRIPT PATTERN: a valid mutant, changed by the sed script, is reported with a message
# that matches PATTERN.
control() {
	local report
	sed "$2" "$patches/old-max.patch" >control.patch
	report=$(patch=control.patch name=control; try)
	rm -rf control
	echo "$report" | grep -q '^not ok' && echo "$report" | grep -q -- "$3" && report=
	result "$1 is reported" "$report"
}

passed=
prepare >prepare.log 2>&1 || {
	result 'a directory to build mutants in' "$(cat prepare.log)"
	plan
	exit 1
}
# Whether the patch belongs to this part.
is_chosen() {
	[ -n "$(field Kernels)" ] && [ "$part" = kernels ] ||
		{ [ -z "$(field Kernels)" ] && [ "$part" = host ]; } || return
	case " ${MUTANTS-$name} " in
	*" $name "*) return 0 ;;
	esac
	return 1
}

control 'a patch that does not fit' 's/^ \(.*score\) = dot/ \1 = product/' 'does not apply'
control 'a mutant that survives' 's/^Kernels: .*/Kernels: flash_decode_reduce/' 'the test passes'
control 'a failure of another kind' 's/^Fails with: .*/Fails with: cold/' "matches 'cold'"
for patch in "$patches"/*.patch; do
	name=$(basename "$patch" .patch)
	! is_chosen || try
done
plan
