/* test_math.c - the float and double functions over a sample of their inputs, and special values.
 *
 * The hashes over the sample are an H200's (kernels/math_sums.h); the simulator must give them for
 * every function, and so must a GPU if there is one. Special values are those of the C standard and
 * the CUDA documentation. `make check-math` covers all inputs.
 */
#include "config.h"

#include "tests/support.h"

#include <inttypes.h>

#include "engine/verify_math.h"
#include "kernels/math_list.h"

static struct device *device;
static struct buffer *sums;

static void open_sim(void)
{
	OK(device_open("sim", NULL, &device));
	OK(verify_math_alloc(device, &sums));
}

static void close_device(void)
{
	device_close(device);
}

static void check_samples(void)
{
	for (int i = 0; i < math_count; i++) {
		const struct math_function *function = &math_table[i];
		uint64_t found;

		OK(verify_math_sample(device, sums, function, &found));
		ck_assert_msg(found == function->sums->sample,
			      "%s: the sample's hash is %016" PRIx64 ", an H200 gives %016" PRIx64,
			      function->name, found, function->sums->sample);
	}
}

START_TEST(the_simulator_gives_the_sample_hashes)
{
	check_samples();
}
END_TEST

/* Does nothing without a GPU; test_cuda reports the skip. */
START_TEST(a_gpu_gives_the_sample_hashes)
{
	if (device_open("cuda", NULL, &device) != STATUS_OK)
		return;
	OK(verify_math_alloc(device, &sums));
	check_samples();
	device_close(device);
}
END_TEST

static uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Returns the result for input number i. Its hash is bits * (2i + 1), and 2i + 1 has an inverse. */
static uint32_t result_bits(const char *name, uint64_t i)
{
	const struct math_function *function = math_find(name);
	struct math_range one = { i, 1, 1 };
	uint64_t hash = 0, odd = 2 * i + 1, inverse = odd;

	ck_assert_msg(function, "no function %s", name);
	OK(verify_math_range(device, sums, function, one, &hash));
	for (int step = 0; step < 5; step++)            /* Newton: 3 correct bits, 6, 12, ... */
		inverse *= 2 - odd * inverse;
	hash *= inverse;
	ck_assert_msg(hash >> 32 == 0, "%s: not the hash of one input", name);
	return (uint32_t)hash;
}

#define INF 0x7f800000u
#define NAN_BITS 0x7fffffffu
#define MINUS 0x80000000u

