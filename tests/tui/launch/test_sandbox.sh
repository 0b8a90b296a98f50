#!/bin/sh
# test_sandbox.sh - what compilers and kernels of `launch` can reach, and what is left of them.
#
# FLASHTWIN_NEED_BWRAP=1 makes a missing bubblewrap a failure; where it cannot make a namespace, the
# tests of the sandbox are skipped.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
mkdir tmp cc src
TMPDIR=$work/tmp
export TMPDIR
unset CXX CC FLASHTWIN_BWRAP

run() {
	"$flashtwin" launch "$@" >out 2>err
	code=$?
}
one='--grid 1 --block 1'
cat >src/k.cu <<'CU'
__global__ void fill(int *out) { out[threadIdx.x] = 7; }
__global__ void spin(int *out)
{
	for (int i = 0; i < 2000000000; i++)
		for (int j = 0; j < 2000000000; j++)
			out[0] += i ^ j;
}
__global__ void race(int *out) { out[0] = threadIdx.x; }
CU
fill="src/k.cu --kernel fill $one --arg out=>fill.npy:i32[1]"

### symbols

# refused NAME CALL: a kernel that calls a function of the host does not compile, and the line is
# named.
refused() {
	cat >host.cu <<-CU
		#include <fcntl.h>
		#include <stdlib.h>
		#include <string.h>
		#include <strings.h>
		#include <unistd.h>
		__global__ void k(int *out)
		{
			out[0] = 1;
			$2;
		}
	CU
	run host.cu --kernel k $one --arg 'out=>host.npy:i32[1]' ${3-}
	[ ! -e host.npy ] || code=99
	expect "a kernel cannot call $1 ${3-}" 3 "host.cu:9: $1 cannot be used in a kernel"
	rm -f host.npy
}
refused system 'out[1] = system("id")'
refused fork 'if (fork() == 0) out[0] = 2'
refused open 'out[1] = open("/etc/passwd", O_RDONLY)'
refused bcopy 'bcopy(out, out + 1, 4)'
refused bcopy 'bcopy(out, out + 1, 4)' --check
refused _exit '_exit(0)' --check
refused sleep 'sleep(100)'
refused write 'char zeros[4100] = { 0 }; write(4, zeros, sizeof zeros); _exit(0)' --check
CXX=
export CXX
refused system 'out[1] = system("id")'
unset CXX

cat >keep <<'SH'
#!/bin/sh
# A compiler that also keeps the object.
c++ "$@" || exit $?
while [ $# -gt 1 ]; do
	[ "$1" != -o ] || object=$2
	shift
done
case $object in *.o) cp "$object" kept.o ;; esac
SH
chmod +x keep
CXX=$work/keep run "$srcdir/tests/launch/imports.cu" --kernel imports $one --sandbox=no \
	--arg 'out=>i.npy:u64[80]' --arg n=i32:3
expect 'a kernel that uses every allowed name' 0
nm -u kept.o 2>/dev/null | awk '{ print $NF }' | sort >used
cat >>used <<'TEXT'
__start_ft_*
__stop_ft_*
TEXT
sort -o used used
sed -n 's/^	\(.*\);$/\1/p' "$srcdir/sim/cuda/runtime.imports" | sort >listed
result 'it uses each name of runtime.imports' "$(comm -13 used listed | grep -v ios_base)"
# Of <iostream>, what the compiler's version needs: the constructor and the destructor, or one other.
result 'and those of <iostream>' "$(case $(grep ios_base used | tr '\n' ' ') in
	*ios_base_library_init*|*InitC1Ev*InitD1Ev*) ;;
	*) grep ios_base used || echo none ;;
	esac)"

### code that hides

