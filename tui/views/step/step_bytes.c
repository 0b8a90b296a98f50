/* step_bytes.c - rows of the KV cache that a step read; see step.h. */
#include "tui/views/step/step.h"

#include "tui/views/view_visible.h"

/* Of positions that follow each other. */
static enum status read_rows(const struct view_context *c, const struct step *s, char tensor,
			     int64_t begin, int64_t end, float *out, bool *known)
{
	const struct step_query *q = &s->query;
	struct view_cache cache = { .op = s->attend.op, .layer = s->attend.layer,
				    .slot = step_sequence(s), .kv_head = s->kv_head };
	int64_t d = tensor == 'v' && s->form == STEP_TILES ? q->value_dim : s->d, count, first;

	*known = end <= begin;
	if (*known)
		return STATUS_OK;
	TRY(view_pages_cache_read(c, &s->pages, &cache, tensor, begin, end, d, out, &count));
	*known = count == end - begin;
	if (*known || s->form != STEP_TILES)
		return STATUS_OK;
	first = ((s->head / q->heads * q->kv_heads + s->head % q->heads * q->kv_heads / q->heads)
		 * q->stride + begin) * d * (int64_t)sizeof *out;
	return view_upload_read(c, s->attend.op, tensor == 'k' ? q->k : q->v,
			   first + (tensor == 'k' ? q->k_offset : q->v_offset),
			   (size_t)((end - begin) * d) * sizeof *out, out, known);
}

enum status step_cache_rows(const struct view_context *c, const struct step *s, char tensor,
			    int64_t begin, int64_t end, float *out, bool *known)
{
	int64_t split = view_visible_split(&s->visible, begin, end), gap = s->visible.gap;

	TRY(read_rows(c, s, tensor, begin, split, out, known));
	if (!*known || split == end)
		return STATUS_OK;
	return read_rows(c, s, tensor, split + gap, end + gap, out + (split - begin) * s->d, known);
}
