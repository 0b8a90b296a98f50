// device_functions.cu - integer, bit, rounding and conversion functions of device code, loads and
// stores with cache hints, and __uni_sync(), each compared with a computation of the host that goes
// another way, for boundary values, shifts of 0 to 33 and some thousand seeded inputs.
#include <cuda_runtime.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "counted.h"

enum { COUNT = 6000 };

/* One input: each function takes what it needs. */
struct input {
	unsigned a, b, shift;
	unsigned long long x, y;
	float f, g, h;
	double d;
};

/* --- inputs --- */

static unsigned long long next_number(void)
{
	static unsigned long long state = 20240229;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

template <class To, class From> static To bits_as(From from)
{
	To to;

	static_assert(sizeof to == sizeof from, "bits of one size");
	memcpy(&to, &from, sizeof to);
	return to;
}

static const unsigned words[] = {
	0, 1, 2, 3, 0x7f, 0x80, 0xff, 0xffff, 0x10000, 0x55555555, 0xaaaaaaaa, 0x7ffffffe,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
};
static const unsigned long long long_words[] = {
	0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x123456789abcdef0,
	0x7ffffffffffffffe, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
	0xfffffffffffffffe, 0xffffffffffffffff,
};
static const float floats[] = {
	0.0f, -0.0f, 1.0f, -1.0f, 0.1f, 3.0f, 1e-45f, -1e-45f, 1.17549435e-38f, 1e-38f,
	3.4028235e38f, -3.4028235e38f, INFINITY, -INFINITY, NAN, 16777216.0f, 16777217.0f, 0x1.fffffep-1f,
	0x1.000002p0f,
};
static const double doubles[] = {
	0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, 2147483646.5, 2147483647.0,
	2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5, -2147483649.0, 1e300, -1e300,
	5e-324, -5e-324, 1e-46, 7e-46, 3.4028235677973366e38, 3.40282346638528897e38, 1e-40,
	1.0000000596046448, 1.00000005960464477540, 1.0000001788139343, INFINITY, -INFINITY, NAN,
};

#define PICK(list, i) (list)[(i) % (sizeof(list) / sizeof(list)[0])]

/* The first are pairs of boundary values, the others random. */
static void make_inputs(input *in)
{
	static const unsigned shifts[] = { 0, 1, 7, 16, 31, 32, 33, 63, 64, 0xffffffffu };

	for (unsigned i = 0; i < COUNT; i++) {
		bool boundary = i < COUNT / 6;
		double scale;

		in[i].a = boundary ? PICK(words, i) : (unsigned)next_number();
		in[i].b = boundary ? PICK(words, i / 17) : (unsigned)next_number();
		in[i].shift = boundary ? PICK(shifts, i / 5) : (unsigned)next_number() % 35;
		in[i].x = boundary ? PICK(long_words, i) : next_number();
		in[i].y = boundary ? PICK(long_words, i / 14) : next_number();
		in[i].f = boundary ? PICK(floats, i) : bits_as<float>((unsigned)next_number());
		in[i].g = boundary ? PICK(floats, i / 19) : bits_as<float>((unsigned)next_number());
		in[i].h = boundary ? PICK(floats, i / 7) : bits_as<float>((unsigned)next_number());
		if (i % 3 == 0 && !boundary) {          /* of one size, so that rounding matters */
			in[i].f = (float)(int)next_number() * 0x1p-20f;
			in[i].g = (float)(int)next_number() * 0x1p-21f;
			in[i].h = (float)(int)next_number() * 0x1p-28f;
		}
		scale = i % 2 ? 0x1p-31 : 0x1p-62;      /* around the range of int, or near 0 */
		in[i].d = boundary ? PICK(doubles, i)
			: i % 5 == 0 ? bits_as<double>(next_number())
			: i % 5 == 1 ? (double)(int)next_number() + 0.5
			: (double)(long long)next_number() * scale;
	}
	/* 4097 * 4097 is between two floats: the smallest term decides, once. */
	for (int i = 0; i < 2; i++) {
		in[COUNT - 1 - i].f = in[COUNT - 1 - i].g = 4097.0f;
		in[COUNT - 1 - i].h = i ? 0x1p-40f : -0x1p-40f;
	}
}

/* --- the host's computations --- */

static unsigned bit_of(unsigned long long word, unsigned i)
{
	return (unsigned)(word >> i) & 1;
}

/* The bits first to first + 31 of high:low. */
static unsigned window(unsigned low, unsigned high, unsigned first)
{
	unsigned long long both = (unsigned long long)high << 32 | low;
	unsigned result = 0;

	for (unsigned i = 0; i < 32; i++)
		if (first + i < 64)
			result |= bit_of(both, first + i) << i;
	return result;
}

static unsigned long long reversed(unsigned long long x)
{
	unsigned long long result = 0;

	for (unsigned i = 0; i < 64; i++)
		result |= (unsigned long long)bit_of(x, i) << (63 - i);
	return result;
}

static int first_set(unsigned long long x)
{
	for (int i = 0; i < 64; i++)
		if (bit_of(x, (unsigned)i))
			return i + 1;
	return 0;
}

/* The upper half of a product, from those of halves; a negative factor is 2^64 too large. */
static long long high_product(unsigned long long a, unsigned long long b)
{
	unsigned long long al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
	unsigned long long middle = ah * bl + (al * bl >> 32);
	unsigned long long other = al * bh + (middle & 0xffffffff);
	unsigned long long high = ah * bh + (middle >> 32) + (other >> 32);

	high -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
	return (long long)high;
}

/* Rounds down also below 0. */
static int high_word(long long product)
{
	long long word = product / 4294967296ll;

	return (int)(product % 4294967296ll < 0 ? word - 1 : word);
}

/* What PTX says of cvt.s32.f64: it saturates, and a NaN becomes the highest bit. */
static int saturated(double integer)
{
	if (std::isnan(integer))
		return INT_MIN;
	return integer > 2147483647.0 ? INT_MAX : integer < -2147483648.0 ? INT_MIN : (int)integer;
}

static double nearest_even(double x)
{
	double down = std::floor(x), rest = x - down;

	if (!(std::fabs(x) < 1e15))
		return x;
	if (rest == 0.5)
		return std::fmod(down, 2.0) == 0.0 ? down : down + 1.0;
	return rest < 0.5 ? down : down + 1.0;
}

static double joined(unsigned high, unsigned low)
{
	return bits_as<double>((unsigned long long)high << 32 | low);
}

/* --- the functions: type, name, device, host --- */

#define FUNCTIONS(X) \
	X(int, ffsll, __ffsll((long long)v.x), first_set(v.x)) \
	X(int, mulhi, __mulhi((int)v.a, (int)v.b), \
	  high_word((long long)(int)v.a * (int)v.b)) \
	X(long long, mul64hi, __mul64hi((long long)v.x, (long long)v.y), high_product(v.x, v.y)) \
	X(unsigned long long, brevll, __brevll(v.x), reversed(v.x)) \
	X(unsigned, funnelshift_l, __funnelshift_l(v.a, v.b, v.shift), \
	  window(v.a, v.b, 32 - v.shift % 32)) \
	X(unsigned, funnelshift_r, __funnelshift_r(v.a, v.b, v.shift), \
	  window(v.a, v.b, v.shift % 32)) \
	X(unsigned, funnelshift_lc, __funnelshift_lc(v.a, v.b, v.shift), \
	  window(v.a, v.b, v.shift < 32 ? 32 - v.shift : 0)) \
	X(unsigned, funnelshift_rc, __funnelshift_rc(v.a, v.b, v.shift), \
	  window(v.a, v.b, v.shift < 32 ? v.shift : 32)) \
	X(unsigned, uhadd, __uhadd(v.a, v.b), v.a / 2 + v.b / 2 + (v.a % 2 + v.b % 2) / 2) \
	X(unsigned, urhadd, __urhadd(v.a, v.b), v.a / 2 + v.b / 2 + (v.a % 2 + v.b % 2 + 1) / 2) \
	X(unsigned, umin, umin(v.a, v.b), v.a < v.b ? v.a : v.b) \
	X(unsigned, umax, umax(v.a, v.b), v.a < v.b ? v.b : v.a) \
	X(long long, llmin, llmin((long long)v.x, (long long)v.y), \
	  (long long)v.x < (long long)v.y ? (long long)v.x : (long long)v.y) \
	X(long long, llmax, llmax((long long)v.x, (long long)v.y), \
	  (long long)v.x < (long long)v.y ? (long long)v.y : (long long)v.x) \
	X(double, hiloint2double, __hiloint2double((int)v.a, (int)v.b), joined(v.a, v.b)) \
	X(int, double2int_rn, __double2int_rn(v.d), saturated(nearest_even(v.d))) \
	X(int, double2int_ru, __double2int_ru(v.d), saturated(-std::floor(-v.d))) \
	X(float, double2float_rn, __double2float_rn(v.d), (float)v.d) \
	X(double, int2double_rn, __int2double_rn((int)v.a), \
	  (double)((int)v.a / 65536) * 65536.0 + (int)v.a % 65536) \
	X(float, fmaf_rn, __fmaf_rn(v.f, v.g, v.h), std::fma(v.f, v.g, v.h)) \
	X(float, fadd_rn, __fadd_rn(v.f, v.g), (float)((double)v.f + v.g)) \
	X(float, fsub_rn, __fsub_rn(v.f, v.g), (float)((double)v.f - v.g)) \
	X(float, fmul_rn, __fmul_rn(v.f, v.g), (float)((double)v.f * v.g)) \
	X(float, fdiv_rn, __fdiv_rn(v.f, v.g), (float)((double)v.f / v.g)) \
	X(float, fsqrt_rn, __fsqrt_rn(v.f), (float)std::sqrt((double)v.f))

#define KERNEL(type, name, device, host) \
	__global__ void name##_kernel(const input *in, type *out) \
	{ \
		int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); \
	\
		if (i < COUNT) { \
			input v = in[i]; \
	\
			out[i] = device; \
		} \
	} \
	static type name##_host(const input &v) { return host; }
