/* export_pictures.c - writes what the steps of a page computed, for export_step.js, which draws
 * them and plays their frames; see export_pictures.h.
 *
 * Floats are written as their bits, and many of them as base64, so that the page has the exact
 * values. What the trace lacks is null.
 */
#include "tui/export/export_pictures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/kernel_names.h"
#include "tui/export/export_pack.h"
#include "tui/export/export_spots.h"
#include "tui/views/step/step.h"
#include "tui/views/view_cell.h"

#define MAX_ROWS 512                    /* slots x heads, or queries x heads, of an attention */
#define MAX_QUERY_KEYS 4096             /* queries x keys of a prefill launch */

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* A number that is not known, or not finite, is null. */
static void put_real(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.9g", value);
	else
		fputs("null", out);
}

/* --- chunks --- */

static void put_scores(FILE *out, const struct step_chunk *k)
{
	if (!k->score) {
		fputs(",null", out);
		return;
	}
	fputs(",\"", out);
	export_base64(k->score, (size_t)(k->end - k->begin) * sizeof *k->score, out);
	putc('"', out);
}

/* In millionths of the row. */
static void put_weights(FILE *out, const struct step_chunk *k)
{
	if (!k->weight) {
		fputs(",null", out);
		return;
	}
	for (int64_t i = 0; i < k->end - k->begin; i++)
		if (isnan(k->weight[i]))
			fprintf(out, "%snull", i ? "," : ",[");
		else
			fprintf(out, "%s%.0f", i ? "," : ",[", 1e6 * k->weight[i]);
	putc(']', out);
}

/* [number, spot, begin, end, max, sum, share, factor, merge, scores, weights, tiles] with the merge
 * as [factor, sum, acc0] and the first key of each tile; see page_put_spots() for spots. */