printf '__device__ int flag;\n__device__ __attribute__((constructor)) void early() { flag = 1; }\n' >early.cu
cat src/k.cu >>early.cu
run early.cu --kernel fill $one --arg 'out=>e.npy:i32[1]'
expect 'a constructor would run at load time' 3 'early.cu: a constructor or destructor'
printf 'static int two() { return 2; }\nextern "C" { static void *pick() { return (void *)two; }\nint which() __attribute__((ifunc("pick"))); }\n' >ifunc.cu
sed 's/^/__device__ /; s/^__device__ extern "C" {/extern "C" { __device__/; s/^__device__ int which/int which/' ifunc.cu >i.cu
cat src/k.cu >>i.cu
run i.cu --kernel fill $one --arg 'out=>e.npy:i32[1]'
expect 'so would the resolver of an ifunc' 3 'which is an ifunc'
for attribute in no_sanitize_thread 'no_sanitize("thread")' __no_sanitize_coverage__ \
	no_instrument_function; do
	printf '__device__ __attribute__((%s))\nvoid put(int *p) { p[0] = threadIdx.x; }\n' \
		"$attribute" >off.cu
	printf '__global__ void k(int *p) { put(p); }\n' >>off.cu
	run off.cu --kernel k --grid 1 --block 64 --arg 'p=>o.npy:i32[1]' --check
	expect "--check refuses the attribute $attribute" 3 'off.cu:1: no_.*switch off the checker'
done
run off.cu --kernel k --grid 1 --block 64 --arg 'p=>o.npy:i32[1]'
expect 'without --check it is allowed' 0
printf '# 1 "/usr/include/x.h" 3\n' >marked.cu
cat off.cu >>marked.cu
run marked.cu --kernel k --grid 1 --block 64 --arg 'p=>o.npy:i32[1]' --check
expect 'nor can a file pass itself off as a system header' 3 'marked.cu:1: line markers'
printf '#pragma GCC system_header\n' >sys.cuh
cat off.cu >>sys.cuh
printf '#include "sys.cuh"\n' >pragma.cu
run pragma.cu --kernel k --grid 1 --block 64 --arg 'p=>o.npy:i32[1]' --check
expect 'not by a pragma either' 3 'sys.cuh:1: system_header'

### clean-up; a long-running compiler writes its process id, which is that of a `sleep`

