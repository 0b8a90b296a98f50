/* Masks of __activemask(), which cases.py knows. One warp; out[32 * i + lane] for case i. Also C.
 */
#define CASES 9

static __device__ __noinline__ unsigned in_call(void)
{
	return __activemask();
}

static __device__ __forceinline__ unsigned inlined(void)
{
	return __activemask();
}

/* Which lanes may not come: a value that the compiler does not know. */
__global__ void masks(const int *in, unsigned *out)
{
	int t = threadIdx.x;
	unsigned m[CASES] = { 0 };

	m[0] = __activemask();                          /* all */
	if (in[t] % 2)                                  /* the odd lanes; the others wait below */
		m[1] = __activemask();
	__syncwarp();
	if (in[t] < 8)                                  /* two groups at two calls */
		m[2] = __activemask();
	else
		m[2] = __activemask();
	__syncwarp();
	if (in[t] < 20)                                 /* two calls of one function */
		m[3] = in_call();
	else
		m[3] = in_call();
	__syncwarp();
	if (in[t] < 12)
		m[4] = inlined() + 0u * (unsigned)in[t];
	else
		m[4] = inlined() + 1u;
	__syncwarp();
	for (int i = 0; i < 3; i++)                     /* fewer lanes in each turn */
		if (in[t] < 32 - 8 * i)
			m[5] = m[5] * 3 + (unsigned)__popc(__activemask());
	__syncwarp();
	if (in[t] >= 4)                                 /* some wait in a shuffle */
		m[6] = (unsigned)__shfl_sync(0xfffffff0u, (int)__activemask(), 31);
	__syncwarp();
	for (int i = 0; i < 3; i++) {                   /* lanes that skip a turn wait */
		if (i == 0 && in[t] < 8)
			continue;
		if (i == 2 && in[t] >= 8)
			break;
		m[7] = m[7] * 3 + (unsigned)__popc(__activemask());
	}
	__syncwarp();
	for (int i = 0; i < CASES - 1; i++)
		out[32 * i + t] = m[i];
	if (in[t] == 5 || in[t] == 31)                  /* these exit */
		return;
	out[32 * (CASES - 1) + t] = __activemask();
}
