/* textures.cu - what texture functions return, as lines NAME COUNT SUM.
 *
 * tests/h200/textures.txt has the sums of an H100 for the cases that the simulator does not refuse;
 * test_run_textures.sh compares them. SUM is a hash of the bits of all results; a NaN equals a NaN.
 * Arguments: [--scale N] [--dump FILE] [NAME...]. --scale multiplies the number of fetches of each
 * case, --dump writes the bits of the results to a file, and names select cases.
 * Build: nvcc -std=c++17 -arch=sm_90 -o textures textures.cu
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#define CHECK(call) check(call, #call, __LINE__)
#define FETCHES 8192

enum shape {
	LINEAR, ONE, TWO, THREE, ONE_LAYERED, TWO_LAYERED, CUBE, CUBE_LAYERED, PITCHED, GATHER
};
enum texels { ANY, REAL, INDEX, HALF };         /* random bits, floats of many sizes, 0, 1, 2... */
enum places { WIDE, NEAR, INSIDE };             /* of coordinates: see coordinate() */

struct format {
	int bits, channels;
	enum cudaChannelFormatKind kind;
};

struct test {
	const char *name;
	enum shape shape;
	struct format format;
	enum texels texels;
	int width, height, depth;
	bool linear, normalized, as_float;
	enum cudaTextureAddressMode address;
	enum places places;
	float border;
};

static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "textures.cu:%d: %s: %s\n", line, call, cudaGetErrorName(error));
	exit(1);
}

/* --- what is fetched --- */

template <class T>
__global__ void fetch(cudaTextureObject_t t, enum shape shape, const float4 *at, T *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= n)
		return;
	float4 c = at[i];
	int layer = (int)c.w;
	switch (shape) {
	case LINEAR: out[i] = tex1Dfetch<T>(t, (int)c.x); break;
	case ONE: out[i] = tex1D<T>(t, c.x); break;
	case TWO: case PITCHED: out[i] = tex2D<T>(t, c.x, c.y); break;
	case THREE: out[i] = tex3D<T>(t, c.x, c.y, c.z); break;
	case ONE_LAYERED: out[i] = tex1DLayered<T>(t, c.x, layer); break;
	case TWO_LAYERED: out[i] = tex2DLayered<T>(t, c.x, c.y, layer); break;
	case CUBE: out[i] = texCubemap<T>(t, c.x, c.y, c.z); break;
	case CUBE_LAYERED: out[i] = texCubemapLayered<T>(t, c.x, c.y, c.z, layer); break;
	case GATHER:
		switch (layer & 3) {
		case 0: out[i] = tex2Dgather<T>(t, c.x, c.y, 0); break;
		case 1: out[i] = tex2Dgather<T>(t, c.x, c.y, 1); break;
		case 2: out[i] = tex2Dgather<T>(t, c.x, c.y, 2); break;
		default: out[i] = tex2Dgather<T>(t, c.x, c.y, 3); break;
		}
		break;
	}
}

/* --- random numbers, texels, coordinates: without a rounding that a compiler may change --- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t seed;
static uint32_t draw(void)
{
	return (uint32_t)(mix(seed += 0x9e3779b97f4a7c15u) >> 32);
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* Between -256 and 256, down to 2^-8, and now and then 0, an infinity, a NaN or a tiny number. */
static float real(void)
{
	static const uint32_t odd[] = { 0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1,
					0x00400000u, 0x7f7fffffu, 0x33800000u, 0x4f000000u };
	uint32_t x = draw();

	if (draw() % 512 == 0)
		return float_of(odd[x % 10]);
	return float_of((x & 0x807fffffu) | (119 + draw() % 16) << 23);
}

/* The float `ulps` after x. */
static float after(float x, int ulps)
{
	return float_of(bits_of(x) + (uint32_t)(x < 0 ? -ulps : ulps));
}

