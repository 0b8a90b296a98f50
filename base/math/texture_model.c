/* texture_model.c - the arithmetic of a GPU's texture unit: coordinates, texels, filters.
 *
 * Measured on a GPU with tests/run/textures.cu; doc/numerics.md says what was found. Included by
 * sim/exec/texture.c. Positions are integers, and sums are exact until they are rounded.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/math/texture.h"

static float texture_float(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint32_t texture_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* --- where --- */

static bool texture_is_cube(unsigned shape)
{
	return shape == FT_TEXTURE_CUBE || shape == FT_TEXTURE_CUBE_LAYERED;
}

/* Of a coordinate of 0 to 1 the unit takes 21 bits after the point, or 8 more than texels need. */
static double texture_scaled(const struct ft_texture *t, int axis, double x, uint64_t size)
{
	uint64_t mode = t->address[axis];
	int bits = 21;

	if (!texture_is_cube((unsigned)t->shape) && !t->normalized)
		return x;
	while (size > (uint64_t)1 << (bits - 8))
		bits++;
	x = floor(ldexp(x, bits));
	if (mode == FT_TEXTURE_WRAP || mode == FT_TEXTURE_MIRROR) {
		double period = ldexp(mode == FT_TEXTURE_WRAP ? 1.0 : 2.0, bits);

		x = isfinite(x) ? x - floor(x / period) * period : 0;
	}
	return ldexp(x * (double)size, -bits);
}

/* In 1 / `parts` of a texel. Beyond any texture all are one; NaN is 0. */
static int64_t texture_fixed(double at, double parts)
{
	if (isnan(at))
		return 0;
	at = at < -0x1p30 ? -0x1p30 : at > 0x1p30 ? 0x1p30 : at;
	return (int64_t)floor(at * parts + (parts > 1 ? 0.5 : 0));
}

/* The texel of a dimension in the range of the texture; -1: the border. */
static int64_t texture_index(int64_t i, int64_t size, uint64_t mode)
{
	int64_t in;

	switch (mode) {
	case FT_TEXTURE_WRAP:
		in = i % size;
		return in < 0 ? in + size : in;
	case FT_TEXTURE_MIRROR:
		in = i % (2 * size);
		in = in < 0 ? in + 2 * size : in;
		return in < size ? in : 2 * size - 1 - in;
	case FT_TEXTURE_CLAMP:
		return i < 0 ? 0 : i < size ? i : size - 1;
	default:
		return i >= 0 && i < size ? i : -1;
	}
}

struct texture_axis {
	int64_t index[2];
	unsigned fraction;
};

static struct texture_axis texture_axis(const struct ft_texture *t, int i, double x, uint64_t size,
					bool pair)
{
	double scaled = texture_scaled(t, i, x, size);
	int64_t at = pair ? texture_fixed(scaled, 256) - 128 : texture_fixed(scaled, 1) * 256;
	struct texture_axis axis = { { 0, 0 }, (unsigned)(at & 255) };

	axis.index[0] = texture_index(at >> 8, (int64_t)size, t->address[i]);
	axis.index[1] = texture_index((at >> 8) + 1, (int64_t)size, t->address[i]);
	return axis;
}

static unsigned texture_dimensions(unsigned shape)
{
	switch (shape) {
	case FT_TEXTURE_1D: case FT_TEXTURE_1D_LAYERED: return 1;
	case FT_TEXTURE_3D: return 3;
	default: return 2;
	}
}

static uint64_t texture_layer(int64_t layer, uint64_t layers)
{
	return (uint64_t)layer < layers ? (uint64_t)layer : layers - 1;
}

/* 0 to 1; below the middle for every u below 0, however small. */
static double texture_side(double ratio)
{
	return ldexp(floor(ldexp(ratio, 40)), -41) + 0.5;
}