cat >cc/slow <<'SH'
#!/bin/sh
exec sleep 98.7654321
SH
chmod +x cc/slow
# processes NAME: the processes whose command line contains NAME, without this test's.
processes() {
	pgrep -f -- "$1" | grep -vx $$
}
starts() {
	[ -n "$(processes "$1")" ]
}
ends() {
	! starts "$1"
}
# It records from its start, and commits its first operations at once.
kernel_runs() {
	ls t.twin.tmp.$pid/t.twin* >/dev/null 2>&1
}
# stopped SIGNAL WHAT PATTERN WAIT...: sends SIGNAL to a launch, $pid, when WAIT succeeds; nothing
# of it may be left, neither files nor processes with PATTERN in their command line.
stopped() {
	local signal=$1 what=$2 pattern=$3 wrong=
	shift 3
	until_true "$@" || wrong='it did not start'
	kill -"$signal" $pid
	wait $pid 2>/dev/null
	code=$?
	until_true ends "$pattern" || wrong="$wrong still running: $(processes "$pattern")"
	left=$(ls tmp; ls -d t.twin* late.npy* 2>/dev/null)
	[ -z "$left" ] || [ "$signal" = KILL ] || wrong="$wrong left: $left"
	result "$what, SIG$signal" "$wrong"
	rm -rf tmp/* t.twin*
}
mine=$work/src/k.cu
for sandbox in auto no; do
	for signal in TERM INT KILL; do
		CXX=$work/cc/slow env --default-signal=TERM,INT "$flashtwin" launch "$mine" --kernel \
			spin $one --arg 'out=>late.npy:i32[1]' --sandbox=$sandbox -o t.twin >out 2>err &
		pid=$!
		stopped $signal "a compiler, --sandbox=$sandbox" 98.7654321 starts 98.7654321
		env --default-signal=TERM,INT "$flashtwin" launch "$mine" --kernel spin $one \
			--arg 'out=>late.npy:i32[1]' --sandbox=$sandbox -o t.twin >out 2>err &
		pid=$!
		stopped $signal "a kernel, --sandbox=$sandbox" "$mine" kernel_runs
	done
done
CXX=$work/cc/slow run "$mine" --kernel spin $one --arg 'out=>late.npy:i32[1]' --timeout 1
expect '--timeout ends a compiler' 5 'not finished within --timeout 1 s'
run "$mine" --kernel spin $one --arg 'out=>late.npy:i32[1]' --timeout 6 --json
expect '--timeout ends a kernel' 5 'not finished within --timeout 6 s' '"status": "LIMIT"'
until_true ends "$mine" && code=5 || code=99
[ -z "$(ls tmp; ls late.npy* 2>/dev/null)" ] || code=98
expect 'which leaves nothing' 5

### which sandbox

printf '#!/bin/sh\necho "bwrap: no namespaces here" >&2\nexit 1\n' >cc/bwrap
chmod +x cc/bwrap
FLASHTWIN_BWRAP=$work/cc/bwrap run $fill
one_line 'warning: launch: no sandbox, only resource limits: bwrap: no namespaces here$'
expect 'auto says in one line that there is no sandbox' 0
FLASHTWIN_BWRAP=$work/cc/bwrap run $fill --sandbox=yes
one_line 'flashtwin launch: --sandbox=yes: bwrap: no namespaces here$'
expect 'yes requires it' 2
run $fill --sandbox=no
[ ! -s err ] || code=99
expect 'no says nothing' 0
FLASHTWIN_BWRAP=$work/cc/bwrap "$flashtwin" info >out 2>err
code=$?
expect 'info says why there is none' 0 'only resource limits: bwrap: no namespaces here'
FLASHTWIN_BWRAP=$work/cc/bwrap "$flashtwin" info --json >out 2>err
code=$?
expect 'and so does info --json' 0 '"in_force": "limits"' '"missing": "bwrap: no namespaces here"'

run $fill --sandbox=yes
if [ $code -ne 0 ]; then
	why=$(cat err)
	case $why in
	*'needs bwrap'*) [ "${FLASHTWIN_NEED_BWRAP-}" != 1 ] || result 'bubblewrap is installed' "$why" ;;
	esac
	echo "# WARNING: the sandbox is not tested: $why" >&2
	skip 'what the sandbox shows' "$why"
	plan
	exit 0
fi
expect '--sandbox=yes where it works' 0
"$flashtwin" info --json >out 2>err
code=$?
expect 'info --json says that it works' 0 '"in_force": "bubblewrap"'

### what it shows: a compiler tells

secret=$work/secret
echo 'top secret' >"$secret"
cat >cc/tells <<SH
#!/bin/sh
{
	cat "$secret" /etc/passwd
	touch "$work/src/new" "$work/new" /usr/new /new
	ls "$work"
	echo "processes: \$(ls /proc | grep -c '^[0-9]')"
	echo "interfaces: \$(grep -c : /proc/net/dev)"
	grep CapEff /proc/self/status
	unshare -U true && echo 'a namespace in the namespace'
} >&2
exec c++ "\$@"
SH
chmod +x cc/tells
CXX=$work/cc/tells run src/k.cu --kernel fill $one --arg 'out=>fill.npy:i32[1]'
wrong=
for seen in 'top secret' root: fill.npy 'a namespace in'; do
	! grep -q "$seen" err || wrong="$wrong it shows $seen"
done
[ ! -e src/new ] && [ ! -e new ] && [ ! -e /usr/new ] && [ ! -e /new ] ||
	wrong="$wrong a file was written"
[ -z "$wrong" ] || code=99
expect "a compiler sees no other files, processes or network$wrong" 0 '^processes: [1-9]$' \
	'^interfaces: [01]$' '^CapEff:.0000000000000000$'
rm -f src/new new

mkdir -p inc
echo '#define VALUE 3' >inc/value.h
printf '#include "value.h"\n__global__ void k(int *o) { o[0] = VALUE; }\n' >src/inc.cu
run src/inc.cu --kernel k $one -I inc --arg 'o=>v.npy:i32[1]' -o new.twin
expect 'a folder of -I is visible, and a trace is recorded' 0
ls -d new.twin?* 2>err && code=99
"$flashtwin" replay new.twin --trust --sandbox=yes >out 2>err || code=$?
expect 'a replay runs in it' 0 '0 bits differ'
run src/inc.cu --kernel k $one -I inc --arg 'o=>v.npy:i32[1]' -o new.twin --append
"$flashtwin" info new.twin >>out 2>&1
expect 'a trace can be appended to' 0 '^run 2\|run 2:\| 2 '
printf '#line 1 "%s"\nint unused;\n#line 3 "x.cu"\n' "$secret" >src/line.cu
cat src/k.cu >>src/line.cu
run src/line.cu --kernel fill $one --arg 'out=>l.npy:i32[1]' -o line.twin
"$flashtwin" sql line.twin 'SELECT source FROM v_source' >out 2>>err
! grep -q 'top secret' out || code=99
expect '#line does not bring a file into the trace' 0
plan
