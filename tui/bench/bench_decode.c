/* bench_decode.c - decodes a fixed text with the sample model; see bench_decode.h. */
#include "tui/bench/bench_decode.h"

#include "engine/model/generate.h"

enum { PROMPT = 16, REPLY = BENCH_STEPS + 1 - PROMPT };

static const char prompt[PROMPT + 1] = "ROMEO:\nO, she do";

enum status bench_decode(const struct llama *llama, struct device *device)
{
	unsigned char reply[REPLY];
	struct sequence sequence = {
		.prompt = (const unsigned char *)prompt, .prompt_bytes = PROMPT,
		.count = REPLY, .reply = reply,
	};
	struct attention_shape shape = generate_shape(llama, &path_flash_decoding, &sequence, 1, 1,
						       BENCH_CHUNK);
	struct attention *attention;
	enum status status;

	TRY(attention_create(path_find("flash-decoding"), device, &shape, &attention));
	status = generate_run(llama, attention, &sequence, 1, &(struct generate_options){ 0 });
	attention_destroy(attention);
	return status;
}