/* The face of a direction, and where on it, in -1 to 1. */
static unsigned texture_face(const float *d, double *at)
{
	double x = (double)d[0], y = (double)d[1], z = (double)d[2], u = x, v = -y, most;
	unsigned face;

	if (fabs(z) >= fabs(x) && fabs(z) >= fabs(y)) {
		face = z < 0 ? 5 : 4;
		u = z < 0 ? -x : x;
		most = fabs(z);
	} else if (fabs(y) >= fabs(x)) {
		face = y < 0 ? 3 : 2;
		v = y < 0 ? -z : z;
		most = fabs(y);
	} else {
		face = x < 0 ? 1 : 0;
		u = x < 0 ? z : -z;
		most = fabs(x);
	}
	at[0] = u / most;
	at[1] = v / most;
	return face;
}

/* The unit's division is known to be this good only. */
#define TEXTURE_ERROR 0x1p-22

/* Whether another result of the division would be another place, or another face. */
static bool texture_near_edge(const struct ft_fetch *f)
{
	double at[2];

	texture_face(f->at, at);
	for (int i = 0; i < 2; i++) {
		if (fabs(at[i]) < 1 && fabs(at[i]) > 1 - TEXTURE_ERROR)
			return true;
		double low = at[i] - fabs(at[i]) * TEXTURE_ERROR;
		double high = at[i] + fabs(at[i]) * TEXTURE_ERROR;
		struct texture_axis a = texture_axis(f->texture, i, texture_side(low),
						     f->texture->width, f->texture->linear);
		struct texture_axis b = texture_axis(f->texture, i, texture_side(high),
						     f->texture->width, f->texture->linear);

		if (a.index[0] != b.index[0] || a.fraction != b.fraction)
			return true;
	}
	return false;
}

/* What no measurement explains, of a fetch whose texels are not loaded yet: NULL, or its name. */
static const char *texture_unknown(const struct ft_fetch *f)
{
	const struct ft_texture *t = f->texture;
	const float *d = f->at;

	if (t->linear && f->shape == FT_TEXTURE_3D)
		return "linear filtering in three dimensions";
	if (t->linear && t->as_float && t->kind == FT_TEXTURE_SIGNED && t->bits == 8)
		return "linear filtering of signed 8-bit texels";
	if (t->linear && texture_dimensions(f->shape) == 1
	    && (t->address[0] == FT_TEXTURE_BORDER) != (t->address[1] == FT_TEXTURE_BORDER))
		return "linear filtering of a line with a border in one of two address modes";
	if (t->normalized && (t->width > 16384 || t->height > 16384))
		return "a normalised coordinate of more than 16384 texels";
	if (!texture_is_cube(f->shape))
		return NULL;
	if (!isfinite(d[0]) || !isfinite(d[1]) || !isfinite(d[2])
	    || (d[0] == 0 && d[1] == 0 && d[2] == 0))
		return "a direction that is 0 or not finite";
	return texture_near_edge(f) ? "a direction this near to the edge of a texel" : NULL;
}

/* The texels of a filter, or the one of a point. */
static void texture_list(struct ft_fetch *f, const struct texture_axis *axes, uint64_t base)
{
	const struct ft_texture *t = f->texture;

	for (unsigned i = 0; i < f->count; i++) {
		int64_t x = axes[0].index[i & 1], y = axes[1].index[i >> 1 & 1];
		int64_t z = axes[2].index[i >> 2 & 1];

		f->texels[i] = x < 0 || y < 0 || z < 0 ? 0 : base + (uint64_t)x * f->bytes
			+ (uint64_t)y * t->row + (uint64_t)z * t->slice;
	}
	for (int i = 0; i < 3; i++)
		f->fraction[i] = axes[i].fraction;
}

