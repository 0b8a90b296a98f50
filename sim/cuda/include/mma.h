/* mma.h - warp matrix functions (nvcuda::wmma) for C++ files on the simulator.
 *
 * Has the shapes whose bits base/math/mma_model.c gives: 16 x 16 x 16, 32 x 8 x 16 and 8 x 32 x 16
 * of half, bfloat16 and 8-bit integers, 16 x 16 x 8 of tf32. Each is two products of 16 rows and 8
 * columns, of which 32 x 8 has one below the other; 8 x 32 is computed as its transpose. Elements
 * of a fragment are in the registers that mma.sync has, those of the first product before those of
 * the second; CUDA leaves that open. Fragments of half have each element twice, or four times.
 */
#ifndef FLASHTWIN_MMA_H
#define FLASHTWIN_MMA_H

#ifndef __cplusplus
#error "mma.h needs C++"
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sim/cuda/tensor.h"

namespace nvcuda {
namespace wmma {

struct row_major { };
struct col_major { };
struct matrix_a { };
struct matrix_b { };
struct accumulator { };
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 { }; }

/* --- elements --- */

/* The type that holds an element, its format, and the fewest elements that a fragment of A or B
 * has. */
template <class T> struct ft_element { enum { known = false }; };
#define FT_ELEMENT(T, held, name, fewest) \
	template <> struct ft_element<T> { \
		typedef held type; \
		enum { known = true, format = FT_MATRIX_##name, min_elements = fewest }; \
	};
FT_ELEMENT(__half, __half, F16, 16)
FT_ELEMENT(__nv_bfloat16, __nv_bfloat16, BF16, 1)
FT_ELEMENT(precision::tf32, float, TF32, 1)
FT_ELEMENT(signed char, signed char, S8, 1)
FT_ELEMENT(unsigned char, unsigned char, U8, 1)
FT_ELEMENT(float, float, F32, 1)
FT_ELEMENT(int, int, S32, 1)
#undef FT_ELEMENT

/* The shapes of each type. */
template <int M, int N, int K, class T> struct ft_shape { enum { known = false }; };
#define FT_SHAPE(M, N, K, T) template <> struct ft_shape<M, N, K, T> { enum { known = true }; };
#define FT_SHAPES(T) FT_SHAPE(16, 16, 16, T) FT_SHAPE(32, 8, 16, T) FT_SHAPE(8, 32, 16, T)
FT_SHAPES(__half)
FT_SHAPES(__nv_bfloat16)
FT_SHAPES(signed char)
FT_SHAPES(unsigned char)
FT_SHAPES(float)
FT_SHAPES(int)
FT_SHAPE(16, 16, 8, precision::tf32)
FT_SHAPE(16, 16, 8, float)
#undef FT_SHAPES
#undef FT_SHAPE

struct ft_place { int row, column; };

/* --- fragments --- */

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
	static_assert(ft_shape<M, N, K, T>::known,
		      "wmma: this shape or type is not supported in the simulator");
public:
	typedef ft_element<T> element;
	typedef typename element::type element_type;
	enum {
		multiplies = std::is_same<Use, accumulator>::value ? 0 : 1,
		transposed = M == 8, tall = M != 16,
		left = multiplies && std::is_same<Use, matrix_a>::value != transposed,
		tile = left ? 16 * K / 32 : multiplies ? 8 * K / 32 : 4, /* of one product */
		tiles = !multiplies || left == tall ? 2 : 1,
		distinct = tiles * tile,                /* elements of a lane */
		num_elements = multiplies && (int)element::min_elements > (int)distinct
			? (int)element::min_elements : (int)distinct,
		num_storage_elements = num_elements,
		per = multiplies ? 4 / sizeof(element_type) : 1, /* in a register */
		registers = tile / per                  /* of one product */
	};
	element_type x[num_elements];

	/* Where in its matrix element i of a lane is. */
	static ft_place place(unsigned lane, int i)
	{
		const ft_place at = place_of(lane / 4, lane % 4, i % distinct / tile,
					     i % distinct % tile);

		return transposed ? ft_place{ at.column, at.row } : at;
	}

private:
	/* Element i of one of the two products. */
	static ft_place place_of(int group, int in_group, int product, int i)
	{
		const int r = i / per;

		if (!multiplies)
			return { group + 8 * (i >> 1) + (tall ? 16 * product : 0),
				 2 * in_group + (i & 1) + (tall ? 0 : 8 * product) };
		if (left)
			return { group + 8 * (r & 1) + 16 * product,
				 (in_group + 4 * (r >> 1)) * per + i % per };
		return { (in_group + 4 * r) * per + i % per, group + 8 * product };
	}
};

/* A register of the fragment. */
template <class F> static inline unsigned ft_register(const F &f, int number)
{
	unsigned bits = 0;

	for (int i = 0; i < F::per; i++) {
		unsigned one = 0;

		ft_copy_bits(&one, &f.x[number * F::per + i], sizeof f.x[0]);
		bits |= one << i * 8 * sizeof f.x[0];
	}
	return bits;
}

/* --- functions --- */

static inline unsigned ft_lane_of_warp()
{
	const struct dim3 at = ft_thread_index(), dim = ft_block_dim();

	return (at.x + dim.x * (at.y + dim.y * at.z)) & 31;
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
static inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = (typename ft_element<T>::type)value;
}

template <class F, class P>
static inline void ft_load(F &f, const P *p, unsigned stride, bool rows)
{
	const unsigned lane = ft_lane_of_warp();

	for (int i = 0; i < F::num_elements; i++) {
		const ft_place at = F::place(lane, i);

		if (i < F::distinct)
			f.x[i] = rows ? p[(size_t)at.row * stride + at.column]
				: p[(size_t)at.column * stride + at.row];
		else
			f.x[i] = f.x[i - F::distinct];
	}
}

template <class Use, int M, int N, int K, class T, class Layout>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f,
				    const typename ft_element<T>::type *p, unsigned stride)
{
	static_assert(!std::is_same<Use, accumulator>::value,
		      "wmma: the layout of an accumulator is an argument");
	ft_load(f, p, stride, std::is_same<Layout, row_major>::value);
}

