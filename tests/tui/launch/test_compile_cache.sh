#!/bin/bash
# test_compile_cache.sh - what compilers made is kept, and taken only where it is the same.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

cat >k.cu <<'END'
#include "one.cuh"
__global__ void k(int *x) { x[threadIdx.x] = ONE + STEP; }
END
echo '#define ONE 1' >one.cuh
cat >compiler <<'END'
#!/bin/sh
case " $* " in *" -E "*) ;; *) echo run >>"$(dirname "$0")/calls" ;; esac
exec c++ "$@"
END
chmod +x compiler
export CXX=$work/compiler

# launched [STEP]: launches the kernel; `out` is its first number, `calls` counts compilers that did
# more than preprocess.
launched() {
	: >"$work/calls"
	run launch k.cu --kernel k --grid 1 --block 2 --sandbox=no -D "STEP=${1:-1}" \
		--arg 'x=>x.npy:i32[2]'
	calls=$(wc -l <"$work/calls")
	[ "$code" -ne 0 ] || od -An -tu1 -j128 -N1 x.npy | tr -d ' ' >out
}

# built WHAT CALLS NUMBER: the last launch ran that many compilers, and wrote that number.
built() {
	expect "$1" 0 "^$3\$"
	result "$1: compilers" "$([ "$calls" -eq "$2" ] || echo "expected $2 runs, got $calls")"
}

objects=$XDG_CACHE_HOME/flashtwin/objects
launched
built 'the first launch compiles and links' 2 2
launched
built 'the second does neither' 0 2
result 'the folder is private' "$(find "$XDG_CACHE_HOME" -perm /077)"
launched 2
built 'another -D' 2 3
echo '#define ONE 5' >one.cuh
launched
built 'another header' 2 6
echo '#define ONE 1' >one.cuh
launched
built 'the old header again' 0 2
mkdir sub
cp k.cu one.cuh sub
cd sub || exit 99
launched
mv out err ..
cd "$work" || exit 99
calls=$(wc -l <calls)
built 'another folder, whose name debug information has' 2 2
touch compiler
launched
built 'another compiler' 2 2

