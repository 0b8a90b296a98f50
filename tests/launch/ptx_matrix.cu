/* ptx_matrix.cu - tensor cores by inline PTX. Products of small integers are exact in all formats,
 * so that plain loops give the same; `one` shows how the sum is rounded. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ int value_a(int row, int k) { return (row * 5 + k * 3) % 7 - 3; }
__device__ int value_b(int k, int column) { return (column * 3 + k * 2) % 5 - 2; }

__device__ int product(int row, int column, int depth, int c)
{
	for (int k = 0; k < depth; k++)
		c += value_a(row, k) * value_b(k, column);
	return c;
}

/* A lane's D of an m16n8 instruction: counts elements that are not those of the product. */
__device__ unsigned wrong_elements(const float *d, int depth)
{
	int group = threadIdx.x / 4, in_group = threadIdx.x % 4;
	unsigned wrong = 0;

	for (int i = 0; i < 4; i++)
		wrong += d[i] != product(group + 8 * (i / 2), 2 * in_group + i % 2, depth, i);
	return wrong;
}

__device__ unsigned f16_bits(int v) { return __half_as_ushort(__float2half((float)v)); }
__device__ unsigned bf16_bits(int v) { return __bfloat16_as_ushort(__float2bfloat16((float)v)); }

/* A and B in shared memory, A by rows of 16, B by rows of 8. */
__device__ unsigned by_ldmatrix()
{
	__shared__ char odd;
	__shared__ __align__(16) unsigned short a[16][16], b[16][8], d[16][8];
	int t = threadIdx.x;
	unsigned ra[4], rb[2], wrong = (size_t)&a[0][0] % 16 + (size_t)&d[0][0] % 16;
	float c[4] = { 0, 1, 2, 3 };

	if (t == 0)
		odd = 1;
	for (int i = t; i < 256; i += 32)
		a[i / 16][i % 16] = f16_bits(value_a(i / 16, i % 16));
	for (int i = t; i < 128; i += 32)
		b[i / 8][i % 8] = f16_bits(value_b(i / 8, i % 8));
	__syncwarp();
	unsigned at = (unsigned)__cvta_generic_to_shared(&a[t % 16][t / 16 * 8]);
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
		     : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
	at = (unsigned)__cvta_generic_to_shared(&b[t % 16][0]);
	asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"
		     : "=r"(rb[0]), "=r"(rb[1]) : "r"(at));
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
		     "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]),
		       "f"(0.0f), "f"(1.0f), "f"(2.0f), "f"(3.0f));
	wrong += wrong_elements(c, 16);
	/* f16 results, stored as two matrices. */
	asm volatile("{ .reg .b32 z; mov.b32 z, 0;\n"
		     "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
		     "{%0, %1, %2, %3}, {%4, %5}, {z, z}; }"
		     : "+r"(ra[0]), "+r"(ra[1]) : "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
	at = (unsigned)__cvta_generic_to_shared(&d[t % 16][0]);
	asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
		     :: "r"(at), "r"(ra[0]), "r"(ra[1]) : "memory");
	__syncwarp();
	for (int i = t; i < 128; i += 32)
		wrong += d[i / 8][i % 8] != f16_bits(product(i / 8, i % 8, 16, 0));
	return wrong;
}

__device__ unsigned other_formats()
{
	int g = threadIdx.x / 4, t = threadIdx.x % 4, wrong = 0, d[4] = { 0, 1, 2, 3 };
	unsigned a[4], b[2];
	float c[4] = { 0, 1, 2, 3 };

	for (int r = 0; r < 2; r++)
		a[r] = bf16_bits(value_a(g + 8 * r, 2 * t)) | bf16_bits(value_a(g + 8 * r, 2 * t + 1)) << 16;
	b[0] = bf16_bits(value_b(2 * t, g)) | bf16_bits(value_b(2 * t + 1, g)) << 16;
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, "
		     "{%6}, {%0,%1,%2,%3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
	wrong += wrong_elements(c, 8);
	for (int r = 0; r < 4; r++)
		a[r] = __float_as_uint((float)value_a(g + 8 * (r & 1), t + 4 * (r >> 1)));
	for (int r = 0; r < 2; r++)
		b[r] = __float_as_uint((float)value_b(t + 4 * r, g));
	for (int i = 0; i < 4; i++)
		c[i] = i;
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
		     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	wrong += wrong_elements(c, 8);
	for (int r = 0; r < 4; r++) {
		a[r] = b[r & 1] = 0;
		for (int i = 0; i < 4; i++)
			a[r] |= (value_a(g + 8 * (r & 1), 4 * t + 16 * (r >> 1) + i) & 255u) << 8 * i;
	}
	for (int r = 0; r < 2; r++)
		for (int i = 0; i < 4; i++)
			b[r] |= (value_b(4 * t + 16 * r + i, g) & 255u) << 8 * i;
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
		     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	for (int i = 0; i < 4; i++)
		c[i] = (float)d[i];
	return wrong + wrong_elements(c, 32);
}

/* The sum of 1 and 1.5 ulp is cut to 1 ulp; the others are exact. */
/* Element (i, j) of the matrix is 8 i + j. */
__device__ unsigned transposed_differs()
{
	__shared__ __align__(16) unsigned short rows[8][8];
	unsigned t = threadIdx.x, in = 2 * t | (2 * t + 1) << 16, out, back;
	unsigned expected = 16 * (t % 4) + t / 4 | (16 * (t % 4) + 8 + t / 4) << 16;

	for (int i = t; i < 64; i += 32)
		rows[i / 8][i % 8] = (unsigned short)(8 * (i % 8) + i / 8);
	__syncwarp();
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(in));
	/* The address is not one of shared memory. */
	asm volatile("{ .reg .b32 a, b, c; ldmatrix.sync.aligned.m8n8.x4.b16 {%0, a, b, c}, [%1]; }"
		     : "=r"(back) : "l"(&rows[t % 8][0]));
	return (out != expected) + (back != expected);
}

__global__ void matrices(unsigned *wrong, float *one)
{
	unsigned first = threadIdx.x % 4 == 0, tiny = first ? 0x0c00 : 0;       /* 2^-12 */
	unsigned other = first ? 0x1200 : 0;                    /* 1.5 * 2^-11 */
	float d[4];

	wrong[threadIdx.x] = by_ldmatrix() + other_formats() + transposed_differs();
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, "
		     "{%6,%7,%8,%9};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		     : "r"(tiny), "r"(other), "f"(1.0f), "f"(-1.0f), "f"(0x1p-30f), "f"(-0.0f));
	for (int i = 0; i < 4; i++)
		one[4 * threadIdx.x + i] = d[i];
}