template <int M, int N, int K, class T>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f,
				    const typename ft_element<T>::type *p, unsigned stride,
				    layout_t layout)
{
	ft_load(f, p, stride, layout == mem_row_major);
}

template <int M, int N, int K, class T>
static inline void store_matrix_sync(typename ft_element<T>::type *p,
				     const fragment<accumulator, M, N, K, T> &f, unsigned stride,
				     layout_t layout)
{
	typedef fragment<accumulator, M, N, K, T> F;
	const unsigned lane = ft_lane_of_warp();

	for (int i = 0; i < F::num_elements; i++) {
		const ft_place at = F::place(lane, i);

		p[layout == mem_row_major ? (size_t)at.row * stride + at.column
		  : (size_t)at.column * stride + at.row] = f.x[i];
	}
}

/* One of the two products of D = A B + C, k values at a time: tf32 has instructions for 4 only. */
template <class A, class B, class C>
static inline void ft_multiply(const struct ft_site *site, C &d, const A &a, const B &b,
			       const C &c, int product, int step, bool saturates)
{
	const int first = 4 * product, halves = sizeof c.x[0] == 2;
	const int steps = A::element::format == FT_MATRIX_TF32;
	const int first_a = A::tiles == 2 ? product * A::registers : 0;
	const int first_b = B::tiles == 2 ? product * B::registers : 0;
	typedef enum ft_matrix_format format;
	struct ft_matrix m = {
		(format)A::element::format, (format)B::element::format, (format)C::element::format,
		steps ? 4 : 16, saturates, {}, {}, {}, {}
	};

	for (int r = 0; r < (steps ? 2 : A::registers); r++)
		m.a[r] = ft_register(a, first_a + 2 * step + r);
	for (int r = 0; r < (steps ? 1 : B::registers); r++)
		m.b[r] = ft_register(b, first_b + step + r);
	for (int i = 0; i < 4; i++) {
		unsigned one = 0;

		ft_copy_bits(&one, &c.x[first + i], sizeof c.x[0]);
		m.c[halves ? i / 2 : i] |= one << (halves ? 16 * (i & 1) : 0);
	}
	ft_tensor_multiply(site, &m);
	for (int i = 0; i < 4; i++) {
		unsigned one = halves ? m.d[i / 2] >> 16 * (i & 1) : m.d[i];

		ft_copy_bits(&d.x[first + i], &one, sizeof d.x[0]);
	}
}

/* The transpose of A B is that of B multiplied by that of A. */
template <class A, class B, class C>
static inline void ft_multiply_as(std::false_type, const struct ft_site *site, C &sum, const A &a,
				  const B &b, int product, int step, bool saturates)
{
	ft_multiply(site, sum, a, b, sum, product, step, saturates);
}
template <class A, class B, class C>
static inline void ft_multiply_as(std::true_type, const struct ft_site *site, C &sum, const A &a,
				  const B &b, int product, int step, bool saturates)
{
	ft_multiply(site, sum, b, a, sum, product, step, saturates);
}

/* An error for kernels that can reach it. */
extern void ft_saturated_floats() __asm__("ft_absent_satf");

template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D>
static inline __attribute__((always_inline)) void
mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LayoutA> &a,
	 const fragment<matrix_b, M, N, K, T, LayoutB> &b,
	 const fragment<accumulator, M, N, K, D> &c, bool saturates = false,
	 const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
	static_assert(std::is_same<D, int>::value == (sizeof(typename ft_element<T>::type) == 1),
		      "wmma: only 8-bit integers have an accumulator of int");
	static_assert(!std::is_same<D, __half>::value || std::is_same<T, __half>::value,
		      "wmma: only half has an accumulator of half");
	const struct ft_site *site = ft_site_at("mma_sync", file, line, 0);
	fragment<accumulator, M, N, K, D> sum = c;

	if (saturates && !std::is_same<D, int>::value)
		ft_saturated_floats();
	for (int product = 0; product < 2; product++)
		for (int step = 0; step < (K == 8 ? 2 : 1); step++)
			ft_multiply_as(std::integral_constant<bool, M == 8>(), site, sum, a, b,
				       product, step, saturates);
	d = sum;
}

/* Rounds to tf32, ties away from zero. */
static inline float __float_to_tf32(float x) { return narrow_float_of(narrow_to_tf32_away(x)); }

}
}

#endif
