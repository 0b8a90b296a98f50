/* cmd_decode.c - `flashtwin decode`: a real model continues real text by an attention path.
 *
 * Handles options, prompts and output; engine/model/generate.c is the decode loop, tui/run.c
 * handles devices and traces. Without --json or --out-dir, stdout gets exactly the decoded bytes,
 * each as soon as it is decoded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nan.h"
#include "base/npy.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "engine/model/generate.h"
#include "engine/record/recorder.h"
#include "traces/row.h"
#include "tui/command.h"
#include "tui/datadir.h"
#include "tui/run.h"

#define DEFAULT_BYTES "64"
#define MAX_BYTES (1 << 24)
#define MAX_PROMPT ((size_t)1 << 24)

struct decode {
	struct run_options run;
	const char *directory;          /* --model, NULL: the sample */
	const char *out_dir, *logits;
	bool made_dir;                  /* out_dir did not exist */
	const char *counts;             /* -n, NULL: DEFAULT_BYTES each */
	struct sequence *sequences;     /* [prompts]; prompts and replies are owned here */
	int prompts;
	enum dtype kv_dtype;            /* of the cache; F32 (0): the default */
	int slots;                      /* prompts that run at once; 0: all */
	int page;                       /* rows of a page of the cache; 0: no pages */
	int32_t *page_table;            /* with pages, [slots, pages of a slot] */
	struct llama *model;
	struct attention_shape shape;
};

/* --- options --- */

/* Takes the bytes. */
static enum status add_prompt(struct decode *decode, char *bytes, size_t count, const char *from)
{
	struct sequence *sequence;

	if (count == 0) {
		free(bytes);
		return fail(STATUS_USAGE, "%s: the prompt is empty, expected at least 1 byte",
			    from);
	}
	decode->sequences = xreallocarray(decode->sequences, (size_t)decode->prompts + 1,
					  sizeof *decode->sequences);
	sequence = &decode->sequences[decode->prompts++];
	*sequence = (struct sequence){ .prompt = (unsigned char *)bytes, .prompt_bytes = count };
	return STATUS_OK;
}

static enum status read_prompt(struct decode *decode, const char *path)
{
	size_t count;
	char *bytes;

	TRY(file_read(path, MAX_PROMPT, &bytes, &count));
	return add_prompt(decode, bytes, count, path);
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct decode *decode = context;

	switch (v->id) {
	case OPTION_MODEL: decode->directory = v->text; break;
	case OPTION_PROMPT:
		return add_prompt(decode, xstrdup(v->text), strlen(v->text), "--prompt");
	case OPTION_PROMPT_FILE: return read_prompt(decode, v->text);
	case OPTION_OUT_DIR: decode->out_dir = v->text; break;
	case OPTION_LOGITS: decode->logits = v->text; break;
	case OPTION_KV_DTYPE:
		dtype_from_name(v->text, &decode->kv_dtype);    /* one of the option's names */
		break;
	case OPTION_DECODE_PAGE:
		decode->page = (int)v->integer;
		/* The last option that needs this path is the one that an error names. */
		decode->run.attention = "page";
		break;
	case OPTION_SLOTS: decode->slots = (int)v->integer; break;
	case OPTION_BYTES: decode->counts = v->text; break;
	default: run_option_take(&decode->run, v);
	}
	return STATUS_OK;
}

static const char *counts_text(const struct decode *decode)
{
	return decode->counts ? decode->counts : DEFAULT_BYTES;
}

/* "64" for all prompts, or "64,0,12": one for each. */
static enum status read_counts(struct decode *decode)
{
	const char *text = counts_text(decode);
	int *counts = xcalloc((size_t)decode->prompts, sizeof *counts), given;
	enum status status = option_integers("-n", text, 0, MAX_BYTES, counts, decode->prompts,
					     &given);

	if (status == STATUS_OK && given != 1 && given != decode->prompts)
		status = fail(STATUS_USAGE, "-n %s: %d numbers for %d prompts", text, given,
			      decode->prompts);
	for (int i = 0; i < decode->prompts; i++)
		decode->sequences[i].count = (size_t)counts[given == 1 ? 0 : i];
	free(counts);
	return status;
}

