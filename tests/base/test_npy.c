/* test_npy.c - .npy files: round trips, and errors that name the file and the cause. */
#include "config.h"

#include "tests/support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/nan.h"
#include "base/npy.h"

static char directory[] = "/tmp/test_npy.XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static void teardown(void)
{
	unlink("a.npy");
	ck_assert_int_eq(chdir("/"), 0);
	/* Fails when a test leaves anything behind. */
	ck_assert_int_eq(rmdir(directory), 0);
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
}

/* Writes a file of format `major` with this dict, followed by `data` zero bytes. */
static void write_npy(int major, const char *dict, size_t data)
{
	unsigned char bytes[2048] = "\x93NUMPY";
	size_t length = strlen(dict), at = major == 1 ? 10 : 12;

	bytes[6] = (unsigned char)major;
	bytes[8] = (unsigned char)(length & 0xff);
	bytes[9] = (unsigned char)(length >> 8);
	memcpy(bytes + at, dict, length);
	write_file("a.npy", bytes, at + length + data);
}

static void refused(enum status expected, const char *text)
{
	struct npy npy;
	enum status status = npy_read("a.npy", &npy);

	ck_assert_msg(status == expected && strstr(error_text(), text), "status %d: %s", status,
		      error_text());
	ck_assert_ptr_null(npy.data);
}

START_TEST(round_trip)
{
	static const int64_t shape[3] = { 2, 3, 4 };
	float values[24];
	struct npy npy;

	for (int i = 0; i < 24; i++)
		values[i] = (float)i / 3;
	for (int rank = 0; rank <= 3; rank++) {
		static const size_t counts[] = { 1, 2, 6, 24 };

		ck_assert_int_eq(npy_write("a.npy", DTYPE_F32, rank, shape, values), STATUS_OK);
		ck_assert_msg(npy_read("a.npy", &npy) == STATUS_OK, "%s", error_text());
		ck_assert_int_eq(npy.dtype, DTYPE_F32);
		ck_assert_int_eq(npy.rank, rank);
		ck_assert_uint_eq(npy.count, counts[rank]);
		ck_assert_mem_eq(npy.data, values, 4 * counts[rank]);
		ck_assert_uint_eq((uintptr_t)npy.data % 64, 0);
		npy_free(&npy);
	}
}
END_TEST

START_TEST(empty_array)
{
	static const int64_t shape[2] = { 0, 7 };
	struct npy npy;

	ck_assert_int_eq(npy_write("a.npy", DTYPE_U8, 2, shape, NULL), STATUS_OK);
	ck_assert_int_eq(npy_read("a.npy", &npy), STATUS_OK);
	ck_assert_uint_eq(npy.count, 0);
	ck_assert_int_eq(npy.shape[1], 7);
	npy_free(&npy);
}
END_TEST

START_TEST(forms)
{
	static const char *const good[] = {
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }   \n",
		"{\"shape\": (2L,), \"descr\": \"<f4\", \"fortran_order\": False}",
		"{'fortran_order':False,'shape':(1,2),'descr':'<f4'}",
	};
	struct npy npy;

	for (size_t i = 0; i < 3; i++)
		for (int major = 1; major <= 3; major++) {
			write_npy(major, good[i], 8);
			ck_assert_msg(npy_read("a.npy", &npy) == STATUS_OK, "%s", error_text());
			ck_assert_uint_eq(npy.count, 2);
			npy_free(&npy);
		}
}
END_TEST

