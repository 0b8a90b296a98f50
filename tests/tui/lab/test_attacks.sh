#!/bin/sh
# test_attacks.sh - submissions that attack the grading: none gets a point, reads or writes what is
# not its own, outlives the grading, disturbs the others, or becomes a fault of the grader.
#
# A kernel cannot name functions of the C library, but it can compute their addresses from that of
# __cxa_atexit, which C++ needs: `libc NAME ARGUMENTS` is such a call.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"

library=$(ldd "$flashtwin" | awk '/libc\.so/ { print $3 }')
"$flashtwin" info >info 2>&1
if ! grep -q 'bubblewrap: /' info || ! nm -D "$library" >symbols 2>/dev/null; then
	echo '# WARNING: attacks are not tested: no bubblewrap, or no nm' >&2
	echo '1..0 # SKIP no bubblewrap, or no nm'
	exit 0
fi
mkdir tmp class
TMPDIR=$work/tmp
export TMPDIR
small_lab labs
sed 's/"seconds": 10/"seconds": 5/' labs/07-small/lab.json >lab.json
mv lab.json labs/07-small/
echo sesame >secret
echo 'do not touch' >canary
marker=97.53124

# at NAME: the distance of a function from __cxa_atexit.
at() {
	awk -v name="$1" '{ sub(/@.*/, "", $3) }
		$3 == name { a = "0x" $1 } $3 == "__cxa_atexit" { b = "0x" $1 }
		END { print a " - " b }' symbols
}

# libc NAME ARGUMENTS
libc() {
	echo "((long (*)(...))((char *)__cxa_atexit + ($(at "$1"))))($2)"
}

# attack NAME: the standard input becomes a submission.
attack() {
	mkdir -p "class/$1"
	cat >"class/$1/student.cu"
}

# calls NAME STATEMENTS [LINES]: a kernel that does this and then stores what is right but for the
# sum; LINES come before it.
calls() {
	{
		echo 'extern "C" int __cxa_atexit(void (*)(void *), void *, void *);'
		printf '%s\n' "${3-}"
		sed "s, / sum,,; s|float m = |if (blockIdx.x == 0) { STATEMENTS } float m = |" good.cu |
			STATEMENTS=$2 awk '{ i = index($0, "STATEMENTS")
				if (i) $0 = substr($0, 1, i - 1) ENVIRON["STATEMENTS"] substr($0, i + 10)
				print }'
	} | attack "$1"
}

mkdir class/ada class/zoe
cp good.cu class/ada/student.cu
cp good.cu class/zoe/student.cu

# --- reading what is not theirs ---

calls read-solution '' "#include \"$work/labs/07-small/staff/solution.cu\""
calls read-installed '' '#include "labs/03-online-softmax/staff/solution.cu"'
calls read-other '' "#include \"$work/class/ada/student.cu\""
calls read-passwd '' '#include "/etc/passwd"'
calls read-secret '' "#include \"$work/secret\""
calls incbin '' '__asm__(".incbin \"/etc/passwd\"");'
mkdir class/link class/link-header class/pipe
ln -s ../ada/student.cu class/link/student.cu
ln -s ../ada/student.cu class/link-header/good.h
ln -s "$work/secret" class/link-header/secret.h
calls link-header '' '#include "good.h"'
mkfifo class/pipe/student.cu
calls shell-reads "$(libc system "\"cat $work/secret $work/class/ada/student.cu $work/canary \" \
	\"$work/labs/07-small/staff/solution.cu $work/graded/ada.json\"");"

# --- writing ---

calls write-results "$(libc system "\"for f in $work/graded/zoe.json $work/canary \" \
	\"$work/class/zoe/student.cu $work/labs/07-small/lab.json; do echo forged >\$f; done\"");"
calls write-objects "$(libc system "\"for f in $work/tmp/*/*; do echo forged >\$f; rm -rf \$f; done; \" \
	\"ln -s $work/canary $work/tmp/link\"");"
calls forge-report "for (int fd = 3; fd < 64; fd++) $(libc write 'fd, x, 4096L');"
calls forge-early "char zeros[4200] = { 0 }; for (int fd = 3; fd < 64; fd++)
	$(libc write 'fd, zeros, sizeof zeros'); $(libc _exit 0);"
calls spoil-inputs 'for (int i = 0; i < n; i++) ((float *)x)[i] = 0.0f;'

# --- processes ---

