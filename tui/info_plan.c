/* info_plan.c - prints the plan of the path ladder for a shape; see info_plan.h.
 *
 * Splits, tiles and blocks follow from kernels/split_rule.h, and are what the kernels do. The floor
 * and the expected time are a model with constants that were measured on an H200 and an H100;
 * `bench --suite decode` measures them on the GPU at hand. Nothing is launched.
 */
#include "config.h"

#include "tui/info_plan.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "kernels/head_sizes.h"
#include "kernels/plan_rule.h"
#include "tui/run.h"
#include "tui/shape.h"

/* Measured on an H200 (doc/ladder.md): the share of the memory's bandwidth that long reads get, and
 * how long a read of nothing takes; how long the ladder takes from its last tile to the output, and
 * how much less from rung 9 up, whose launches overlap; how long the warps of a split merge, while
 * a block copies less; how long a warp takes for one tile of TILE_ELEMENTS if it does not wait for
 * memory, and how much longer the end, by its room for query heads. Partials are not counted. */
#define READ_SHARE 0.955
#define START_US 1.9
#define END_US 4.2
#define OVERLAP_SAVES_US 2.7
#define SPLIT_US 0.05
static const struct {
	int heads;
	double us, end_us;
} tile_times[] = { { 4, 2.4, 0 }, { 8, 3.6, 0.7 }, { 16, 5.6, 5 } };
enum { TILE_ELEMENTS = 16 * 128 };
/* On tensor cores, with up to 8 query heads, and twice that with more; and where two blocks share a
 * multiprocessor, with e4m3 and splits of 4 tiles for each warp and more. */
#define TENSOR_TILE_US 0.95
#define PAIR_TILE_US 2.0

enum { MANY_BLOCKS = 1 << 20 };

/* The device that the plan is for. */
struct target {
	struct device_info info;
	double bandwidth;               /* bytes/us of the memory, by clock and width */
	int memory_khz, memory_bits;
};

struct plan {
	int64_t splits;                 /* of all sequences that have keys */
	int64_t units;                  /* these times the KV heads */
	int64_t blocks;                 /* that attend to them */
	int64_t warp_tiles;             /* of the busiest warp */
	int64_t cache, io, partials;    /* bytes read or written */
	size_t shared;
	int rung;
	bool picked;                    /* by the shape table */
	int64_t clusters;               /* of rung 10; 0: its other form */
	bool pairs;                     /* of blocks on a multiprocessor: rungs 9 and 10 */
	int at_once;                    /* blocks on a multiprocessor */
	double floor, read, compute, end, expected;     /* us */
};

/* --- the device --- */

static enum status read_target(struct device *device, struct target *out)
{
	TRY(device_info(device, &out->info));
	TRY(device_attribute(device, DEVICE_MEMORY_KHZ, &out->memory_khz));
	TRY(device_attribute(device, DEVICE_MEMORY_BITS, &out->memory_bits));
	/* Two transfers a clock. */
	out->bandwidth = 2e-3 * out->memory_khz * out->memory_bits / 8;
	if (out->bandwidth <= 0)
		return fail(STATUS_USAGE, "--plan: %s does not tell its memory's clock or width",
			    out->info.name);
	return STATUS_OK;
}

static enum status find_target(const char *kind, struct target *out)
{
	const struct device_options options = { 0 };
	struct error_record error;
	struct device *device;
	enum status status;

	TRY(device_open(kind, &options, &device));
	status = read_target(device, out);
	error_save(&error);
	device_close(device);
	error_restore(&error);
	return status;
}

/* --- the plan --- */

/* Tiles of the warp of a block that gets most of the keys. */
static int64_t tiles_of(const struct shape *s, int64_t keys)
{
	int64_t step = SPLIT_STEP(s->head_dim);

	return (keys + step - 1) / step;
}

/* Places where blocks run, of which the next block takes the one that is free first. */
struct places {
	int64_t *tiles;
	int count;
};

static void place_block(struct places *places, int64_t tiles)
{
	int best = 0;

	for (int i = 1; i < places->count; i++)
		if (places->tiles[i] < places->tiles[best])
			best = i;
	places->tiles[best] += tiles;
}

static void place_sequence(struct places *places, const struct shape *s, int64_t keys)
{
	int64_t each = SPLIT_KEYS(keys);

	for (int64_t begin = 0; begin < keys; begin += each)
		for (int h = 0; h < s->kv_heads; h++)
			place_block(places, tiles_of(s, keys - begin < each ? keys - begin : each));
}

static int64_t busiest(const struct places *places)
{
	int64_t most = 0;

	for (int i = 0; i < places->count; i++)
		if (places->tiles[i] > most)
			most = places->tiles[i];
	return most;
}

