#!/bin/sh
# test_viewer_source.sh - the viewer's differences, source lines, findings, breakpoints and writers.
#
# Uses a kernel with a race, run in two orders, and two decodes.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tmux.sh"

cat >racy.cu <<'EOF'
#include <cuda_runtime.h>
#include "kernels/points.h"

__global__ void row_sum(const float *x, float *y, int n)
{
	__shared__ float part[64];
	int t = threadIdx.x;
	float score = x[blockIdx.x * n + t];

	POINT(score, score, 2.0f);
	part[t] = score;
	__syncthreads();
	for (int s = 32; s > 0; s >>= 1)
		if (t < s)
			part[t] += part[t + s];
	if (t == 0)
		y[blockIdx.x] = part[0]; /* a line that is longer than 82 columns, up to the text END */
}
EOF
npy x.npy '(4, 64)' 256
"$flashtwin" launch racy.cu --kernel row_sum --grid 4 --block 64 --arg x=@x.npy \
	--arg 'y=>y.npy:f32[4]' --arg n=i32:64 --check --count --log points -o racy.twin \
	>/dev/null 2>err
result 'the checker finds the race' "$([ $? -eq 4 ] || cat err)"
"$flashtwin" replay racy.twin --trust --seed 8 -o eight.twin >/dev/null 2>err
result 'another order gives other bits' "$([ $? -eq 1 ] || cat err)"

trace=racy.twin second=eight.twin
for size in '80 24' '100 30'; do
	set -- $size
	start "$1" "$2" racy.twin eight.twin --ascii --at L0.o0.e0 --screen diff
	as_plain "differences at $1x$2" diff L0.o0.e0
done

### differences, element by element

start 100 30 racy.twin eight.twin --ascii --at L0 --screen diff
shows 'the counts say how many differ' 'elements: equal .* OVER [1-9]'
keys ']'
shows '] goes to the first element that differs' 'at L0.o0.e[0-3] *$'
first=$(sed -n 's/.*at \(L0.o0.e[0-3]\) *$/\1/p' captured)
keys j k
shows 'j and k go to the next and previous element' "at $first *\$"
keys '['
shows '[ reports that there is none before it' 'no difference before this place'
keys x x
shows 'x shows bits' '0x4[0-9a-f]* *0x4'
keys x x u
shows 'u changes the distance that is shown' ' abs *bits A'
keys u u w
shows 'w shows what wrote the element' 'who wrote bytes .* of y'
shows 'which is the launch' 'L0  *row_sum'
keys q r
shows 'r shows what reads it' 'op [0-9]*  *download .* y  reads'
keys q PageDown
shows 'the race is named as the likely cause' 'likely cause  race-shared'
shows 'a command to try other orders is shown' 'other orders .*replay racy.twin --trust --seed'

### the source on a large screen

start 140 48 racy.twin --ascii --at L0.b0.w0.l0.n4 --screen source
shows 'a large screen shows more lines, and all of a long one' ' 17 .*up to the text END'

### findings, lines, breakpoints

trace=racy.twin second=
start 100 30 racy.twin --ascii --at L0 --screen findings
as_plain 'findings at 100x30' findings L0
keys e
shows 'e goes to the finding' 'at L0.b[0-9]*.w[01].l[0-9]*.f0.n15 *$'
keys Enter
shows 'enter opens its line' '^> !  15 .*part.t. += .*<- race-shared #0'
keys j
shows 'j goes to the next line' 'n16 *$'
keys k
shows 'k goes back' 'n15 *$'
shows 'lines have counts' '256x      part.t. = score;'
keys k k k k k '*'
shows 'space sets a breakpoint on a line' 'break at racy.cu:10: c runs forward to it'
shows 'and marks it' '^>B   10 '
keys : 'at L0' Enter c
shows 'c stops at the point on the line' 'at L0.b0.w0.l0.p0 *$'
shows 'with its values below the line' '= p0  v0 [123]  v1 2'
shows 'and the lanes that passed it' ' w0    @###'
keys c
shows 'and at the next thread' 'at L0.b0.w0.l1.p0 *$'
keys C
shows 'C goes back' 'at L0.b0.w0.l0.p0 *$'
keys : 'break racy.cu:12' Enter B
shows 'B lists breakpoints' '^ *racy.cu:12'
keys q : 'break racy.cu:x' Enter
shows 'a line that is not a number is an error' "'x' is not a line"

### two decodes

for name in ROMEO ROMEA; do
	"$flashtwin" decode --model "$srcdir/doc/samples/shakespeare" --prompt "$name:" -n 2 \
		--path flash-decoding --chunk 8 --log points -o $name.twin >/dev/null 2>err
done
start 100 30 ROMEO.twin ROMEA.twin --ascii --at L0 --screen diff
keys ']' ']'
shows '] goes from element to element' 'at L0.o0.e257 *$'
keys '[' '['
shows '[ goes back before the first one' 'no difference before this place'
keys : 'at L0.end' Enter ']'
shows '] goes to the next launch' 'at L1.o0.e256 *$'
keys 0
keys : 'at L0' Enter ']'
shows 'on the timeline ] goes from launch to launch' 'at L1 *$'

plan
