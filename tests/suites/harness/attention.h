/* attention.h - what the programs here share: seeded numbers, arrays on the device, attention in
 * double on the host, and the comparison of a kernel's results with it.
 */
#ifndef HARNESS_ATTENTION_H
#define HARNESS_ATTENTION_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

static inline void need(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

/* The argument as a number; a program that lacks it ends. */
static inline unsigned argument(int argc, char **argv, int at, const char *what)
{
	if (at < argc)
		return (unsigned)strtoul(argv[at], NULL, 10);
	fprintf(stderr, "expected an argument: %s\n", what);
	exit(2);
}

/* All arguments from `from` on: at least one. */
static inline std::vector<int> arguments(int argc, char **argv, int from, const char *what)
{
	std::vector<int> all = { (int)argument(argc, argv, from, what) };

	while (++from < argc)
		all.push_back((int)argument(argc, argv, from, what));
	return all;
}

/* --- numbers and arrays --- */

/* A linear congruential generator: the same numbers in each run. */
struct generator {
	uint32_t state;

	uint32_t next()
	{
		state = state * 1664525u + 1013904223u;
		return state >> 8;
	}
	/* In [-1, 1). */
	float real()
	{
		return (float)next() / 8388608.0f - 1.0f;
	}
};

/* Numbers in [-scale, scale), rounded to T. */
template <typename T>
std::vector<T> numbers(generator &from, size_t count, float scale)
{
	std::vector<T> made(count);

	for (T &x : made)
		x = T(scale * from.real());
	return made;
}

/* An array on the device. Its elements are NaN at first, so that an element that is not written is
 * noticed. */
template <typename T>
class device_array {
	T *memory = NULL;
	size_t count;

public:
	explicit device_array(size_t n) : count(n)
	{
		need(cudaMalloc((void **)&memory, bytes()), "cudaMalloc");
		need(cudaMemset(memory, 0xff, bytes()), "cudaMemset");
	}
	explicit device_array(const std::vector<T> &from) : count(from.size())
	{
		need(cudaMalloc((void **)&memory, bytes()), "cudaMalloc");
		need(cudaMemcpy(memory, from.data(), bytes(), cudaMemcpyHostToDevice),
		     "cudaMemcpy");
	}
	device_array(const device_array &) = delete;
	device_array &operator=(const device_array &) = delete;
	~device_array()
	{
		cudaFree(memory);
	}
	T *get() const
	{
		return memory;
	}
	std::vector<T> values() const
	{
		std::vector<T> to(count);

		need(cudaMemcpy(to.data(), memory, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
		return to;
	}

private:
	size_t bytes() const
	{
		return count * sizeof(T);
	}
};

/* A function that returns a pointer to row i of a head. hnd: the rows of a head are next to each
 * other; otherwise the heads of a row are. */
template <typename T>
auto rows_of(const std::vector<T> &all, bool hnd, size_t head, size_t heads, size_t rows,
	     size_t dim)
{
	const T *first = &all[(hnd ? head * rows : head) * dim];
	const size_t step = hnd ? dim : heads * dim;

	return [first, step](int i) { return first + i * step; };
}

/* --- attention in double --- */

/* What logits become before the softmax. */
struct rule {
	double scale;                   /* of q k */
	double cap;                     /* cap * tanh(logit / cap); 0: none */
};

/* One row of attention over the keys [0, end). k(i) has as many elements as q, v(i) as many as out.
 * Keys with see(i) false are masked. Returns log2 of the sum of exp(logit); if all keys are masked,
 * that is -infinity, and the values are 0. */
template <typename Q, typename Keys, typename Values, typename See>
double attend(const Q *q, int q_size, const Keys &k, const Values &v, const See &see, int end,
	      const rule &rule, double *out, int out_size)
{
	std::vector<double> weights(end);
	double top = -INFINITY, sum = 0;

	for (int i = 0; i < end; i++) {
		double dot = 0;

		for (int j = 0; j < q_size; j++)
			dot += (double)(float)q[j] * (double)(float)k(i)[j];
		dot *= rule.scale;
		if (rule.cap > 0)
			dot = rule.cap * tanh(dot / rule.cap);
		weights[i] = see(i) ? dot : -INFINITY;
		top = fmax(top, weights[i]);
	}
	for (int j = 0; j < out_size; j++)
		out[j] = 0;
	if (top == -INFINITY)
		return top;
	for (int i = 0; i < end; i++)
		sum += weights[i] = exp(weights[i] - top);
	for (int i = 0; i < end; i++)
		for (int j = 0; j < out_size; j++)
			out[j] += weights[i] / sum * (double)(float)v(i)[j];
	return (top + log(sum)) * M_LOG2E;
}

/* --- the comparison --- */

/* The maximum error of rounding a number in [1, 2) to T. */
template <typename T>
constexpr double rounding = 0;
template <>
inline constexpr double rounding<__half> = 0x1p-11;
template <>
inline constexpr double rounding<__nv_bfloat16> = 0x1p-8;
template <>
inline constexpr double rounding<float> = 0x1p-24;

/* Results may differ from the reference by relative * |value| + absolute. */
struct tolerance {
	double relative, absolute;
};

/* For outputs of type T if |v| <= 1. They are rounded to T once, from float, in which sums and
 * exponentials err by less than 2e-5. `inner` is how often weights or partial results are rounded
 * to T before: the weights add up to 1, so each time changes the output by at most rounding<T>. A
 * capped logit errs by cap * 2^-11, because tanh does on a GPU, and weights by twice that. */
template <typename T>
tolerance output_tolerance(int inner, double cap)
{
	return { rounding<T>, 2e-5 + inner * rounding<T> + cap * 0x1p-10 };
}

/* For what attend() returns. `rounded` is the error of rounding weights before they are summed up,
 * 0 if they are floats. */
static inline tolerance log_tolerance(double rounded, double cap)
{
	return { 1e-6, 1e-5 + rounded * M_LOG2E + cap * 0x1p-10 };
}

/* Compares results with the reference, in rows of `width`. Prints the first wrong one, and returns
 * how many are wrong. */
template <typename T>
size_t compare(const char *name, const std::vector<T> &got, const std::vector<double> &want,
	       size_t width, tolerance limit)
{
	size_t wrong = 0;
	double worst = 0;

	for (size_t i = 0; i < want.size(); i++) {
		double value = (double)(float)got[i], away = fabs(value - want[i]);
		double max = limit.relative * fabs(want[i]) + limit.absolute;

		if (value == want[i])
			continue;
		if (!(away <= max) && wrong++ == 0)
			printf("%s[%zu][%zu] is %.9g, expected %.9g within %.3g\n", name, i / width,
			       i % width, value, want[i], max);
		worst = fmax(worst, away / max);
	}
	printf("%s: %zu of %zu values are wrong, the maximum error is %.2g of the tolerance\n",
	       name, wrong, want.size(), worst);
	return wrong;
}

static inline int verdict(size_t wrong)
{
	puts(wrong ? "FAILED" : "PASSED");
	return wrong ? 1 : 0;
}

#endif
