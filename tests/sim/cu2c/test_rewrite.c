/* test_rewrite.c - the token rewriter: declarations, scopes, tables, line numbers and errors.
 *
 * Most tests compare strings. One compiles a rewritten file with the system's compiler `cc` and
 * runs it; without that compiler it fails.
 */
#include "tests/support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sim/cu2c/host_text.h"
#include "sim/cu2c/kernel_address.h"
#include "sim/cu2c/rewrite.h"

/* The rewritten text; the caller frees it. */
static char *rewrite(const char *text)
{
	char *out;
	enum status status = rewrite_kernels("t.cu", text, strlen(text), "plain", &out);

	ck_assert_msg(status == STATUS_OK, "%s", error_text());
	return out;
}

static void assert_has(const char *text, const char *part)
{
	char *out = rewrite(text);

	ck_assert_msg(strstr(out, part) != NULL, "no '%s' in:\n%s", part, out);
	free(out);
}

static void assert_lacks(const char *text, const char *part)
{
	char *out = rewrite(text);

	ck_assert_msg(!strstr(out, part), "'%s' in:\n%s", part, out);
	free(out);
}

static void assert_fails(const char *text, const char *message)
{
	char *out = (char *)text;

	ck_assert_int_eq(rewrite_kernels("t.cu", text, strlen(text), "plain", &out),
			 STATUS_COMPILE);
	ck_assert_str_eq(error_text(), message);
	ck_assert_ptr_null(out);
}

/* A function with this body, rewritten, must contain `part`. */
static void body_has(const char *body, const char *part)
{
	char *text = xasprintf("void f(void) {%s}", body);

	assert_has(text, part);
	free(text);
}

static void body_lacks(const char *body, const char *part)
{
	char *text = xasprintf("void f(void) {%s}", body);

	assert_lacks(text, part);
	free(text);
}

START_TEST(other_text_is_unchanged)
{
	static const char text[] =
		"# 1 \"a.c\"\n"
		"struct s { int tile; }; /* __shared__ */\n"
		"#pragma unroll\n"
		"static const char *q = \"__shared__ int x;\" \"\\\"\";\n"
		"int c = '\\'' + '\"', n = 0x1p-3f + .5e+3;\n"
		"typedef float T; T g(T tile) { return tile->x-->y ? 1e-5f : tile; }\t\n";
	char *out = rewrite(text);

	ck_assert_int_eq(strncmp(out, text, sizeof text - 1), 0);
	ck_assert_str_eq(out + sizeof text - 1, "\n# 1 \"<kernel table>\"\n");
	free(out);
}
END_TEST

START_TEST(a_shared_variable_becomes_a_view)
{
	char *out = rewrite(
		"# 3 \"k.cu\"\nvoid f(void) {\n\t__shared__ float s[4][2];\n\ts[1][0] ="
		" sizeof(s);\n}\n");

	ck_assert_ptr_nonnull(strstr(
		out,
		"\n\ttypedef  float ft_type_1[4][2]; static size_t ft_offset_1; "
		"static struct kernel_shared ft_shared_1 __attribute__((section(\"ft_shared\"),"
		" used, "
		"aligned(_Alignof(struct kernel_shared)))) = { \"f\", \"s\", sizeof(ft_type_1), "
		"_Alignof(ft_type_1), &ft_offset_1, \"k.cu.plain\" }; "
		"ft_type_1 *const s = (ft_type_1 *)ft_shared_at(ft_offset_1);\n"
		"\t(*s)[1][0] = sizeof((*s));\n}\n"));
	free(out);
}
END_TEST

