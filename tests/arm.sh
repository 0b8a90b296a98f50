#!/bin/bash
# arm.sh [--quick|--packages] [DIR] - builds flashtwin for aarch64 Linux, runs it under qemu-user.
#
# DIR (default: arm/ in the current directory) keeps the build and a log of each check. With --quick
# builds the program and replays one trace of a GPU; without, builds test programs too and replays
# all traces, runs tests of the simulator, the checker and the arithmetic, decodes, launches users'
# kernels, grades a lab, and compares recordings and findings with those of a build for this machine
# in FLASHTWIN_NATIVE (default: build/). Prints TAP. Exits 77 if packages are missing; --packages only lists
# these, in Debian's names.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd) || exit 99
quick=no
if [ "${1-}" = --quick ]; then
	quick=yes
	shift
fi
list=no
[ "${1-}" != --packages ] || list=yes
directory=${1-arm}
native=${FLASHTWIN_NATIVE-$srcdir/build}/flashtwin
host=aarch64-linux-gnu
unset CC CXX CFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

### packages

# What is needed, as command or pkg-config module, and the Debian package.
missing=
for entry in $host-gcc:gcc-$host $host-g++:g++-$host qemu-aarch64:qemu-user gcc:gcc \
	pkg-config:pkg-config; do
	command -v "${entry%%:*}" >/dev/null 2>&1 || missing="$missing ${entry#*:}"
done
export PKG_CONFIG_LIBDIR=/usr/lib/$host/pkgconfig:/usr/share/pkgconfig
for entry in sqlite3:libsqlite3-dev libzstd:libzstd-dev libxxhash:libxxhash-dev \
	jansson:libjansson-dev libarchive:libarchive-dev ncursesw:libncurses-dev libdw:libdw-dev \
	check:check; do
	pkg-config --exists "${entry%%:*}" 2>/dev/null || missing="$missing ${entry#*:}:arm64"
done
if [ $list = yes ]; then
	echo $missing
	exit 0
fi
if [ -n "$missing" ]; then
	echo "1..0 # SKIP packages are missing:$missing"
	echo "arm.sh: run: dpkg --add-architecture arm64 && apt-get update &&" \
		"apt-get install -y --no-install-recommends$missing" >&2
	exit 77
fi
if [ ! -e "$srcdir/configure" ]; then
	echo "arm.sh: $srcdir/configure is missing: run autoreconf -i there" >&2
	exit 99
fi

### checks

mkdir -p "$directory/log" && cd "$directory" && directory=$PWD || exit 99
number=0
failures=0

# result WHAT STATUS [NOTE]: prints the end of the check's log if it failed.
result() {
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1${3:+: $3}"
	else
		failures=$((failures + 1))
		echo "not ok $number - $1${3:+: $3}"
		tail -n 30 "$log" | sed 's/^/# /'
	fi
}

finish() {
	echo "1..$number"
	[ "$failures" -eq 0 ]
	exit
}

### building

log=$directory/log/build
launcher=
! command -v ccache >/dev/null 2>&1 || launcher='ccache '
build() {
	if [ ! -e Makefile ]; then
		"$srcdir/configure" -q --host=$host --without-cuda CC="$launcher$host-gcc" || return
	fi
	make -s -j"$(nproc)" "$@"
}
# What runs once is compiled in half the time.
if [ $quick = yes ]; then
	build KERNEL_OPTIMIZATION=-O1
else
	build
fi >"$log" 2>&1
status=$?
result 'it builds for aarch64' $status
[ $status -eq 0 ] || finish
! grep 'warning:' "$log" >/dev/null
result 'without a warning' $?

### running

# qemu pays for each page of the addresses that --check reserves: a limit makes it reserve fewer.
limit=$((${FLASHTWIN_ARM_GIB:-16} << 20))
export QEMU_LD_PREFIX=/ XDG_STATE_HOME=$directory/state XDG_CACHE_HOME=$directory/cache
export abs_srcdir=$srcdir abs_builddir=$directory
export CK_TAP_LOG_FILE_NAME=- CK_VERBOSITY=silent
export CK_TIMEOUT_MULTIPLIER=$((400 * ${FLASHTWIN_SLOW:-1}))
arm() (
	ulimit -v "$limit"
	exec qemu-aarch64 "$@"
)

if [ $quick = yes ]; then
	set -- "$srcdir/tests/h200/demo.twin"
