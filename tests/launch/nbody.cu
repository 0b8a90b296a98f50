/* nbody.cu - float3 and float4 bodies in shared tiles, rsqrtf, references. */
#include <cuda_runtime.h>
#define EPS2 0.01f
__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
	float3 r;
	r.x = bj.x - bi.x;
	r.y = bj.y - bi.y;
	r.z = bj.z - bi.z;
	float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
	float invDist = rsqrtf(distSqr);
	float s = bj.w * (invDist * invDist * invDist);
	ai.x += r.x * s;
	ai.y += r.y * s;
	ai.z += r.z * s;
	return ai;
}
__device__ float3 tile_calculation(float4 myPosition, float3 accel)
{
	extern __shared__ float4 shPosition[];
	for (int i = 0; i < blockDim.x; i++)
		accel = bodyBodyInteraction(myPosition, shPosition[i], accel);
	return accel;
}
__global__ void calculate_forces(void *devX, void *devA, int N)
{
	extern __shared__ float4 shPosition[];
	float4 *globalX = (float4 *)devX;
	float4 *globalA = (float4 *)devA;
	float3 acc = {0.0f, 0.0f, 0.0f};
	int gtid = blockIdx.x * blockDim.x + threadIdx.x;
	float4 myPosition = globalX[gtid];

	for (int i = 0, tile = 0; i < N; i += blockDim.x, tile++) {
		shPosition[threadIdx.x] = globalX[tile * blockDim.x + threadIdx.x];
		__syncthreads();
		acc = tile_calculation(myPosition, acc);
		__syncthreads();
	}
	float4 acc4 = {acc.x, acc.y, acc.z, 0.0f};
	globalA[gtid] = acc4;
}
