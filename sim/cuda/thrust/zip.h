/* zip.h - iterators of Thrust that are made of other iterators: zip, transform, permutation and
 * discard.
 *
 * An algorithm sees a plain array of their values, which is made of the ranges under them when it
 * begins and put back into these when it ends.
 */
#ifndef SIM_THRUST_ZIP_H
#define SIM_THRUST_ZIP_H

#include <algorithm>

#include "sim/cuda/thrust/staged.h"

namespace thrust {

template <class It> using ft_value_of = typename std::remove_const<
	typename std::iterator_traits<It>::value_type>::type;

/* --- the iterators --- */

/* `at`: the iterator that counts. */
#define FT_COMPOUND(name, at) \
	typedef std::random_access_iterator_tag iterator_category; \
	typedef ptrdiff_t difference_type; \
	typedef void pointer; \
	name &operator-=(ptrdiff_t n) { return *this += -n; } \
	name &operator++() { return *this += 1; } \
	name &operator--() { return *this += -1; } \
	name operator++(int) { name old = *this; *this += 1; return old; } \
	name operator--(int) { name old = *this; *this += -1; return old; } \
	name operator+(ptrdiff_t n) const { name moved = *this; return moved += n; } \
	name operator-(ptrdiff_t n) const { return *this + -n; } \
	ptrdiff_t operator-(const name &other) const { return (ptrdiff_t)(at - other.at); } \
	reference operator[](ptrdiff_t n) const { return *(*this + n); } \
	bool operator==(const name &other) const { return at == other.at; } \
	bool operator!=(const name &other) const { return !(at == other.at); } \
	bool operator<(const name &other) const { return at < other.at; }

template <class Tuple> class zip_iterator;
template <class... It> class zip_iterator<std::tuple<It...>> {
	std::tuple<It...> at_;
	template <size_t... I> void move(ptrdiff_t n, std::index_sequence<I...>)
		{ (void)std::initializer_list<int>{ ((void)(std::get<I>(at_) += n), 0)... }; }
public:
	typedef std::tuple<ft_value_of<It>...> value_type;
	typedef std::tuple<typename std::iterator_traits<It>::reference...> reference;
private:
	template <size_t... I> reference at(std::index_sequence<I...>) const
		{ return { *std::get<I>(at_)... }; }
public:

	zip_iterator() = default;
	const typename std::tuple_element<0, std::tuple<It...>>::type &ft_first() const
		{ return std::get<0>(at_); }
	explicit zip_iterator(const std::tuple<It...> &at) : at_(at) { }
	const std::tuple<It...> &get_iterator_tuple() const { return at_; }
	zip_iterator &operator+=(ptrdiff_t n)
		{ move(n, std::index_sequence_for<It...>()); return *this; }
	reference operator*() const { return at(std::index_sequence_for<It...>()); }
	FT_COMPOUND(zip_iterator, ft_first())
};
template <class... It>
static inline zip_iterator<std::tuple<It...>> make_zip_iterator(const std::tuple<It...> &at)
	{ return zip_iterator<std::tuple<It...>>(at); }
template <class A, class B, class... It>
static inline zip_iterator<std::tuple<A, B, It...>> make_zip_iterator(A a, B b, It... rest)
	{ return zip_iterator<std::tuple<A, B, It...>>(std::tuple<A, B, It...>(a, b, rest...)); }

/* The values of f for the elements under it; it is only read. */
template <class F, class It> class transform_iterator {
	It at_;
	F f_;
public:
	typedef typename std::decay<decltype(std::declval<F>()(
		std::declval<ft_value_of<It>>()))>::type value_type;
	typedef value_type reference;

	transform_iterator(It at, F f) : at_(at), f_(f) { }
	It base() const { return at_; }
	F functor() const { return f_; }
	transform_iterator &operator+=(ptrdiff_t n) { at_ += n; return *this; }
	transform_iterator &operator=(const transform_iterator &other)
		{ at_ = other.at_; return *this; }    /* a lambda cannot be assigned */
	transform_iterator(const transform_iterator &) = default;
	value_type operator*() const { return f_((ft_value_of<It>)*at_); }
	FT_COMPOUND(transform_iterator, at_)
};
template <class F, class It>
static inline transform_iterator<F, It> make_transform_iterator(It at, F f)
	{ return transform_iterator<F, It>(at, f); }

/* elements[*index] */
template <class E, class I> class permutation_iterator {
	E elements_;
	I at_;
public:
	typedef ft_value_of<E> value_type;
	typedef typename std::iterator_traits<E>::reference reference;

	permutation_iterator(E elements, I at) : elements_(elements), at_(at) { }
	E ft_elements() const { return elements_; }
	I base() const { return at_; }
	permutation_iterator &operator+=(ptrdiff_t n) { at_ += n; return *this; }
	reference operator*() const
		{ return *(elements_ + (ptrdiff_t)(ft_value_of<I>)*at_); }
	FT_COMPOUND(permutation_iterator, at_)
};
template <class E, class I>
static inline permutation_iterator<E, I> make_permutation_iterator(E elements, I at)
	{ return permutation_iterator<E, I>(elements, at); }

/* Takes any value and keeps none. */
struct ft_discarded {
	template <class T> const ft_discarded &operator=(const T &) const { return *this; }
};
class discard_iterator {
	ptrdiff_t at_;
public:
	typedef ft_discarded value_type, reference;

