/* test_rewrite_program.c - the two passes of a whole program's file: launches, stubs, entries,
 * host functions and the names of built-in variables.
 *
 * Compares strings. That the results compile and run is tested by tests/tui/run/.
 */
#include "tests/support.h"

#include <ctype.h>

#include "base/xalloc.h"
#include "sim/cu2c/rewrite.h"

/* The text for the host's pass or the device's; the caller frees it. */
static char *rewrite(const char *text, bool host)
{
	char *out;
	enum status status = rewrite_program("t.cu", text, strlen(text),
					     host ? REWRITE_HOST : REWRITE_DEVICE, &out);

	ck_assert_msg(status == STATUS_OK, "%s", error_text());
	return out;
}

/* Blanks stay where removed tokens were, so texts are compared without any. */
static char *without_blanks(const char *text)
{
	char *out = xstrdup(text), *to = out;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
	return out;
}

static void has(const char *text, bool host, const char *part)
{
	char *out = rewrite(text, host), *plain = without_blanks(out), *want = without_blanks(part);

	ck_assert_msg(strstr(plain, want) != NULL, "no '%s' in:\n%s", part, out);
	free(want);
	free(plain);
	free(out);
}

static void lacks(const char *text, bool host, const char *part)
{
	char *out = rewrite(text, host);

	ck_assert_msg(!strstr(out, part), "'%s' in:\n%s", part, out);
	free(out);
}

static void both_have(const char *text, const char *part)
{
	has(text, true, part);
	has(text, false, part);
}

/* --- launches --- */