START_TEST(every_form_of_shared_declaration)
{
	body_has("static __shared__ int a;", "typedef   int ft_type_1;");
	body_has("__shared__ volatile unsigned long long a[2];",
		 "typedef  volatile unsigned long long ft_type_1[2];");
	body_has("float __shared__ a[2];", "typedef float  ft_type_1[2];");
	body_has("__shared__ int a[2], *b, c;",
		 "typedef  int ft_type_1[2], *ft_type_2, ft_type_3;");
	body_has("__shared__ struct { float x; } a;", "typedef  struct { float x; } ft_type_1;");
	body_has("__shared__ float (*a)[3];", "typedef  float (*ft_type_1)[3];");
	body_has("__shared__ __attribute__((aligned(16))) char a[2];",
		 "typedef  __attribute__((aligned(16))) char ft_type_1[2];");
	body_has("__shared__ alignas(16) char a[2];",
		 "typedef  __attribute__((aligned(16))) char ft_type_1[2];");
	body_has("__shared__ _Alignas(double) char a[2];",
		 "typedef  __attribute__((aligned(__alignof__(double)))) char ft_type_1[2];");
	body_has("__shared__ float4 a[2];", "typedef  float4 ft_type_1[2];");
	body_has("__attribute__((shared)) int a;", "typedef  int ft_type_1;");
	body_has("static __attribute__ (( shared )) int a;", "typedef   int ft_type_1;");
	body_has("extern __attribute__((shared)) int a[];", "typedef   int ft_type_1[];");
	body_has("__attribute__((unused)) int a;", "__attribute__((unused)) int a;");
	body_has("__shared__ int\n\ta[2],\n\tb;",
		 "typedef  int\n\tft_type_1[2],\n\tft_type_2; static");
	body_has("int n = 0; __shared__ int a; a = n;", "(*a) = n;");
}
END_TEST

START_TEST(only_uses_of_the_variable_change)
{
#define SHARED "__shared__ float s[4]; "
	body_has(SHARED "g(&s, s);", "g(&(*s), (*s));");
	body_has(SHARED "p.s = q->s;", "p.s = q->s;");
	body_has(SHARED "struct s t = { .s = 1 };", "struct s t = { .s = 1 };");
	body_has(SHARED "goto s; s: ;", "goto s; s: ;");
	body_has(SHARED "x = y ? s : 0;", "y ? (*s) : 0;");
	body_has("typedef struct x T; " SHARED "T(s).f(1); { T(s); s.f(); }",
		 "T((*s)).f(1); { T(s); s.f(); }");
	body_has(SHARED "{ float s = 1; s++; } s[0]++;", "{ float s = 1; s++; } (*s)[0]++;");
	body_has(SHARED "{ const T *t = 0, *s = t; s++; } s[0]++;", "*s = t; s++; } (*s)[0]++;");
	body_has(SHARED "for (int s = 0; s < 4; s++) if (s) s--; else g(s); s[0]++;",
		 "for (int s = 0; s < 4; s++) if (s) s--; else g(s); (*s)[0]++;");
	body_has(SHARED "for (int i = 0, s = f(i, 1); s < i; ) { s++; } s[0]++;",
		 "{ s++; } (*s)[0]++;");
	body_has(SHARED "x = ({ float s = 1; s; }) + s[0];", "({ float s = 1; s; }) + (*s)[0];");
	body_has(SHARED "struct { int s; } t; t.s = 1;", "struct { int s; } t; t.s = 1;");
	body_has("{ " SHARED "s[0] = 1; } s[0] = 2;", "(*s)[0] = 1; } s[0] = 2;");
	body_has(SHARED "{ __shared__ int s; s = 1; }", "\"f\", \"s\", sizeof(ft_type_2)");
	assert_has("void f(void) { " SHARED "} void g(int s) { s++; }", "{ s++; }");
#undef SHARED
}
END_TEST

