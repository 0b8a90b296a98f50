/* test_ptx.c - the translation of inline PTX: text, operands, and what is not supported.
 *
 * Compares strings. That the results compute what PTX does is tested by tests/launch/ptx_*.cu.
 */
#include "tests/support.h"

#include <ctype.h>

#include "base/xalloc.h"
#include "sim/cu2c/ptx_text.h"
#include "sim/cu2c/rewrite.h"

/* Blanks do not matter. */
static bool contains(const char *text, const char *part)
{
	for (; *text; text++) {
		const char *a = text, *b = part;

		for (; *b; a++, b++) {
			a += strspn(a, " \t\n");
			b += strspn(b, " \t\n");
			if (*a != *b || !*b)
				break;
		}
		if (!*b)
			return true;
	}
	return false;
}

/* Asserts that the PTX, which has four operands, becomes code with `part` in it. */
static void becomes(const char *ptx, const char *part)
{
	const struct ptx_place place = { "f.cu", 4, 7, 1 };
	char *absent = NULL, *code = ptx_translate(ptx, 4, &place, &absent);

	ck_assert_msg(code != NULL, "'%s': %s is not known", ptx, absent);
	ck_assert_msg(contains(code, part), "no '%s' in:\n%s", part, code);
	free(code);
}

static void is_absent(const char *ptx, const char *expected)
{
	const struct ptx_place place = { "f.cu", 4, 7, 1 };
	char *absent = NULL, *code = ptx_translate(ptx, 4, &place, &absent);

	ck_assert_msg(!code, "'%s' became:\n%s", ptx, code);
	ck_assert_str_eq(absent, expected);
	free(absent);
}

START_TEST(instructions_become_calls)
{
	becomes("add.s32 %0, %1, %2;", "ft_0 = ft_ptx_add<int>(ft_1, ft_2);");
	becomes("mul.wide.u16 %0, %1, 3", "ft_0 = ft_ptx_mul_wide<unsigned short>(ft_1, "
		"ft_reg(3LL));");
	becomes("cvt.rzi.s64.f32 %0, %1;", "ft_0 = ft_ptx_cvt_rzi<long long, float>(ft_1);");
	becomes("membar.gl;", "ft_ptx_fence();");
	becomes("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2+16];",
		"ft_ptx_ld_vector<float>(ft_places<2>{ { &ft_0, &ft_1 } }, "
		"ft_ptx_address(ft_2, ft_reg(16LL)));");
	becomes("st.shared.u8 [%0], %1;",
		"ft_ptx_st<unsigned char>(ft_ptx_shared(ft_0, 0), ft_1);");
	becomes("mov.u32 %0, %laneid;", "ft_0 = ft_ptx_mov<unsigned>(ft_reg(ft_ptx_lane()));");
	becomes("mov.b64 %0, {%1, %2};",
		"ft_0 = ft_ptx_pack<unsigned long long>(ft_values<2>{ { ft_1, ft_2 } });");
	becomes("add.cc.u32 %0, %1, %2; addc.u32 %3, 0, 0;",
		"ft_3 = ft_ptx_addc<unsigned>(ft_carry, ft_reg(0LL), ft_reg(0LL));");
	becomes("bar.sync 0;", "{ \"bar.sync\", \"f.cu\", 7,");
	becomes("bar.sync 1;", "ft_ptx_named_barrier(");
	becomes("bar.sync 0, %1;", "ft_ptx_named_barrier(");
	becomes("bar.arrive %0, 64;", "ft_ptx_named_arrive(");
	becomes("bar.red.popc.u32 %0, 0, 1;", "ft_ptx_barrier_count(");
	becomes("bar.red.popc.u32 %0, 0, 64, 1;", "ft_ptx_named_count(");
	becomes("{ .reg .pred p; $L: setp.ne.u32 p, %0, 0; @p bra $L; }",
		"{ ft_reg ft_x_p; ft_l_1__dL: ; "
		"ft_x_p = ft_ptx_setp_ne<unsigned>(&ft_unused, ft_0, ft_reg(0LL)); "
		"if (ft_x_p.is()) goto ft_l_1__dL; }");
}
END_TEST

START_TEST(qualifiers_may_have_any_order)
{
	becomes("cp.async.cg.L2::128B.shared.global [%0], [%1], 16;", "ft_ptx_cp_async(");
	becomes("atom.add.global.acq_rel.gpu.u32 %0, [%1], %2;", "ft_ptx_atom_acq_rel_add<");
	becomes("cvt.f64.f32 %0, %1;", "ft_ptx_cvt_f64_f32(");
	is_absent("cvt.rn.f64.f32 %0, %1;", "cvt.rn.f64.f32");
}
END_TEST