/* Splits start in order, each where another has ended; a plan gives about the same. Of very many,
 * an even share. */
static int64_t find_busiest(const struct shape *s, const struct plan *p, int multiprocessors)
{
	struct places places = { .count = multiprocessors * p->at_once };
	int *lengths;
	int64_t most;

	if (p->units > MANY_BLOCKS)
		return tiles_of(s, shape_total_keys(s) * s->kv_heads) / places.count + 1;
	places.tiles = xcalloc((size_t)places.count, sizeof *places.tiles);
	lengths = shape_lengths(s);
	for (int i = 0; i < s->sequences; i++)
		place_sequence(&places, s, lengths[i]);
	most = busiest(&places);
	free(lengths);
	free(places.tiles);
	return most;
}

/* Blocks of a cluster that have keys of a sequence. */
static int64_t ranks_used(int64_t keys)
{
	int used = SPLITS_USED(keys);

	return used < CLUSTER_BLOCKS ? used : CLUSTER_BLOCKS;
}

/* All clusters run at once: the tiles of the block that has most. */
static int64_t find_busiest_rank(const struct shape *s)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->run_count; i++) {
		int64_t keys = s->runs[i].keys, each = SPLIT_KEYS(keys);
		int used = SPLITS_USED(keys);

		for (int rank = 0; rank < CLUSTER_BLOCKS; rank++) {
			int64_t begin = CLUSTER_FIRST(rank, used) * each;
			int64_t end = CLUSTER_FIRST(rank + 1, used) * each;
			int64_t tiles = tiles_of(s, (end < keys ? end : keys) - begin);

			most = tiles > most ? tiles : most;
		}
	}
	return most;
}

/* The line of tile_times for a shape. */
static size_t room_line(const struct shape *s)
{
	int room = SPLIT_HEADS(s->heads / s->kv_heads);

	for (size_t i = 0; i < sizeof tile_times / sizeof tile_times[0]; i++)
		if (room <= tile_times[i].heads)
			return i;
	return 0;
}

static double tile_time(const struct shape *s, const struct plan *p, bool tensor)
{
	double part = (double)(SPLIT_TILE(s->head_dim) * s->head_dim) / TILE_ELEMENTS;

	if (p->pairs)
		return part * PAIR_TILE_US;
	if (tensor)
		return part * TENSOR_TILE_US * (tile_times[room_line(s)].heads <= 8 ? 1 : 2);
	return part * tile_times[room_line(s)].us;
}

static void add_times(const struct shape *s, const struct target *t, struct plan *p)
{
	double moved = (double)p->cache + (double)p->io;
	double rate = READ_SHARE * t->bandwidth;
	bool tensor = s->kv_dtype != DTYPE_F32 && p->rung >= LADDER_TENSOR_RUNG;
	int64_t more = p->units / ((int64_t)t->info.multiprocessors * p->at_once);

	p->floor = START_US + (double)p->cache / rate;
	p->read = moved / rate;
	p->compute = (double)p->warp_tiles * tile_time(s, p, tensor);
	if (p->clusters)                /* launches share the time */
		p->compute /= LADDER_CLUSTER_LAUNCHES;
	p->end = p->rung < LADDER_PLAN_RUNG ? END_US : END_US - OVERLAP_SAVES_US;
	p->end += (double)more * SPLIT_US + (tensor ? 0 : tile_times[room_line(s)].end_us);
	p->expected = START_US + fmax(p->read, p->compute) + p->end;
}

static struct attention_shape shape_on_rung(const struct shape *s, int rung)
{
	struct attention_shape attention = shape_attention(s);

	attention.rung = rung;
	return attention;
}

/* Its clusters, and what follows from them. */
static void add_clusters(const struct shape *s, struct plan *p)
{
	p->clusters = (int64_t)s->sequences * s->kv_heads;
	p->blocks = 0;
	for (size_t i = 0; i < s->run_count; i++)
		p->blocks += s->runs[i].count * ranks_used(s->runs[i].keys) * s->kv_heads;
	p->partials /= 2;               /* no kernel reads them */
	p->warp_tiles = find_busiest_rank(s);
}