FUNCTIONS(KERNEL)

/* Any NaN equals any other: which one a GPU makes is not the host's. */
template <class T> static bool same_value(T a, T b) { return a == b; }
template <> bool same_value(float a, float b)
{
	return (a != a && b != b) || bits_as<int>(a) == bits_as<int>(b);
}
template <> bool same_value(double a, double b)
{
	return (a != a && b != b) || bits_as<long long>(a) == bits_as<long long>(b);
}

template <class T> static void compare(const char *name, const input *in,
				       void (*kernel)(const input *, T *), T (*host)(const input &))
{
	int differ = 0, first = 0;
	T *out;

	cudaMallocManaged(&out, COUNT * sizeof *out);
	memset(out, 0x5a, COUNT * sizeof *out);
	kernel<<<(COUNT + 127) / 128, 128>>>(in, out);
	OK(cudaDeviceSynchronize());
	for (int i = COUNT - 1; i >= 0; i--)
		if (!same_value(out[i], host(in[i]))) {
			differ++;
			first = i;
		}
	check_at(differ == 0, name, first);     /* "line" is the first input that differs */
	cudaFree(out);
}

/* --- loads and stores with cache hints --- */

template <class T> __global__ void hints(const T *in, T *out, int n)
{
	int i = (int)threadIdx.x;

	if (i >= n)
		return;
	out[i] = __ldg(&in[i]);
	out[n + i] = __ldcg(in + i);
	out[2 * n + i] = __ldca(in + i);
	out[3 * n + i] = __ldcs(in + i);
	out[4 * n + i] = __ldlu(in + i);
	out[5 * n + i] = __ldcv(in + i);
	__stcg(&out[6 * n + i], in[i]);
	__stcs(&out[7 * n + i], in[i]);
	__stwt(&out[8 * n + i], in[i]);
	__stwb(&out[9 * n + i], in[i]);
}