START_TEST(blocks_registers_and_predicates)
{
	becomes("{ .reg .pred p, %q; setp.ne.b32 p|%q, %1, 0; @!p add.u32 %0, %0, 1; }",
		"{ ft_reg ft_x_p; ft_reg ft_x__pq; "
		"ft_x_p = ft_ptx_setp_ne<unsigned>(&ft_x__pq, ft_1, ft_reg(0LL)); "
		"if (!ft_x_p.is()) ft_0 = ft_ptx_add<unsigned>(ft_0, ft_reg(1LL)); }");
	becomes("{ .reg .b32 a; mov.b32 a, %1; } // b\n /* c; */ mov.b32 %0, 1;",
		"} ft_0 = ft_ptx_mov<unsigned>(ft_reg(1LL));");
	becomes("shfl.sync.up.b32 _|%0, %1, 1, 0, -1;", "ft_unused = ft_ptx_shfl_sync_up_b32(({");
	is_absent("{ .reg .b32 a; } mov.b32 %0, a;", "mov.b32");
	is_absent("{ mov.b32 %0, 1;", "mov.b32");
	is_absent("mov.b32 %0, 1; }", "mov.b32");
}
END_TEST

START_TEST(constants)
{
	becomes("mov.f32 %0, 0f3F800000;", "ft_reg(0x3F800000ULL)");
	becomes("mov.f64 %0, 0d3FF0000000000000;", "ft_reg(0x3FF0000000000000ULL)");
	becomes("mul.f32 %0, %1, -1.5;", "ft_reg((float)-1.5)");
	becomes("mul.f64 %0, %1, 2e-3;", "ft_reg((double)2e-3)");
	becomes("mul.f32 %0, %1, 0.;", "ft_reg((float)0.)");
	becomes("mul.f64 %0, -2., %1;", "ft_reg((double)-2.), ft_1");
	becomes("and.b32 %0, %1, 0xffU;", "ft_reg(0xffLL)");
	becomes("add.s32 %0, %1, -7;", "ft_reg(-7LL)");
	becomes("mov.u32 %0, WARP_SZ;", "ft_reg(32)");
}
END_TEST

START_TEST(cache_policies_are_dropped)
{
	becomes("ld.global.L2::cache_hint.f32 %0, [%1], %2;",
		"ft_0 = ft_ptx_ld<float>(ft_ptx_address(ft_1, 0));");
	becomes("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;",
		"ft_ptx_st_vector<float>(ft_ptx_address(ft_0, 0), "
		"ft_values<2>{ { ft_1, ft_2 } });");
	becomes("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 4, %2, %3;",
		"ft_ptx_cp_async(ft_ptx_shared(ft_0, 0), ft_ptx_address(ft_1, 0), ft_reg(4LL), "
		"ft_2);");
	becomes("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
		"[%0], [%1], 16, [%2], %3;", "ft_reg(16LL), ft_ptx_shared(ft_2, 0));");
	is_absent("ld.global.f32 %0, [%1], %2;", "ld.global.f32");
	is_absent("ld.global.L2::cache_hint.f32 %0, [%1];", "ld.global.L2::cache_hint.f32");
	is_absent("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16;",
		  "cp.async.cg.shared.global.L2::cache_hint");
}
END_TEST

START_TEST(what_is_not_supported_is_named)
{
	is_absent("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned");
	is_absent("mov.u32 %0, 1; ld.global.v3.u32 %1, [%2];", "ld.global.v3.u32");
	is_absent("add.u32 %0, %1;", "add.u32");
	is_absent("add.u32 %0, %1, %9;", "add.u32");
	is_absent("add.u32 %0, %1, [%2];", "add.u32");
	is_absent("mov.u32 %0, %cluster_ctaid.x;", "mov.u32");
	is_absent("addc.u32 %0, %1, %2;", "addc.u32");
	/* When small quotients are flushed is not known. */
	is_absent("div.rn.ftz.f32 %0, %1, %2;", "div.rn.ftz.f32");
	is_absent("brx.idx %0, L;", "brx.idx");
	is_absent(".reg .v4 .f32 v;", ".reg");
}
END_TEST