static void make_plan(const struct shape *s, int rung, const struct target *t, struct plan *p)
{
	struct attention_shape attention = shape_on_rung(s, rung);
	int64_t row = (int64_t)s->head_dim * (int64_t)sizeof(float), rows;
	enum ladder_form form = ladder_form(&attention, &t->info);
	int most = ladder_max_blocks(form, t->info.multiprocessors);

	*p = (struct plan){ .rung = ladder_rung(&attention), .pairs = form == LADDER_PAIRS,
			    .shared = ladder_shared(&attention, form) };
	p->picked = p->rung != rung;
	for (size_t i = 0; i < s->run_count; i++)
		p->splits += (int64_t)s->runs[i].count * SPLITS_USED((int64_t)s->runs[i].keys);
	p->units = p->splits * s->kv_heads;
	p->blocks = p->rung >= LADDER_PLAN_RUNG && p->units > most ? most : p->units;
	p->at_once = ladder_blocks_at_once(form);
	rows = (int64_t)s->sequences * s->heads;
	p->cache = (int64_t)shape_bytes(s, dtype_bytes(s->kv_dtype));
	p->io = 2 * rows * row;
	p->partials = 2 * p->splits * s->heads * (row + 2 * (int64_t)sizeof(float));
	p->warp_tiles = find_busiest(s, p, t->info.multiprocessors);
	if (form == LADDER_CLUSTERS)
		add_clusters(s, p);
	add_times(s, t, p);
}

/* --- as JSON --- */

static json_t *sequences_json(const struct shape *s)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < s->run_count; i++) {
		int64_t keys = s->runs[i].keys;

		json_array_append_new(rows, json_pack(
			"{s:I, s:i, s:i, s:I}", "keys", (json_int_t)keys,
			"sequences", s->runs[i].count, "splits", SPLITS_USED(keys),
			"keys_per_split", (json_int_t)SPLIT_KEYS(keys)));
	}
	return rows;
}

static json_t *tiles_json(const struct shape *s, const struct target *t, int rung)
{
	static const int sizes[HEAD_SIZE_COUNT] = { HEAD_SIZES };
	json_t *rows = json_array();

	for (size_t i = 0; i < HEAD_SIZE_COUNT; i++) {
		struct attention_shape shape = shape_on_rung(s, rung);
		enum ladder_form form;

		shape.head_dim = sizes[i];
		form = ladder_form(&shape, &t->info);
		json_array_append_new(rows, json_pack(
			"{s:i, s:i, s:i, s:i, s:I, s:i}", "head_dim", sizes[i],
			"keys", SPLIT_TILE(sizes[i]), "warps", SPLIT_WARPS,
			"tiles_in_flight", ladder_tiles_in_flight(&shape, form),
			"shared_bytes", (json_int_t)ladder_shared(&shape, form),
			"blocks_per_multiprocessor", ladder_blocks_at_once(form)));
	}
	return rows;
}

static json_t *plan_json(const struct shape *s, const struct target *t, const struct plan *p)
{
	char *text = shape_text(s);
	double rate = READ_SHARE * t->bandwidth;
	json_t *json = json_pack(
		"{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
		" s:I, s:f, s:f, s:f, s:f, s:f}",
		"shape", text, "rung", p->rung, "kv_dtype", dtype_name(s->kv_dtype),
		"device", t->info.name, "profile", t->info.profile,
		"multiprocessors", t->info.multiprocessors, "split_unit", SPLIT_UNIT,
		"sequences", sequences_json(s), "tiles", tiles_json(s, t, p->rung),
		"clusters", (json_int_t)p->clusters,
		"blocks", (json_int_t)p->blocks, "units", (json_int_t)p->units,
		"tiles_of_busiest_warp", (json_int_t)p->warp_tiles,
		"kv_bytes", (json_int_t)p->cache, "io_bytes", (json_int_t)p->io,
		"partial_bytes", (json_int_t)p->partials,
		"shared_bytes", (json_int_t)p->shared, "bandwidth_gbs", 1e-3 * t->bandwidth,
		"ceiling_gbs", 1e-3 * rate, "floor_us", p->floor, "expected_us", p->expected,
		"expected_percent", 100 * p->floor / p->expected);

	free(text);
	return json;
}

/* --- as text --- */

static void print_sequences(const struct shape *s)
{
	printf("splits: of whole units of %d keys, by the length of the sequence alone\n"
	       "        keys  sequences  splits  keys of a split\n", SPLIT_UNIT);
	for (size_t i = 0; i < s->run_count; i++) {
		int64_t keys = s->runs[i].keys;

		printf("  %10" PRId64 "  %9d  %6d  %15lld\n", keys, s->runs[i].count,
		       SPLITS_USED(keys), (long long)SPLIT_KEYS(keys));
	}
}

static int member(const json_t *row, const char *name)
{
	return (int)json_integer_value(json_object_get(row, name));
}

static void print_tiles(const struct shape *s, const struct target *t, int rung)
{
	json_t *rows = tiles_json(s, t, rung), *row;
	size_t i;

	printf("\ntiles of rung %d; the %d warps of a block take turns\n"
	       "  head size  keys  in flight per warp  shared memory  blocks of a multiprocessor\n",
	       rung, SPLIT_WARPS);
	json_array_foreach(rows, i, row)
		printf("%c %9d  %4d  %18d  %13d  %26d\n",
		       member(row, "head_dim") == s->head_dim ? '*' : ' ', member(row, "head_dim"),
		       member(row, "keys"), member(row, "tiles_in_flight"),
		       member(row, "shared_bytes"), member(row, "blocks_per_multiprocessor"));
	json_decref(rows);
}