START_TEST(dynamic_memory_is_an_array)
{
#define VIEW " ft_type_1 *const t = (ft_type_1 *)ft_shared_dynamic();"
	body_has("extern __shared__ float t[]; t[0] = 1;",
		 "float ft_type_1[];" VIEW " (*t)[0] = 1;");
	body_has("extern __shared__ float t[]; f((S *)&t, (S &)t);",
		 VIEW " f((S *)&(*t), (S &)(*t));");
	body_has("extern __shared__ const float *t[];", "const float *ft_type_1[];" VIEW);
	body_has("extern __shared__ float t[][33];", "float ft_type_1[][33];" VIEW);
	body_has("extern __shared__ int s[], t[];", "int ft_type_1[], ft_type_2[]; ft_type_1 *const"
		 " s = (ft_type_1 *)ft_shared_dynamic(); ft_type_2 *const t = (ft_type_2 *)");
	/* It begins after the static variables, whatever is aligned. */
	body_has("extern __shared__ __attribute__((aligned(16))) unsigned char t[];",
		 "typedef    unsigned char ft_type_1[];" VIEW);
	body_has("extern __shared__ alignas(16) char t[] __attribute__((aligned(16)));",
		 "typedef    char ft_type_1[] ;" VIEW);
#undef VIEW
	body_has("__shared__ int t; { extern __shared__ float t[]; t[0] = 1; } t = 2;",
		 "dynamic(); (*t)[0] = 1; } (*t) = 2;");
	assert_has("extern __shared__ float t[]; void f(void) { t[0] = 1; }",
		   "float ft_type_1[]; void f(void) { (*(ft_type_1 *)ft_shared_dynamic())[0] = 1;"
		   " }");
	assert_has("extern __shared__ float t[]; void f(int t) { t = 1; } void g(void) { t[0]; }",
		   "void f(int t) { t = 1; } void g(void) { (*(");
}
END_TEST

START_TEST(a_shared_variable_of_the_file_is_placed_at_each_use)
{
#define USE "(*(ft_type_1 *)ft_shared_of(&ft_offset_1))"
	assert_has("__shared__ float s[4]; void f(void) { s[0] = 1; }",
		   "typedef  float ft_type_1[4]; static size_t ft_offset_1; "
		   "static struct kernel_shared ft_shared_1 __attribute__((section(\"ft_shared\"),"
		   " used, aligned(_Alignof(struct kernel_shared)))) = { \"s\", \"s\", "
		   "sizeof(ft_type_1), _Alignof(ft_type_1), &ft_offset_1, \"t.cu.plain\" };"
		   " void f(void) { " USE "[0] = 1; }");
	assert_has("static __shared__ int s, n; void f(void) { g(&s, sizeof n); }",
		   "g(&" USE ", sizeof (*(ft_type_2 *)ft_shared_of(&ft_offset_2)));");
	assert_has("__shared__ float s[4]; float g(float s); void f(int s) { s = 1; }",
		   "float g(float s); void f(int s) { s = 1; }");
	assert_has("__shared__ float s[4]; void f(void) { { int s = 2; s++; } s[1]++; }",
		   "{ int s = 2; s++; } " USE "[1]++;");
	assert_has("__shared__ int s; void f(void) { __shared__ int s; s = 1; } void g(void)"
		   " { s = 2; }", " (*s) = 1; } void g(void) { " USE " = 2; }");
	assert_has("__shared__ int s; extern __shared__ int d[]; void f(void) { d[0] = s; }",
		   "{ (*(ft_type_2 *)ft_shared_dynamic())[0] = " USE "; }");
	assert_has("__shared__ int s[4]; _Static_assert(sizeof(s) == 16, \"\"); void f(void) { }",
		   "_Static_assert(sizeof(" USE ") == 16");
	/* It belongs to the kernels that reach a use. */
	assert_has("__shared__ int s; void g(void) { s = 1; } __global__ void k(void) { g(); }",
		   "ft_functions_k[] = { \"k\", \"g\", \"s\", 0 };");
	assert_has("__shared__ int s; void g(void) { s = 1; } __global__ void k(void) { }",
		   "ft_functions_k[] = { \"k\", 0 };");
#undef USE
}
END_TEST

