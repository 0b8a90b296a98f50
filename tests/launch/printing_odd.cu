/* printing_odd.cu - formats that CUDA's printf supports or prints unchanged, and its result. */
#include <stdio.h>
__global__ void odd()
{
	printf("%zu %Lf %jd %td %q %5n %y %d\n", 1);
	printf("%*d|%hd|%ld|%#llo|% d|%a|%lf|%-8s|%p\n", 5, 42, -3, 1l << 40, 8ll, 7, 0.5, 2.0, "s",
	       (void *)0);
	int taken = printf("%*d%s%%", 3, 1, "\n") + printf("\n");
	printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d "
	       "%d %d %d %d %d %s\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
	       19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, taken, 33, "x");
}
