/* test_gpu_code.c - the names of kernels and variables in a fatbin, as nvcc 13.0 writes them. */
#include "config.h"

#include "tests/support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "tui/launch/gpu_code.h"

/* Of static functions, templates, a lambda of main(), and namespaces with and without a name. */
static const char ptx[] =
	"P\355U\272 bytes of machine code\n.version 9.0\n.target sm_90a\n"
	".global .align 4 .u32 sv;\n"
	".const .align 4 .b8 cv[16];\n"
	".global .attribute(.managed) .align 4 .u32 mv;\n"
	".global .align 4 .b8 tab[12] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};\n"
	".visible .global .align 8 .u64 pp = generic(k2);\n"
	".global .align 4 .u32 _ZN34_INTERNAL_305e9065_4_a_cu_3ce64e1636_GLOBAL__N__305e9065_4_a_cu"
	"_3ce64e162avE;\n"
	".global .align 4 .u32 _ZN1n2nvE;\n"
	".entry _Z2stPi(\n\t.param .u64 _Z2stPi_param_0\n)\n"
	"\tld.global.u32 \t%r1, [sv];\n"
	".visible .entry _Z2tkIiEvPT_S0_(\n"
	".visible .entry _Z2tkIfEvPT_S0_(\n"
	".visible .entry _Z2fkIZ4mainEUliE_EvT_(\n"
	".entry _ZN36_GLOBAL__N__305e9065_4_a_cu_3ce64e164anonEPi(\n"
	".visible .entry _ZN1n2nkEv()\n"
	".visible .entry _Z1hP6__half7__half2(\n"
	".visible .entry plain(\n";

static const char *const kernels[][2] = {
	/* The system's compiler, nvcc; NULL: not there. */
	{ "_ZL2stPi", "_Z2stPi" },
	{ "_Z2tkIiEvPT_S0_", "_Z2tkIiEvPT_S0_" },
	{ "_Z2tkIfEvPT_S0_", "_Z2tkIfEvPT_S0_" },
	{ "_Z2tkIdEvPT_S0_", NULL },
	{ "_Z2fkIZ7ft_mainvEUliE_EvT_", "_Z2fkIZ4mainEUliE_EvT_" },
	{ "_Z2fkIZ7ft_mainiPPcEUliE_EvT_", "_Z2fkIZ4mainEUliE_EvT_" },
	{ "_ZN12_GLOBAL__N_14anonEPi", "_ZN36_GLOBAL__N__305e9065_4_a_cu_3ce64e164anonEPi" },
	{ "_ZN1n2nkEv", "_ZN1n2nkEv" },
	{ "_Z1hP7ft_half8ft_half2", "_Z1hP6__half7__half2" },
	{ "plain", "plain" },
	{ "_Z5otherv", NULL },
};

static const char *const variables[][2] = {
	{ "sv", "sv" }, { "cv", "cv" }, { "mv", "mv" }, { "tab", "tab" }, { "pp", "pp" },
	{ "av", "_ZN34_INTERNAL_305e9065_4_a_cu_3ce64e1636_GLOBAL__N__305e9065_4_a_cu_3ce64e16"
		"2avE" },
	{ "n::nv", "_ZN1n2nvE" }, { "sv@other.cu", "sv" }, { "v", NULL },
};

static void same(const char *got, const char *const wanted[2])
{
	if (wanted[1])
		ck_assert_msg(got && strcmp(got, wanted[1]) == 0, "%s is %s, not %s", wanted[0],
			      got ? got : "not found", wanted[1]);
	else
		ck_assert_msg(!got, "%s is %s, not absent", wanted[0], got);
}

static void put_bytes(const char *path, const char *text, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	ck_assert(file && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
}

START_TEST(names)
{
	static const char path[] = "test_gpu_code.fatbin";
	struct gpu_code *code;

	put_bytes(path, ptx, sizeof ptx);
	OK(gpu_code_read(path, &code));
	unlink(path);
	ck_assert_uint_eq(*gpu_code_bytes(code), sizeof ptx);
	for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
		same(gpu_code_kernel(code, kernels[i][0]), kernels[i]);
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
		same(gpu_code_variable(code, variables[i][0]), variables[i]);
	gpu_code_free(code);
	/* A program may have the C++ library linked statically, and crashes beside another. */
	ck_assert_ptr_null(dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD));
}
END_TEST

START_TEST(compressed)
{
	static const char path[] = "test_gpu_code.compressed";
	struct gpu_code *code;

	put_bytes(path, "no text", 7);
	ck_assert_int_eq(gpu_code_read(path, &code), STATUS_INTERNAL);
	unlink(path);
	gpu_code_free(code);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("gpu_code");

	tcase_add_test(tests, names);
	tcase_add_test(tests, compressed);
	return run_suite("gpu_code", tests);
}
