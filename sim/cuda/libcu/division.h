/* division.h - division by a number that is known before: a product and a shift; see <cuda/cmath>.
 *
 * An object has the members of CUDA's, in their order and with their values, because kernels get it
 * as a parameter. What it computes is the quotient: there is no other right result.
 */
#ifndef SIM_LIBCU_DIVISION_H
#define SIM_LIBCU_DIVISION_H

#include <utility>

#include "sim/cuda/libcu/integer.h"

namespace cuda {

template <class T, bool NeverOne = false> class fast_mod_div {
	static_assert(::std::is_integral<T>::value, "fast_mod_div: expected an integer type");

	using U = ::std::make_unsigned_t<T>;
	static constexpr int bits = 8 * sizeof(T);

	T divisor_ = 1;
	U multiplier_ = 0;
	unsigned add_ = 0;              /* to the dividend */
	int shift_ = 0;

	/* The quotient of 2^power, without the bits above those of U, and the remainder. */
	constexpr ::std::pair<U, U> divide_power(int power) const
	{
		const U d = U(divisor_);
		U quotient = d == 1, rest = d != 1;

		for (int i = 0; i < power; i++) {
			bool over = rest >> (bits - 1) & 1;

			rest = U(rest << 1);
			over = over || rest >= d;
			rest = over ? U(rest - d) : rest;
			quotient = U(U(quotient << 1) | over);
		}
		return { quotient, rest };
	}

	/* Rounded up, for dividends without the highest bit. */
	constexpr void set_signed()
	{
		shift_ = ceil_ilog2(divisor_) - 1;
		const auto [quotient, rest] = divide_power(bits + shift_);
		multiplier_ = U(quotient + (rest != 0));
	}

	/* Rounded up if that is precise enough, else down, with one more of the dividend. */
	constexpr void set_unsigned()
	{
		shift_ = ilog2(divisor_);
		if (is_power_of_two(divisor_))
			return;
		const auto [quotient, rest] = divide_power(bits + shift_);
		add_ = rest < U(divisor_ - U(U(1) << shift_));
		multiplier_ = U(quotient + !add_);
	}

	constexpr U divide(U n) const
	{
		if (::std::is_unsigned<T>::value && multiplier_ == 0)
			return U(n >> shift_);
		if (::std::is_signed<T>::value && !NeverOne && divisor_ == 1)
			return n;
		if (n != ::std::numeric_limits<U>::max())
			n = U(n + add_);
		return U(mul_hi(n, multiplier_) >> shift_);
	}

public:
	fast_mod_div() = delete;
	constexpr explicit fast_mod_div(T divisor) noexcept : divisor_(divisor)
	{
		if constexpr (::std::is_signed<T>::value)
			set_signed();
		else
			set_unsigned();
	}
	constexpr operator T() const noexcept { return divisor_; }

	template <class L> [[nodiscard]] friend constexpr ::std::common_type_t<T, L>
	operator/(L dividend, fast_mod_div d) noexcept
	{
		static_assert(::std::is_integral<L>::value
			      && (unsigned long long)::std::numeric_limits<L>::max()
			      <= (unsigned long long)::std::numeric_limits<T>::max(),
			      "fast_mod_div: the divisor's type must hold every dividend");
		return ::std::common_type_t<T, L>(d.divide(U(dividend)));
	}

	template <class L> [[nodiscard]] friend constexpr ::std::common_type_t<T, L>
	operator%(L dividend, fast_mod_div d) noexcept
		{ return dividend - (dividend / d) * d.divisor_; }
};

/* Quotient and remainder. */
template <class T, class L, bool NeverOne> [[nodiscard]] constexpr ::std::pair<T, L>
div(T dividend, fast_mod_div<L, NeverOne> divisor) noexcept
{
	const auto quotient = dividend / divisor;

	return { T(quotient), L(dividend - quotient * L(divisor)) };
}

}

#endif