START_TEST(special_values_are_those_of_the_standard)
{
	static const struct {
		const char *name;
		uint32_t x, result;
	} cases[] = {
		{ "exp2f", 0, 0x3f800000u }, { "exp2f", INF, INF }, { "exp2f", INF | MINUS, 0 },
		{ "exp2f", 0x40400000u, 0x41000000u },                  /* 2^3 is 8 */
		{ "expf", 0, 0x3f800000u }, { "expf", NAN_BITS, NAN_BITS },
		{ "expf", 0x3f800000u, 0x402df854u },                   /* e */
		{ "exp10f", 0x40000000u, 0x42c80000u },                 /* 100 */
		{ "expm1f", MINUS, MINUS },
		{ "logf", 0x3f800000u, 0 }, { "logf", 0, INF | MINUS },
		{ "logf", 0xbf800000u, NAN_BITS }, { "logf", INF, INF },
		{ "log2f", 0x41000000u, 0x40400000u },                  /* log2 8 is 3 */
		{ "log10f", 0x3f800000u, 0 }, { "log1pf", MINUS, MINUS },
		{ "sinf", MINUS, MINUS }, { "sinf", INF, NAN_BITS }, { "cosf", 0, 0x3f800000u },
		{ "cosf", INF, NAN_BITS }, { "tanhf", INF, 0x3f800000u },
		{ "erff", INF | MINUS, 0xbf800000u }, { "rsqrtf", 0x40800000u, 0x3f000000u },
		{ "rsqrtf", MINUS, INF | MINUS }, { "rsqrtf", 0xbf800000u, NAN_BITS },
		{ "__frsqrt_rn", 0x40800000u, 0x3f000000u }, { "__saturatef", NAN_BITS, 0 },
		{ "__saturatef", 0x40000000u, 0x3f800000u }, { "roundf", 0x3f000000u, 0x3f800000u },
		{ "rintf", 0x3f000000u, 0 }, { "__float2int_rz", INF, 0x7fffffffu },
		{ "__float2int_rz", NAN_BITS, 0 }, { "__float2uint_rz", 0xbf800000u, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t found = result_bits(cases[i].name, cases[i].x);

		ck_assert_msg(found == cases[i].result, "%s of 0x%08x is 0x%08x, not 0x%08x",
			      cases[i].name, cases[i].x, found, cases[i].result);
	}
}
END_TEST

/* Returns the number of the pair (x, y) of special values. */
static uint64_t special_pair(uint32_t x, uint32_t y)
{
	for (uint64_t i = MATH_BITS; i < MATH_BITS + MATH_PAIRS; i++) {
		uint32_t a, b;

		math_pair(i, &a, &b);
		if (a == x && b == y)
			return i;
	}
	ck_abort_msg("0x%08x, 0x%08x are not special values", x, y);
}

START_TEST(special_pairs_are_those_of_the_standard)
{
	static const struct {
		const char *name;
		float x, y, result;
	} cases[] = {
		{ "powf", 5, 0, 1 }, { "powf", 2, 10, 1024 }, { "powf", -2, 3, -8 },
		{ "powf", 1, 150, 1 }, { "x / y", 10, 2, 5 }, { "x * y", 3, 5, 15 },
		{ "x + y", 1.5f, -1, 0.5f }, { "fmodf", 10, 3, 1 }, { "remainderf", 5, 3, -1 },
		{ "fmaxf", -0.0f, 0.0f, 0.0f }, { "fminf", 0.0f, -0.0f, -0.0f },
		{ "fdimf", 2, 5, 0 }, { "copysignf", 2, -3, -2 }, { "fmaf(x, y, x)", 3, 5, 18 },
		{ "__fdividef", 10, 2, 5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t pair = special_pair(float_bits(cases[i].x), float_bits(cases[i].y));
		uint32_t found = result_bits(cases[i].name, pair);

		ck_assert_msg(found == float_bits(cases[i].result),
			      "%s of %g and %g is 0x%08x, not 0x%08x", cases[i].name, cases[i].x,
			      cases[i].y, found, float_bits(cases[i].result));
	}
}
END_TEST

/* A hash does not depend on how the inputs are divided, and one wrong bit changes it. */
START_TEST(hashes_add_up)
{
	const struct math_function *function = math_find("expf");
	const uint64_t first = 0x3f000000u;
	uint64_t whole = 0, parts = 0, shorter = 0;

	OK(verify_math_range(device, sums, function,
			     (struct math_range){ first, 10000, 1 }, &whole));
	for (unsigned i = 0; i < 3; i++)
		OK(verify_math_range(device, sums, function, (struct math_range){
			first + i, (10000 - i + 2) / 3, 3 }, &parts));
	OK(verify_math_range(device, sums, function,
			     (struct math_range){ first, 9999, 1 }, &shorter));
	ck_assert_uint_eq(whole, parts);
	ck_assert_uint_ne(whole, shorter);
	ck_assert_ptr_null(math_find("tgammaf"));
}
END_TEST

/* kernels/double_sums.h has the sums that the H200 printed: of the boundary values, and of all
 * parts of the other inputs. */
START_TEST(double_sums_are_those_of_the_h200)
{
	char path[4096], name[64];
	int count = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/h200/double_sums.txt", getenv("abs_srcdir"));
	file = fopen(path, "r");
	ck_assert_msg(file, "cannot open %s", path);
	while (fscanf(file, "%63s", name) == 1) {
		const struct math_function *function = math_find(name);
		uint64_t sum, boundary = 0, all = 0;

		ck_assert_int_eq(fscanf(file, "%" SCNx64, &boundary), 1);
		for (int part = 0; part < 64; part++) {
			ck_assert_int_eq(fscanf(file, "%" SCNx64, &sum), 1);
			all += sum;
		}
		if (!function)
			continue;
		ck_assert_msg(function->kind == MATH_DOUBLE, "%s", name);
		ck_assert_msg(boundary == function->sums->sample, "%s: boundary values", name);
		ck_assert_msg(all == function->sums->full, "%s: all inputs", name);
		count++;
	}
	fclose(file);
	for (int i = 0; i < math_count; i++)
		count -= math_table[i].kind == MATH_DOUBLE;
	ck_assert_int_eq(count, 0);
}
END_TEST

int main(void)
{
	TCase *sim = tcase_create("simulator"), *gpu = tcase_create("gpu");

	tcase_add_checked_fixture(sim, open_sim, close_device);
	tcase_set_timeout(sim, 60);
	tcase_add_test(sim, the_simulator_gives_the_sample_hashes);
	tcase_add_test(sim, special_values_are_those_of_the_standard);
	tcase_add_test(sim, special_pairs_are_those_of_the_standard);
	tcase_add_test(sim, hashes_add_up);
	tcase_add_test(sim, double_sums_are_those_of_the_h200);
	tcase_add_test(gpu, a_gpu_gives_the_sample_hashes);
	return run_suites("math", (TCase *[]){ sim, gpu }, 2);
}
