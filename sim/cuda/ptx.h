/* ptx.h - inline PTX for the simulator: registers, and a function for each kind of instruction.
 *
 * The rewriter translates asm statements to calls of these functions (sim/cu2c/ptx_table.c), with
 * the instruction's type as template argument. Registers have no types in PTX, so a register
 * converts its bits to whatever a function takes. Needs C++. Semantics are those of the PTX ISA;
 * approximations are the models of base/math.
 */
#ifndef SIM_PTX_H
#define SIM_PTX_H

#include "sim/cuda/cuda_cpp.h"
#include "sim/cuda/float16/small_float.h"

/* Inlined, so that a finding names the line of the asm statement. */
#define FT_PTX static inline __attribute__((always_inline, unused))

/* A register, or the value of an operand. */
struct ft_reg {
	uint64_t bits;

	ft_reg() = default;
	template <class T> explicit ft_reg(T v) { put(v); }

	/* Values of signed types fill a wider register with their sign, as loads do. */
	template <class T> __attribute__((always_inline)) void put(T v)
	{
		const int unused = 64 - 8 * (int)sizeof v;

		bits = 0;
		ft_copy_bits(&bits, &v, sizeof v);
		if (std::is_integral<T>::value && std::is_signed<T>::value)
			bits = (uint64_t)((int64_t)(bits << unused) >> unused);
	}
	template <class T> __attribute__((always_inline)) ft_reg &operator=(T v)
	{
		put(v);
		return *this;
	}

	template <class T> using plain = typename std::remove_cv<
		typename std::remove_reference<T>::type>::type;
	template <class T> __attribute__((always_inline)) plain<T> as() const
	{
		plain<T> v;

		ft_copy_bits(&v, &bits, sizeof v);
		return v;
	}
	template <class T> __attribute__((always_inline)) operator T() const { return as<T>(); }
	bool is() const { return bits & 1; }    /* of a predicate */
};

/* The elements of a vector that an instruction reads, and the places of those that it writes. */
template <int N> struct ft_values { ft_reg at[N]; };
template <int N> struct ft_places { ft_reg *at[N]; };

#include "sim/cuda/ptx/integer.h"
#include "sim/cuda/ptx/real.h"
#include "sim/cuda/ptx/narrow.h"
#include "sim/cuda/mbarrier.h"
#include "sim/cuda/ptx/memory.h"
#include "sim/cuda/ptx/warp.h"
#include "sim/cuda/tensor.h"
#include "sim/cuda/ptx/matrix.h"

#endif
