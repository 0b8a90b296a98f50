/* cmd_attend.c - `flashtwin attend`: one decode step of an attention path over tensors from .npy
 * files.
 *
 * Parses options and writes results. attend_step.c runs the step, attend_prefill.c the path
 * prefill, and tui/run.c handles devices and traces.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "tui/attend.h"
#include "tui/attend_tensor.h"
#include "tui/command.h"

/* --- options --- */

static enum status take_option(void *context, const struct option_value *v)
{
	struct attend *attend = context;

	switch (v->id) {
	case OPTION_Q: attend->q_path = v->text; break;
	case OPTION_K: attend->k_path = v->text; break;
	case OPTION_V: attend->v_path = v->text; break;
	case OPTION_Q_DTYPE: attend->q_dtype = v->text; break;
	case OPTION_OUT_DTYPE: attend->out_dtype = v->text; break;
	case OPTION_ATTEND_KV_DTYPE: attend->kv_dtype = v->text; break;
	case OPTION_K_SCALE: attend->k_scale_path = v->text; break;
	case OPTION_V_SCALE: attend->v_scale_path = v->text; break;
	case OPTION_PAGE_TABLE: attend->page_table_path = v->text; break;
	case OPTION_PAGE: attend->page = (int)v->integer; break;
	case OPTION_OUT: attend->out_path = v->text; break;
	case OPTION_LSE: attend->lse_path = v->text; break;
	case OPTION_LENGTHS: attend->lengths_text = v->text; break;
	case OPTION_SCALE:
		attend->scale_given = true;
		attend->shape.scale = v->number;
		break;
	case OPTION_CAUSAL:
		attend->mask = v->text && strcmp(v->text, "top-left") == 0 ? MASK_TOP_LEFT
									   : MASK_BOTTOM_RIGHT;
		break;
	default: run_option_take(&attend->run, v);
	}
	return STATUS_OK;
}

/* Whether the path takes many queries at once. */
static bool is_prefill(const struct attend *attend)
{
	return attend->run.path == &path_prefill || attend->run.path == &path_prefill_tiled;
}

/* A file of results must not be one that is read. */
static enum status check_result(const struct attend *attend, const char *option, const char *path)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "q", attend->q_path }, { "k", attend->k_path }, { "v", attend->v_path },
		{ "k-scale", attend->k_scale_path }, { "v-scale", attend->v_scale_path },
		{ "page-table", attend->page_table_path },
	};

	for (size_t i = 0; path && i < sizeof files / sizeof *files; i++)
		if (files[i].path && output_is(path, files[i].path))
			return fail(STATUS_USAGE, "--%s %s is the file of --%s", option, path,
				    files[i].option);
	return STATUS_OK;
}

static enum status check_results(const struct attend *attend)
{
	const char *out = attend->out_path, *lse = attend->lse_path;

	TRY(check_result(attend, "out", out));
	TRY(check_result(attend, "lse", lse));
	if (out && lse && (strcmp(out, lse) == 0 || output_is(out, lse)))
		return fail(STATUS_USAGE, "--lse %s is the file of --out", lse);
	return STATUS_OK;
}

static enum status parse(struct attend *attend, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_ATTEND, argc, argv, take_option, attend, &rest));
	TRY(option_none_left(argc, argv, rest));
	if (!attend->q_path || !attend->k_path || !attend->v_path)
		return fail(STATUS_USAGE, "--%s F.npy is missing",
			    !attend->q_path ? "q" : !attend->k_path ? "k" : "v");
	if (attend->mask != MASK_NONE && !is_prefill(attend))
		return fail(STATUS_USAGE,
			    "--causal needs --path prefill: a step's query sees all keys");
	if ((attend->k_scale_path || attend->v_scale_path)
	    && (!attend->kv_dtype || strcmp(attend->kv_dtype, "e4m3") != 0))
		return fail(STATUS_USAGE, "--%c-scale needs --kv-dtype e4m3",
			    attend->k_scale_path ? 'k' : 'v');
	if (attend->kv_dtype && is_prefill(attend))
		return fail(STATUS_USAGE, "--kv-dtype is of decode steps, --path %s takes f32",
			    attend->run.path->name);
	if (attend->out_dtype && !attend->out_path)
		return fail(STATUS_USAGE, "--out-dtype needs --out");
	if (attend->lse_path && attend->run.path != &path_ladder)
		return fail(STATUS_USAGE, "--lse needs --path ladder with rung 5 or more");
	if (attend->lengths_text && is_prefill(attend))
		return fail(STATUS_USAGE,
			    "--lengths is of decode steps, --path %s takes all keys",
			    attend->run.path->name);
	TRY(attend_pages_parse(attend));
	TRY(check_results(attend));
	return run_options_check(&attend->run);
}

