/* scalars.cu - a parameter of every scalar type. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Two { int a; float b; };
enum Mode { NEAREST, CUBIC = 5 };
enum class Wide : long { LOW = -3 };
enum class Tiny : char { ONE = 1 };
__global__ void k(bool flag, char c, signed char sc, unsigned char uc, short s, unsigned short us,
		  unsigned u, long l, unsigned long long ull, __half h, __nv_bfloat16 b, double d,
		  const float *nothing, Two two, Mode mode, Wide wide, Tiny tiny, float *out)
{
	out[0] = flag;
	out[1] = c;
	out[2] = sc;
	out[3] = uc;
	out[4] = s;
	out[5] = us;
	out[6] = u;
	out[7] = l;
	out[8] = ull;
	out[9] = __half2float(h);
	out[10] = __bfloat162float(b);
	out[11] = d;
	out[12] = nothing == nullptr;
	out[13] = two.a + two.b;
	out[14] = mode == CUBIC;
	out[15] = wide == Wide::LOW;
	out[16] = tiny == Tiny::ONE;
}