static enum status parse(struct decode *decode, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_DECODE, argc, argv, take_option, decode, &rest));
	TRY(option_none_left(argc, argv, rest));
	TRY(run_options_check(&decode->run));
	if (decode->prompts == 0)
		return fail(STATUS_USAGE, "expected a prompt: --prompt TEXT or --prompt-file F");
	if (decode->prompts > 1 && !decode->out_dir && !decode->run.json)
		return fail(STATUS_USAGE, "%d prompts: their replies need --out-dir DIR or --json",
			    decode->prompts);
	return read_counts(decode);
}

/* --- the work on one device --- */

struct decode_run {
	const struct decode *decode;
	const struct run_target *target;
	bool stream;                    /* write bytes to stdout as they are decoded */
};

static enum status on_token(void *context, const struct row_token *token)
{
	const struct decode_run *run = context;

	if (run->target->recorded)
		TRY(recorder_token(run->target->device, token));
	if (!run->stream || token->prompt)
		return STATUS_OK;
	if (putchar(token->byte) == EOF || (isatty(STDOUT_FILENO) && fflush(stdout) != 0))
		return command_stdout_failed();
	return STATUS_OK;
}

static bool on_stop(void *context)
{
	(void)context;
	return command_interrupted();
}

/* The last component of the model's directory: its path on this machine is not recorded. */
static const char *model_name(const struct decode *decode)
{
	const char *directory = decode->directory ? decode->directory : DATADIR_MODEL;
	const char *slash = strrchr(directory, '/');

	return slash && slash[1] != '\0' ? slash + 1 : directory;
}

static enum status record_model(const struct decode *decode, struct device *device)
{
	const struct model_config *c = llama_config(decode->model);
	const struct attention_shape *s = &decode->shape;

	return recorder_model(device, &(struct row_model){
		.directory = model_name(decode), .config = llama_config_text(decode->model),
		.layers = c->layers, .heads = c->heads, .kv_heads = c->kv_heads,
		.head_dim = c->head_dim, .hidden = c->hidden, .vocabulary = c->vocabulary,
		.max_positions = c->max_positions, .max_len = s->max_len, .chunk = s->chunk,
		.max_chunks = attention_max_chunks(s->max_len, s->chunk), .slots = s->slots,
	});
}

static enum status generate_on(struct decode_run *run, struct sequence *sequences)
{
	const struct decode *decode = run->decode;
	const struct generate_options options = {
		.token = on_token, .stop = on_stop, .context = run,
	};
	struct device *device = run->target->device;
	struct attention *attention;
	enum status status;

	if (run->target->recorded)
		TRY(record_model(decode, device));
	TRY(attention_create(decode->run.path, device, &decode->shape, &attention));
	status = generate_run(decode->model, attention, sequences, decode->prompts, &options);
	attention_destroy(attention);
	return status;
}

/* Only the first device's replies are kept; the trace shows how the second device's differ. */
static enum status run_target(const struct run_target *target, void *context)
{
	struct decode *decode = context;
	struct decode_run run = {
		.decode = decode, .target = target,
		.stream = target->first && !decode->run.json && !decode->out_dir,
	};
	struct sequence *copies;
	enum status status;

	if (target->first)
		return generate_on(&run, decode->sequences);
	copies = xcalloc((size_t)decode->prompts, sizeof *copies);
	for (int i = 0; i < decode->prompts; i++) {
		copies[i] = decode->sequences[i];
		copies[i].reply = xmalloc(copies[i].count + 1);
		copies[i].reply_bytes = 0;
		copies[i].logits = NULL;
	}
	status = generate_on(&run, copies);
	for (int i = 0; i < decode->prompts; i++)
		free(copies[i].reply);
	free(copies);
	return status;
}

/* --- results --- */

static enum status write_replies(const struct decode *decode)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < decode->prompts && status == STATUS_OK; i++) {
		const struct sequence *sequence = &decode->sequences[i];
		char *path = xasprintf("%s/%d.txt", decode->out_dir, i);
		struct output output;

