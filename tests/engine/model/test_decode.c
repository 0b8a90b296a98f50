/* test_decode.c - whole decodes of the sample model give the reference's bytes.
 *
 * The model runs on the simulator, mostly with flash decoding, by separate launches and by graphs.
 */
#include "tests/sample.h"

#include "engine/attention/path.h"
#include "engine/model/generate.h"

/* Decodes `count` bytes after each reference prompt, each prompt in a slot of its own. */
static void check_decode(const char *const *names, int slots, size_t count, const char *path,
			 enum graph_mode graph)
{
	struct sequence sequences[2] = { { 0 } };
	float logits[2][256];
	struct attention_shape shape;
	struct attention *attention;
	struct device *device;
	struct llama *model;

	OK(device_open("sim", NULL, &device));
	OK(llama_open(SAMPLE_DIRECTORY, &model));
	for (int i = 0; i < slots; i++) {
		sequences[i].prompt = sample_prompt(names[i], &sequences[i].prompt_bytes);
		sequences[i].count = count;
		sequences[i].reply = malloc(count);
		sequences[i].logits = logits[i];
	}
	OK(generate_check(model, sequences, slots));
	shape = generate_shape(model, path_find(path), sequences, slots, slots, 128);
	shape.graph = graph;
	OK(attention_create(path_find(path), device, &shape, &attention));
	OK(generate_run(model, attention, sequences, slots, &(struct generate_options){ 0 }));
	for (int i = 0; i < slots; i++) {
		struct npy greedy = sample_npy(names[i], "greedy", DTYPE_U8);
		struct npy wanted = sample_npy(names[i], "logits_last", DTYPE_F32);

		ck_assert_uint_eq(sequences[i].reply_bytes, count);
		ck_assert_mem_eq(sequences[i].reply, greedy.data, count);
		ck_assert_double_le(max_difference(logits[i], wanted.data, 256), 1e-4);
		npy_free(&greedy);
		npy_free(&wanted);
		free((void *)sequences[i].prompt);
		free(sequences[i].reply);
	}
	attention_destroy(attention);
	llama_close(model);
	device_close(device);
}

START_TEST(romeo_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "romeo" }, 1, 200, "flash-decoding", GRAPH_NONE);
}
END_TEST

START_TEST(short_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "short" }, 1, 64, "flash-decoding", GRAPH_NONE);
}
END_TEST

START_TEST(long_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "long" }, 1, 200, "flash-decoding", GRAPH_NONE);
}
END_TEST

START_TEST(short_and_romeo_decode_side_by_side)
{
	check_decode((const char *const[]){ "short", "romeo" }, 2, 24, "flash-decoding",
		     GRAPH_NONE);
}
END_TEST

START_TEST(a_captured_graph_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "short" }, 1, 64, "flash-decoding-graph", GRAPH_NONE);
	check_decode((const char *const[]){ "short", "romeo" }, 2, 24, "batched", GRAPH_CAPTURE);
}
END_TEST

START_TEST(a_graph_built_by_hand_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "short" }, 1, 64, "flash-decoding", GRAPH_MANUAL);
	check_decode((const char *const[]){ "short", "romeo" }, 2, 24, "incremental-multiwarp",
		     GRAPH_MANUAL);
}
END_TEST

/* Beyond 64 keys: on the device. The model's KV heads are repeated. */
START_TEST(cached_decodes_like_the_reference)
{
	check_decode((const char *const[]){ "romeo" }, 1, 8, "cached", GRAPH_NONE);
}
END_TEST

START_TEST(prompts_have_limits)
{
	struct sequence sequence = { .prompt = (const unsigned char *)"" };
	struct llama *model;

	OK(llama_open(SAMPLE_DIRECTORY, &model));
	FAILS(generate_check(model, &sequence, 1), STATUS_USAGE, "prompt is empty");
	sequence.prompt_bytes = 2000;
	sequence.count = 48;
	OK(generate_check(model, &sequence, 1));
	sequence.count = 49;
	FAILS(generate_check(model, &sequence, 1), STATUS_USAGE,
	      "at most 2048 positions (max_position_embeddings), got 2049");
	llama_close(model);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("decode"), *whole = tcase_create("whole");

	tcase_set_timeout(tests, 240);
	tcase_set_timeout(whole, 600);
	/* Slow under valgrind: CK_EXCLUDE_TAGS=slow leaves these tests out. */
	tcase_set_tags(whole, "slow");
	tcase_add_test(tests, short_decodes_like_the_reference);
	tcase_add_test(tests, short_and_romeo_decode_side_by_side);
	tcase_add_test(tests, a_captured_graph_decodes_like_the_reference);
	tcase_add_test(tests, a_graph_built_by_hand_decodes_like_the_reference);
	tcase_add_test(tests, cached_decodes_like_the_reference);
	tcase_add_test(tests, prompts_have_limits);
	tcase_add_test(whole, romeo_decodes_like_the_reference);
	tcase_add_test(whole, long_decodes_like_the_reference);
	return run_suites("decode", (TCase *[]){ tests, whole }, 2);
}