/* As often as the instruction's types and shape say. */
START_TEST(vectors_have_the_registers_of_their_instruction)
{
	static const struct { const char *name, *wrong, *right; } rows[] = {
		{ "ld.global.v2.f32", "{%0, %1, %2, %3}, [%1];", "{%0, %1}, [%1];" },
		{ "st.shared.v4.b32", "[%0], {%1, %2};", "[%0], {%1, %2, %3, %3};" },
		{ "ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{%0}, [%1];", "{%0, %1}, [%2];" },
		{ "stmatrix.sync.aligned.m8n8.x1.shared.b16", "[%1], {%0, %0};", "[%1], {%0};" },
		{ "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32",
		  "{%0, _, %1, _}, {%2, %2, %2, %2}, {%3, %3}, {%0, 0., %1, 0.0};",
		  "{%0, _, %1, _}, {%2, %2}, {%3}, {%0, 0., %1, 0.0};" },
		{ "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
		  "{%0, %0, %0, %0}, {%1, %1, %1, %1}, {%2, %2}, {%3, %3};",
		  "{%0, %0}, {%1, %1, %1, %1}, {%2, %2}, {%3, %3};" },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
		  "{%0, %0, %0, %0}, {%1, %1}, {%2}, {%3, %3, %3, %3};",
		  "{%0, %0, %0, %0}, {%1, %1, %1, %1}, {%2, %2}, {%3, %3, %3, %3};" },
		{ "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
		  "{%0, %0, %0, %0}, {%1, %1}, {%2}, {%3, %3, %3, %3};",
		  "{%0, %0, %0, %0}, {%1, %1, %1, %1}, {%2, %2}, {%3, %3, %3, %3};" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *wrong = xasprintf("%s %s", rows[i].name, rows[i].wrong);
		char *right = xasprintf("%s %s", rows[i].name, rows[i].right);

		is_absent(wrong, rows[i].name);
		becomes(right, "ft_ptx_");
		free(wrong);
		free(right);
	}
}
END_TEST

/* --- asm statements --- */

static void statement(const char *body, const char *part)
{
	char *text = xasprintf("__device__ void f(int x, float *p)\n{ %s }", body), *out;

	OK(rewrite_program("t.cu", text, strlen(text), REWRITE_DEVICE, &out));
	ck_assert_msg(contains(out, part), "no '%s' in:\n%s", part, out);
	free(out);
	free(text);
}

START_TEST(operands_keep_their_expressions)
{
	statement("asm volatile(\"mov.b32 %0, %1;\" : \"=r\"(x) : \"r\"(g(x, \"a\")) : \"cc\");",
		  "({ auto &ft_out_0 = (x); ft_reg ft_0; ft_reg ft_1((unsigned)(g(x, \"a\")));");
	statement("asm(\"mov.b32 %0, 1;\" : \"=r\"(x));",
		  "ft_out_0 = ft_0.as<decltype(ft_out_0)>(); })");
	statement("asm(\"neg.f32 %0, %0;\" : \"+\" \"f\"(p[threadIdx.x]));",
		  "auto &ft_out_0 = (p[ft_thread_index().x]); "
		  "ft_reg ft_0((float)ft_out_0);");
	statement("asm(\"mov.\" \"b32 %0, %\" \"%laneid;\" : \"=r\"(x));", "ft_ptx_lane()");
	statement("asm(\"add.u32 %0, %0, %1;\" : \"=r\"(x) : \"0\"(x));",
		  "ft_reg &ft_1 = ft_0; ft_0.put((ft_reg::plain<decltype(ft_out_0)>)(x));");
	statement("asm volatile(\"\" ::: \"memory\");", "({ ft_reg ft_unused, ft_carry;");
}
END_TEST

START_TEST(a_statement_that_is_not_supported_names_its_line)
{
	static const char host[] = "int f() { int x; asm(\"nop\"); }";
	char *out;

	statement("asm volatile(\"mbarrier.complete_tx.shared::cta.b64 [%0], 1;\" :: \"r\"(x));",
		  " ft_ptx_absent.2.mbarrier.complete_tx.shared$$cta.b64\")");
	statement("asm(\"mov.b32 %0, 1;\" : \"=q\"(x));", " ft_ptx_absent.2.operands\")");
	statement("asm(text);", " ft_ptx_absent.2.operands\")");
	OK(rewrite_program("t.cu", host, strlen(host), REWRITE_HOST, &out));
	ck_assert(contains(out, "asm(\"nop\");"));
	free(out);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ptx");

	tcase_add_test(tests, instructions_become_calls);
	tcase_add_test(tests, qualifiers_may_have_any_order);
	tcase_add_test(tests, blocks_registers_and_predicates);
	tcase_add_test(tests, constants);
	tcase_add_test(tests, cache_policies_are_dropped);
	tcase_add_test(tests, what_is_not_supported_is_named);
	tcase_add_test(tests, vectors_have_the_registers_of_their_instruction);
	tcase_add_test(tests, operands_keep_their_expressions);
	tcase_add_test(tests, a_statement_that_is_not_supported_names_its_line);
	return run_suite("ptx", tests);
}
