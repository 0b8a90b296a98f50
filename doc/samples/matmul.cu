/* matmul.cu - c = a b, with 16 x 16 tiles of both in shared memory.
 *
 * Launch with a grid of (n / 16, n / 16) blocks of (16, 16) threads; n is a multiple of 16.
 * a, b, c: f32[n, n].
 */
#define TILE 16

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0.0f;

	for (int first = 0; first < n; first += TILE) {
		a_tile[y][x] = a[row * n + first + x];
		b_tile[y][x] = b[(first + y) * n + column];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum = fmaf(a_tile[y][k], b_tile[k][x], sum);
		__syncthreads();
	}
	c[row * n + column] = sum;
}
