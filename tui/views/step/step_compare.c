/* step_compare.c - the first place where a step differs between two runs; see step.h.
 *
 * Compares what the screen shows, in the order it happened, and then the digests of everything that
 * the launches wrote.
 */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tui/views/view_blocks.h"

bool step_same(float a, float b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Says what differs, unless something before it does. */
static void differs(struct step_memory *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void differs(struct step_memory *m, const char *format, ...)
{
	static const char begin[] = "differs first: ";
	va_list list;

	if (!m->equal)
		return;
	m->equal = false;
	snprintf(m->verdict, sizeof m->verdict, "%s", begin);
	va_start(list, format);
	vsnprintf(m->verdict + sizeof begin - 1, sizeof m->verdict - sizeof begin + 1, format,
		  list);
	va_end(list);
}

static void compare_launch(struct step_memory *m, const struct view_context *c,
			   const struct view_context *second, int64_t launch, enum status *status)
{
	bool known = false, equal = false;

	if (launch < 0 || !m->equal || *status != STATUS_OK)
		return;
	*status = view_blocks_equal(c, second, launch, &known, &equal);
	if (*status == STATUS_OK && known && !equal)
		differs(m, "what L%" PRId64 " wrote", launch);
}

static void compare_chunk(struct step_memory *m, int64_t i)
{
	const struct step_chunk *a = &m->step.chunks[i], *b = &m->second.chunks[i];
	const char *unit = step_unit(&m->step);

	if (a->begin != b->begin || a->end != b->end)
		differs(m, "keys of %s %" PRId64, unit, a->number);
	for (int64_t key = a->begin; a->score && b->score && key < a->end && m->equal; key++)
		if (!step_same(a->score[key - a->begin], b->score[key - a->begin]))
			differs(m, "score of key %" PRId64, key);
	if (!step_same(a->max, b->max))
		differs(m, "max of %s %" PRId64, unit, a->number);
	if (!step_same(a->sum, b->sum))
		differs(m, "sum of %s %" PRId64, unit, a->number);
}

static void compare_merge(struct step_memory *m, int64_t i)
{
	const struct step_chunk *a = &m->step.chunks[i], *b = &m->second.chunks[i];

	if (a->merged && b->merged && (!step_same(a->merge_factor, b->merge_factor)
				       || !step_same(a->merge_sum, b->merge_sum)
				       || !step_same(a->merge_acc0, b->merge_acc0)))
		differs(m, "merge of %s %" PRId64, step_unit(&m->step), a->number);
}

/* Only a host softmax writes no buffer. */
static enum status compare_computed(struct step_memory *m, const struct view_context *c,
				    const struct view_context *second)
{
	bool known, equal;

	if (m->step.form != STEP_HOST)
		return STATUS_OK;
	TRY(view_computed_equal(c, second, m->step.attend.op, &known, &equal));
	if (known && !equal)
		differs(m, "the output of op %" PRId64, m->step.attend.op);
	return STATUS_OK;
}

enum status step_compare(const struct view_context *c, const struct view_context *second,
			 struct step_memory *m)
{
	const struct step *a = &m->step, *b = &m->second;
	enum status status = STATUS_OK;

	m->equal = true;
	snprintf(m->verdict, sizeof m->verdict, "both runs are equal");
	if (a->keys != b->keys)
		differs(m, "%" PRId64 " keys, not %" PRId64, a->keys, b->keys);
	for (int64_t i = 0; i < m->count; i++)
		if (m->frames[i].kind == FRAME_APPEND)
			compare_launch(m, c, second, m->frames[i].at.launch, &status);
	for (int64_t i = 0; i < a->live && i < b->live && m->equal; i++)
		compare_chunk(m, i);
	if (a->live != b->live)
		differs(m, "%" PRId64 " %ss, not %" PRId64, a->live, step_unit(a), b->live);
	for (int64_t i = 0; i < a->live && m->equal; i++)
		compare_merge(m, i);
	if (a->has_out && b->has_out && !step_same(a->out0, b->out0))
		differs(m, "out[0]");
	compare_launch(m, c, second, a->attend.launch, &status);
	compare_launch(m, c, second, a->reduce.launch, &status);
	return status == STATUS_OK ? compare_computed(m, c, second) : status;
}