START_TEST(kernels_become_static_functions_with_tables)
{
	static const char text[] =
		"# 1 \"dir/k.cu\"\n"
		"typedef int T;\n"
		"static int leaf(T x) { return x; }\n"
		"static int unused(T x) { return leaf(x); }\n"
		"static int middle(void) { return leaf(1); }\n"
		"__global__ void __launch_bounds__(2 * 64, 1) k(const float *__restrict__ p, T n,"
		" float a[3][2],\n"
		"\tconst int *const *q, unsigned char c[]) { middle(); p.leaf; }\n"
		"static __global__ void none(void) { }\n"
		"extern \"C\" __global__ void linked() { }\n"
		"extern \"C\" { __global__ void inside(int x) { } }\n";
	char *out = rewrite(text);

	ck_assert_ptr_nonnull(strstr(out, "\nstatic void     k(const float *__restrict__ p"));
	ck_assert_ptr_nonnull(strstr(out, "\nstatic  void none(void)"));
	ck_assert_ptr_nonnull(strstr(out, "\n  static void linked()"));
	ck_assert_ptr_nonnull(strstr(out, "\n   static void inside(int x) { } \n"));
	ck_assert_ptr_nonnull(strstr(out, " ft_run_k(void *const *a) { "
		"k(*(__typeof__(const float *) *)a[0], *(__typeof__(T) *)a[1], *(__typeof__(float"
		" (*)[2]) *)a[2]"));
	ck_assert_ptr_nonnull(strstr(out, "{ \"p\", \"const float *\", _Generic("));
	ck_assert_ptr_nonnull(strstr(out, "{ \"q\", \"const int *const *\", "));
	ck_assert_ptr_nonnull(strstr(out, "{ \"c\", \"unsigned char *\", "));
	ck_assert_ptr_nonnull(
		strstr(out, "ft_functions_k[] = { \"k\", \"middle\", \"leaf\", 0 };"));
	ck_assert_ptr_nonnull(strstr(out, "extern const struct sim_code ft_code_k_plain;\n"
		"const struct sim_code ft_code_k_plain = { \"k\", \"dir/k.cu\", ft_params_k, 5, "
		"(unsigned)(2 * 64), ft_functions_k, ft_run_k, \"dir/k.cu.plain\", 0, 0, 0, "
		"__start_ft_constant, __stop_ft_constant, 0, { 0 } };"));
	ck_assert_ptr_nonnull(
		strstr(out, " ft_run_none(void *const *a) { (void)a; none(); }"));
	ck_assert_ptr_nonnull(
		strstr(out, "{ \"none\", \"dir/k.cu\", 0, 0, 0, ft_functions_none, "));
	ck_assert_ptr_null(strstr(out, "__launch_bounds__"));
	free(out);
}
END_TEST

START_TEST(launch_bounds_of_a_prototype_apply)
{
	assert_has("__global__ void __launch_bounds__(32) k(int); __global__ void k(int x) { }",
		   "1, (unsigned)(32), ft_functions_k");
	body_lacks("int x;", "sim_code");
}
END_TEST

/* Whether the checker has to expect more order than that of barriers of blocks and whole warps. */
START_TEST(order_of_some_threads_is_noted)
{
	static const char exact[] = ".plain\", 0, 1, 1,", plain[] = ".plain\", 0, 0, 0,";
	static const char header[] = "# 1 \"sim/cuda/runtime.h\"\n"
		"int ft_named_barrier(const struct ft_site *, unsigned);\n"
		"template <unsigned N, class P = void> class thread_block_tile;\n"
		"class tile { void sync() { ft_named_barrier(0, 1); } };\n"
		"thread_block_tile<128> wide;\n"
		"void ft_cluster_sync(const struct ft_site *);\n"
		"class cluster_group { void sync() { ft_cluster_sync(0); } };\n"
		"# 1 \"t.cu\"\n";
	static const struct { const char *body, *part; } bodies[] = {
		{ "p[0] = 1;", plain }, { "ft_named_barrier(0, 1);", exact },
		{ "f(FT_SYNC, 0xffffffffu);", plain }, { "f(FT_SYNC, 3u);", exact },
		{ "ft_fence(0, 1);", exact },
		{ "auto t = tiled_partition<32>(b);", plain },
		{ "auto t = tiled_partition<64>(b);", exact },
		{ "thread_block_tile<4, P> t(b);", plain },
		{ "thread_block_tile<WIDTH> t(b);", exact },
		{ "p[0] = ft_cluster_rank();", plain }, { "ft_cluster_arrive(0, 1);", exact },
		{ "ft_cluster_wait(0);", exact }, { "ft_cluster_sync(0);", exact },
		{ "auto g = cooperative_groups::this_cluster();", exact },
		{ "cooperative_groups::cluster_group g;", exact },
	};

	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		char *text = xasprintf("%s__global__ void k(int *p) { %s }", header,
				       bodies[i].body);

		assert_has(text, bodies[i].part);
		free(text);
	}
}
END_TEST