		status = output_open(path, &output);
		free(path);
		if (status != STATUS_OK)
			break;
		/* output_commit() reports a short write. */
		fwrite(sequence->reply, 1, sequence->reply_bytes, output.file);
		status = output_commit(&output);
	}
	return status;
}

static enum status write_logits(const struct decode *decode)
{
	int64_t vocabulary = llama_config(decode->model)->vocabulary;
	int64_t shape[] = { decode->prompts, vocabulary };
	bool one = decode->prompts == 1;

	/* All rows are in one array: see prepare(). */
	nan_as_gpu(DTYPE_F32, decode->sequences[0].logits, (size_t)(decode->prompts * vocabulary));
	return npy_write(decode->logits, DTYPE_F32, one ? 1 : 2, one ? shape + 1 : shape,
			 decode->sequences[0].logits);
}

/* With "bytes" and, if the reply is valid UTF-8, "text". */
static json_t *describe_reply(const struct sequence *sequence)
{
	json_t *reply = json_object(), *bytes = json_array();
	json_t *text = json_stringn((const char *)sequence->reply, sequence->reply_bytes);

	json_object_set_new(reply, "prompt_bytes",
			    json_integer((json_int_t)sequence->prompt_bytes));
	if (text)
		json_object_set_new(reply, "text", text);
	for (size_t i = 0; i < sequence->reply_bytes; i++)
		json_array_append_new(bytes, json_integer(sequence->reply[i]));
	json_object_set_new(reply, "bytes", bytes);
	return reply;
}

static void report_replies(const struct decode *decode, json_t *report)
{
	json_t *replies = json_array();

	for (int i = 0; i < decode->prompts; i++)
		json_array_append_new(replies, describe_reply(&decode->sequences[i]));
	json_object_set_new(report, "replies", replies);
}

/* --- the command --- */

static enum status open_model(struct decode *decode)
{
	char *directory = decode->directory ? xstrdup(decode->directory) : datadir_model();
	enum status status = llama_open(directory, &decode->model);

	free(directory);
	return status;
}

/* At most one per prompt: empty slots would only cost memory. */
static int slot_count(const struct decode *decode)
{
	return decode->slots > 0 && decode->slots < decode->prompts ? decode->slots
								    : decode->prompts;
}

/* A directory that is created here is removed on failure if it is empty: see run(). */
static enum status make_out_dir(struct decode *decode)
{
	enum status status;
	char *path;

	decode->made_dir = mkdir(decode->out_dir, 0777) == 0;
	if (!decode->made_dir && errno != EEXIST)
		return fail(STATUS_IO, "--out-dir %s: %s", decode->out_dir, strerror(errno));
	path = xasprintf("%s/0.txt", decode->out_dir);
	status = output_check(path);
	free(path);
	return status;
}

/* The pages of all slots alternate in the pool, so that no slot has two that follow each other. */
static void make_pages(struct decode *decode)
{
	struct attention_shape *s = &decode->shape;
	int each;

	if (decode->page == 0)
		return;
	each = s->max_len / decode->page + (s->max_len % decode->page > 0);
	decode->page_table = xcalloc((size_t)s->slots * (size_t)each, sizeof *decode->page_table);
	for (int i = 0; i < s->slots * each; i++)
		decode->page_table[i] = i % each * s->slots + i / each;
	s->max_len = decode->page * each;
	s->pages = (struct kv_pages){ decode->page, s->slots * each, each, decode->page_table,
				      true };
}

/* Makes all checks that can fail before a trace is created. */
static enum status prepare(struct decode *decode)
{
	size_t vocabulary;
	float *logits;

	TRY(open_model(decode));
	if (generate_check(decode->model, decode->sequences, decode->prompts)
	    != STATUS_OK)
		return fail_context(STATUS_USAGE, "-n %s", counts_text(decode));
	decode->shape = generate_shape(decode->model, decode->run.path, decode->sequences,
				       decode->prompts, slot_count(decode), decode->run.chunk);
	run_options_shape(&decode->run, &decode->shape);
	decode->shape.kv_dtype = decode->kv_dtype;
	make_pages(decode);
	TRY(attention_check(decode->run.path, &decode->shape));
	if (decode->logits)
		TRY(output_check(decode->logits));
	if (decode->out_dir)
		TRY(make_out_dir(decode));
	vocabulary = (size_t)llama_config(decode->model)->vocabulary;
	logits = xcalloc((size_t)decode->prompts * vocabulary, sizeof *logits);
	for (int i = 0; i < decode->prompts; i++) {
		decode->sequences[i].reply = xmalloc(decode->sequences[i].count + 1);
		decode->sequences[i].logits = logits + (size_t)i * vocabulary;
	}
	return STATUS_OK;
}

