/* functional.h - function objects, tuples and random numbers of Thrust, from C++'s library.
 *
 * The generators are those of the C++ standard, whose sequences Thrust's share; distributions are
 * C++'s, so their numbers differ from Thrust's.
 */
#ifndef SIM_THRUST_FUNCTIONAL_H
#define SIM_THRUST_FUNCTIONAL_H

#include <random>
#include <tuple>
#include <utility>

namespace thrust {

#define FT_BINARY(name, result, expression) \
	template <class T = void> struct name { \
		__host__ __device__ result operator()(const T &a, const T &b) const \
			{ return expression; } \
	}; \
	template <> struct name<void> { \
		template <class A, class B> \
		__host__ __device__ auto operator()(const A &a, const B &b) const \
			-> decltype(expression) { return expression; } \
	};
FT_BINARY(plus, T, a + b)
FT_BINARY(minus, T, a - b)
FT_BINARY(multiplies, T, a * b)
FT_BINARY(divides, T, a / b)
FT_BINARY(modulus, T, a % b)
FT_BINARY(bit_and, T, a & b)
FT_BINARY(bit_or, T, a | b)
FT_BINARY(bit_xor, T, a ^ b)
FT_BINARY(maximum, T, a < b ? b : a)
FT_BINARY(minimum, T, b < a ? b : a)
FT_BINARY(equal_to, bool, a == b)
FT_BINARY(not_equal_to, bool, a != b)
FT_BINARY(less, bool, a < b)
FT_BINARY(less_equal, bool, a <= b)
FT_BINARY(greater, bool, a > b)
FT_BINARY(greater_equal, bool, a >= b)
FT_BINARY(logical_and, bool, a && b)
FT_BINARY(logical_or, bool, a || b)
#undef FT_BINARY
template <class T> struct negate
	{ __host__ __device__ T operator()(const T &x) const { return -x; } };
template <class T> struct identity
	{ __host__ __device__ const T &operator()(const T &x) const { return x; } };
template <class T> struct square
	{ __host__ __device__ T operator()(const T &x) const { return x * x; } };

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;

using std::minstd_rand;
using std::minstd_rand0;
typedef std::minstd_rand default_random_engine;
/* As Thrust computes it: C++'s library gives other values, and calls functions of the host. */
template <class T = double> class uniform_real_distribution {
	T a_, b_;
public:
	typedef T result_type;
	typedef std::pair<T, T> param_type;

	__host__ __device__ explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) { }
	__host__ __device__ explicit uniform_real_distribution(const param_type &p)
		: a_(p.first), b_(p.second) { }
	__host__ __device__ void reset() { }
	__host__ __device__ param_type param() const { return param_type(a_, b_); }
	__host__ __device__ void param(const param_type &p) { a_ = p.first; b_ = p.second; }
	__host__ __device__ T a() const { return a_; }
	__host__ __device__ T b() const { return b_; }
	__host__ __device__ T min() const { return a_; }
	__host__ __device__ T max() const { return b_; }
	template <class Engine> __host__ __device__ T operator()(Engine &engine) const
		{ return (*this)(engine, param()); }
	template <class Engine>
	__host__ __device__ T operator()(Engine &engine, const param_type &p) const
	{
		T result = (T)(engine() - Engine::min());

		result /= T(1) + (T)(Engine::max() - Engine::min());
		return result * (p.second - p.first) + p.first;
	}
	friend __host__ __device__ bool operator==(const uniform_real_distribution &x,
						   const uniform_real_distribution &y)
		{ return x.a_ == y.a_ && x.b_ == y.b_; }
	friend __host__ __device__ bool operator!=(const uniform_real_distribution &x,
						   const uniform_real_distribution &y)
		{ return !(x == y); }
};
template <class T = int> using uniform_int_distribution = std::uniform_int_distribution<T>;
template <class T = double> using normal_distribution = std::normal_distribution<T>;
namespace random {
using thrust::default_random_engine;
using thrust::minstd_rand;
using thrust::uniform_int_distribution;
using thrust::uniform_real_distribution;
}

}

#endif