START_TEST(errors_name_the_line)
{
	assert_fails("# 7 \"k.cu\"\nvoid f(void) {\n\t__shared__ int s = 1; }",
		     "k.cu:8: shared variable 's' cannot have an initialiser");
	assert_fails("__shared__ int s = 1;",
		     "t.cu:1: shared variable 's' cannot have an initialiser");
	assert_fails("void f(void) { g(1, __shared__ int s); }",
		     "t.cu:1: __shared__ is not allowed here");
	assert_fails("void f(void) {\nextern __shared__ int s; }",
		     "t.cu:2: extern __shared__ variable 's' must be an array");
	assert_fails("void f(void) {\n__shared__ int; }", "t.cu:2: shared variable without a name");
	assert_fails("__global__ void k(int a,\nfloat) { }",
		     "t.cu:2: parameter 2 of kernel 'k' has no name");
	assert_fails("int a;\n\nvoid f(void) {", "t.cu:3: '{' is not closed");
	assert_fails("int a[3);", "t.cu:1: ')' has no matching bracket");
	assert_fails("char *s = \"abc;\n", "t.cu:1: string is not closed");
	assert_fails("\n/* abc", "t.cu:2: comment is not closed");
}
END_TEST

START_TEST(a_variant_is_an_identifier)
{
	char *out;

	ck_assert_int_eq(rewrite_kernels("t.cu", "", 0, "a-b", &out), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "variant 'a-b' is not a C identifier");
}
END_TEST

/* Whatever is cut off or changed, the rewriter returns a status. */
START_TEST(broken_sources_return_a_status)
{
	static const char text[] =
		"# 1 \"k.cu\"\ntypedef struct { int x; } T; extern \"C\" {\n"
		"extern __shared__ T d[]; __global__ void __launch_bounds__(32) k(T *p, int n[])"
		" {\n"
		"static __shared__ alignas(8) T s[4], *q; for (int s = 0; s; ) if (s) do x: s--;"
		" while (s); else ;\n"
		"s[0].x = sizeof(s) + d[1].x; goto s; s: ; } }\n";
	char changed[sizeof text];
	char *out;

	for (size_t n = 0; n < sizeof text; n++) {
		rewrite_kernels("t.cu", text, n, "plain", &out);
		free(out);
		for (const char *c = "(){}[];,=*:\"# "; *c; c++) {
			memcpy(changed, text, sizeof text);
			changed[n] = *c;
			rewrite_kernels("t.cu", changed, sizeof text - 1, "plain", &out);
			free(out);
		}
	}
}
END_TEST

