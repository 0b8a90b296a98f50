/* memory.h - thrust::device_ptr, device_vector and host_vector; see <thrust/device_vector.h>.
 *
 * An element of device memory that host code reads or assigns is a copy of its own, as in Thrust.
 * Every copy is a cudaMemcpy(), so that it is recorded.
 */
#ifndef SIM_THRUST_MEMORY_H
#define SIM_THRUST_MEMORY_H

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/cuda/include/cuda_runtime.h"

namespace thrust {

class system_error : public std::runtime_error {
	cudaError_t code_;
public:
	system_error(cudaError_t code, const char *what)
		: std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)),
		  code_(code) { }
	cudaError_t code() const { return code_; }
};

static inline void ft_check(cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		throw system_error(error, what);
}

template <class T> class device_ptr;

template <class T> class device_reference {
	T *at_;
public:
	typedef T value_type;

	explicit device_reference(T *at) : at_(at) { }
	device_reference(const device_reference &) = default;
	T *ft_address() const { return at_; }
	device_ptr<T> operator&() const { return device_ptr<T>(at_); }
	operator T() const
	{
		typename std::remove_const<T>::type value;

		ft_check(cudaMemcpy(&value, at_, sizeof value, cudaMemcpyDeviceToHost),
			 "thrust::device_reference");
		return value;
	}
	const device_reference &operator=(const T &value) const
	{
		ft_check(cudaMemcpy(at_, &value, sizeof value, cudaMemcpyHostToDevice),
			 "thrust::device_reference");
		return *this;
	}
	const device_reference &operator=(const device_reference &other) const
		{ return *this = (T)other; }
	template <class U> const device_reference &operator+=(const U &v) const
		{ return *this = (T)((T)*this + v); }
	template <class U> const device_reference &operator-=(const U &v) const
		{ return *this = (T)((T)*this - v); }
};

/* An address in device memory, and the iterator of device_vector. */
template <class T> class device_ptr {
	T *at_;
public:
	typedef std::random_access_iterator_tag iterator_category;
	typedef typename std::remove_const<T>::type value_type;
	typedef ptrdiff_t difference_type;
	typedef device_ptr pointer;
	typedef device_reference<T> reference;

	device_ptr() : at_(nullptr) { }
	device_ptr(std::nullptr_t) : at_(nullptr) { }
	explicit device_ptr(T *at) : at_(at) { }
	template <class U, class = typename std::enable_if<
		std::is_convertible<U *, T *>::value>::type>
	device_ptr(const device_ptr<U> &other) : at_(other.get()) { }
	T *get() const { return at_; }
	explicit operator bool() const { return at_ != nullptr; }
	reference operator*() const { return reference(at_); }
	reference operator[](ptrdiff_t i) const { return reference(at_ + i); }
	device_ptr &operator+=(ptrdiff_t n) { at_ += n; return *this; }
	device_ptr &operator-=(ptrdiff_t n) { at_ -= n; return *this; }
	device_ptr &operator++() { ++at_; return *this; }
	device_ptr &operator--() { --at_; return *this; }
	device_ptr operator++(int) { device_ptr old = *this; ++at_; return old; }
	device_ptr operator--(int) { device_ptr old = *this; --at_; return old; }
	device_ptr operator+(ptrdiff_t n) const { return device_ptr(at_ + n); }
	device_ptr operator-(ptrdiff_t n) const { return device_ptr(at_ - n); }
	ptrdiff_t operator-(const device_ptr &other) const { return at_ - other.at_; }
	bool operator==(const device_ptr &other) const { return at_ == other.at_; }
	bool operator!=(const device_ptr &other) const { return at_ != other.at_; }
	bool operator<(const device_ptr &other) const { return at_ < other.at_; }
};

template <class T> static inline device_ptr<T> device_pointer_cast(T *p)
	{ return device_ptr<T>(p); }
template <class T> static inline device_ptr<T> device_pointer_cast(device_ptr<T> p) { return p; }
template <class T> static inline T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T> static inline T *raw_pointer_cast(T *p) { return p; }

template <class T> static inline device_ptr<T> device_malloc(size_t count)
{
	void *memory = nullptr;

	if (count > 0)
		ft_check(cudaMalloc(&memory, count * sizeof(T)), "thrust::device_malloc");
	return device_ptr<T>((T *)memory);
}
/* So many bytes. */
static inline device_ptr<void> device_malloc(size_t bytes)
	{ return device_ptr<void>((void *)device_malloc<char>(bytes).get()); }
template <class T> static inline void device_free(device_ptr<T> p)
{
	if (p)
		ft_check(cudaFree((void *)p.get()), "thrust::device_free");
}

/* As in std::vector, so that a vector of bool has elements with addresses. */
template <class T> using host_vector = std::vector<T>;

