/* lab_trace.c - runs `flashtwin decode` for the trace of a student; see lab_trace.h. */
#include "config.h"

#include "tui/lab/run/lab_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/lab/case/lab_random.h"
#include "tui/lab/run/capture.h"

#define MIN_PROMPT 8                    /* bytes that are left of a prompt */

/* What the seed chooses. */
struct choice {
	char *prompt, *bytes, *chunk;
};

static const json_t *pick(const json_t *list, struct lab_random *random)
{
	return json_array_get(list, random_bits(random) % json_array_size(list));
}

/* The beginning of a prompt, and numbers. */
static enum status choose(const struct lab *lab, uint64_t seed, struct choice *out)
{
	const json_t *trace = json_object_get(json_object_get(lab->root, "questions"), "trace");
	const json_t *prompts = json_object_get(trace, "prompts");
	const json_t *bytes = json_object_get(trace, "bytes");
	const json_t *chunks = json_object_get(trace, "chunks");
	struct lab_random random = { seed };
	const char *prompt;

	if (json_array_size(prompts) == 0 || json_array_size(bytes) != 2
	    || json_array_size(chunks) == 0)
		return fail(STATUS_INTERNAL, "lab %d: questions: trace: expected prompts, bytes "
			    "[FROM, TO] and chunks", lab->number);
	prompt = json_string_value(pick(prompts, &random));
	if (!prompt || strlen(prompt) < MIN_PROMPT)
		return fail(STATUS_INTERNAL, "lab %d: questions: a prompt has less than %d bytes",
			    lab->number, MIN_PROMPT);
	out->prompt = xasprintf("%.*s", (int)random_integer(&random, MIN_PROMPT,
							    (int64_t)strlen(prompt)), prompt);
	out->bytes = xasprintf("%lld", (long long)random_integer(&random,
		json_integer_value(json_array_get(bytes, 0)),
		json_integer_value(json_array_get(bytes, 1))));
	out->chunk = xasprintf("%lld", (long long)json_integer_value(pick(chunks, &random)));
	return STATUS_OK;
}

static enum status decode(const struct choice *c, const char *path)
{
	char *const words[] = {
		"decode", "--prompt", c->prompt, "-n", c->bytes, "--chunk", c->chunk, "--log",
		"points", "-o", (char *)(uintptr_t)path, NULL,
	};
	char *argv[sizeof words / sizeof words[0]], *printed, *errors;
	struct capture capture;
	enum status status;

	memcpy(argv, words, sizeof words);
	TRY(capture_begin(&capture));
	status = cmd_decode.run((int)(sizeof words / sizeof words[0]) - 1, argv);
	capture_end(&capture, &printed, &errors);
	free(printed);
	free(errors);
	if (command_interrupted() || command_ended())
		return fail(STATUS_INTERRUPTED, "interrupted");
	return status == STATUS_OK ? status : fail_context(STATUS_INTERNAL, "the trace");
}

enum status lab_trace_make(const struct lab *lab, uint64_t seed, const char *path)
{
	struct choice choice = { 0 };
	enum status status = choose(lab, seed, &choice);

	if (status == STATUS_OK)
		status = decode(&choice, path);
	free(choice.prompt);
	free(choice.bytes);
	free(choice.chunk);
	return status;
}
