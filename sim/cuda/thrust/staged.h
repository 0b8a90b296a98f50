/* staged.h - ranges of Thrust's algorithms as the host sees them.
 *
 * What lies in device memory is copied to the host and back; a range of the host is used where it
 * is. Used by algorithm.h, by_key.h and zip.h, which has the ranges of compound iterators.
 */
#ifndef SIM_THRUST_STAGED_H
#define SIM_THRUST_STAGED_H

#include <memory>
#include <type_traits>

#include "sim/cuda/thrust/functional.h"
#include "sim/cuda/thrust/iterator.h"
#include "sim/cuda/thrust/memory.h"

namespace thrust {

/* --- where an algorithm runs: the host runs all --- */

struct ft_policy {
	template <class S> ft_policy on(const S &) const { return {}; }
};
static const ft_policy device __attribute__((unused)), host __attribute__((unused));
static const ft_policy seq __attribute__((unused));
namespace cuda { static const ft_policy par __attribute__((unused)), par_nosync
	__attribute__((unused)); }

/* --- copies of ranges --- */

enum ft_use { FT_READS = 1, FT_WRITES = 2 };

/* A range of the host is used where it is. */
template <class It> struct ft_staged {
	It first;
	size_t count;

	ft_staged(It from, size_t n, int) : first(from), count(n) { }
	It begin() const { return first; }
	It end() const { return first + (ptrdiff_t)count; }
	It back(It at) const { return at; }
	void store(size_t) { }
};

template <class T> struct ft_staged<device_ptr<T>> {
	typedef typename std::remove_const<T>::type value;
	device_ptr<T> first;
	size_t count;
	std::unique_ptr<value[]> copy;
	int use;

	ft_staged(device_ptr<T> from, size_t n, int how)
		: first(from), count(n), copy(new value[n ? n : 1]), use(how)
	{
		if (n > 0 && (how & FT_READS))
			ft_check(cudaMemcpy((void *)copy.get(), from.get(), n * sizeof(T),
					    cudaMemcpyDeviceToHost), "thrust");
	}
	value *begin() const { return copy.get(); }
	value *end() const { return copy.get() + count; }
	device_ptr<T> back(value *at) const { return first + (at - copy.get()); }
	/* Writes the first n elements back. */
	void store(size_t n)
	{
		if (n > 0 && (use & FT_WRITES))
			ft_check(cudaMemcpy((void *)first.get(), copy.get(), n * sizeof(T),
					    cudaMemcpyHostToDevice), "thrust");
	}
};

#define FT_COUNT(first, last) (size_t)((last) - (first))
#define FT_STAGE(name, It, first, n, use) ft_staged<It> name((first), (n), (use))
/* The same algorithm with a policy as its first argument. */
#define FT_POLICY(name) \
	template <class... A> static inline auto name(const ft_policy &, A &&...args) \
		-> decltype(name(std::forward<A>(args)...)) \
		{ return name(std::forward<A>(args)...); }

}

#endif
