/* integer.h - integer functions of CUDA's C++ library: rounding, powers of two, logarithms.
 *
 * Part of <cuda/cmath>. As CUDA's, they expect arguments for which the result exists.
 */
#ifndef SIM_LIBCU_INTEGER_H
#define SIM_LIBCU_INTEGER_H

#include <limits>
#include <type_traits>

namespace cuda {

template <class T> constexpr auto uabs(T x) noexcept
{
	using U = ::std::make_unsigned_t<T>;

	return x < T(0) ? U(U(0) - U(x)) : U(x);
}

template <class T, class U> constexpr ::std::common_type_t<T, U> ceil_div(T a, U b) noexcept
{
	using C = ::std::common_type_t<T, U>;

	return C(C(a) / C(b) + (C(a) % C(b) != 0));
}

template <class T, class U> constexpr ::std::common_type_t<T, U> round_up(T x, U base) noexcept
{
	using C = ::std::common_type_t<T, U>;

	return C(ceil_div(x, base) * C(base));
}

template <class T, class U> constexpr ::std::common_type_t<T, U> round_down(T x, U base) noexcept
{
	using C = ::std::common_type_t<T, U>;

	return C(C(x) / C(base) * C(base));
}

template <class T> constexpr bool is_power_of_two(T x) noexcept
	{ return x > T(0) && (x & (x - T(1))) == 0; }

template <class T> constexpr int ilog2(T x) noexcept
	{ return 63 - __builtin_clzll((unsigned long long)x); }

template <class T> constexpr int ceil_ilog2(T x) noexcept
	{ return ilog2(x) + !is_power_of_two(x); }

template <class T> constexpr T prev_power_of_two(T x) noexcept
	{ return x > T(0) ? T(T(1) << ilog2(x)) : T(0); }

template <class T> constexpr T next_power_of_two(T x) noexcept
	{ return x > T(1) ? T(T(1) << ceil_ilog2(x)) : T(1); }

/* The upper half of the product. */
template <class T> constexpr T mul_hi(T a, T b) noexcept
{
	constexpr int bits = 8 * sizeof(T);

	if constexpr (::std::is_signed<T>::value)
		return T((__int128)a * b >> bits);
	else
		return T((unsigned __int128)a * b >> bits);
}

}

#endif