static const char compiled[] =
	"# 1 \"k.cu\"\n"
	"#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n"
	"#include \"kernels/kernel_table.h\"\n"
	"static _Alignas(64) unsigned char arena[1024], dynamic[64];\n"
	"static inline void *ft_shared_at(size_t offset) { return arena + offset; }\n"
	"static inline void *ft_shared_of(const size_t *offset) { return arena + *offset; }\n"
	"static inline void *ft_shared_dynamic(void) { return dynamic; }\n"
	"struct pair { int a, b; };\n"
	"extern __shared__ int outside[];\n"
	"static __shared__ short all[7];\n"
	"static int inner(int x) { __shared__ short h[3]; h[2] = x; all[6] = 0;"
	" return sizeof(h) + h[2] + all[6] * sizeof all; }\n"
	"__global__ void k(int *out, struct pair p, float f, long n, unsigned u[2]) {\n"
	"	__shared__ __attribute__((aligned(32))) double s[5], one; extern __shared__ int"
	" t[];\n"
	"	__shared__ struct { int v[2]; } m;\n"
	"	s[4] = p.a + p.b; one = f; m.v[1] = n; t[3] = 9; outside[4] = 1;\n"
	"	{ int one = 3; one++; }\n"
	"	out[0] = sizeof(s); out[1] = s[4]; out[2] = one; out[3] = (&m)->v[1]; out[4] ="
	" t[3] + t[4];\n"
	"	out[5] = inner(u[1]);\n"
	"}\n"
	"extern struct kernel_shared __start_ft_shared[], __stop_ft_shared[];\n"
	"int main(void) {\n"
	"	size_t end = 0; int out[6], *p = out, expected[] = { 40, 7, 2, 6, 10, 106 };\n"
	"	struct pair q = { 3, 4 }; float f = 2; long n = 6; unsigned u[2] = { 0, 100 }, *w"
	" = u;\n"
	"	void *args[] = { &p, &q, &f, &n, &w };\n"
	"	const struct kernel_param *k = ft_code_k_plain.params;\n"
	"	if (__stop_ft_shared - __start_ft_shared != 5) return 1;\n"
	"	for (struct kernel_shared *v = __start_ft_shared; v < __stop_ft_shared; v++) {\n"
	"		end = (end + v->alignment - 1) / v->alignment * v->alignment;\n"
	"		*v->offset = end; end += v->bytes;\n"
	"		if (strcmp(v->name, \"s\") == 0 && (v->alignment != 32 || v->bytes !="
	" 40)) return 2;\n"
	"	}\n"
	"	ft_code_k_plain.run(args);\n"
	"	if (memcmp(out, expected, sizeof(out)) != 0) return 3;\n"
	"	if (k[0].kind != PARAM_POINTER || k[1].kind != PARAM_BLOB || k[2].kind !="
	" PARAM_F32) return 4;\n"
	"	if (k[3].kind != PARAM_I64 || k[4].kind != PARAM_POINTER || k[1].bytes != 8)"
	" return 5;\n"
	"	return 0;\n"
	"}\n";

