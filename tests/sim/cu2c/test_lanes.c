/* test_lanes.c - which kernels get a form that runs whole blocks on one stack, and which do not. */
#include "config.h"

#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/rewrite.h"

#define BARRIER "((void)ft_block_barrier(0, FT_BLOCK_SYNC, 0)); "
#define BEFORE \
	"# 1 \"lib.h\" 1 3\n" \
	"static inline void atomic_in_library(int *p) { ft_yield(); *p = 1; }\n" \
	"# 1 \"t.cu\" 2\n" \
	"__device__ int counter;\n" \
	"static __device__ void meet() { " BARRIER "}\n" \
	"static __device__ void set(int &r) { r = 3; }\n" \
	"static __device__ int twice(int v) { return 2 * v; }\n" \
	"template <int T> __global__ void k(float *a, int n, int *flags)\n{\n"

static bool has_whole_form(const char *body, bool cplusplus, bool whole)
{
	char *text = xasprintf("%s%s\n}\n", BEFORE, body), *out;
	bool found;

	OK(rewrite_user("t.cu", text, strlen(text),
			(struct rewrite_user){ "k<4>", cplusplus, whole }, &out));
	found = strstr(out, REWRITE_WHOLE_MARK) != NULL;
	free(out);
	free(text);
	return found;
}

static const char *const uniform[] = {
	"a[threadIdx.x] = 1; " BARRIER "a[0] = a[1];",
	"float s = a[threadIdx.x]; for (int i = 0; i < n; i += T) { s += 1; " BARRIER "} a[0] = s;",
	"for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) a[0] = s; "
		BARRIER "}",
	"const int m = n / T; if (m > 2) { " BARRIER "} else a[0] = m;",
	"for (int i = 0; i < min(n, 4); ++i) for (int j = i; j < 4; j++) { " BARRIER "}",
	"__shared__ float s[T]; s[threadIdx.x] = 1; " BARRIER
		"if (threadIdx.x >= n) return; a[0] = s[1];",
	"int m = n * T; __shared__ float s[T]; s[0] = m; " BARRIER,
	"n += 1; a += threadIdx.x; " BARRIER "a[0] = n;",
	"float sum[4] = { 0 }, *p = a + threadIdx.x; " BARRIER "p[0] = sum[2];",
	"while (a[0] > 1) { if (a[1] > 2) break; a[0] -= 1; } " BARRIER,
	"a[0] = twice(3); " BARRIER "a[1] = 2;",
	/* What the kernel does not reach does not count. */
	BARRIER "} struct plain { __device__ plain() { } }; __device__ void g() { meet(); ",
	BARRIER "} int main() { volatile int v = 0; free(malloc(v)); ",
};

START_TEST(uniform_control_flow_is_taken_apart)
{
	for (size_t i = 0; i < sizeof uniform / sizeof uniform[0]; i++)
		ck_assert_msg(has_whole_form(uniform[i], true, true), "not: %s", uniform[i]);
}
END_TEST

START_TEST(only_where_it_is_wanted)
{
	ck_assert(!has_whole_form(uniform[0], true, false));
	ck_assert(!has_whole_form("a[0] = 1;", true, true));
	ck_assert(!has_whole_form("a[0] = 1; } __global__ void other() { " BARRIER, true, true));
}
END_TEST