for file in "$objects"/*; do
	printf X | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
done
launched
built 'damaged files are made again' 2 2
launched
built 'and kept' 0 2
for file in "$objects"/*; do
	: >"$file"
done
launched
built 'empty files too' 2 2

printf '__global__ void k(int *x) { x[threadIdx.x] = STEP / 0; }\n' >k.cu
launched
launched
result 'a warning is printed each time' \
	"$(grep -q 'division by zero' err || echo 'not printed'; [ "$calls" -gt 0 ] || echo kept)"
printf '__global__ void k(int *x) { x[0] = nothing; }\n' >k.cu
launched
expect 'an error' 3 'nothing'
launched
expect 'is an error again' 3 'nothing'

printf '__global__ void k(int *x) { x[threadIdx.x] = STEP; }\n' >k.cu
export FLASHTWIN_CACHE=no
launched 7
built 'switched off' 2 7
launched 7
built 'it stays off' 2 7
unset FLASHTWIN_CACHE
if [ "$(id -u)" -ne 0 ]; then
	chmod 500 "$objects"
	launched 8
	built 'a folder that cannot be written' 2 8
	chmod 700 "$objects"
fi
rm -rf "$XDG_CACHE_HOME"
: >"$XDG_CACHE_HOME"
launched 9
built 'a file in place of the folder' 2 9
result 'says nothing' "$(cat err)"
rm "$XDG_CACHE_HOME"

# 257 MiB, none of it read.
mkdir -p "$objects"
truncate -s 257M "$objects/old"
touch -d 2001-01-01 "$objects/old"
launched 4
built 'a full folder' 2 4
result 'loses what was used longest ago' "$(ls "$objects" | grep old)"
launched 4
built 'and keeps what is new' 0 4

# preprocessed WHAT CALLS NUMBER: launches; the compiler preprocessed that often, and the kernel
# wrote that number.
preprocessed() {
	: >"$work/read"
	launched
	expect "$1" 0 "^$3\$"
	result "$1: preprocessors" "$([ "$(wc -l <"$work/read")" -eq "$2" ] \
		|| echo "expected $2 runs, got $(wc -l <"$work/read")")"
}
cat >compiler <<'END'
#!/bin/sh
case " $* " in *" -E "*) file=read ;; *) file=calls ;; esac
folder=$(dirname "$0")
echo run >>"$folder/$file"
c++ "$@" || exit
[ "$file" = calls ] || [ ! -e "$folder/after" ] || . "$folder/after"
END
cat >k.cu <<'END'
#include "part/one.cuh"
__global__ void k(int *x) { x[threadIdx.x] = ONE; }
END
mkdir -p first/part second/part
echo '#define ONE 3' >second/part/one.cuh
plain_launched=$(declare -f launched)
eval "$(declare -f launched | sed 's|launch k.cu|launch k.cu -I first -I second|')"
preprocessed 'text is made once' 1 3
preprocessed 'and kept' 0 3
echo '#define ONE 4' >second/part/one.cuh
preprocessed 'a header that changed' 1 4
echo '#define ONE 5' >first/part/one.cuh
preprocessed 'a header that hides another' 1 5
mkdir part
echo '#define ONE 6' >part/one.cuh
preprocessed 'one next to the source hides both' 1 6
rm -r part first/part/one.cuh
preprocessed 'the header again' 1 4
preprocessed 'which is kept' 0 4
CPLUS_INCLUDE_PATH=$work/first
export CPLUS_INCLUDE_PATH
preprocessed 'a folder in a variable' 1 4
unset CPLUS_INCLUDE_PATH
# while_read WHAT COMMAND NUMBER: the command runs once the compiler has read the files, so the first
# launch still has 4; the next has the number.
while_read() {
	printf '%s\nrm "$folder/after"\n' "$2" >after
	echo '#define ONE 4 ' >>second/part/one.cuh
	preprocessed "$1 while the compiler reads" 1 4
	preprocessed "$1: the next launch" 1 "$3"
	preprocessed "$1: which is kept" 0 "$3"
}
while_read 'a header that changes' 'echo "#define ONE 7" >"$folder/second/part/one.cuh"' 7
echo '#define ONE 4' >second/part/one.cuh
while_read 'a header that comes to hide another' \
	'mkdir -p "$folder/first/part"; echo "#define ONE 8" >"$folder/first/part/one.cuh"' 8
rm -r first/part
echo '#define ONE 4' >second/part/one.cuh
# varies WHAT: what the header has may give another text with the same files.
varies() {
	preprocessed "$1" 1 4
	preprocessed "$1 again" 1 4
}
printf '#if __has_include("three.h")\n#define ONE 8\n#else\n#define ONE 4\n#endif\n' \
	>second/part/one.cuh
varies __has_include
printf '#define ONE (sizeof __TIME__ - 5)\n' >second/part/one.cuh
varies __TIME__
printf '#warning old\n#define ONE 4\n' >second/part/one.cuh
varies '#warning'
result 'a #warning is printed each time' "$(grep -q 'warning old' err || cat err)"
for file in "$objects"/*; do
	printf X | dd of="$file" bs=1 seek=900 conv=notrunc 2>/dev/null
done
echo '#define ONE 4' >second/part/one.cuh
preprocessed 'damaged text' 1 4
eval "$plain_launched"

cat >p.cu <<'END'
#include <cstdio>
__global__ void k(int *x) { *x = 3; }
int main()
{
	int *x, y;
	cudaMalloc(&x, 4);
	k<<<1, 1>>>(x);
	cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
	printf("%d\n", y);
}
END
# program WHAT CALLS READS NUMBER OPTION...: runs it; so many compilers ran, and preprocessors.
program() {
	what=$1 wanted="$2 $3" value=$4
	shift 4
	: >calls
	: >read
	run run p.cu "$@"
	expect "$what" 0 "^$value\$"
	got="$(wc -l <calls) $(wc -l <read)"
	result "$what: compilers and preprocessors" \
		"$([ "$got" = "$wanted" ] || echo "expected $wanted, got $got")"
}
program 'a program' 4 2 3
program 'again' 0 0 3
sed -i 's/x = 3/x = 4/' p.cu
program 'another kernel' 3 2 4
program 'with a library, which may change' 1 0 4 -l m
sed -i 's/x = 4/x = 3/' p.cu
program 'the first kernel' 0 2 3
TMPDIR=$work
export TMPDIR
program 'temporary files in the working folder' 0 0 3
plan