template <class T> static void copies(const char *name)
{
	enum { N = 50, WAYS = 10, GUARD = 2 };
	unsigned char host[N * sizeof(T)], back[(WAYS * N + GUARD) * sizeof(T)];
	T *in, *out;
	bool right = true;

	for (unsigned char &byte : host)
		byte = (unsigned char)(next_number() >> 40);
	cudaMalloc(&in, sizeof host);
	cudaMalloc(&out, sizeof back);
	cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemset(out, 0xa5, sizeof back);
	hints<T><<<1, 64>>>(in, out, N);
	OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
	for (int way = 0; way < WAYS; way++)
		right = right && memcmp(back + way * sizeof host, host, sizeof host) == 0;
	for (size_t i = WAYS * sizeof host; i < sizeof back; i++)
		right = right && back[i] == 0xa5;
	check_at(right, name, __LINE__);
	cudaFree(in);
	cudaFree(out);
}

/* --- memmove --- */

/* Ranges that overlap, up and down; the last 64 bytes stay. */
__global__ void move(unsigned char *up, unsigned char *down)
{
	__builtin_memmove(up + 5, up, 100);
	__builtin_memmove(down, down + 3, 100);
}

static void moves(void)
{
	enum { N = 192 };
	unsigned char *bytes;
	bool right = true;

	cudaMallocManaged(&bytes, 2 * N);
	for (int i = 0; i < 2 * N; i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	move<<<1, 1>>>(bytes, bytes + N);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++) {
		int up = i >= 5 && i < 105 ? i - 5 : i, down = N + (i < 100 ? i + 3 : i);

		right = right && bytes[i] == (unsigned char)(up * 37 + 11)
			&& bytes[N + i] == (unsigned char)(down * 37 + 11);
	}
	CHECK(right);
	cudaFree(bytes);
}

