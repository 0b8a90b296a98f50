/* classes.cu - shared memory in methods and lambdas, operators, references, unions, overloads. */
struct Vec3 {
	float x, y, z;
	__host__ __device__ Vec3() : x(0), y(0), z(0) {}
	__host__ __device__ Vec3(float a, float b, float c) : x(a), y(b), z(c) {}
	__device__ Vec3 operator+(const Vec3 &o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
	__device__ Vec3 &operator*=(float s) { x *= s; y *= s; z *= s; return *this; }
	__device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
	__device__ float &operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
};
__device__ Vec3 operator*(float s, Vec3 v) { v *= s; return v; }

template <int N> class BlockSum {
public:
	__device__ explicit BlockSum(int t) : t_(t) {}
	__device__ float run(float v)
	{
		__shared__ float buffer[N];
		buffer[t_] = v;
		__syncthreads();
		for (int s = N / 2; s > 0; s /= 2) {
			if (t_ < s)
				buffer[t_] += buffer[t_ + s];
			__syncthreads();
		}
		return buffer[0];
	}
	static __device__ int last()
	{
		__shared__ int value;
		if (threadIdx.x == N - 1)
			value = 7;
		__syncthreads();
		return value;
	}
private:
	int t_;
};

union Bits { float f; unsigned u; };

__device__ int kind(int) { return 1; }
__device__ int kind(float) { return 2; }
template <class T> __device__ int kind(T *) { return 3; }
template <typename F> __device__ void for_each(int n, F &&f)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		f(i);
}
inline __device__ float4 operator+(float4 a, float4 b)
{
	return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
inline __device__ void operator+=(float2 &a, const float2 b) { a.x += b.x; a.y += b.y; }

__global__ void run(const float *in, float *out)
{
	const int t = threadIdx.x;
	Vec3 v(in[t], 1, 2);
	Bits bits;

	v = 2.0f * (v + Vec3(1, 1, 1));
	v[2] -= 1;
	BlockSum<32> sum(t);
	float total = sum.run(v.dot(Vec3(1, 2, 3)));
	auto exchange = [&](float x) {
		__shared__ float slot[32];
		slot[31 - t] = x;
		__syncthreads();
		float got = slot[t];
		__syncthreads();
		return got;
	};
	bits.f = 1.0f;
	float4 q = make_float4(1, 2, 3, 4) + float4{in[t], 0, 0, 0};
	float2 d = {q.x, q.y};
	d += make_float2(q.z, q.w);
	for_each(32, [=](int i) { out[i] = in[i]; });
	__syncthreads();
	out[t] += exchange(in[t]);
	out[32 + t] = total + BlockSum<32>::last();
	out[64 + t] = (bits.u >> 23) + kind(1) * 100 + kind(1.f) * 1000 + kind(&t) * 10000 + d.x + d.y;
}