	explicit discard_iterator(ptrdiff_t at = 0) : at_(at) { }
	discard_iterator &operator+=(ptrdiff_t n) { at_ += n; return *this; }
	ft_discarded operator*() const { return {}; }
	FT_COMPOUND(discard_iterator, at_)
};
static inline discard_iterator make_discard_iterator(ptrdiff_t at = 0)
	{ return discard_iterator(at); }
#undef FT_COMPOUND

/* Whether all that it refers to is in device memory. */
template <class It> struct ft_on_device : std::false_type { };
template <class T> struct ft_on_device<device_ptr<T>> : std::true_type { };
template <class... It> struct ft_on_device<zip_iterator<std::tuple<It...>>>
	: std::conjunction<ft_on_device<It>...> { };

/* --- what an algorithm sees --- */

/* Nothing is written into values that an iterator computes. */
template <class At, class T> static inline void ft_put(At at, const T &value)
{
	typedef decltype(*at) place;
	constexpr bool is_place = std::is_lvalue_reference<place>::value
		|| !std::is_same<ft_value_of<At>, typename std::decay<place>::type>::value;

	if constexpr (is_place && std::is_assignable<place, const T &>::value)
		*at = value;
}

/* The values of a range, and the iterator where they are from. */
template <class It, class T> struct ft_values {
	It first;
	size_t count;
	std::unique_ptr<T[]> copy;
	int use;

	ft_values(It from, size_t n, int how)
		: first(from), count(n), copy(new T[n ? n : 1]), use(how) { }
	T *begin() const { return copy.get(); }
	T *end() const { return copy.get() + count; }
	It back(T *at) const { return first + (at - copy.get()); }
};

template <class... It> struct ft_staged<zip_iterator<std::tuple<It...>>>
	: ft_values<zip_iterator<std::tuple<It...>>, std::tuple<ft_value_of<It>...>> {
	typedef zip_iterator<std::tuple<It...>> iterator;
	typedef std::index_sequence_for<It...> all;
	std::tuple<ft_staged<It>...> parts;

	template <size_t... I>
	ft_staged(iterator from, size_t n, int how, std::index_sequence<I...>)
		: ft_values<iterator, std::tuple<ft_value_of<It>...>>(from, n, how),
		  parts(ft_staged<It>(std::get<I>(from.get_iterator_tuple()), n, how)...)
	{
		for (size_t i = 0; i < n && (how & FT_READS); i++)
			this->copy[i] = std::tuple<ft_value_of<It>...>(
				std::get<I>(parts).begin()[(ptrdiff_t)i]...);
	}
	ft_staged(iterator from, size_t n, int how) : ft_staged(from, n, how, all()) { }
	template <size_t... I> void put(size_t n, std::index_sequence<I...>)
	{
		for (size_t i = 0; i < n; i++)
			(void)std::initializer_list<int>{ (ft_put(std::get<I>(parts).begin()
				+ (ptrdiff_t)i, std::get<I>(this->copy[i])), 0)... };
		(void)std::initializer_list<int>{ (std::get<I>(parts).store(n), 0)... };
	}
	void store(size_t n)
	{
		if (this->use & FT_WRITES)
			put(n, all());
	}
};

template <class F, class It> struct ft_staged<transform_iterator<F, It>>
	: ft_values<transform_iterator<F, It>, typename transform_iterator<F, It>::value_type> {
	typedef transform_iterator<F, It> iterator;

	ft_staged(iterator from, size_t n, int how)
		: ft_values<iterator, typename iterator::value_type>(from, n, how)
	{
		ft_staged<It> under(from.base(), n, FT_READS);

		for (size_t i = 0; i < n; i++)
			this->copy[i] = from.functor()(under.begin()[(ptrdiff_t)i]);
	}
	void store(size_t) { }
};

template <class E, class I> struct ft_staged<permutation_iterator<E, I>>
	: ft_values<permutation_iterator<E, I>, ft_value_of<E>> {
	typedef permutation_iterator<E, I> iterator;
	ft_staged<I> places;
	ptrdiff_t low = 0, high = 0;

	ft_staged(iterator from, size_t n, int how)
		: ft_values<iterator, ft_value_of<E>>(from, n, how),
		  places(from.base(), n, FT_READS)
	{
		for (size_t i = 0; i < n; i++) {
			low = i ? std::min(low, place(i)) : place(i);
			high = i ? std::max(high, place(i) + 1) : place(i) + 1;
		}
		if (n == 0 || !(how & FT_READS))
			return;
		ft_staged<E> elements(from.ft_elements() + low, (size_t)(high - low), FT_READS);

		for (size_t i = 0; i < n; i++)
			this->copy[i] = elements.begin()[place(i) - low];
	}
	ptrdiff_t place(size_t i) const { return (ptrdiff_t)places.begin()[(ptrdiff_t)i]; }
	/* Elements of which the range has none keep their values. */
	void store(size_t n)
	{
		if (n == 0 || !(this->use & FT_WRITES))
			return;
		ft_staged<E> elements(this->first.ft_elements() + low, (size_t)(high - low),
				      FT_READS | FT_WRITES);

		for (size_t i = 0; i < n; i++)
			elements.begin()[place(i) - low] = this->copy[i];
		elements.store(elements.count);
	}
};

}

#endif
