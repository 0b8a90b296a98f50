/* scan.cu - inclusive and exclusive scans, Hillis-Steele and Blelloch. */
__global__ void hillis_steele(const int *g_idata, int *g_odata, int n)
{
	extern __shared__ int temp[];
	int thid = threadIdx.x;
	int pout = 0, pin = 1;

	temp[pout * n + thid] = g_idata[thid];
	__syncthreads();
	for (int offset = 1; offset < n; offset *= 2) {
		pout = 1 - pout;
		pin = 1 - pout;
		if (thid >= offset)
			temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
		else
			temp[pout * n + thid] = temp[pin * n + thid];
		__syncthreads();
	}
	g_odata[thid] = temp[pout * n + thid];
}

template <int BLOCK>
__global__ __launch_bounds__(BLOCK / 2) void blelloch(const int *in, int *out)
{
	__shared__ int temp[BLOCK];
	const int thid = threadIdx.x;
	int offset = 1;

	temp[2 * thid] = in[2 * thid];
	temp[2 * thid + 1] = in[2 * thid + 1];
	for (int d = BLOCK >> 1; d > 0; d >>= 1) {
		__syncthreads();
		if (thid < d) {
			int ai = offset * (2 * thid + 1) - 1;
			int bi = offset * (2 * thid + 2) - 1;
			temp[bi] += temp[ai];
		}
		offset *= 2;
	}
	if (thid == 0)
		temp[BLOCK - 1] = 0;
	for (int d = 1; d < BLOCK; d *= 2) {
		offset >>= 1;
		__syncthreads();
		if (thid < d) {
			int ai = offset * (2 * thid + 1) - 1;
			int bi = offset * (2 * thid + 2) - 1;
			int t = temp[ai];
			temp[ai] = temp[bi];
			temp[bi] += t;
		}
	}
	__syncthreads();
	out[2 * thid] = temp[2 * thid];
	out[2 * thid + 1] = temp[2 * thid + 1];
}