static void texture_place(struct ft_fetch *f)
{
	const struct ft_texture *t = f->texture;
	unsigned dimensions = texture_dimensions(f->shape);
	bool pair = t->linear || f->gathers, cube = texture_is_cube(f->shape);
	struct texture_axis axes[3] = { { { 0, 0 }, 0 }, { { 0, 0 }, 0 }, { { 0, 0 }, 0 } };
	uint64_t base = t->texels, layers = cube ? t->slices / 6 : t->slices;
	double at[3] = { (double)f->at[0], (double)f->at[1], (double)f->at[2] };

	f->bytes = (unsigned)(t->bits / 8 * t->channels);
	f->count = 1;
	if (f->shape == FT_TEXTURE_LINEAR) {
		f->texels[0] = f->layer >= 0 && (uint64_t)f->layer < t->width
			? base + (uint64_t)f->layer * f->bytes : 0;
		return;
	}
	if (cube) {
		base += (texture_layer(f->layer, layers) * 6 + texture_face(f->at, at)) * t->slice;
		at[0] = texture_side(at[0]);
		at[1] = texture_side(at[1]);
	} else if (f->shape != FT_TEXTURE_3D)
		base += texture_layer(f->layer, layers) * t->slice;
	axes[0] = texture_axis(t, 0, at[0], t->width, pair);
	if (dimensions > 1)
		axes[1] = texture_axis(t, 1, at[1], t->height, pair);
	else if (t->linear && t->address[1] == FT_TEXTURE_BORDER)
		axes[1] = (struct texture_axis){ { -1, 0 }, 128 };
	if (dimensions > 2)
		axes[2] = texture_axis(t, 2, at[2], t->slices, pair);
	if (pair)
		f->count = dimensions == 3 ? 8 : dimensions == 2 || axes[1].fraction ? 4 : 2;
	texture_list(f, axes, base);
}

/* --- what --- */

static float texture_half(uint32_t h)
{
	uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;

	if (exponent == 31)
		return texture_float(sign | 0x7f800000u | fraction << 13);
	if (exponent == 0)
		return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
	return texture_float(sign | (exponent + 112) << 23 | fraction << 13);
}

static uint32_t texture_raw(const struct ft_texture *t, const uint32_t *loaded, unsigned channel)
{
	unsigned first = channel * (unsigned)t->bits;

	return loaded[first / 32] >> first % 32 & (0xffffffffu >> (32 - t->bits));
}

/* What a texel that is a number is as a float. */
static float texture_real(const struct ft_texture *t, uint32_t raw)
{
	unsigned bits = (unsigned)t->bits;
	int32_t value, most = (1 << (bits - 1)) - 1;

	if (t->kind == FT_TEXTURE_FLOAT)
		return bits == 16 ? texture_half(raw) : texture_float(raw);
	if (t->kind == FT_TEXTURE_UNSIGNED)
		return (float)raw / (float)((1u << bits) - 1);
	value = (int32_t)(raw << (32 - bits)) >> (32 - bits);
	return (float)(value < -most ? -most : value) / (float)most;
}

static uint32_t texture_plain(const struct ft_texture *t, uint32_t raw)
{
	if (t->as_float || t->kind == FT_TEXTURE_FLOAT)
		return texture_bits(texture_real(t, raw));
	if (t->kind == FT_TEXTURE_SIGNED)
		return (uint32_t)((int32_t)(raw << (32 - t->bits)) >> (32 - t->bits));
	return raw;
}

static uint32_t texture_one(const struct ft_fetch *f, unsigned i, unsigned channel)
{
	const struct ft_texture *t = f->texture;

	if (channel >= t->channels)
		return 0;
	if (!f->texels[i])
		return f->shape == FT_TEXTURE_LINEAR ? 0 : (uint32_t)t->border[channel];
	return texture_plain(t, texture_raw(t, f->loaded[i], channel));
}

/* The weight of each of four texels, in 1 / 256; their sum is 256. */
static void texture_weights(const struct ft_fetch *f, int *weights)
{
	int x = (int)f->fraction[0], y = (int)f->fraction[1], both = (x * y + 128) >> 8;

	weights[3] = both;
	weights[2] = y - both;
	weights[1] = x - both;
	weights[0] = 256 - x - y + both;
}