/* The request as the trace stores it; its tokens contain the prompts. */
static json_t *describe_request(const struct decode *decode)
{
	json_t *sizes = json_array(), *counts = json_array(), *request;

	for (int i = 0; i < decode->prompts; i++) {
		const struct sequence *sequence = &decode->sequences[i];

		json_array_append_new(sizes, json_integer((json_int_t)sequence->prompt_bytes));
		json_array_append_new(counts, json_integer((json_int_t)sequence->count));
	}
	request = json_pack("{s:s, s:o, s:o, s:i}", "model", model_name(decode), "n", counts,
			    "prompt_bytes", sizes, "slots", decode->shape.slots);
	if (decode->kv_dtype != DTYPE_F32)
		json_object_set_new(request, "kv_dtype",
				    json_string(dtype_name(decode->kv_dtype)));
	if (decode->page > 0)
		json_object_set_new(request, "page", json_integer(decode->page));
	run_options_describe(&decode->run, request);
	if (decode->run.path->repeat_kv)
		json_object_set_new(request, "repeat_kv", json_integer(
			decode->shape.kv_heads / llama_config(decode->model)->kv_heads));
	return request;
}

static enum status run_all(struct decode *decode, json_t *report)
{
	json_t *request = describe_request(decode);
	enum status status = run_on_devices(&decode->run, "decode", request, run_target, decode,
					    report);

	json_decref(request);
	/* A difference or a finding does not prevent results: they are written too. */
	if (!run_has_results(status))
		return run_print_failure(&decode->run, report, status);
	if (decode->out_dir)
		TRY(write_replies(decode));
	if (decode->logits)
		TRY(write_logits(decode));
	if (decode->run.json) {
		report_replies(decode, report);
		TRY(run_print_json(report));
	}
	return status;
}

static void release(struct decode *decode)
{
	if (decode->prompts > 0)
		free(decode->sequences[0].logits);
	for (int i = 0; i < decode->prompts; i++) {
		free((void *)decode->sequences[i].prompt);
		free(decode->sequences[i].reply);
	}
	free(decode->sequences);
	free(decode->page_table);
	llama_close(decode->model);
}

static enum status run(int argc, char **argv)
{
	struct decode decode = { .run = run_options_default() };
	enum status status = parse(&decode, argc, argv);

	if (status == STATUS_OK)
		status = prepare(&decode);
	if (status == STATUS_OK) {
		json_t *report = json_object();

		command_defer_interrupt();
		status = run_all(&decode, report);
		json_decref(report);
	}
	/* Removes only an empty directory. */
	if (status != STATUS_OK && decode.made_dir)
		rmdir(decode.out_dir);
	release(&decode);
	return status;
}

const struct command cmd_decode = {
	.summary = "continue text with a model, its attention on the simulator or a GPU",
	.usage =
	"usage: flashtwin decode (--prompt TEXT | --prompt-file F)... [OPTION...]\n\n"
	"Continues each prompt by n bytes, greedily, and writes exactly those bytes to stdout.\n"
	"Prompts go through prefill attention on the device, all positions at once, and every\n"
	"byte after them through the path that is chosen; the rest of the model runs on the\n"
	"processor.\n\n",
	.examples =
	"  flashtwin decode --prompt 'ROMEO:' -n 64\n"
	"  flashtwin decode --prompt 'ROMEO:' --log points -o t.twin\n"
	"  flashtwin decode --prompt 'ROMEO:' --device both\n"
	"  flashtwin decode --prompt 'ROMEO:' --prompt 'JULIET:' --path batched --json\n",
	.run = run,
};
