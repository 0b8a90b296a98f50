/* cuComplex.h - complex numbers of float and double, with CUDA's operations in CUDA's order. */
#ifndef FLASHTWIN_CU_COMPLEX_H
#define FLASHTWIN_CU_COMPLEX_H
#define CU_COMPLEX_H_           /* programs test it */

#include <float.h>
#include <math.h>

#include "sim/cuda/vectors.h"

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define FT_COMPLEX_FN static inline __attribute__((unused))

/* type: of a part; complex: its pair; f: the suffix of names; make: of functions that make one. */
#define FT_COMPLEX(type, complex, f, make) \
	FT_COMPLEX_FN type cuCreal##f(complex x) { return x.x; } \
	FT_COMPLEX_FN type cuCimag##f(complex x) { return x.y; } \
	FT_COMPLEX_FN complex make(type real, type imaginary) \
		{ complex z; z.x = real; z.y = imaginary; return z; } \
	FT_COMPLEX_FN complex cuConj##f(complex x) { return make(x.x, -x.y); } \
	FT_COMPLEX_FN complex cuCadd##f(complex x, complex y) \
		{ return make(x.x + y.x, x.y + y.y); } \
	FT_COMPLEX_FN complex cuCsub##f(complex x, complex y) \
		{ return make(x.x - y.x, x.y - y.y); } \
	FT_COMPLEX_FN complex cuCmul##f(complex x, complex y) \
		{ return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); } \
	FT_COMPLEX_FN complex cuCfma##f(complex x, complex y, complex z) \
	{ \
		return make(-(x.y * y.y) + (x.x * y.x + z.x), x.y * y.x + (x.x * y.y + z.y)); \
	} \
	/* Both are divided by the sum of the divisor's magnitudes first, against overflow. */ \
	FT_COMPLEX_FN complex cuCdiv##f(complex x, complex y) \
	{ \
		type scale = (type)1 / (fabs##f(y.x) + fabs##f(y.y)); \
		type xr = x.x * scale, xi = x.y * scale, yr = y.x * scale, yi = y.y * scale; \
		type norm = (type)1 / (yr * yr + yi * yi); \
	\
		return make((xr * yr + xi * yi) * norm, (xi * yr - xr * yi) * norm); \
	} \
	FT_COMPLEX_FN type ft_complex_abs##f(type a, type b, type highest) \
	{ \
		type larger = a > b ? a : b, smaller = a > b ? b : a, ratio = smaller / larger; \
	\
		if (larger == (type)0 || larger > highest || smaller > highest) \
			return larger + smaller; \
		return larger * sqrt##f((type)1 + ratio * ratio); \
	}
FT_COMPLEX(float, cuFloatComplex, f, make_cuFloatComplex)
FT_COMPLEX(double, cuDoubleComplex, , make_cuDoubleComplex)
#undef FT_COMPLEX

FT_COMPLEX_FN float cuCabsf(cuFloatComplex x)
	{ return ft_complex_absf(fabsf(x.x), fabsf(x.y), FLT_MAX); }
FT_COMPLEX_FN double cuCabs(cuDoubleComplex x)
	{ return ft_complex_abs(fabs(x.x), fabs(x.y), DBL_MAX); }
FT_COMPLEX_FN cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
FT_COMPLEX_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x)
	{ return make_cuDoubleComplex(x.x, x.y); }
FT_COMPLEX_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x)
	{ return make_cuFloatComplex((float)x.x, (float)x.y); }

#undef FT_COMPLEX_FN

#endif