/* In texels, of `size` of them. */
static float coordinate(enum places places, int size)
{
	static const float odd[] = { 0.0f, -0.0f, 1e-30f, -1e-30f, 1e10f, -1e10f, 3e38f, -3e38f,
				     INFINITY, -INFINITY, NAN, 16777216.0f, 8388608.5f,
				     -8388607.5f, 1e-42f, 65536.25f };
	uint32_t way = draw() % 8, x = draw();
	int ulps = (int)(draw() % 9) - 4;

	if (places == INSIDE || way < 2)
		return ldexpf((float)(x >> 8), -24) * (float)size;
	if (way == 2)
		return ldexpf((float)(int)(x % (unsigned)(4 * size * 256)), -8)
			- (float)(size + size / 2);
	if (way == 3 && places == WIDE && x % 4 == 0)
		return odd[x / 4 % 16];
	if (way < 5)
		return after((float)(x % (unsigned)(size + 1)), ulps);
	if (way == 5)
		return after(ldexpf((float)(x % (unsigned)(size * 512 + 1)), -9), ulps);
	if (way == 6)
		return after(ldexpf((float)(x % (unsigned)(size * 512 + 1)), -9), ulps * 16);
	return ldexpf((float)(x >> 8), -22) * (float)size - (float)(size + size / 2);
}

static float4 place(const struct test *t)
{
	float4 c = { coordinate(t->places, t->width), coordinate(t->places, t->height),
		     coordinate(t->places, t->depth), 0.0f };

	c.w = (float)((int)(draw() % (unsigned)(t->depth + 4)) - 2);
	if (t->shape == CUBE || t->shape == CUBE_LAYERED) {
		c.x = 2.0f * c.x / (float)t->width - 1.0f;
		c.y = 2.0f * c.y / (float)t->width - 1.0f;
		c.z = 2.0f * coordinate(t->places, t->width) / (float)t->width - 1.0f;
	} else if (t->normalized) {
		c.x /= (float)t->width;
		c.y /= (float)t->height;
		c.z /= (float)t->depth;
	} else if (t->shape == LINEAR) {
		c.x = (float)(draw() % (unsigned)t->width);
	}
	return c;
}

static size_t texel_bytes(const struct format *f)
{
	return (size_t)(f->bits / 8 * f->channels);
}

static unsigned char *texels_new(const struct test *t, size_t count)
{
	size_t bytes = count * texel_bytes(&t->format);
	unsigned char *texels = (unsigned char *)malloc(bytes + 4);

	for (size_t i = 0; i < bytes / 4 + 1; i++) {
		uint32_t word = draw();

		if (t->texels == REAL)
			word = bits_of(real());
		else if (t->texels == INDEX)
			word = bits_of((float)(i / (unsigned)t->format.channels));
		else if (t->texels == HALF)     /* finite halves, mostly */
			word = (word & 0xbfffbfffu) + 0x10001000u;
		memcpy(texels + 4 * i, &word, 4);
	}
	return texels;
}

/* --- one case --- */

struct made {
	cudaArray_t array;
	void *memory;
	cudaTextureObject_t texture;
};

static struct cudaChannelFormatDesc channels(const struct format *f)
{
	return cudaCreateChannelDesc(f->bits, f->channels > 1 ? f->bits : 0,
				     f->channels > 2 ? f->bits : 0, f->channels > 3 ? f->bits : 0,
				     f->kind);
}

static void make_linear(const struct test *t, const unsigned char *texels, struct made *m,
			struct cudaResourceDesc *resource)
{
	struct cudaChannelFormatDesc desc = channels(&t->format);
	size_t width = (size_t)t->width * texel_bytes(&t->format), pitch = width;

	if (t->shape == PITCHED) {
		CHECK(cudaMallocPitch(&m->memory, &pitch, width, (size_t)t->height));
		CHECK(cudaMemcpy2D(m->memory, pitch, texels, width, width, (size_t)t->height,
				   cudaMemcpyHostToDevice));
		resource->resType = cudaResourceTypePitch2D;
		resource->res.pitch2D.devPtr = m->memory;
		resource->res.pitch2D.desc = desc;
		resource->res.pitch2D.width = (size_t)t->width;
		resource->res.pitch2D.height = (size_t)t->height;
		resource->res.pitch2D.pitchInBytes = pitch;
		return;
	}
	CHECK(cudaMalloc(&m->memory, width));
	CHECK(cudaMemcpy(m->memory, texels, width, cudaMemcpyHostToDevice));
	resource->resType = cudaResourceTypeLinear;
	resource->res.linear.devPtr = m->memory;
	resource->res.linear.desc = desc;
	resource->res.linear.sizeInBytes = width;
}