/* What ml_dtypes writes for bfloat16 and float8_e4m3fn, and what NumPy makes of that. */
START_TEST(opaque_floats)
{
	static const struct {
		const char *dict;
		enum dtype type;
	} files[] = {
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (4,)}", DTYPE_F16 },
		{ "{'descr': '<V2', 'fortran_order': False, 'shape': (4,)}", DTYPE_BF16 },
		{ "{'descr': '|V2', 'fortran_order': False, 'shape': (4,)}", DTYPE_BF16 },
		{ "{'descr': '<V1', 'fortran_order': False, 'shape': (4,)}", DTYPE_E4M3 },
		{ "{'descr': '|V1', 'fortran_order': False, 'shape': (4,)}", DTYPE_E4M3 },
	};
	static const int64_t shape[1] = { 4 };
	static const unsigned char bytes[8] = { 0x80, 1, 0x7f, 0xff, 5, 6, 7, 8 };
	struct npy npy;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		write_npy(1, files[i].dict, 4 * dtype_bytes(files[i].type));
		ck_assert_msg(npy_read("a.npy", &npy) == STATUS_OK, "%s", error_text());
		ck_assert_int_eq(npy.dtype, files[i].type);
		npy_free(&npy);
		ck_assert_int_eq(npy_write("a.npy", files[i].type, 1, shape, bytes), STATUS_OK);
		ck_assert_msg(npy_read("a.npy", &npy) == STATUS_OK, "%s", error_text());
		ck_assert_int_eq(npy.dtype, files[i].type);
		ck_assert_mem_eq(npy.data, bytes, 4 * dtype_bytes(npy.dtype));
		npy_free(&npy);
	}
}
END_TEST

#define DICT(descr, order, shape) \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