template <class T> class device_vector {
	device_ptr<T> at_;
	size_t size_ = 0, capacity_ = 0;

	void put(size_t at, const T *from, size_t count)
	{
		if (count > 0)
			ft_check(cudaMemcpy(at_.get() + at, from, count * sizeof(T),
					    cudaMemcpyHostToDevice), "thrust::device_vector");
	}
	void copy_from(const T *device, size_t count)
	{
		resize_only(count);
		if (count > 0)
			ft_check(cudaMemcpy(at_.get(), device, count * sizeof(T),
					    cudaMemcpyDeviceToDevice), "thrust::device_vector");
	}
	void resize_only(size_t count)
	{
		reserve(count);
		size_ = count;
	}
public:
	typedef T value_type;
	typedef size_t size_type;
	typedef ptrdiff_t difference_type;
	typedef device_ptr<T> pointer, iterator;
	typedef device_ptr<const T> const_iterator, const_pointer;
	typedef device_reference<T> reference;
	typedef T const_reference;

	device_vector() = default;
	explicit device_vector(size_t count) { resize(count); }
	device_vector(size_t count, const T &value) { resize(count, value); }
	device_vector(std::initializer_list<T> list)
		: device_vector(std::vector<T>(list)) { }
	device_vector(const device_vector &other) { copy_from(other.at_.get(), other.size_); }
	device_vector(device_vector &&other) noexcept { swap(other); }
	device_vector(const std::vector<T> &other) { *this = other; }
	template <class It, class = typename std::iterator_traits<It>::iterator_category>
	device_vector(It first, It last) { assign(first, last); }
	~device_vector()
	{
		if (at_)
			cudaFree((void *)at_.get());
	}
	device_vector &operator=(const device_vector &other)
	{
		if (this != &other)
			copy_from(other.at_.get(), other.size_);
		return *this;
	}
	device_vector &operator=(device_vector &&other) noexcept { swap(other); return *this; }
	device_vector &operator=(const std::vector<T> &other)
	{
		resize_only(other.size());
		put(0, other.data(), other.size());
		return *this;
	}
	/* For thrust::host_vector and std::vector. */
	operator std::vector<T>() const
	{
		std::vector<T> out(size_);

		if (size_ > 0)
			ft_check(cudaMemcpy(out.data(), at_.get(), size_ * sizeof(T),
					    cudaMemcpyDeviceToHost), "thrust::device_vector");
		return out;
	}
	template <class It> void assign(It first, It last)
		{ *this = std::vector<T>(first, last); }
	void assign(device_ptr<T> first, device_ptr<T> last)
		{ copy_from(first.get(), (size_t)(last - first)); }
	void assign(size_t count, const T &value) { clear(); resize(count, value); }
	void reserve(size_t count)
	{
		device_ptr<T> larger;

		if (count <= capacity_)
			return;
		larger = device_malloc<T>(count);
		if (size_ > 0)
			ft_check(cudaMemcpy(larger.get(), at_.get(), size_ * sizeof(T),
					    cudaMemcpyDeviceToDevice), "thrust::device_vector");
		device_free(at_);
		at_ = larger;
		capacity_ = count;
	}
	/* New elements are set, as Thrust sets them. */
	void resize(size_t count, const T &value = T())
	{
		size_t before = size_;

		resize_only(count);
		if (count > before)
			put(before, std::vector<T>(count - before, value).data(), count - before);
	}
	void push_back(const T &value)
	{
		if (size_ == capacity_)
			reserve(size_ ? 2 * size_ : 4);
		put(size_++, &value, 1);
	}
	void pop_back() { size_--; }
	void clear() { size_ = 0; }
	void shrink_to_fit() { }
	void swap(device_vector &other) noexcept
	{
		std::swap(at_, other.at_);
		std::swap(size_, other.size_);
		std::swap(capacity_, other.capacity_);
	}
	size_t size() const { return size_; }
	size_t capacity() const { return capacity_; }
	bool empty() const { return size_ == 0; }
	pointer data() { return at_; }
	const_pointer data() const { return at_; }
	iterator begin() { return at_; }
	iterator end() { return at_ + (ptrdiff_t)size_; }
	const_iterator begin() const { return at_; }
	const_iterator end() const { return at_ + (ptrdiff_t)size_; }
	const_iterator cbegin() const { return at_; }
	const_iterator cend() const { return at_ + (ptrdiff_t)size_; }
	reference operator[](size_t i) { return at_[(ptrdiff_t)i]; }
	T operator[](size_t i) const { return at_[(ptrdiff_t)i]; }
	reference front() { return at_[0]; }
	reference back() { return at_[(ptrdiff_t)size_ - 1]; }
};

}

#endif
