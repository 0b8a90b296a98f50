/* cuda_integer.h - CUDA's integer and bit functions, for the system's C and C++ compilers.
 *
 * Part of cuda_c.h, which defines those that map to a compiler built-in. */
#ifndef CUDA_INTEGER_H
#define CUDA_INTEGER_H

#include <stdint.h>
#include <string.h>

#define FT_INTEGER static inline __attribute__((unused))

FT_INTEGER unsigned __brev(unsigned x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(x);
}

FT_INTEGER unsigned long long __brevll(unsigned long long x)
{
	return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

FT_INTEGER unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
	uint64_t bytes = (uint64_t)y << 32 | x;
	unsigned result = 0;

	for (int i = 0; i < 4; i++)
		result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
	return result;
}

FT_INTEGER unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}

FT_INTEGER unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

FT_INTEGER unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((uint64_t)high << 32 | low) << (shift > 32 ? 32 : shift) >> 32);
}

FT_INTEGER unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((uint64_t)high << 32 | low) >> (shift > 32 ? 32 : shift));
}

FT_INTEGER int __mul24(int a, int b)
{
	int low_a = (int)((unsigned)a << 8) >> 8, low_b = (int)((unsigned)b << 8) >> 8;

	return (int)((unsigned)low_a * (unsigned)low_b);
}

FT_INTEGER unsigned __umul24(unsigned a, unsigned b)
{
	return (a & 0xffffffu) * (b & 0xffffffu);
}

FT_INTEGER unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}

FT_INTEGER long long __mul64hi(long long a, long long b)
{
	return (long long)((__int128)a * b >> 64);
}

FT_INTEGER unsigned __sad(int a, int b, unsigned c)
{
	return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}

FT_INTEGER unsigned __usad(unsigned a, unsigned b, unsigned c)
{
	return (a < b ? b - a : a - b) + c;
}

FT_INTEGER int __hadd(int a, int b) { return (int)(((int64_t)a + b) >> 1); }
FT_INTEGER int __rhadd(int a, int b) { return (int)(((int64_t)a + b + 1) >> 1); }
FT_INTEGER unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a + b) >> 1); }
FT_INTEGER unsigned __urhadd(unsigned a, unsigned b)
{
	return (unsigned)(((uint64_t)a + b + 1) >> 1);
}

FT_INTEGER unsigned __vadd4(unsigned a, unsigned b)
{
	return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

FT_INTEGER int ft_dp4a(int a, int b, int c)
{
	unsigned sum = (unsigned)c;

	for (int i = 0; i < 32; i += 8)
		sum += (unsigned)((int8_t)(a >> i) * (int8_t)(b >> i));
	return (int)sum;
}

FT_INTEGER unsigned ft_dp4a_unsigned(unsigned a, unsigned b, unsigned c)
{
	for (int i = 0; i < 32; i += 8)
		c += (a >> i & 0xff) * (b >> i & 0xff);
	return c;
}

FT_INTEGER int __double2loint(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (int)bits;
}

FT_INTEGER int __double2hiint(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (int)(bits >> 32);
}

FT_INTEGER double __hiloint2double(int high, int low)
{
	uint64_t bits = (uint64_t)(unsigned)high << 32 | (unsigned)low;
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

FT_INTEGER long long __double_as_longlong(double x)
{
	long long bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

FT_INTEGER double __longlong_as_double(long long bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* CUDA's min and max functions for particular types. */
FT_INTEGER unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
FT_INTEGER unsigned umax(unsigned a, unsigned b) { return b > a ? b : a; }
FT_INTEGER long long llmin(long long a, long long b) { return b < a ? b : a; }
FT_INTEGER long long llmax(long long a, long long b) { return b > a ? b : a; }

#undef FT_INTEGER

#endif
