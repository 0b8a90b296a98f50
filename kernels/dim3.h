/* dim3.h - the sizes of a grid or block, for the host and for users' files in C and C++. */
#ifndef KERNELS_DIM3_H
#define KERNELS_DIM3_H

struct dim3 {
	unsigned x, y, z;
#ifdef __cplusplus                      /* as in CUDA */
	constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) { }
	/* Converts to uint3, the type of threadIdx in CUDA. */
	template <class T, class = decltype(T{ 0u, 0u, 0u }.z)> operator T() const
	{
		static_assert(sizeof(T) == 3 * sizeof x, "dim3 converts only to uint3");
		return T{ x, y, z };
	}
#endif
};

#endif