/* Which form of rung 10 it is, and why. */
static void print_clusters(const struct shape *s, const struct target *t, const struct plan *p)
{
	int64_t wanted = (int64_t)s->sequences * s->kv_heads, most = ladder_max_clusters(&t->info);
	struct attention_shape attention = shape_on_rung(s, p->rung);
	int keys = shape_max_keys(s);
	int limit = ladder_cluster_keys(&attention, t->info.multiprocessors);

	printf("clusters              ");
	if (p->clusters && limit == INT_MAX)
		printf("%" PRId64 " of %d blocks; at most %" PRId64 ", of any length for one "
		       "sequence\n", p->clusters, CLUSTER_BLOCKS, most);
	else if (p->clusters)
		printf("%" PRId64 " of %d blocks; at most %" PRId64 ", with at most %d keys each\n",
		       p->clusters, CLUSTER_BLOCKS, most, limit);
	else if (wanted > most)
		printf("none: %" PRId64 " would be needed, at most %" PRId64 " are used\n", wanted,
		       most);
	else if (keys > limit)
		printf("none: up to %d keys, at most %d in a cluster\n", keys, limit);
	else
		printf("none: too little shared memory for partials and tiles\n");
}

static void print_work(const struct shape *s, const struct target *t, const struct plan *p)
{
	printf("\nrung                  %d%s\n", p->rung, p->picked ? ", by the shape table" : "");
	if (p->rung == 10)
		print_clusters(s, t, p);
	printf("splits                %" PRId64 " of all sequences and KV heads\n", p->units);
	printf("blocks                %" PRId64 " with keys, on %d multiprocessors, %d at a time "
	       "on each\n", p->blocks, t->info.multiprocessors, p->at_once);
	printf("tiles of a warp       %" PRId64 " where they are most\n", p->warp_tiles);
	printf("keys and values       %.3f MB\n", 1e-6 * (double)p->cache);
	printf("queries, outputs      %.3f MB\n", 1e-6 * (double)p->io);
	printf("%-21s %.3f MB\n", p->clusters ? "partials, written" : "partials, both ways",
	       1e-6 * (double)p->partials);
}

static void print_times(const struct target *t, const struct plan *p)
{
	printf("\nbandwidth  %.0f GB/s: memory clock %.0f MHz and %d bits of %s\n",
	       1e-3 * t->bandwidth, 1e-3 * t->memory_khz, t->memory_bits,
	       *t->info.driver ? t->info.name : t->info.profile);
	printf("floor      %.1f us: reads get %.0f GB/s after %.1f us, as on an H200\n", p->floor,
	       1e-3 * READ_SHARE * t->bandwidth, START_US);
	printf("expected   %.1f us, %.0f %% of the ceiling: %.1f us of %s, and %.1f us to start "
	       "and to merge\n", p->expected, 100 * p->floor / p->expected,
	       fmax(p->read, p->compute), p->read >= p->compute ? "reads" : "arithmetic",
	       START_US + p->end);
}

static void print_plan(const struct shape *s, const struct target *t, const struct plan *p)
{
	char *label = shape_label(s);

	printf("path ladder, %s: %d sequence%s, %d query heads of each of %d KV heads, head size "
	       "%d, %s\n\n", label, s->sequences, s->sequences == 1 ? "" : "s",
	       s->heads / s->kv_heads, s->kv_heads, s->head_dim, dtype_name(s->kv_dtype));
	free(label);
	print_sequences(s);
	print_tiles(s, t, p->rung);
	print_work(s, t, p);
	print_times(t, p);
}

static enum status plan_shape(const struct shape *s, int rung, const char *device, bool json)
{
	struct attention_shape attention = shape_on_rung(s, rung);
	struct target target;
	struct plan plan;
	json_t *object;
	enum status status;

	TRY(attention_check(&path_ladder, &attention));
	TRY(find_target(device, &target));
	make_plan(s, rung, &target, &plan);
	if (!json) {
		print_plan(s, &target, &plan);
		return STATUS_OK;
	}
	object = plan_json(s, &target, &plan);
	status = run_print_json(object);
	json_decref(object);
	return status;
}

enum status info_plan(const char *text, int rung, enum dtype kv_dtype, const char *device,
		      bool json)
{
	struct shape shape;
	enum status status;

	TRY(shape_parse("--plan", text, &shape));
	shape.kv_dtype = kv_dtype;
	status = plan_shape(&shape, rung, device, json);
	shape_free(&shape);
	return status;
}