else
	set -- "$srcdir"/tests/h200/*.twin
fi
for trace; do
	log=$directory/log/replay-$(basename "$trace" .twin)
	arm ./flashtwin replay "$trace" >"$log" 2>&1
	result "replays $(basename "$trace")" $? "$(tail -n 1 "$log")"
done
[ $quick = no ] || finish

### test programs

# test_check goes first: it takes longest.
programs='sim/check/test_check sim/exec/test_sim sim/exec/test_sim_portable sim/cuda/test_math
	engine/cuda/test_twin engine/runtime/test_runtime base/test_npy'
log=$directory/log/programs
make -s -j"$(nproc)" $(printf 'tests/%s ' $programs) >"$log" 2>&1
result 'test programs build' $?
for program in $programs; do
	log=$directory/log/$(basename "$program")
	arm "tests/$program" >"$log" 2>&1
	status=$?
	result "$(basename "$program")" $status \
		"$(grep -c '^ok' "$log") passed, $(grep -c '^not ok' "$log") failed"
done

### commands: recordings equal those of a build for this machine

# both NAME ARG...: records NAME.twin, and NAME.native.twin if there is a native build; compares.
both() {
	local name=$1
	shift
	log=$directory/log/$name
	rm -f "$name.twin" "$name.native.twin"
	arm ./flashtwin "$@" --force -o "$name.twin" >"$log.out" 2>"$log"
	result "$name" $?
	[ -x "$native" ] || return
	"$native" "$@" --force -o "$name.native.twin" >"$log.native.out" 2>>"$log"
	cmp "$log.out" "$log.native.out" >>"$log" 2>&1
	result "$name: the same output as here" $?
	"$native" diff "$name.twin" "$name.native.twin" --plain >>"$log" 2>&1
	result "$name: 0 bits differ from a recording made here" $?
	# How often a line was entered depends on the basic blocks that the compiler makes.
	"$native" sql "$name.twin" --dump 2>>"$log" | grep -v '^v_hit' >"$log.dump"
	"$native" sql "$name.native.twin" --dump 2>>"$log" | grep -v '^v_hit' >"$log.native.dump"
	[ -s "$log.dump" ] && cmp "$log.dump" "$log.native.dump" >>"$log" 2>&1
	result "$name: the same logical dump" $?
}
both decode decode --prompt ROMEO: -n 4 --log points
both checked decode --prompt ROMEO: -n 2 --check --log partials

### the checker's corpus, finding for finding

log=$directory/log/corpus
if [ -x "$native" ] && make -s tests/gpu/corpus >"$log" 2>&1 &&
	make -s -C "$(dirname "$native")" tests/gpu/corpus >>"$log" 2>&1; then
	count=$("$(dirname "$native")/tests/gpu/corpus" count)
	# Some kernels at a time: qemu's memory grows with each one. The line where a thread returned
	# is that of its last basic block, which compilers place.
	corpus() (
		ulimit -v "$limit"
		for ((first = 0; first < count; first += 16)); do
			last=$((first + 15 < count ? first + 15 : count - 1))
			FLASHTWIN_SLOW=100 "$@" sim $first $last
		done | sed 's/ and [0-9]*\(, .* has \(exited\|returned\)\)/ and ?\1/'
	)
	corpus qemu-aarch64 tests/gpu/corpus >"$log.found" 2>>"$log"
	corpus "$(dirname "$native")/tests/gpu/corpus" >"$log.native.found" 2>>"$log"
	grep -q '^found' "$log.found" && diff "$log.native.found" "$log.found" >>"$log" 2>&1
	result 'the corpus has the same findings as here' $? "$(grep -c '^found' "$log.found")"
fi

### users' kernels: compiled by the cross compilers, which a sandbox of this machine cannot enter

export CC=$host-gcc CXX=$host-g++
printf '#!/bin/sh\nulimit -v %s\ncommand=$1\nshift\ncase $command in\nlaunch|lab)\n' "$limit" \
	>emulated
printf '\tset -- "$@" --sandbox=no\nesac\nexec qemu-aarch64 "%s/flashtwin" "$command" "$@"\n' \
	"$directory" >>emulated
chmod +x emulated
log=$directory/log/cases
(cd "$srcdir" && python3 tests/launch/cases.py "$directory/emulated" sim ${FLASHTWIN_ARM_CASES-\
division32 division64 division_products division_min vector_add warp_words}) >"$log" 2>&1
result 'launch' $? "$(grep -c '^ok' "$log") passed, $(grep -c '^not ok' "$log") failed"
log=$directory/log/lab
arm ./flashtwin lab grade 1 "$srcdir/labs/01-safe-softmax/staff/solution.cu" --sandbox=no \
	>"$log" 2>&1
result "grades lab 1's solution" $? "$(tail -n 1 "$log")"
finish
