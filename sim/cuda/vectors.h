/* vectors.h - CUDA's vector types, and the functions that make them: for device and host code. */
#ifndef CUDA_VECTORS_H
#define CUDA_VECTORS_H

#define FT_VECTORS(X) \
	X(char, char) X(uchar, unsigned char) X(short, short) X(ushort, unsigned short) \
	X(int, int) X(uint, unsigned) X(float, float) X(double, double) \
	X(longlong, long long) X(ulonglong, unsigned long long)
#define FT_DECLARE(name, type) \
	typedef struct { type x; } name##1; \
	typedef struct { type x, y; } __attribute__((aligned(2 * sizeof(type)))) name##2; \
	typedef struct { type x, y, z; } name##3; \
	typedef struct { type x, y, z, w; } \
		__attribute__((aligned(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)))) name##4; \
	static inline name##1 make_##name##1(type x) { return (name##1){ x }; } \
	static inline name##2 make_##name##2(type x, type y) { return (name##2){ x, y }; } \
	static inline name##3 make_##name##3(type x, type y, type z) \
		{ return (name##3){ x, y, z }; } \
	static inline name##4 make_##name##4(type x, type y, type z, type w) \
		{ return (name##4){ x, y, z, w }; }
FT_VECTORS(FT_DECLARE)
#undef FT_DECLARE
#undef FT_VECTORS

#endif