static void make_array(const struct test *t, unsigned char *texels, struct made *m,
		       struct cudaResourceDesc *resource)
{
	static const unsigned flags[] = { 0, 0, 0, 0, cudaArrayLayered, cudaArrayLayered,
					  cudaArrayCubemap, cudaArrayCubemap | cudaArrayLayered, 0,
					  cudaArrayTextureGather };
	struct cudaChannelFormatDesc desc = channels(&t->format);
	bool flat = t->shape == ONE || t->shape == ONE_LAYERED;
	bool deep = t->shape >= THREE && t->shape != GATHER;
	size_t depth = t->shape == CUBE ? 6 : t->shape == CUBE_LAYERED ? 6 * (size_t)t->depth
		: deep ? (size_t)t->depth : 0;
	struct cudaMemcpy3DParms copy;

	CHECK(cudaMalloc3DArray(&m->array, &desc,
				make_cudaExtent((size_t)t->width, flat ? 0 : (size_t)t->height,
						depth), flags[t->shape]));
	memset(&copy, 0, sizeof copy);
	copy.srcPtr = make_cudaPitchedPtr(texels, (size_t)t->width * texel_bytes(&t->format),
					  (size_t)t->width, flat ? 1 : (size_t)t->height);
	copy.dstArray = m->array;
	copy.extent = make_cudaExtent((size_t)t->width, flat ? 1 : (size_t)t->height,
				      depth ? depth : 1);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	resource->resType = cudaResourceTypeArray;
	resource->res.array.array = m->array;
}

static struct made make(const struct test *t)
{
	struct made m = { 0, 0, 0 };
	struct cudaResourceDesc resource;
	struct cudaTextureDesc desc;
	unsigned char *texels = texels_new(t, (size_t)t->width * (size_t)t->height
					   * (size_t)t->depth * 6);

	memset(&resource, 0, sizeof resource);
	memset(&desc, 0, sizeof desc);
	if (t->shape == LINEAR || t->shape == PITCHED)
		make_linear(t, texels, &m, &resource);
	else
		make_array(t, texels, &m, &resource);
	for (int i = 0; i < 3; i++)
		desc.addressMode[i] = t->address;
	desc.filterMode = t->linear ? cudaFilterModeLinear : cudaFilterModePoint;
	desc.readMode = t->as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	desc.normalizedCoords = t->normalized;
	for (int i = 0; i < 4; i++)
		desc.borderColor[i] = t->border * (float)(i + 1);
	CHECK(cudaCreateTextureObject(&m.texture, &resource, &desc, NULL));
	free(texels);
	return m;
}

static bool is_real(const struct test *t)
{
	return t->as_float || t->format.kind == cudaChannelFormatKindFloat;
}

static void run(const struct test *t, const float4 *at, uint32_t *out, int n)
{
	struct made m = make(t);
	int blocks = (n + 127) / 128;
	void *to;
	float4 *from;

	CHECK(cudaMalloc(&to, (size_t)n * 16));
	CHECK(cudaMalloc(&from, (size_t)n * 16));
	CHECK(cudaMemcpy(from, at, (size_t)n * 16, cudaMemcpyHostToDevice));
	if (is_real(t))
		fetch<<<blocks, 128>>>(m.texture, t->shape, from, (float4 *)to, n);
	else if (t->format.kind == cudaChannelFormatKindSigned)
		fetch<<<blocks, 128>>>(m.texture, t->shape, from, (int4 *)to, n);
	else
		fetch<<<blocks, 128>>>(m.texture, t->shape, from, (uint4 *)to, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(out, to, (size_t)n * 16, cudaMemcpyDeviceToHost));
	CHECK(cudaDestroyTextureObject(m.texture));
	CHECK(cudaFree(to));
	CHECK(cudaFree(from));
	if (m.array)
		CHECK(cudaFreeArray(m.array));
	CHECK(cudaFree(m.memory));
}

