/* host_class.cu - host code in classes, as found around kernels; a struct by value, volatile shared
 * memory, shared structs, goto and switch. */
#include <iostream>
#include <string>
#include <vector>
class Timer {
	cudaEvent_t begin, end;
	std::vector<float> laps{1, 2};
	std::string name;
public:
	Timer() : begin(0), end{nullptr} { cudaEventCreate(&begin); }
	~Timer() { cudaEventDestroy(begin); }
	float stop()
	{
		float ms;
		cudaEventRecord(end);
		cudaEventElapsedTime(&ms, begin, end);
		std::cout << ms << std::endl;
		return ms;
	}
};
typedef struct { int w, h; } Size;

__device__ void warpReduce(volatile float *s, int t) { s[t] += s[t + 1]; }

__global__ void sizes(Size m, float *o)
{
	__shared__ volatile float s[64];
	__shared__ struct { int a; float b[3]; } p;
	unsigned int t = threadIdx.x;

	if (t == 0) {
		p.a = m.w;
		p.b[1] = m.h;
	}
	s[t] = t;
	__syncthreads();
	if (t == 0)
		warpReduce(s, 0);
	__syncthreads();
	switch (t) {
	case 1:
		o[1] = 100;
		goto done;
	default:
		o[t] = p.a + p.b[1] + s[0];
	}
done:
	return;
}