/* Each is one step away from what has the form. */
START_TEST(other_kernels_stay_as_they_are)
{
	static const char *const other[] = {
		"for (int i = threadIdx.x; i < n; i++) { " BARRIER "}",
		"for (int i = 0; i < flags[0]; i++) { " BARRIER "}",
		"for (int i = 0; i < *flags; i++) { " BARRIER "}",
		"for (int i = 0; i < counter; i++) { " BARRIER "}",
		"for (int i = 0; i < twice(n); i++) { " BARRIER "}",
		"for (int i = 0; i < n; i++) { if (a[0] > 1) i++; " BARRIER "}",
		"for (int i = 0; i < n; i++) { set(i); " BARRIER "}",
		"for (int i = 0; i < n; i++) { int *p = &i; " BARRIER "}",
		"for (int i = 0; i < n; i++) { if (a[0] > 1) break; " BARRIER "}",
		"for (int i = 0; i < n; i++) { if (a[0] > 1) continue; " BARRIER "}",
		"for (int i = 0; i < n; n--) { " BARRIER "}",
		"n = flags[threadIdx.x]; if (n > 2) { " BARRIER "}",
		"int m = n; m += threadIdx.x; if (m > 2) { " BARRIER "}",
		"int m = n; set(m); if (m > 2) { " BARRIER "}",
		"dim3 m = blockDim; m.x = flags[0]; if (m.x > 2) { " BARRIER "}",
		"if (threadIdx.x >= n) return; " BARRIER "a[0] = 1;",
		"while (n > 0) { " BARRIER "}",
		"do { " BARRIER "} while (n > 0);",
		"switch (n) { case 1: " BARRIER "}",
		"a[0] = ft_block_barrier(0, FT_BLOCK_COUNT, 1); " BARRIER,
		"((void)ft_block_barrier(0, FT_BLOCK_OR, 0)); a[0] = 1;",
		"meet(); " BARRIER,
		"atomic_in_library(flags); " BARRIER,
		"ft_collective(0, FT_SYNC, 1, 0, 0); " BARRIER,
		"ft_named_barrier(0, 1, 64, FT_BLOCK_SYNC, 0); " BARRIER,
		"ft_named_arrive(0, 1, 64); " BARRIER,
		"ft_tile_put(0, 1); " BARRIER "a[0] = ft_tile_get(0);",
		"ft_cluster_arrive(0); " BARRIER,
		"volatile float *v = a; " BARRIER,
		BARRIER "} struct polled { volatile int *p; }; __device__ void f() {",
		"static int kept; " BARRIER,
		"auto m = a[0]; " BARRIER "a[1] = m;",
		"float &r = a[threadIdx.x]; " BARRIER "r = 1;",
		"auto f = [&](int i) { return i; }; " BARRIER,
		"int m = threadIdx.x; float v[m]; " BARRIER "a[0] = v[0];",
		"float m = 1; " BARRIER "for (int i = 0; i < 2; i++) { a[0] = m; float m = 2; "
			BARRIER "a[1] = m; }",
		"{ __shared__ float s[4]; s[0] = 1; " BARRIER "}",
		"const int m = 4; __shared__ float s[m]; s[0] = 1; " BARRIER,
		"int i = n, m[2] = { 4, i }, j; __shared__ float s[sizeof m]; " BARRIER,
		"__shared__ float s[sizeof n]; " BARRIER,
		"goto end; end: " BARRIER,
		"ft_printf(\"\"); " BARRIER,
		"alias v; " BARRIER "} struct waits { __device__ ~waits() { meet(); } }; "
			"using alias = waits; __device__ void g() {",
		"table[n](); " BARRIER "} __device__ void (*table[])() = { meet }; "
			"__device__ void g() {",
		"lambda(); " BARRIER "} auto lambda = []() { ft_yield(); }; __device__ void g() {",
	};

	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		ck_assert_msg(!has_whole_form(other[i], true, true), "taken apart: %s", other[i]);
}
END_TEST

/* Before a part, the line of its first token; after the form, the line of the kernel's '{'. */
START_TEST(lines_are_kept)
{
	static const char text[] =
		"# 1 \"t.cu\"\n__global__ void k(float *a)\n{\n\ta[0] = 1;\n\t" BARRIER
		"\n\ta[1] = 2;\n}\n";
	char *out;

	OK(rewrite_user("t.cu", text, sizeof text - 1, (struct rewrite_user){ "k", true, true },
			&out));
	ck_assert_ptr_nonnull(strstr(out, "\n# 3 \"t.cu\" 3\na[0] = 1;"));
	ck_assert_ptr_nonnull(strstr(out, "\n# 5 \"t.cu\" 3\na[1] = 2;"));
	ck_assert_ptr_nonnull(strstr(out, "return; }\n# 2 \"t.cu\"\n\n\ta[0] = 1;\n\t((void)"));
	free(out);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("lanes");

	tcase_add_test(tests, uniform_control_flow_is_taken_apart);
	tcase_add_test(tests, only_where_it_is_wanted);
	tcase_add_test(tests, other_kernels_stay_as_they_are);
	tcase_add_test(tests, lines_are_kept);
	return run_suite("lanes", tests);
}