/* A NaN is a NaN. */
static uint64_t sum_of(const struct test *t, uint32_t *words, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_real(t) && (words[i] & 0x7fffffffu) > 0x7f800000u)
			words[i] = 0x7fffffffu;
		sum = mix(sum ^ words[i]) + i;
	}
	return sum;
}

/* --- the cases --- */

#define U cudaChannelFormatKindUnsigned
#define S cudaChannelFormatKindSigned
#define F cudaChannelFormatKindFloat
#define WRAP cudaAddressModeWrap
#define CLAMP cudaAddressModeClamp
#define MIRROR cudaAddressModeMirror
#define BORDER cudaAddressModeBorder

static const struct test tests[] = {
	/* in the order of struct test */
	{ "linear.f32", LINEAR, { 32, 1, F }, REAL, 5000, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.f32x4", LINEAR, { 32, 4, F }, REAL, 500, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.u8x4", LINEAR, { 8, 4, U }, ANY, 5000, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.s16x2", LINEAR, { 16, 2, S }, ANY, 5000, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.u32x2", LINEAR, { 32, 2, U }, ANY, 5000, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.f16", LINEAR, { 16, 1, F }, ANY, 5000, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "linear.u8.float", LINEAR, { 8, 1, U }, ANY, 5000, 1, 1, 0, 0, 1, CLAMP, WIDE, 0 },
	{ "linear.s8.float", LINEAR, { 8, 2, S }, ANY, 5000, 1, 1, 0, 0, 1, CLAMP, WIDE, 0 },
	{ "linear.u16.float", LINEAR, { 16, 4, U }, ANY, 9000, 1, 1, 0, 0, 1, CLAMP, WIDE, 0 },
	{ "linear.s16.float", LINEAR, { 16, 1, S }, ANY, 9000, 1, 1, 0, 0, 1, CLAMP, WIDE, 0 },
	{ "point.1d.clamp", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.1d.border", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 0, 0, BORDER, WIDE, 0 },
	{ "point.1d.border.colour", ONE, { 32, 1, F }, INDEX,
	  100, 1, 1, 0, 0, 0, BORDER, WIDE, 7.5f },
	{ "point.1d.wrap", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 0, 0, WRAP, WIDE, 0 },
	{ "point.1d.clamp.n", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 1, 0, CLAMP, WIDE, 0 },
	{ "point.1d.border.n", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 1, 0, BORDER, WIDE, 0 },
	{ "point.1d.wrap.n", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.1d.mirror.n", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 0, 1, 0, MIRROR, WIDE, 0 },
	{ "point.1d.wrap.n.7", ONE, { 32, 1, F }, INDEX, 7, 1, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.1d.mirror.n.1", ONE, { 32, 1, F }, INDEX, 1, 1, 1, 0, 1, 0, MIRROR, WIDE, 0 },
	{ "point.1d.clamp.n.16384", ONE, { 32, 1, F }, INDEX,
	  16384, 1, 1, 0, 1, 0, CLAMP, NEAR, 0 },
	{ "point.1d.wrap.n.10007", ONE, { 32, 1, F }, INDEX, 10007, 1, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.2d.clamp", TWO, { 32, 1, F }, INDEX, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.wrap.n", TWO, { 32, 1, F }, INDEX, 33, 17, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.2d.mirror.n", TWO, { 32, 1, F }, INDEX, 64, 50, 1, 0, 1, 0, MIRROR, WIDE, 0 },
	{ "point.2d.border.n", TWO, { 32, 4, F }, REAL, 33, 17, 1, 0, 1, 0, BORDER, WIDE, 2.0f },
	{ "point.2d.u8x4", TWO, { 8, 4, U }, ANY, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.u8.border", TWO, { 8, 1, U }, ANY, 33, 17, 1, 0, 0, 0, BORDER, WIDE, 0 },
	{ "point.2d.s8x2", TWO, { 8, 2, S }, ANY, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.s32x4", TWO, { 32, 4, S }, ANY, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.u16x2.float", TWO, { 16, 2, U }, ANY, 333, 170, 1, 0, 0, 1, CLAMP, WIDE, 0 },
	{ "point.3d.clamp", THREE, { 32, 1, F }, INDEX, 9, 8, 7, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.3d.wrap.n", THREE, { 32, 2, F }, INDEX, 9, 8, 7, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.1d.layers", ONE_LAYERED, { 32, 1, F }, INDEX, 33, 1, 5, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.layers", TWO_LAYERED, { 32, 1, F }, INDEX, 33, 9, 5, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.2d.pitched", PITCHED, { 32, 1, F }, INDEX, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "point.2d.pitched.n", PITCHED, { 32, 1, F }, INDEX, 33, 17, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.cube", CUBE, { 32, 1, F }, INDEX, 16, 16, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "point.cube.inside", CUBE, { 32, 1, F }, INDEX, 64, 64, 1, 0, 1, 0, WRAP, INSIDE, 0 },
	{ "point.cube.layers", CUBE_LAYERED, { 32, 1, F }, INDEX,
	  8, 8, 3, 0, 1, 0, CLAMP, WIDE, 0 },
	{ "line.1d.index", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 1, 0, 0, CLAMP, WIDE, 0 },
	{ "line.1d.index.near", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 1, 0, 0, CLAMP, NEAR, 0 },
	{ "line.1d.index.border", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 1, 0, 0, BORDER, WIDE, 0 },
	{ "line.1d.colour", ONE, { 32, 4, F }, REAL, 100, 1, 1, 1, 0, 0, BORDER, WIDE, 3.25f },
	{ "line.1d.index.n", ONE, { 32, 1, F }, INDEX, 100, 1, 1, 1, 1, 0, CLAMP, NEAR, 0 },
	{ "line.1d.index.n.7", ONE, { 32, 1, F }, INDEX, 7, 1, 1, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.1d.index.n.10007", ONE, { 32, 1, F }, INDEX, 10007, 1, 1, 1, 1, 0, WRAP, NEAR, 0 },
	{ "line.1d.index.mirror", ONE, { 32, 1, F }, INDEX, 33, 1, 1, 1, 1, 0, MIRROR, WIDE, 0 },
	{ "line.1d.index.1", ONE, { 32, 1, F }, INDEX, 1, 1, 1, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.1d.f32", ONE, { 32, 1, F }, REAL, 5000, 1, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.1d.f32x4", ONE, { 32, 4, F }, REAL, 5000, 1, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.1d.f16", ONE, { 16, 4, F }, HALF, 5000, 1, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.1d.f16.any", ONE, { 16, 4, F }, ANY, 5000, 1, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.1d.u8", ONE, { 8, 4, U }, ANY, 5000, 1, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.1d.s8", ONE, { 8, 4, S }, ANY, 5000, 1, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.1d.u16", ONE, { 16, 4, U }, ANY, 5000, 1, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.1d.s16", ONE, { 16, 4, S }, ANY, 5000, 1, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.index", TWO, { 32, 1, F }, INDEX, 33, 17, 1, 1, 0, 0, CLAMP, WIDE, 0 },
	{ "line.2d.f32", TWO, { 32, 1, F }, REAL, 100, 100, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.2d.f32x4", TWO, { 32, 4, F }, REAL, 100, 100, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.2d.f32x2.wrap", TWO, { 32, 2, F }, REAL, 33, 17, 1, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.2d.f32.mirror", TWO, { 32, 1, F }, REAL, 33, 17, 1, 1, 1, 0, MIRROR, WIDE, 0 },
	{ "line.2d.f32.border", TWO, { 32, 1, F }, REAL, 33, 17, 1, 1, 1, 0, BORDER, WIDE, 1.5f },
	{ "line.2d.f16", TWO, { 16, 4, F }, HALF, 100, 100, 1, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.2d.u8", TWO, { 8, 4, U }, ANY, 100, 100, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.u8.1", TWO, { 8, 1, U }, ANY, 100, 100, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.s8", TWO, { 8, 4, S }, ANY, 100, 100, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.u16", TWO, { 16, 4, U }, ANY, 100, 100, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.s16", TWO, { 16, 4, S }, ANY, 100, 100, 1, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.2d.u8.border", TWO, { 8, 4, U }, ANY, 33, 17, 1, 1, 0, 1, BORDER, WIDE, 0.2f },
	{ "line.2d.pitched", PITCHED, { 32, 4, F }, REAL, 100, 100, 1, 1, 1, 0, CLAMP, WIDE, 0 },
	{ "line.2d.layers", TWO_LAYERED, { 32, 1, F }, REAL, 33, 17, 5, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.1d.layers", ONE_LAYERED, { 32, 4, F }, REAL, 33, 1, 5, 1, 1, 0, CLAMP, WIDE, 0 },
	{ "line.3d.f32", THREE, { 32, 1, F }, REAL, 20, 20, 20, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.3d.f32x4", THREE, { 32, 4, F }, REAL, 20, 20, 20, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.3d.wrap", THREE, { 32, 1, F }, REAL, 9, 8, 7, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.3d.f16", THREE, { 16, 4, F }, HALF, 20, 20, 20, 1, 0, 0, CLAMP, INSIDE, 0 },
	{ "line.3d.u8", THREE, { 8, 4, U }, ANY, 20, 20, 20, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.3d.s16", THREE, { 16, 4, S }, ANY, 20, 20, 20, 1, 0, 1, CLAMP, INSIDE, 0 },
	{ "line.cube", CUBE, { 32, 1, F }, INDEX, 16, 16, 1, 1, 1, 0, WRAP, WIDE, 0 },
	{ "line.cube.f32", CUBE, { 32, 1, F }, REAL, 64, 64, 1, 1, 1, 0, WRAP, INSIDE, 0 },
	{ "line.cube.layers", CUBE_LAYERED, { 32, 4, F }, REAL, 8, 8, 3, 1, 1, 0, CLAMP, WIDE, 0 },
	{ "gather.f32", GATHER, { 32, 1, F }, INDEX, 33, 17, 1, 0, 0, 0, CLAMP, WIDE, 0 },
	{ "gather.u8x4", GATHER, { 8, 4, U }, ANY, 33, 17, 1, 0, 1, 0, WRAP, WIDE, 0 },
	{ "gather.u8.float", GATHER, { 8, 4, U }, ANY, 33, 17, 1, 1, 1, 1, CLAMP, WIDE, 0 },
};

static void one(const struct test *t, int scale, FILE *dump)
{
	int n = FETCHES * scale;
	float4 *at = (float4 *)malloc((size_t)n * sizeof *at);
	uint32_t *out = (uint32_t *)malloc((size_t)n * 16);

	seed = 0;
	for (const char *c = t->name; *c; c++)
		seed = mix(seed + (unsigned char)*c);
	for (int i = 0; i < n; i++)
		at[i] = place(t);
	run(t, at, out, n);
	printf("%s %d %016llx\n", t->name, n,
	       (unsigned long long)sum_of(t, out, (size_t)n * 4));
	if (dump && fwrite(out, 16, (size_t)n, dump) != (size_t)n) {
		fprintf(stderr, "textures.cu: the file is not written\n");
		exit(1);
	}
	free(at);
	free(out);
}

static bool selected(const char *name, char **names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return count == 0;
}

int main(int argc, char **argv)
{
	int scale = 1, first = 1;
	FILE *dump = NULL;

	for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
		if (strcmp(argv[first], "--scale") == 0)
			scale = atoi(argv[first + 1]);
		else if (!(dump = fopen(argv[first + 1], "wb")))
			return 2;
	}
	for (const struct test &t : tests)
		if (selected(t.name, argv + first, argc - first))
			one(&t, scale, dump);
	return dump && fclose(dump) ? 1 : 0;
}