/* Texels on the far side of a fraction of 0 are not read: not even a NaN. */
static bool texture_counts(const struct ft_fetch *f, unsigned i)
{
	return (!(i & 1) || f->fraction[0]) && (!(i & 2) || f->fraction[1]);
}

/* A number in 16 bits: 0 to 65535, or -32767 to 32767. */
static int32_t texture_norm(const struct ft_fetch *f, unsigned i, unsigned channel, int32_t most)
{
	const struct ft_texture *t = f->texture;
	int32_t value;

	if (!f->texels[i])
		return (int32_t)lrintf(texture_float((uint32_t)t->border[channel]) * (float)most);
	value = (int32_t)texture_raw(t, f->loaded[i], channel);
	if (t->kind == FT_TEXTURE_UNSIGNED)
		return t->bits == 8 ? value * 257 : value;
	return value == 0x8000 ? -most : (int16_t)value;
}

static float texture_blend_norm(const struct ft_fetch *f, const int *weights, unsigned channel)
{
	int32_t most = f->texture->kind == FT_TEXTURE_SIGNED ? 32767 : 65535;
	int64_t sum = 128;

	for (unsigned i = 0; i < f->count; i++)
		sum += weights[i] * (int64_t)texture_norm(f, i, channel, most);
	return (float)(sum >> 8) / (float)most;
}

/* Half away from 0, to `bits` bits; e: the exponent of denormal numbers. */
static double texture_round(double x, int bits, int e)
{
	int exponent;

	if (x == 0 || !isfinite(x))
		return x;
	frexp(x, &exponent);
	exponent = exponent < e ? e : exponent;
	return ldexp(round(ldexp(x, bits - exponent)), exponent - bits);
}

/* Texels are cut to four bits more than the largest has: the sum of the products is exact. */
static float texture_blend_float(const struct ft_fetch *f, const int *weights, unsigned channel)
{
	bool half = f->texture->bits == 16;
	int bits = half ? 15 : 28, most = INT_MIN, exponent;
	double x[4], sum = 0;

	for (unsigned i = 0; i < f->count; i++) {
		x[i] = (double)texture_float(texture_one(f, i, channel));
		if (weights[i] == 0 || x[i] == 0 || !isfinite(x[i]))
			continue;
		frexp(x[i], &exponent);
		most = exponent > most ? exponent : most;
	}
	for (unsigned i = 0; i < f->count; i++) {
		if (!texture_counts(f, i))
			continue;
		if (weights[i] && x[i] != 0 && isfinite(x[i]))
			x[i] = ldexp(trunc(ldexp(x[i], bits - most)), most - bits);
		sum += x[i] * weights[i];
	}
	return (float)texture_round(sum / 256, half ? 11 : 24, half ? -13 : -125);
}

/* Whether a value that is not finite has the weight 0, but no fraction of 0: without a rule. */
static bool texture_is_odd(const struct ft_fetch *f)
{
	int weights[4];

	if (!f->texture->linear || f->count == 1 || f->gathers || f->texture->as_float)
		return false;
	texture_weights(f, weights);
	for (unsigned i = 0; i < f->count; i++)
		for (unsigned c = 0; c < f->texture->channels; c++)
			if (!weights[i] && texture_counts(f, i)
			    && !isfinite(texture_float(texture_one(f, i, c))))
				return true;
	return false;
}

static uint32_t texture_blend(const struct ft_fetch *f, unsigned channel)
{
	int weights[4];

	if (channel >= f->texture->channels)
		return 0;
	texture_weights(f, weights);
	return texture_bits(f->texture->as_float ? texture_blend_norm(f, weights, channel)
			    : texture_blend_float(f, weights, channel));
}

static void texture_value(struct ft_fetch *f)
{
	static const unsigned gathered[] = { 2, 3, 1, 0 };

	for (unsigned c = 0; c < 4; c++)
		f->value[c] = f->gathers ? texture_one(f, gathered[c], f->component)
			: f->count == 1 ? texture_one(f, 0, c) : texture_blend(f, c);
}