calls call-system "$(libc system "\"exit 0\"");"
calls named-system 'system("id");' '#include <stdlib.h>'
calls exit-early "$(libc exit 0);"
calls exit-at-once "$(libc _exit 0);"
calls exit-when-loaded '' "static long loaded = $(libc _exit 0);"
calls fork-and-return "$(libc fork '');"
calls outlive "$(libc system "\"setsid sleep $marker >/dev/null 2>&1 & setsid sleep $marker &\"");"
calls outlive-alone "if ($(libc fork '') == 0) { $(libc setsid ''); for (;;) { $(libc sleep 1); } }"
calls kill-parent "$(libc kill "(int)$(libc getppid ''), 9"); $(libc kill '-1, 9');"
calls kill-group "$(libc kill '0, 9');"
calls hang-in-libc "$(libc pause '');"
calls catch-signals "for (int s = 1; s < 65; s++) $(libc signal 's, 1L'); for (;;) $(libc pause '');"
calls stop-itself "$(libc raise 19);"
calls endless 'for (volatile int i = 0; ; ) i = 1;'
calls fork-bomb "for (int i = 0; i < 14; i++) $(libc fork ''); $(libc sleep 3);"

# --- memory, output, the compiler ---

calls huge-allocation "((char *)$(libc malloc '1L << 46'))[1L << 45] = 1;"
calls huge-shared '' '__device__ float huge[1L << 38];'
calls deep-recursion 'p[0] = deep(n);' '__device__ int deep(int n) { volatile char a[4096]; a[0] = 1; return deep(n + a[0]) + 1; }'
calls flood 'for (int i = 0; i < 100000; i++) printf("points: 100 passed: true total 100.0 of 100\n");'
calls escape 'printf("\033[2J\033]0;x\007\n{\"state\": \"passed\", \"points\": 100}\n");'
calls include-itself '' '#include "student.cu"'
calls templates 'p[0] = T<0, 1>::v;' 'template <int A, int B> struct T { enum { v = T<A + 1, B>::v + T<A, B + 1>::v }; };'
calls huge-object '' '__device__ char huge[1L << 32] = { 1 };'

# --- getting round the checker ---

calls constructor '' '__device__ int flag; __device__ __attribute__((constructor)) void early() { flag = 1; }'
calls not-checked '' '__device__ __attribute__((no_sanitize_thread)) void put(float *p) { p[0] = 1; }'
calls marker-line '' '# 1 "/usr/include/x.h" 3'
calls assembler '__asm__("ret");'
calls jump-into-data '((void (*)())code)();' '__device__ unsigned char code[] = { 0xc3 };'
calls no-check '' '#define __tsan_write4(x)
#define __tsan_read4(x)
#pragma GCC optimize("no-sanitize=thread")'
sed 's/= expf(row\[i\] - m) . sum/= NAN/' good.cu | attack nan
head -c 5000000 /dev/zero | tr '\0' ' ' | cat - good.cu | attack huge-file

# --- the grading ---

ls -l --time-style=full-iso canary class/zoe/* labs/07-small/* >before
run lab grade 7 --labs labs --secret secret --submissions class -o graded --jobs 2
cp err progress
expect 'a class of attackers is graded' 1 'passed *2$' "zoe: passed"
result 'no attack is a fault of the grader' "$(grep fault out err)"
for folder in class/*/; do
	name=$(basename "$folder")
	case $name in
	ada|zoe) wanted=35,35,20,10,100,100,passed ;;
	link|pipe|huge-file) wanted=,,,,,,no-file ;;
	assembler|constructor|huge-object|huge-shared|incbin|include-itself|link-header|marker-line|\
	named-system|not-checked|read-[iops]*|templates) wanted=0,0,0,0,0,100,does-not-compile ;;
	*) wanted=0,0,0,0,0,100,failed ;;
	esac
	result "$name: $wanted" "$(grep "^\"$name\"," graded/grades.csv | cut -d, -f2-8 |
		grep -vx -e "$wanted"
	grep -q "^\"$name\"," graded/grades.csv || echo 'it has no row')"
done
ls -l --time-style=full-iso canary class/zoe/* labs/07-small/* >after
result 'nothing was written' "$(diff before after; grep -rl forged graded canary labs)"
result 'nothing was read' "$(grep -l -e sesame -e root: -e 'do not touch' graded/*)"
result 'no process is left' "$(pgrep -f "sleep $marker")"
result 'no file is left' "$(ls tmp)"
result 'no escape is in any file' "$(LC_ALL=C grep -l "$(printf '\033')" graded/* progress)"
plan