/* --- results --- */

static json_t *describe_shape(const struct npy *array)
{
	json_t *shape = json_array();

	for (int i = 0; i < array->rank; i++)
		json_array_append_new(shape, json_integer((json_int_t)array->shape[i]));
	return shape;
}

/* f32 is not named. */
static void describe_type(json_t *request, const char *key, enum dtype type)
{
	if (type != DTYPE_F32)
		json_object_set_new(request, key, json_string(dtype_name(type)));
}

/* The request as the trace stores it and --json prints it. */
static json_t *describe_request(const struct attend *attend)
{
	static const char *const masks[] = {
		[MASK_NONE] = "none",
		[MASK_TOP_LEFT] = "top-left",
		[MASK_BOTTOM_RIGHT] = "bottom-right",
	};
	json_t *lengths = json_array(), *request;

	for (int slot = 0; slot < attend->shape.slots; slot++)
		json_array_append_new(lengths, json_integer(attend->lengths[slot]));
	request = json_pack("{s:o, s:o, s:o, s:o, s:s, s:f}", "q", describe_shape(&attend->q),
			    "k", describe_shape(&attend->k), "v", describe_shape(&attend->v),
			    "lengths", lengths, "causal", masks[attend->mask],
			    "scale", (double)attend->shape.scale);
	describe_type(request, "q_dtype", attend->q_type);
	describe_type(request, "kv_dtype", attend->shape.kv_dtype);
	if (attend->out_path)
		describe_type(request, "out_dtype", attend->out_type);
	if (attend->page_table_path)
		json_object_set_new(request, "page_table", describe_shape(&attend->page_table));
	if (attend->shape.queries > 1)
		json_object_set_new(request, "queries", json_integer(attend->shape.queries));
	run_options_describe(&attend->run, request);
	return request;
}

struct summary {
	double min, max, sum;           /* of the elements that are not NaN */
	size_t numbers, nans;
};

static struct summary summarize(const float *values, size_t count)
{
	struct summary s = { .min = INFINITY, .max = -INFINITY };

	for (size_t i = 0; i < count; i++) {
		if (isnan(values[i])) {
			s.nans++;
			continue;
		}
		s.numbers++;
		s.sum += values[i];
		s.min = fmin(s.min, values[i]);
		s.max = fmax(s.max, values[i]);
	}
	return s;
}

/* "ladder, rung 9": the rung that runs, also where the shape table chose it. */
static void print_path(const struct attend *attend)
{
	printf("%s", attend->run.path->name);
	if (attend->run.path == &path_ladder)
		printf(", rung %d", ladder_rung(&attend->shape));
}

/* Rungs of the ladder from 5 up have splits, whatever --chunk says. */
static void print_parts(const struct attend *attend)
{
	const struct attention_shape *s = &attend->shape;

	if (s->pages.rows > 0)
		printf(" in pages of %d", s->pages.rows);
	else if (attend->run.path != &path_ladder || ladder_rung(s) < LADDER_SPLIT_RUNG)
		printf(" in chunks of %d", s->chunk);
}

static void print_request(const struct attend *attend)
{
	const struct attention_shape *s = &attend->shape;
	const struct prefill *p = &attend->prefill;

	print_path(attend);
	if (is_prefill(attend)) {
		printf(": %d query heads on %d KV heads, %d queries, %d keys, D %d, Dv %d\n",
		       p->heads, p->kv_heads, p->queries, p->keys, p->head_dim, p->value_dim);
		return;
	}
	printf(": %d x %d query heads on %d KV heads, D %d, up to %d keys", s->slots, s->heads,
	       s->kv_heads, s->head_dim, attend->rows);
	print_parts(attend);
	if (s->queries > 1)
		printf(", %d queries each", s->queries);
	printf("%s%s\n", s->kv_dtype == DTYPE_F32 ? "" : ", KV cache of ",
	       s->kv_dtype == DTYPE_F32 ? "" : dtype_name(s->kv_dtype));
}