/* The tables come last in a rewritten file; main() needs a declaration of what they define. */
START_TEST(rewritten_code_runs)
{
	const char *top = getenv("abs_srcdir") ? getenv("abs_srcdir") : ".";
	char *text = xasprintf("extern const struct sim_code ft_code_k_plain;\n%s", compiled);
	char *out = rewrite(text);
	char name[] = "/tmp/test_rewrite.XXXXXX.c";
	int descriptor = mkstemps(name, 2);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	char *command;
	int result;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(out, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	command = xasprintf(
		"cc -std=gnu11 -O1 -Wall -Wextra -Werror -Wno-sign-compare -I'%s' -o '%.*s' '%s'"
		" && '%.*s'",
		top, (int)strlen(name) - 2, name, name, (int)strlen(name) - 2, name);
	result = system(command);
	unlink(name);
	name[strlen(name) - 2] = '\0';
	unlink(name);
	ck_assert_int_eq(WIFEXITED(result) ? WEXITSTATUS(result) : -1, 0);
	free(command);
	free(out);
	free(text);
}
END_TEST

/* libstdc++ has __attribute__((__noinline__)), which no macro may change. */
START_TEST(inlining_qualifiers_change_in_the_users_text_only)
{
	static const char text[] =
		"# 1 \"lib.h\" 1 3\n__attribute__((__noinline__)) void in_library();\n"
		"# 2 \"t.cu\" 2\n"
		"__attribute__((__noinline__)) __device__ int f() { return 1; }\n"
		"__device__ __noinline__ int g() { return 2; }\n"
		"__device__ __forceinline__ int h() { return 3; }\n"
		"__global__ void k() {}\n";
	char *out;

	OK(rewrite_user("t.cu", text, sizeof text - 1,
			(struct rewrite_user){ "k", .cplusplus = true }, &out));
	ck_assert_ptr_nonnull(strstr(out, "\n__attribute__((__noinline__)) void in_library();"));
	ck_assert_ptr_nonnull(strstr(out, "\n__attribute__((__noinline__))  int f()"));
	ck_assert_ptr_nonnull(strstr(out, "__attribute__((noinline)) int g()"));
	ck_assert_ptr_nonnull(strstr(out, "inline __attribute__((always_inline)) int h()"));
	free(out);
}
END_TEST

START_TEST(kernel_addresses_are_fully_qualified)
{
	static const char *const names[][2] = {
		{ "all", "ft_kernel_pointer(&::all)" },
		{ "::a::k<float, 2>", "ft_kernel_pointer(&::a::k<float, 2>)" },
		{ "a::k(int *, int)", "static_cast<void (*)(int *, int)>(&::a::k)" },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *address = kernel_address_expression(names[i][0]);

		ck_assert_str_eq(address, names[i][1]);
		free(address);
	}
}
END_TEST

START_TEST(instantiations_of_host_functions_go_with_them)
{
	static const char text[] = "template<class T> __device__ void kept(T) { }\n"
		"template<int N> void host(int x) { }\n"
		"extern template void host<1>(int x);\n"
		"template void host<2>(int x);\n"
		"template void kept<int>(int);\n"
		"__global__ void k() { }\n";
	char *out;

	OK(rewrite_user("f.cu", text, strlen(text), (struct rewrite_user){ "k", true, false },
			&out));
	ck_assert_msg(!strstr(out, "host"), "host in:\n%s", out);
	ck_assert_ptr_nonnull(strstr(out, "template void kept<int>(int);"));
	free(out);
}
END_TEST

/* In a line only what belongs to the host goes; directives stay. */
/* Functions of a header: what is written instead of a body, and what must stay. */
START_TEST(bodies_of_header_functions_that_nothing_names_are_left_out)
{
	static const char text[] =
		"# 1 \"t.cu\"\n"
		"# 1 \"h.h\" 1 3\n"
		"namespace n {\n"
		"inline int unused(int x) { return 10 *\n\n# 5 \"h.h\" 3\nx; }\n"
		"inline int called_by_unused() { return 11; }\n"
		"inline int also_unused() { return called_by_unused(); }\n"
		"inline int called_by_used() { return 12; }\n"
		"template <typename T> T used(T x) { return x + called_by_used(); }\n"
		"inline int used(long) { return 13; }\n"
		"constexpr int kept_constant() { return 14; }\n"
		"inline auto kept_type() { return 15; }\n"
		"inline int operator+(struct a, int) { return 16; }\n"
		"inline int begin(struct a) { return 17; }\n"
		"struct b { int member() { return 18; } int outside(); };\n"
		"inline int b::outside() { return 19; }\n"
		"int kept_external() { return 20; }\n"
		"__attribute__((used)) static int kept_used() { return 21; }\n"
		"static int pointed_at() { return 22; }\n"
		"int (*const pointer)() = pointed_at;\n"
		"}\n"
		"# 2 \"t.cu\" 2\n"
		"__device__ inline int of_the_user() { return 23; }\n"
		"__global__ void k(int *x) { *x = n::used(1); }\n";
	static const char *const left[] = {
		"unused(int x);\n\n# 5 \"h.h\" 3\n\ninline", "int called_by_unused();\n",
		"also_unused();\n", "return 12;", "x + called_by_used()", "return 13;",
		"return 14;", "return 15;", "return 16;", "return 17;", "return 18;",
		"return 19;", "return 20;", "return 21;", "return 22;", "return 23;",
	};
	static const char *const gone[] = { "return 10", "return 11", "return called_by_unused" };
	char *out;

	OK(rewrite_user("t.cu", text, sizeof text - 1,
			(struct rewrite_user){ "k", .cplusplus = true }, &out));
	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
		ck_assert_msg(strstr(out, left[i]) != NULL, "no '%s' in:\n%s", left[i], out);
	for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
		ck_assert_msg(!strstr(out, gone[i]), "'%s' in:\n%s", gone[i], out);
	free(out);
}
END_TEST

START_TEST(host_functions_become_blanks)
{
	static const char source[] = "#define N 4\n"
		"__global__ void k(int *p) { } void host() { k<<<1, 1>>>(0); } int after;\n"
		"torch::Tensor\n"
		"#if N == 4\n"
		"f(int a) {\n"
		"#else\n"
		"f(long b) {\n"
		"#endif\n"
		"#define M \\\n"
		"\t5\n"
		"\treturn 0; } /* a\n"
		"b */ __device__ int g() { return M; }\n"
		"BIND(\"((\", '(', 1'0, f, // (\n"
		"     (1))\n"
		"int last;\n";
	static const char preprocessed[] = "# 1 \"f.cu\"\n\n"
		"__global__ void k(int *p) { } void host() { k<<<1, 1>>>(0); } int after;\n"
		"torch::Tensor\n\n"
		"f(int a) {\n\n\n\n\n\n"
		"\treturn 0; }\n"
		" __device__ int g() { return 5; }\n"
		"void bound() { f(1); }\n\n"
		"int last;\n";
	static const char expected[] = "#define N 4\n"
		"__global__ void k(int *p) { }                                 int after;\n"
		"             \n"
		"#if N == 4\n"
		"          \n"
		"#else\n"
		"           \n"
		"#endif\n"
		"#define M \\\n"
		"\t5\n"
		"             /* a\n"
		"b */ __device__ int g() { return M; }\n"
		"                            \n"
		"         \n"
		"int last;\n";
	char *out;

	OK(host_text_remove("f.cu", preprocessed, strlen(preprocessed), source, &out));
	ck_assert_str_eq(out, expected);
	free(out);
	/* Headers are left alone. */
	OK(host_text_remove("other.cu", preprocessed, strlen(preprocessed), source, &out));
	ck_assert_str_eq(out, source);
	free(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rewrite");
	TCase *tests = tcase_create("rewrite");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, other_text_is_unchanged);
	tcase_add_test(tests, a_shared_variable_becomes_a_view);
	tcase_add_test(tests, every_form_of_shared_declaration);
	tcase_add_test(tests, only_uses_of_the_variable_change);
	tcase_add_test(tests, dynamic_memory_is_an_array);
	tcase_add_test(tests, a_shared_variable_of_the_file_is_placed_at_each_use);
	tcase_add_test(tests, kernels_become_static_functions_with_tables);
	tcase_add_test(tests, launch_bounds_of_a_prototype_apply);
	tcase_add_test(tests, order_of_some_threads_is_noted);
	tcase_add_test(tests, errors_name_the_line);
	tcase_add_test(tests, a_variant_is_an_identifier);
	tcase_add_test(tests, broken_sources_return_a_status);
	tcase_add_test(tests, rewritten_code_runs);
	tcase_add_test(tests, inlining_qualifiers_change_in_the_users_text_only);
	tcase_add_test(tests, kernel_addresses_are_fully_qualified);
	tcase_add_test(tests, instantiations_of_host_functions_go_with_them);
	tcase_add_test(tests, host_functions_become_blanks);
	tcase_add_test(tests,
		       bodies_of_header_functions_that_nothing_names_are_left_out);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
