/* test_llama.c - the model runner without any device: attention is plain C in double precision.
 *
 * Checks loading, RoPE, norms and the feed-forward network against the sample model's reference,
 * and that invalid configurations and weights are refused with an error that names the value.
 */
#include "tests/sample.h"

#include <stdint.h>
#include <unistd.h>

#include "engine/model/llama.h"
#include "engine/model/safetensors.h"

/* --- attention in plain C --- */

struct plain_cache {
	const struct model_config *config;
	int length;                     /* keys before this step */
	float *k, *v;                   /* [layers, max_positions, Hkv * D] */
};

static void attend_head(const struct plain_cache *cache, const float *q, const float *k,
			const float *v, size_t row, int keys, float *out)
{
	int D = cache->config->head_dim;
	double *weight = malloc((size_t)keys * sizeof *weight), max = -INFINITY, sum = 0.0;

	for (int n = 0; n < keys; n++) {
		weight[n] = 0.0;
		for (int d = 0; d < D; d++)
			weight[n] += (double)q[d] * k[(size_t)n * row + (size_t)d];
		weight[n] /= sqrt(D);
		max = fmax(max, weight[n]);
	}
	for (int n = 0; n < keys; n++)
		sum += weight[n] = exp(weight[n] - max);
	for (int d = 0; d < D; d++) {
		double value = 0.0;

		for (int n = 0; n < keys; n++)
			value += weight[n] * v[(size_t)n * row + (size_t)d];
		out[d] = (float)(value / sum);
	}
	free(weight);
}

static enum status attend(void *context, int layer, const float *q, const float *k, const float *v,
			  float *out)
{
	struct plain_cache *cache = context;
	const struct model_config *c = cache->config;
	size_t D = (size_t)c->head_dim, row = (size_t)c->kv_heads * D;
	size_t base = (size_t)layer * (size_t)c->max_positions * row;

	memcpy(cache->k + base + (size_t)cache->length * row, k, row * sizeof(float));
	memcpy(cache->v + base + (size_t)cache->length * row, v, row * sizeof(float));
	for (int head = 0; head < c->heads; head++) {
		size_t kv = base + (size_t)(head * c->kv_heads / c->heads) * D;

		attend_head(cache, q + (size_t)head * D, cache->k + kv, cache->v + kv, row,
			    cache->length + 1, out + (size_t)head * D);
	}
	return STATUS_OK;
}