static void put_chunk(FILE *out, const struct step *s, const struct step_chunk *k)
{
	int64_t spot = s->form == STEP_CHUNKS && view_shape_packed(&s->shape)
		? page_spot(&s->shape, s->slot, s->head, k->number) : k->block;

	fprintf(out, "[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",%" PRIu32 ",",
		k->number, spot, k->begin, k->end, bits_of(k->max), bits_of(k->sum));
	put_real(out, k->share);
	putc(',', out);
	put_real(out, k->factor);
	if (k->merged)
		fprintf(out, ",[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", bits_of(k->merge_factor),
			bits_of(k->merge_sum), bits_of(k->merge_acc0));
	else
		fputs(",null", out);
	put_scores(out, k);
	put_weights(out, k);
	fputs(",[", out);
	for (int64_t i = 0; i < k->tile_count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", k->tiles[i].key);
	fputs("]]", out);
}

/* [kind, chunk, tile, tensor, address] */
static void put_frame(FILE *out, const struct step_frame *f)
{
	char at[ADDRESS_TEXT], tensor[2] = { f->tensor, '\0' };

	address_format(&f->at, at);
	fprintf(out, "[%d,%" PRId64 ",%" PRId64 ",\"%s\",\"%s\"]", (int)f->kind, f->chunk, f->tile,
		tensor, at);
}

/* --- a row: the step of one slot and head, or of one query and head --- */

static void put_text(FILE *out, const struct step *s)
{
	if (!s->has_text) {
		fputs(",\"text\":null", out);
		return;
	}
	fputs(",\"text\":\"", out);
	export_base64(s->text, (size_t)s->text_keys, out);
	putc('"', out);
}

static void put_row(FILE *out, const struct step *s, const struct step_memory *m)
{
	fprintf(out, "{\"keys\":%" PRId64 ",\"kv\":%" PRId64 ",\"fresh\":[%" PRId64 ",%" PRId64
		"],\"made\":%d,\"tiled\":%s,\"count\":%" PRId64 ",\"query\":%" PRId64, s->keys,
		s->kv_head, s->first_written,
		step_is_new(s, s->last_written) ? s->last_written : -1, s->made,
		s->tiled ? "true" : "false", s->count,
		s->form == STEP_TILES ? s->query.number : -1);
	if (s->has_out)
		fprintf(out, ",\"out\":%" PRIu32, bits_of(s->out0));
	if (s->head == 0 && (s->form != STEP_TILES || s->query.number == s->query.count - 1))
		put_text(out, s);
	fputs(",\"chunks\":[", out);
	for (int64_t i = 0; i < s->live; i++) {
		fputs(i ? "," : "", out);
		put_chunk(out, s, &s->chunks[i]);
	}
	fputs("],\"frames\":[", out);
	for (int64_t i = 0; i < m->count; i++) {
		fputs(i ? "," : "", out);
		put_frame(out, &m->frames[i]);
	}
	fputs("]}", out);
}

/* Of a prefill launch, which has no slots, `slot` is a query. */
static enum status put_head(const struct view_context *c, const struct step *first, int64_t slot,
			    int64_t head, FILE *out)
{
	struct view_context here = *c;
	struct step_memory m = { .store = NULL };
	enum status status;
	bool found;

	here.head = head;
	here.slot = first->form == STEP_TILES ? first->slot : slot;
	if (first->form == STEP_TILES) {
		struct step wanted = *first;

		wanted.head = head;
		step_query_address(&wanted, slot, &here.at);
	}
	status = step_find(&here, &m.step, &found);
	if (status == STATUS_OK && found)
		status = step_read(&here, &m.step);
	if (status == STATUS_OK && m.step.live > 0)
		status = step_frames(&here, &m.step, &m.frames, &m.count);
	if (status == STATUS_OK && m.step.live > 0)
		put_row(out, &m.step, &m);
	else
		fputs("null", out);
	step_memory_clear(&m);
	return status;
}

/* --- an attention: a launch, or an operation of the host --- */

/* The last queries of a prefill launch, as many as a page has space for. */
static int64_t first_query(const struct step *s)
{
	int64_t most = MAX_QUERY_KEYS / (s->query.keys > 0 ? s->query.keys : 1);

	if (most > MAX_ROWS / s->heads)
		most = MAX_ROWS / s->heads;
	if (most < 1)
		most = 1;
	return s->query.count > most ? s->query.count - most : 0;
}

static enum status put_rows(const struct view_context *c, const struct step *s, FILE *out)
{
	bool tiles = s->form == STEP_TILES;
	int64_t first = tiles ? first_query(s) : 0, past = tiles ? s->query.count : s->slots;

	if (tiles)
		fprintf(out, ",\"slot\":%" PRId64 ",\"queries\":[%" PRId64 ",%" PRId64 ",%" PRId64
			",%" PRId64 ",%" PRId64 ",%s]", s->slot, first, s->query.count,
			s->query.rows, s->query.group, s->query.threads,
			s->query.reversed ? "true" : "false");
	fputs(",\"rows\":[", out);
	for (int64_t i = first; i < past; i++)
		for (int64_t head = 0; head < s->heads; head++) {
			fputs(i > first || head > 0 ? "," : "", out);
			TRY(put_head(c, s, i, head, out));
		}
	fputs("]}", out);
	return STATUS_OK;
}

static enum status put_attention(const struct view_context *c, struct page *p)
{
	static const char *const forms[] = { "chunks", "rows", "tiles", "host" };
	struct step s = { .made = -1 };
	enum status status;
	bool found;

	status = step_find(c, &s, &found);
	step_free(&s);                  /* what follows needs no units */
	TRY(status);
	if (!found || s.heads > MAX_ROWS || (s.form != STEP_TILES && s.heads * s.slots > MAX_ROWS))
		return STATUS_OK;
	TRY(step_max_len_read(c, &s));
	page_comma(p);
	fprintf(p->json, "\n{\"launch\":%" PRId64 ",\"op\":%" PRId64 ",\"reduce\":%" PRId64
		",\"step\":%" PRId64 ",\"layer\":%" PRId64 ",\"form\":\"%s\",\"heads\":%" PRId64
		",\"slots\":%" PRId64 ",\"maxLen\":%" PRId64 ",\"merges\":\"%s\"", s.attend.launch,
		s.attend.op, s.reduce.launch, s.attend.step, s.attend.layer, forms[s.form],
		s.heads, s.slots, s.max_len, s.shape.merges ? view_shape_merger(&s.shape) : "");
	return put_rows(c, &s, p->json);
}

/* Columns: launch, or NULL and an operation. */
static enum status take_attention(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct page *p = state;
	struct view_context here = p->c;

	(void)c;
	here.at = address_none;
	here.at.run = p->c.run > 1 ? p->c.run : -1;
	here.at.launch = view_null(row, 0) ? -1 : view_int(row, 0);
	here.at.op = view_null(row, 0) ? view_int(row, 1) : -1;
	return put_attention(&here, p);
}

enum status page_pictures(struct page *p)
{
	return page_array(p, "pictures", take_attention, p,
			  "SELECT launch, op FROM v_launch WHERE run = ?1 AND op BETWEEN ?2 AND ?3"
			  " AND (" SQL_CHUNKS("kernel") " OR kernel GLOB 'attention_*')"
			  " UNION ALL SELECT NULL, op FROM v_softmax WHERE run = ?1"
			  " AND op BETWEEN ?2 AND ?3 ORDER BY 2");
}
