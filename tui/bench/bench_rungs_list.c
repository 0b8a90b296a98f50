/* bench_rungs_list.c - the shapes that `bench --suite decode` measures. */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct listed {
	const char *list, *text;
};

enum { RAGGED = 32, RAGGED_MIN = 500, RAGGED_MAX = 64 << 10 };
#define RAGGED_LENGTHS "ragged"         /* replaced by their text */

/* Shapes of `keys` are completed by those of `table`. Lengths of `ragged` and of the shape after it
 * have as many keys. */
static const struct listed full[] = {
	{ "table", "1,32/8,128,1K" }, { "table", "1,32/8,128,4K" },
	{ "table", "1,32/8,128,32K" }, { "table", "1,32/8,128,128K" },
	{ "table", "32,32/8,128,4K" }, { "table", RAGGED_LENGTHS },
	{ "table", "32,32/8,128,23x13980+9x13981" },
	{ "keys", "1,32/8,128,512" }, { "keys", "1,32/8,128,2K" }, { "keys", "1,32/8,128,8K" },
	{ "keys", "1,32/8,128,16K" }, { "keys", "1,32/8,128,64K" },
	{ "sizes", "1,32/8,64,1K" }, { "sizes", "1,32/8,64,32K" },
	{ "sizes", "1,32/8,80,1K" }, { "sizes", "1,32/8,80,32K" },
	{ "sizes", "1,32/8,96,1K" }, { "sizes", "1,32/8,96,32K" },
	{ "sizes", "1,32/8,256,1K" }, { "sizes", "1,32/8,256,32K" },
	{ "sizes", "1,8/8,128,1K" }, { "sizes", "1,8/8,128,32K" },
	{ "sizes", "1,16/8,128,1K" }, { "sizes", "1,16/8,128,32K" },
	{ "sizes", "1,24/8,128,1K" }, { "sizes", "1,24/8,128,32K" },
	{ "sizes", "1,48/8,128,1K" }, { "sizes", "1,48/8,128,32K" },
	{ "sizes", "1,56/8,128,1K" }, { "sizes", "1,56/8,128,32K" },
	{ "sizes", "1,64/8,128,1K" }, { "sizes", "1,64/8,128,32K" },
	{ "sizes", "1,128/8,128,1K" }, { "sizes", "1,128/8,128,32K" },
	{ RUNGS_LIST_NARROW, "1,32/8,128,1M" }, { RUNGS_LIST_NARROW, "32,32/8,128,8K" },
	{ RUNGS_LIST_NARROW, "64,28/4,128,4K" }, { RUNGS_LIST_NARROW, "16,64/8,128,32K" },
	{ RUNGS_LIST_PREFILL, NULL }, { NULL, NULL }
};

/* The same kinds at sizes for the simulator. */
static const struct listed reduced[] = {
	{ "table", "1,4/2,64,96" }, { "table", "3,4/2,64,1+70+130" },
	{ "keys", "1,4/2,64,32" }, { "keys", "1,4/2,64,64" },
	{ "sizes", "1,6/2,80,40" },
	{ RUNGS_LIST_PREFILL, NULL }, { NULL, NULL }
};

void rungs_prompt(bool on_gpu, int *heads, int *rows, int *head_dim)
{
	*heads = on_gpu ? 32 : 2;
	*rows = on_gpu ? 4096 : 48;
	*head_dim = on_gpu ? 128 : 64;
}

/* Lengths in geometric progression, mixed: neighbours in the batch differ. */
static char *ragged_text(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = xcheck(open_memstream(&text, &size));

	fprintf(out, "%d,32/8,128,", RAGGED);
	for (int i = 0; i < RAGGED; i++) {
		int place = i * 11 % RAGGED;
		double ratio = (double)RAGGED_MAX / RAGGED_MIN;

		fprintf(out, "%s%.0f", i > 0 ? "+" : "",
			round(RAGGED_MIN * pow(ratio, place / (RAGGED - 1.0))));
	}
	fclose(out);
	return xcheck(text);
}

static char *prompt_text(bool on_gpu)
{
	int heads, rows, head_dim;

	rungs_prompt(on_gpu, &heads, &rows, &head_dim);
	return xasprintf("%d x %d x %d, D %d, causal", heads, rows, rows, head_dim);
}

/* Takes the text. */
static enum status add(struct rungs_shapes *shapes, const char *list, char *text)
{
	struct rungs_shape *item;
	struct shape shape = { 0 };
	enum status status = STATUS_OK;

	if (strcmp(list, RUNGS_LIST_PREFILL) != 0)
		status = shape_parse("--shape", text, &shape);
	if (status != STATUS_OK) {
		free(text);
		return status;
	}
	shapes->items = xreallocarray(shapes->items, shapes->count + 1, sizeof *shapes->items);
	item = &shapes->items[shapes->count++];
	*item = (struct rungs_shape){ list, text, shape };
	if (shape.runs) {               /* the one spelling by which results are paired */
		free(item->text);
		item->text = shape_text(&shape);
	}
	return STATUS_OK;
}

static enum status add_listed(struct rungs_shapes *shapes, bool on_gpu, const struct listed *l)
{
	if (!l->text)
		return add(shapes, l->list, prompt_text(on_gpu));
	return add(shapes, l->list,
		   strcmp(l->text, RAGGED_LENGTHS) == 0 ? ragged_text() : xstrdup(l->text));
}

/* Whether the shapes of a list are measured. */
static bool is_wanted(const char *list, const char *only, enum dtype kv_dtype, int queries)
{
	if (strcmp(list, RUNGS_LIST_PREFILL) == 0 && (kv_dtype != DTYPE_F32 || queries > 1))
		return false;
	if (strcmp(list, RUNGS_LIST_NARROW) == 0 && kv_dtype == DTYPE_F32 && !only)
		return false;
	return !only || strcmp(only, list) == 0;
}

enum status rungs_shapes(bool on_gpu, const char *only, enum dtype kv_dtype, int queries,
			 struct rungs_shapes *out)
{
	struct rungs_shapes shapes = { 0 };
	enum status status = STATUS_OK;

	for (const struct listed *l = on_gpu ? full : reduced;
	     status == STATUS_OK && l->list; l++)
		if (is_wanted(l->list, only, kv_dtype, queries))
			status = add_listed(&shapes, on_gpu, l);
	if (status == STATUS_OK && shapes.count == 0)
		status = add(&shapes, RUNGS_LIST_SHAPE, xstrdup(only));
	for (size_t i = 0; i < shapes.count; i++) {
		shapes.items[i].shape.kv_dtype = kv_dtype;
		shapes.items[i].shape.queries = queries;
	}
	if (status != STATUS_OK)
		rungs_shapes_free(&shapes);
	else
		*out = shapes;
	return status;
}

void rungs_shapes_free(struct rungs_shapes *shapes)
{
	for (size_t i = 0; i < shapes->count; i++) {
		free(shapes->items[i].text);
		shape_free(&shapes->items[i].shape);
	}
	free(shapes->items);
	*shapes = (struct rungs_shapes){ 0 };
}