static int argmax(const float *logits)
{
	int best = 0;

	for (int i = 1; i < 256; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

/* Decodes `count` bytes after a reference prompt and compares them and the logits of the prompt. */
static void check_reference(const char *which, size_t count)
{
	struct npy greedy = sample_npy(which, "greedy", DTYPE_U8);
	struct npy wanted = sample_npy(which, "logits_last", DTYPE_F32);
	size_t prompt_bytes, cells;
	unsigned char *text = sample_prompt(which, &prompt_bytes);
	struct plain_cache cache = { 0 };
	struct llama *model;
	float logits[256];

	OK(llama_open(SAMPLE_DIRECTORY, &model));
	cache.config = llama_config(model);
	cells = (size_t)(cache.config->layers * cache.config->max_positions)
		* (size_t)(cache.config->kv_heads * cache.config->head_dim);
	cache.k = malloc(cells * sizeof(float));
	cache.v = malloc(cells * sizeof(float));
	text = realloc(text, prompt_bytes + count);
	for (size_t at = 0; at + 1 < prompt_bytes + count; at++) {
		int token = text[at], position = (int)at;

		cache.length = position;
		OK(llama_forward(model, 1, &token, &position, NULL, attend, &cache, logits));
		if (at + 1 == prompt_bytes)
			ck_assert_double_le(max_difference(logits, wanted.data, 256), 1e-4);
		if (at + 1 >= prompt_bytes)
			text[at + 1] = (unsigned char)argmax(logits);
	}
	ck_assert_mem_eq(text + prompt_bytes, greedy.data, count);
	free(cache.k);
	free(cache.v);
	free(text);
	llama_close(model);
	npy_free(&greedy);
	npy_free(&wanted);
}

START_TEST(romeo_decodes_like_the_reference) { check_reference("romeo", 200); }
END_TEST
START_TEST(short_decodes_like_the_reference) { check_reference("short", 64); }
END_TEST
START_TEST(late_positions_are_rotated_correctly) { check_reference("long", 2); }
END_TEST

START_TEST(tokens_and_positions_have_limits)
{
	int token = 256, position = 0;
	struct llama *model;
	float logits[256];

	OK(llama_open(SAMPLE_DIRECTORY, &model));
	FAILS(llama_forward(model, 1, &token, &position, NULL, attend, NULL, logits),
	      STATUS_USAGE, "token of 0 to 255, got 256");
	token = 0;
	position = 2048;
	FAILS(llama_forward(model, 1, &token, &position, NULL, attend, NULL, logits),
	      STATUS_USAGE, "position of 0 to 2047, got 2048");
	llama_close(model);
}
END_TEST

/* --- configurations --- */

#define MODEL "\"model_type\":\"llama\",\"hidden_size\":64,\"intermediate_size\":96," \
	"\"num_hidden_layers\":2,\"num_attention_heads\":4,\"vocab_size\":256"

static enum status parse(const char *more, struct model_config *out)
{
	char text[1024];

	snprintf(text, sizeof text, "{%s%s}", MODEL, more);
	return model_config_parse("config.json", text, out);
}

START_TEST(defaults_of_a_configuration)
{
	struct model_config c;

	OK(parse("", &c));
	ck_assert_int_eq(c.kv_heads, 4);
	ck_assert_int_eq(c.head_dim, 16);
	ck_assert_double_eq(c.rope_theta, 10000.0);
	ck_assert(!c.tied);
	OK(parse(",\"rope_theta\":5e5,\"rope_scaling\":null", &c));
	ck_assert_double_eq(c.rope_theta, 5e5);
	OK(parse(",\"rope_parameters\":{\"rope_theta\":7.0,\"rope_type\":\"default\"}", &c));
	ck_assert_double_eq(c.rope_theta, 7.0);
}
END_TEST

static const struct { const char *more, *message; } refused[] = {
	{ ",\"attention_bias\":true", "attention_bias: expected false, got true" },
	{ ",\"mlp_bias\":true", "mlp_bias: expected false, got true" },
	{ ",\"hidden_act\":\"gelu\"", "hidden_act: expected \"silu\", got \"gelu\"" },
	{ ",\"rope_scaling\":{\"rope_type\":\"llama3\"}", "got \"llama3\"" },
	{ ",\"rope_scaling\":{\"type\":\"linear\"}", "type: expected \"default\", got \"linear\"" },
	{ ",\"num_key_value_heads\":3", "4 is not a multiple" },
	{ ",\"head_dim\":15", "even number for RoPE, got 15" },
	{ ",\"head_dim\":\"16\"", "head_dim: expected a positive integer, got a string" },
	{ ",\"max_position_embeddings\":0", "1 to 16777216, got 0" },
	{ ",\"rms_norm_eps\":-1", "rms_norm_eps: expected a number above 0, got -1" },
	{ ",\"vocab_size\":256", "config.json:1" },     /* a duplicate key */
};

START_TEST(unsupported_configurations_are_refused)
{
	struct model_config c;

	FAILS(parse(refused[_i].more, &c), STATUS_USAGE, refused[_i].message);
	FAILS(model_config_parse("c.json", "[]", &c), STATUS_USAGE, "an array");
	FAILS(model_config_parse("c.json", "{\"model_type\":\"gpt2\"}", &c), STATUS_USAGE,
	      "gpt2");
	FAILS(model_config_parse("c.json", "{\"model_type\":\"llama\"}", &c), STATUS_USAGE,
	      "hidden_size is missing");
}
END_TEST

/* --- safetensors --- */

/* Opens a file of this header followed by `data_bytes` zero bytes. */
static enum status open_header(const char *header, size_t data_bytes, struct safetensors **out)
{
	char path[] = "test_llama.XXXXXX", bytes[1024] = { 0 };
	uint64_t length = strlen(header);
	enum status status;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	memcpy(bytes, &length, sizeof length);
	memcpy(bytes + sizeof length, header, length);
	write_file(path, bytes, sizeof length + length + data_bytes);
	status = safetensors_open(path, out);
	unlink(path);
	return status;
}

static const struct { const char *header, *message; } hostile[] = {
	{ "[]", "not a JSON object" },
	{ "{\"a\":", "not a JSON object" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]}}", "got [0, 20]" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[8,4]}}", "got [8, 4]" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[-4,12]}}", "got [-4, 12]" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,16]}}", "shape [3] of F32" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,16]}}", "dimension 0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4,2],\"data_offsets\":[0,0]}}",
	  "too many elements" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":4,\"data_offsets\":[0,16]}}", "not an array" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0]}}", "not [begin, end]" },
	{ "{\"a\":{\"shape\":[4],\"data_offsets\":[0,16]}}", "no dtype" },
	{ "{\"a\":1}", "no dtype" },
};