START_TEST(refusals)
{
	static const struct {
		const char *dict;
		size_t data;
		const char *text;
	} bad[] = {
		{ DICT("'<f4'", "True", "(2,)"), 8, "Fortran" },
		{ DICT("'>f4'", "False", "(2,)"), 8, "big endian" },
		{ DICT("'<c8'", "False", "(1,)"), 8, "<c8" },
		{ DICT("'<V3'", "False", "(1,)"), 3, "or <V1 for 8-bit floats, got <V3" },
		{ DICT("[('x', '<f4')]", "False", "(2,)"), 8, "structured" },
		{ DICT("'<f4'", "False", "(3,)"), 8,
		  "truncated: expected 12 bytes of data by its shape, got 8" },
		{ DICT("'<f4'", "False", "(1,)"), 8, "too long" },
		{ DICT("'<f4'", "False", "(-2,)"), 8, "dimension" },
		{ DICT("'<f4'", "False", "(4611686018427387904, 8)"), 8, "too large" },
		{ DICT("'<f8'", "False", "(2305843009213693952,)"), 8, "too large" },
		{ DICT("'<f4'", "False", "(99999999999999999999,)"), 8, "too large" },
		{ DICT("'<f4'", "False", "(1,1,1,1,1,1,1,1,2)"), 8, "dimensions" },
		{ DICT("'<f4'", "Maybe", "(2,)"), 8, "True or False" },
		{ "{'descr': '<f4', 'shape': (2,)}", 8, "key fortran_order is missing" },
		{ "{'descr': '<f4', 'color': 1}", 8, "color" },
		{ "{'descr': '<f4'", 8, "expected" },
		{ DICT("'<f4'", "False", "(2,)") " x", 8, "the end" },
		{ "", 8, "expected {" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		write_npy(1, bad[i].dict, bad[i].data);
		refused(STATUS_USAGE, bad[i].text);
		ck_assert_ptr_nonnull(strstr(error_text(), "a.npy"));
	}
	write_npy(4, bad[0].dict, 8);
	refused(STATUS_USAGE, "format 1.0 to 3.0, got 4.0");
	write_file("a.npy", "not numpy at all", 16);
	refused(STATUS_USAGE, "not a .npy file");
	write_file("a.npy", "\x93NUM", 4);
	refused(STATUS_USAGE, "not a .npy file");
	unlink("a.npy");
	refused(STATUS_IO, "No such file");
}
END_TEST

/* Any bytes give an error or an array, never a crash or an overrun, which the sanitizer build would
 * report. */
START_TEST(fuzz)
{
	static const char dict[] = DICT("'<f4'", "False", "(2, 1)");
	unsigned char good[128], bytes[128];
	size_t size;
	FILE *file;
	struct npy npy;

	write_npy(1, dict, 8);
	file = fopen("a.npy", "rb");
	ck_assert_ptr_nonnull(file);
	size = fread(good, 1, sizeof good, file);
	fclose(file);
	srand(1);
	for (int i = 0; i < 300; i++) {
		memcpy(bytes, good, size);
		for (int changes = 1 + rand() % 3; changes; changes--)
			bytes[(size_t)rand() % size] = (unsigned char)rand();
		write_file("a.npy", bytes, rand() % 8 ? size : (size_t)rand() % size);
		if (npy_read("a.npy", &npy) == STATUS_OK)
			ck_assert_uint_eq(npy.count * dtype_bytes(npy.dtype), 8);
		npy_free(&npy);
	}
}
END_TEST

START_TEST(write_errors)
{
	static const int64_t shape[1] = { 1 };
	float value = 1;
	struct stat st;

	ck_assert_int_eq(npy_write("none/a.npy", DTYPE_F32, 1, shape, &value), STATUS_IO);
	ck_assert_ptr_nonnull(strstr(error_text(), "none/a.npy"));
	ck_assert_int_eq(npy_write("a.npy", DTYPE_POINTER, 1, shape, &value), STATUS_USAGE);
	ck_assert_int_ne(stat("a.npy", &st), 0);
	/* A device file is written to, not replaced; a full one is an error. */
	ck_assert_int_eq(npy_write("/dev/null", DTYPE_F32, 1, shape, &value), STATUS_OK);
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert_int_eq(npy_write("/dev/full", DTYPE_F32, 1, shape, &value), STATUS_IO);
	ck_assert_ptr_nonnull(strstr(error_text(), "No space left"));
}
END_TEST

START_TEST(expectations)
{
	struct npy npy = { .dtype = DTYPE_F32, .rank = 2, .shape = { 8, 64 } };
	static const int64_t any[2] = { -1, 64 }, other[2] = { 8, 32 };

	ck_assert_int_eq(npy_expect(&npy, "--q q.npy", DTYPE_F32, 2, any), STATUS_OK);
	ck_assert_int_eq(npy_expect(&npy, "--q q.npy", DTYPE_F32, 2, other), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "--q q.npy: expected shape (8, 32), got (8, 64)");
	ck_assert_int_eq(npy_expect(&npy, "--q q.npy", DTYPE_F32, 3, any), STATUS_USAGE);
	ck_assert_int_eq(npy_expect(&npy, "--q q.npy", DTYPE_F64, 2, any), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "--q q.npy: expected dtype f64, got f32");
}
END_TEST

/* Quiet NaNs of any processor become the GPU's; numbers, infinities and poison stay. */
START_TEST(nans_are_the_gpus)
{
	uint32_t f32[] = { 0xffc00000u, 0x7fc00000u, 0x7fd00001u, 0x7fa0deadu, 0x7f800000u,
		0x3f800000u };
	uint32_t wanted[] = { 0x7fffffffu, 0x7fffffffu, 0x7fffffffu, 0x7fa0deadu, 0x7f800000u,
		0x3f800000u };
	uint64_t f64[] = { UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000000) };
	uint16_t f16[] = { 0xfe00u, 0x7c00u }, bf16[] = { 0x7fc0u, 0x7f80u };
	uint8_t e4m3[] = { 0xffu, 0xfeu, 0x7fu };

	nan_as_gpu(DTYPE_I32, f32, 6);
	ck_assert_uint_eq(f32[0], 0xffc00000u);
	nan_as_gpu(DTYPE_F32, f32, 6);
	ck_assert_mem_eq(f32, wanted, sizeof f32);
	nan_as_gpu(DTYPE_F64, f64, 2);
	ck_assert_uint_eq(f64[0], UINT64_C(0xfff8000000000000));
	ck_assert_uint_eq(f64[1], UINT64_C(0x7ff0000000000000));
	nan_as_gpu(DTYPE_F16, f16, 2);
	nan_as_gpu(DTYPE_BF16, bf16, 2);
	ck_assert_uint_eq(f16[0], 0x7fffu);
	ck_assert_uint_eq(f16[1], 0x7c00u);
	ck_assert_uint_eq(bf16[0], 0x7fffu);
	ck_assert_uint_eq(bf16[1], 0x7f80u);
	nan_as_gpu(DTYPE_E4M3, e4m3, 3);
	ck_assert_mem_eq(e4m3, ((uint8_t[]){ 0x7fu, 0xfeu, 0x7fu }), 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("npy");
	TCase *tcase = tcase_create("npy");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, round_trip);
	tcase_add_test(tcase, empty_array);
	tcase_add_test(tcase, forms);
	tcase_add_test(tcase, opaque_floats);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, fuzz);
	tcase_add_test(tcase, write_errors);
	tcase_add_test(tcase, expectations);
	tcase_add_test(tcase, nans_are_the_gpus);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