static void print_summary(const struct attend *attend)
{
	struct summary sum = summarize(attend->out, attend->out_count);

	print_request(attend);
	if (sum.numbers == 0)
		printf("out: %zu elements, %zu NaN\n", attend->out_count, sum.nans);
	else
		printf("out: %zu elements, least %.9g, greatest %.9g, mean %.9g, %zu NaN\n",
		       attend->out_count, sum.min, sum.max, sum.sum / (double)sum.numbers,
		       sum.nans);
}

/* null for a value that JSON has no number for. */
static json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static enum status print_report(const struct attend *attend, json_t *request, json_t *report)
{
	struct summary sum = summarize(attend->out, attend->out_count);

	json_object_set(report, "asked", request);
	json_object_set_new(report, "elements", json_integer((json_int_t)attend->out_count));
	json_object_set_new(report, "nan", json_integer((json_int_t)sum.nans));
	json_object_set_new(report, "least", json_number(sum.min));
	json_object_set_new(report, "greatest", json_number(sum.max));
	return run_print_json(report);
}

static enum status write_results(const struct attend *attend, json_t *request, json_t *report)
{
	if (attend->out_path)
		TRY(attend_write(attend->out_path, attend->out_type, attend->q.rank,
				 attend->out_shape, attend->out, attend->out_count));
	if (attend->lse_path)
		TRY(attend_write(attend->lse_path, DTYPE_F32, attend->q.rank - 1,
				 attend->out_shape, attend->lse,
				 (size_t)(attention_rows(&attend->shape) * attend->shape.heads)));
	if (attend->run.json)
		return print_report(attend, request, report);
	if (!attend->out_path)
		print_summary(attend);
	return STATUS_OK;
}

/* --- the command --- */

static enum status prepare(struct attend *attend)
{
	return is_prefill(attend) ? attend_prefill_prepare(attend) : attend_step_prepare(attend);
}

static enum status run_all(struct attend *attend)
{
	json_t *request = describe_request(attend), *report = json_object();
	run_fn *work = is_prefill(attend) ? attend_prefill_target : attend_step_target;
	enum status status = run_on_devices(&attend->run, "attend", request, work, attend, report);

	/* A difference or a finding does not prevent results: they are written too. */
	if (run_has_results(status)) {
		enum status written = write_results(attend, request, report);

		status = written != STATUS_OK ? written : status;
	} else {
		json_object_set(report, "asked", request);
		status = run_print_failure(&attend->run, report, status);
	}
	json_decref(request);
	json_decref(report);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct attend attend = { .run = run_options_default() };
	enum status status = parse(&attend, argc, argv);

	if (status == STATUS_OK)
		status = prepare(&attend);
	if (status == STATUS_OK)
		status = run_all(&attend);
	npy_free(&attend.q);
	npy_free(&attend.k);
	npy_free(&attend.v);
	npy_free(&attend.k_scale);
	npy_free(&attend.v_scale);
	npy_free(&attend.page_table);
	free(attend.lengths);
	free(attend.appended);
	free(attend.done);
	free(attend.k_new);
	free(attend.v_new);
	free(attend.out);
	free(attend.lse);
	return status;
}

const struct command cmd_attend = {
	.summary = "one step of an attention path over tensors in .npy files",
	.usage =
	"usage: flashtwin attend --q Q.npy --k K.npy --v V.npy [--out O.npy] [OPTION...]\n\n"
	"q is (H, D) or (M, H, D), k and v are (Hkv, n, D) or (M, Hkv, n, D): the cache as it\n"
	"is after this step's key was appended. q is f32, f16 or bf16, k and v are f32, or with\n"
	"--path ladder also f16, bf16 or e4m3, and with --page-table pools of pages,\n"
	"(P, Hkv, N, D), that hold all rows. With --path ladder q may also be (M, T, H, D): T\n"
	"queries of each sequence, one for each of its last T keys, with a causal mask. The\n"
	"output has q's shape and type. With --path prefill q is (BH, Nq, D), k (BHkv, Nk, D),\n"
	"v (BHkv, Nk, Dv), the output (BH, Nq, Dv); with prefill-tiled the same, with D = Dv of\n"
	"64, 80, 96, 128 or 256. A NaN in the input propagates to the output.\n\n",
	.examples =
	"  flashtwin attend --q q.npy --k k.npy --v v.npy --out o.npy\n"
	"  flashtwin attend --q q.npy --k k.npy --v v.npy --chunk 16 --log points -o t.twin\n"
	"  flashtwin attend --q q.npy --k k.npy --v v.npy --device both\n"
	"  flashtwin attend --path prefill --causal --q q.npy --k k.npy --v v.npy --out o.npy\n",
	.run = run,
};