START_TEST(hostile_headers_are_refused)
{
	struct safetensors *file;

	FAILS(open_header(hostile[_i].header, 16, &file), STATUS_USAGE, hostile[_i].message);
}
END_TEST

START_TEST(tensors_are_loaded_by_shape_and_dtype)
{
	static const int64_t four = 4, five = 5;
	struct safetensors *file;
	float *values;

	OK(open_header("{\"__metadata__\":{\"x\":\"y\"},"
		       "\"a\":{\"dtype\":\"F16\",\"shape\":[4],\"data_offsets\":[0,8]},"
		       "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[8,16]}}",
		       16, &file));
	OK(safetensors_load(file, "a", 1, &four, &values));
	ck_assert_float_eq(values[3], 0.0f);
	free(values);
	FAILS(safetensors_load(file, "a", 1, &five, &values), STATUS_USAGE, "got [4]");
	FAILS(safetensors_load(file, "b", 1, &four, &values), STATUS_USAGE, "got I64");
	FAILS(safetensors_load(file, "c", 1, &four, &values), STATUS_USAGE, "no tensor c");
	safetensors_close(file);
}
END_TEST

START_TEST(half_floats_are_exact)
{
	static const uint16_t halves[] = {
		0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0xfc00, 0x7e00
	};
	static const float wanted[] = { 1.0f, -2.0f, 0x1p-24f, -0x1.ff8p-15f, 65504.0f, INFINITY,
					-INFINITY };
	static const char header[] =
		"{\"h\":{\"dtype\":\"F16\",\"shape\":[8],\"data_offsets\":[0,16]}}";
	char path[] = "test_llama.XXXXXX", bytes[256] = { 0 };
	uint64_t length = sizeof header - 1;
	struct safetensors *file;
	float *values;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	memcpy(bytes, &length, sizeof length);
	memcpy(bytes + sizeof length, header, length);
	memcpy(bytes + sizeof length + length, halves, sizeof halves);
	write_file(path, bytes, sizeof length + length + sizeof halves);
	OK(safetensors_open(path, &file));
	unlink(path);
	OK(safetensors_load(file, "h", 1, (const int64_t[]){ 8 }, &values));
	ck_assert_mem_eq(values, wanted, sizeof wanted);
	ck_assert(isnan(values[7]));
	free(values);
	safetensors_close(file);
}
END_TEST

START_TEST(missing_and_short_files_are_named)
{
	struct safetensors *file;
	struct llama *model;

	FAILS(llama_open("no/such/model", &model), STATUS_IO, "no/such/model/config.json");
	FAILS(safetensors_open("no/such/file", &file), STATUS_IO, "no/such/file");
	FAILS(safetensors_open(".", &file), STATUS_IO, "not a regular file");
	write_file("test_llama.short", "1234", 4);
	FAILS(safetensors_open("test_llama.short", &file), STATUS_USAGE,
	      "4 bytes are too few");
	write_file("test_llama.short", "\xff\xff\0\0\0\0\0\0{}", 10);
	FAILS(safetensors_open("test_llama.short", &file), STATUS_USAGE,
	      "header of 65535 bytes");
	unlink("test_llama.short");
}
END_TEST

int main(void)
{
	TCase *reference = tcase_create("reference"), *files = tcase_create("files");
	TCase *late = tcase_create("late");

	tcase_set_timeout(reference, 240);
	tcase_add_test(reference, short_decodes_like_the_reference);
	tcase_add_test(reference, tokens_and_positions_have_limits);
	tcase_add_test(files, defaults_of_a_configuration);
	tcase_add_loop_test(files, unsupported_configurations_are_refused, 0,
			    sizeof refused / sizeof refused[0]);
	tcase_add_loop_test(files, hostile_headers_are_refused, 0,
			    sizeof hostile / sizeof hostile[0]);
	tcase_add_test(files, tensors_are_loaded_by_shape_and_dtype);
	tcase_add_test(files, half_floats_are_exact);
	tcase_add_test(files, missing_and_short_files_are_named);
	tcase_set_timeout(late, 240);
	/* Slow under valgrind: CK_EXCLUDE_TAGS=slow leaves these tests out. */
	tcase_set_tags(late, "slow");
	tcase_add_test(late, romeo_decodes_like_the_reference);
	tcase_add_test(late, late_positions_are_rotated_correctly);
	return run_suites("llama", (TCase *[]){ reference, files, late }, 3);
}