START_TEST(launches_become_calls)
{
	static const struct { const char *launch, *call; } rows[] = {
		{ "k<<<1, 32>>>(p, 2);", "(ft_configure(1, 32) ? (void)0 : k(p, 2));" },
		{ "k <<< g, b >>> (p);", "(ft_configure(g, b) ? (void)0 : k   (p));" },
		{ "k<float, 64><<<g, b, 0, s>>>(p);",
		  "(ft_configure(g, b, 0, s) ? (void)0 : k<float, 64>(p));" },
		{ "n::m::k<a<b>, (x > 1)><<<dim3(1), n<int>()>>>();",
		  "(ft_configure(dim3(1), n<int>()) ? (void)0 : n::m::k<a<b>, (x > 1)>());" },
		{ "::k<<<1, 1>>>();", "(ft_configure(1, 1) ? (void)0 : ::k());" },
		{ "if (x) k<<<n / 2, n << 1>>>(); else f();",
		  "if (x) (ft_configure(n / 2, n << 1) ? (void)0 : k()); else f();" },
		{ "table[i]<<<1, 1>>>(p);", "(ft_configure(1, 1) ? (void)0 : table[i](p));" },
		{ "(*f)<<<1, 1>>>(p);", "(ft_configure(1, 1) ? (void)0 : (*f)(p));" },
		{ "s.f<<<1, 1>>>(p);", "(ft_configure(1, 1) ? (void)0 : s.f(p));" },
		{ "s->f[2]<<<1, 1>>>(p);", "(ft_configure(1, 1) ? (void)0 : s->f[2](p));" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = xasprintf("void f() { %s }", rows[i].launch);

		both_have(text, rows[i].call);
		free(text);
	}
}
END_TEST

START_TEST(shifts_and_strings_are_not_launches)
{
	both_have("int f(int a) { return a << 3 >> 1; }", "return a << 3 >> 1;");
	both_have("const char *f() { return \"k<<<1, 1>>>()\"; }", "\"k<<<1, 1>>>()\"");
}
END_TEST

START_TEST(unreadable_launches_are_errors)
{
	char *out;

	ck_assert_int_eq(rewrite_program("t.cu", "void f() { k<<<1, 1>>>; }", 25,
					 REWRITE_HOST, &out),
			 STATUS_COMPILE);
	ck_assert_str_eq(error_text(), "t.cu:1: cannot read this launch: expected "
			 "KERNEL<<<GRID, BLOCK>>>(ARGUMENTS)");
}
END_TEST

/* --- kernels --- */

START_TEST(a_kernel_becomes_a_stub_of_the_host)
{
	static const char kernel[] =
		"template <class T> __global__ void __launch_bounds__(64) k(const T *p, int n)"
		" {\n\t__shared__ T s[4];\n\ts[0] = p[threadIdx.x];\n}";

	has(kernel, true, "template <class T> __attribute__((noipa)) void   k(const T *p, int n) {"
	    " void *ft_arguments[] = { (void *)__builtin_addressof(p),"
	    " (void *)__builtin_addressof(n), 0 }; ft_stub(ft_arguments); \n");
	lacks(kernel, true, "threadIdx");
	lacks(kernel, true, "s[0]");
	has("__global__ void k(int, float *) { }", true,
	    "k(int ft_parameter_0, float * ft_parameter_1)");
	has("template <class... A> __global__ void k(A... a) { }", true,
	    "(void *)__builtin_addressof(a)..., 0 };");
	has("__global__ void k(__grid_constant__ const T t) { }", true,
	    "(void *)__builtin_addressof(t), 0 };");
}
END_TEST

START_TEST(a_kernel_begins_with_its_entry)
{
	static const struct { const char *kernel, *part; } rows[] = {
		{ "__global__ void k(const float *__restrict__ p, int n) { }",
		  "{ typedef ft_signature<void (*)(const float *, int)> ft_own_signature;"
		  " static const struct kernel_entry ft_entry __attribute__((used)) = { \"k\","
		  " __PRETTY_FUNCTION__, \"t.cu\", \"p\\nn\", \"const float *\\nint\"," },
		{ "__global__ void k() { }", "(unsigned)(0), ft_own_signature::template run<&k>," },
		{ "__global__ void __launch_bounds__(2 * N, 1) k() { }", "(unsigned)(2 * N)," },
		{ "template <class T> __global__ void __launch_bounds__(T::n) k() { }",
		  "(unsigned)(T::n)," },
		{ "template <class T, int N = 4, class... A> __global__ void k(T *p, A... a) { }",
		  "template run<&k<T, N, A...>>," },
		{ "template <typename, int> __global__ void k() { }",
		  "template <typename ft_template_0, int ft_template_1>" },
		{ "template <typename, int> __global__ void k() { }",
		  "template run<&k<ft_template_0, ft_template_1>>," },
		{ "template <> __global__ void k<float>(float *p) { }",
		  "template run<&k<float>>," },
		{ "template <template <class> class C, std::enable_if_t<(a > b), int> = 0>"
		  " __global__ void k() { }", "template run<&k<C, ft_template_1>>," },
		{ "static __global__ void k() { }", "static __attribute__((used)) void k() {" },
		{ "extern \"C\" __global__ void k() { }",
		  "extern \"C\" __attribute__((used)) void k() {" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		has(rows[i].kernel, false, rows[i].part);
}
END_TEST

/* --- other functions --- */

START_TEST(functions_of_each_side)
{
	static const char host[] = "int f(int x) { return x; }";
	static const char device[] = "__device__ int f(int x) { return x; }";
	static const char both[] = "__host__ __device__ int f(int x) { return x; }";
	static const char member[] = "struct S { __device__ S() : x{1}, y(2) { z(); }"
		" __device__ int g() const { return x; } int h() { return y; } int x, y; };";

	has(host, true, "int f(int x) { return x; }");
	has(host, false, "inline int f(int x) { return x; }");
	has(device, true, "int f(int x)    ;");
	has(device, false, "inline int f(int x) { return x; }");
	has(both, true, "int f(int x) { return x; }");
	has(member, true, "S()          ;");
	has(member, true, "int g() const    ;");
	has(member, true, "int h() { return y; }");
	has(member, false, "x{1}, y(2) { z(); }");
	has("template <class T> static int f(T x) { return x; }", false,
	    "template <class T> inline static int f(T x)");
	has("__device__ constexpr int f() { return 3; }", true, "constexpr int f() { return 3; }");
	has("__device__ auto f() { return 3; }", true, "auto f() { return 3; }");
	has("__device__ auto f() -> int { return 3; }", true, "auto f() -> int    ;");
	has("inline int f() { return 3; }", false, "inline int f()");
	lacks("inline int f() { return 3; }", false, "inline inline");
}
END_TEST

/* What C++ does not allow twice: a declaration outside of the class that has it. */
START_TEST(functions_defined_outside_of_their_class)
{
	static const char *const definitions[] = {
		"__device__ void S::f(float v) { x = v; }",
		"template <class T> __device__ S<T>::S(T v) : x(v) { }",
		"template <class T> __device__ S<T>::~S() { }",
		"template <class T> __device__ T S<T>::operator[](int i) const { return x + i; }",
		"template <class T> __device__ S<T>::operator T() const { return x; }",
		"template <class T> template <class U> __device__ U n::S<T>::f(U u) { return u; }",
		"__device__ int n::f(int x) { return x; }",
	};

	for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
		char *text = xasprintf("int before; %s int after;", definitions[i]);

		has(text, true, "int before; int after;");
		has(text, false, strstr(definitions[i], "::"));
		free(text);
	}
	has("int before; __host__ __device__ void S::f() { x = 1; }", true, "S::f() { x = 1; }");
	has("__device__ std::pair<int, int> f(int x) { return { x, x }; }", true,
	    "std::pair<int, int> f(int x);");
}
END_TEST

START_TEST(main_gets_another_name)
{
	both_have("int main(int argc, char **argv) { return 3; }",
		  "int ft_main(int argc, char **argv) { return 3; return 0; }");
	has("int main() { }", true, "ft_call_main(ft_main, argc, argv, variables); }");
	lacks("int main() { }", false, "ft_call_main");
	has("struct S { int main() { return 1; } };", true, "int main() { return 1; }");
}
END_TEST

START_TEST(built_in_variables_of_device_code)
{
	static const char host[] = "void f(dim3 gridDim) { dim3 blockDim(4); g(blockDim.x); }";

	has(host, false, "void f(dim3 gridDim) { dim3 blockDim(4); g(blockDim.x); }");
	has("__global__ void k(int *p) { p[threadIdx.x] = blockDim.x * blockIdx.x; }", false,
	    "p[ft_thread_index().x] = ft_block_dim().x * ft_block_index().x;");
	has("__device__ dim3 f() { return gridDim; }", false, "return ft_grid_dim();");
	has("__device__ int f(S s) { return s.threadIdx.x; }", false, "return s.threadIdx.x;");
	has("void f() { g([=] __device__ (int i) { return i + threadIdx.x; }); }", false,
	    "{ return i + ft_thread_index().x; }");
}
END_TEST

START_TEST(shared_variables_are_dropped_for_the_host)
{
	lacks("extern __shared__ float all[]; __shared__ int s[3];", true, "__shared__");
	lacks("extern __shared__ float all[]; __shared__ int s[3];", true, "ft_shared");
	has("__shared__ int s[3];", false, "ft_shared_variable");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("rewrite program");

	tcase_add_test(tests, launches_become_calls);
	tcase_add_test(tests, shifts_and_strings_are_not_launches);
	tcase_add_test(tests, unreadable_launches_are_errors);
	tcase_add_test(tests, a_kernel_becomes_a_stub_of_the_host);
	tcase_add_test(tests, a_kernel_begins_with_its_entry);
	tcase_add_test(tests, functions_of_each_side);
	tcase_add_test(tests, functions_defined_outside_of_their_class);
	tcase_add_test(tests, main_gets_another_name);
	tcase_add_test(tests, built_in_variables_of_device_code);
	tcase_add_test(tests, shared_variables_are_dropped_for_the_host);
	return run_suite("rewrite program", tests);
}