/* --- __uni_sync() --- */

/* Lane i has bit i of the pattern; the two halves of a warp agree among themselves. */
__global__ void uniform(const unsigned *patterns, int *whole, int *halves)
{
	unsigned lane = threadIdx.x % 32, mine = patterns[blockIdx.x] >> lane & 1;
	int at = (int)(blockIdx.x * 32 + lane);

	/* Any value but 0 is true. */
	whole[at] = __uni_sync(0xffffffffu, mine ? (int)lane + 2 : 0) != 0;
	if (lane < 16)
		halves[at] = __uni_sync(0x0000ffffu, (int)mine) != 0;
	else
		halves[at] = __uni_sync(0xffff0000u, (int)mine) != 0;
}

static void votes(void)
{
	static const unsigned patterns[] = {
		0, 0xffffffff, 1, 0x80000000, 0xfffffffe, 0x7fffffff, 0x0000ffff, 0xffff0000,
		0x0000fffe, 0xfffe0000, 0x00010000, 0xaaaaaaaa,
	};
	enum { N = sizeof patterns / sizeof *patterns };
	unsigned *in;
	int *out;
	bool right = true;

	cudaMallocManaged(&in, sizeof patterns);
	cudaMallocManaged(&out, 2 * N * 32 * sizeof *out);
	memcpy(in, patterns, sizeof patterns);
	uniform<<<N, 32>>>(in, out, out + N * 32);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N * 32; i++) {
		unsigned p = patterns[i / 32], half = i % 32 < 16 ? p & 0xffff : p >> 16;

		right = right && out[i] == (p == 0 || p == 0xffffffff)
			&& out[N * 32 + i] == (half == 0 || half == 0xffff);
	}
	CHECK(right);
	cudaFree(in);
	cudaFree(out);
}

int main()
{
	input *in;

	cudaMallocManaged(&in, COUNT * sizeof *in);
	make_inputs(in);
#define COMPARE(type, name, device, host) compare<type>(#name, in, name##_kernel, name##_host);
	FUNCTIONS(COMPARE)
	copies<char>("hints: char");
	copies<short>("hints: short");
	copies<int>("hints: int");
	copies<unsigned long long>("hints: unsigned long long");
	copies<float>("hints: float");
	copies<double>("hints: double");
	copies<int2>("hints: int2");
	copies<float4>("hints: float4");
	moves();
	votes();
	cudaFree(in);
	return counted();
}
