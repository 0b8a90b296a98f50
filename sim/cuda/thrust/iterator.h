/* iterator.h - iterators of Thrust that compute their values, over the host's side of a range. */
#ifndef SIM_THRUST_ITERATOR_H
#define SIM_THRUST_ITERATOR_H

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace thrust {

/* The operators of an iterator whose state is a number or another iterator. */
#define FT_ITERATOR(name, at, value) \
	typedef std::random_access_iterator_tag iterator_category; \
	typedef value value_type; \
	typedef ptrdiff_t difference_type; \
	typedef const value *pointer; \
	typedef value reference; \
	name &operator+=(ptrdiff_t n) { at += n; return *this; } \
	name &operator-=(ptrdiff_t n) { at -= n; return *this; } \
	name &operator++() { return *this += 1; } \
	name &operator--() { return *this -= 1; } \
	name operator++(int) { name old = *this; *this += 1; return old; } \
	name operator--(int) { name old = *this; *this -= 1; return old; } \
	name operator+(ptrdiff_t n) const { name moved = *this; return moved += n; } \
	name operator-(ptrdiff_t n) const { name moved = *this; return moved -= n; } \
	ptrdiff_t operator-(const name &other) const { return (ptrdiff_t)(at - other.at); } \
	value operator[](ptrdiff_t n) const { return *(*this + n); } \
	bool operator==(const name &other) const { return at == other.at; } \
	bool operator!=(const name &other) const { return !(at == other.at); } \
	bool operator<(const name &other) const { return at < other.at; }

template <class T> class counting_iterator {
	T at_;
public:
	explicit counting_iterator(T at = T()) : at_(at) { }
	FT_ITERATOR(counting_iterator, at_, T)
	T operator*() const { return at_; }
};
template <class T> static inline counting_iterator<T> make_counting_iterator(T at)
	{ return counting_iterator<T>(at); }

template <class T> class constant_iterator {
	T value_;
	ptrdiff_t at_;
public:
	explicit constant_iterator(T value, ptrdiff_t at = 0) : value_(value), at_(at) { }
	FT_ITERATOR(constant_iterator, at_, T)
	T operator*() const { return value_; }
};
template <class T> static inline constant_iterator<T> make_constant_iterator(T value)
	{ return constant_iterator<T>(value); }

#undef FT_ITERATOR

}

#endif
