/* bench_claims.c - compares published claims about these attention paths with the measurements.
 *
 * There are two kinds. Claims of the models: what the engines that these paths reproduce say about
 * themselves (ratios, launches, blocks, bytes). And times that no engine published: this project
 * measured them on its own earlier re-implementations of those engines' kernels, on an H200 with 32
 * query heads, 8 KV heads, D 128, 32,768 keys, f32. Verdicts depend only on the figures.
 */
#include "config.h"

#include "tui/bench/bench_seeds.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE 0.1           /* relative: a time within it of the cited one is reproduced */

#define US_ONE_WARP 27061.0
#define US_CHUNK_16 1146.0
#define US_CHUNK_128 319.0
#define CITED_KEYS 32768
#define S_PREFILL 9.0
#define SPLIT_KEYS 128          /* the claimed gain of split-K begins above */
#define WAIT_US 10.0            /* cited as "about": 50 % either way is reproduced */

enum verdict claim_verdict(double measured, double worst, double best)
{
	double up = best < worst ? -1 : 1;

	if (isnan(measured) || isnan(worst))
		return NOT_MEASURED;
	if (up * (measured - worst) < 0)
		return NOT_REPRODUCED;
	return up * (measured - best) > 0 ? BEATEN : REPRODUCED;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[NOT_MEASURED] = "not measured", [NOT_REPRODUCED] = "not reproduced",
		[REPRODUCED] = "reproduced", [BEATEN] = "beaten",
	};

	return names[verdict];
}

json_t *seeds_number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

/* The column `of`: who says so. */
#define MODELS "models"
#define RE_IMPLEMENTATION "re-implementation"

static void add(json_t *claims, const char *claim, const char *of, const char *cited,
		double measured, const char *unit, double worst, double best)
{
	json_array_append_new(claims, json_pack(
		"{s:s, s:s, s:s, s:o, s:s, s:s}", "claim", claim, "of", of, "cited", cited,
		"measured", seeds_number(measured), "unit", unit,
		"verdict", verdict_name(claim_verdict(measured, worst, best))));
}

/* The case with this chunk size and one warp per chunk; -1: none. */
static int find_case(int chunk)
{
	for (int c = 0; c < SEEDS_CASES; c++)
		if (seeds_cases[c].chunk == chunk && seeds_cases[c].warps == 1)
			return c;
	return -1;
}

static void add_time(json_t *claims, const struct seeds_results *r, const char *claim, int chunk,
		     double cited_us)
{
	double measured = NAN;
	char cited[32];

	for (int i = 0; i < SEEDS_LENGTHS; i++)
		if (r->sizes->lengths[i] == CITED_KEYS)
			measured = r->decode[find_case(chunk)][i];
	snprintf(cited, sizeof cited, "%.0f us", cited_us);
	add(claims, claim, RE_IMPLEMENTATION, cited, measured, "us", (1 + TOLERANCE) * cited_us,
	    (1 - TOLERANCE) * cited_us);
}

/* Ratios of a simulator's times say nothing about a GPU. */
static double on_gpu(const struct seeds_results *r, double value)
{
	return r->on_gpu ? value : NAN;
}

/* The gain is claimed for more than 128 keys, "minimal overhead" for fewer. */
static void add_split_k(json_t *claims, const struct seeds_results *r)
{
	int chunked = find_case(128);

	for (int i = 0; i < SEEDS_LENGTHS && r->sizes->lengths[i]; i++) {
		double gain = on_gpu(r, r->decode[0][i] / r->decode[chunked][i]);
		int keys = r->sizes->lengths[i];
		char claim[96];

		if (keys > SPLIT_KEYS) {
			snprintf(claim, sizeof claim,
				 "split-K (chunk 128) is faster than one warp, %d keys", keys);
			add(claims, claim, MODELS, "1.5 to 2 x", gain, "x", 1.5, 2);
		} else {
			snprintf(claim, sizeof claim,
				 "split-K (chunk 128) takes little longer than one warp, %d keys",
				 keys);
			add(claims, claim, MODELS, "minimal overhead", 100 * (1 / gain - 1),
			    "% longer", 100 * TOLERANCE, 0);
		}
	}
}

static void add_idle(json_t *claims, const struct seeds_results *r)
{
	double busy = (double)r->sizes->heads / r->info.multiprocessors;
	char claim[96];

	/* Computed from the grid: at most one multiprocessor a block can be busy. */
	snprintf(claim, sizeof claim,
		 "one warp: %d blocks leave most of %d multiprocessors idle (computed)",
		 r->sizes->heads, r->info.multiprocessors);
	add(claims, claim, MODELS, "28 of 128 busy", 100 * (1 - fmin(busy, 1)), "% idle", 50, 100);
}

/* Reproduced by exactly `count` launches, beaten by fewer. */
static void add_launches(json_t *claims, const struct seeds_results *r, const char *claim,
			 const char *cited, int which, double count)
{
	add(claims, claim, MODELS, cited, r->scatter_launches[which], "launches", count + 0.5,
	    count - 0.5);
}

/* 28 heads x 8 chunks. A ratio, counted in grids. */
static void add_blocks(json_t *claims, const struct seeds_results *r)
{
	add(claims, "blocks of chunks, 28 heads, 1,024 keys, against a block a head", MODELS,
	    "224 against 28", r->blocks[FAST] / r->blocks[SLOW], "x", 8, 8);
}

static double between(const struct seeds_traffic *t)
{
	return t->up + t->down;
}

/* The models do not say for how many keys: by what `cached` moves here it is 366. */
static void add_traffic(json_t *claims, const struct seeds_results *r)
{
	enum { HALF = TRAFFIC_LENGTHS - 2, LAST = TRAFFIC_LENGTHS - 1 };
	double avoided = between(&r->traffic[SLOW][LAST]) - between(&r->traffic[FAST][LAST]);
	double half = between(&r->traffic[SLOW][HALF]) - between(&r->traffic[FAST][HALF]);

	add(claims, "host-device traffic of a token that `incremental` avoids, 366 keys", MODELS,
	    "about 66 MB", avoided * 1e-6, "MB", 33, 99);
	add(claims, "and it grows with the keys: 366 against 183", MODELS, "O(n)", avoided / half,
	    "x", 1.9, 2.1);
}

json_t *seeds_claims(const struct seeds_results *r)
{
	json_t *claims = json_array();
	double saved = r->wait[SLOW].wall - r->wait[FAST].wall;
	double us = WAIT_US * r->sizes->layers;

	add_split_k(claims, r);
	add_idle(claims, r);
	add_time(claims, r, "one warp, 32,768 keys", 0, US_ONE_WARP);
	add_time(claims, r, "flash decoding, chunk 16, 32,768 keys", 16, US_CHUNK_16);
	add_time(claims, r, "flash decoding, chunk 128, 32,768 keys", 128, US_CHUNK_128);
	add_launches(claims, r, "scatters of a step, 4 sequences, 28 layers, one by one",
		     "224 launches", SLOW, 224);
	add_launches(claims, r, "scatters of a step, 4 sequences, 28 layers, batched",
		     "56 launches", FAST, 56);
	add_blocks(claims, r);
	add_traffic(claims, r);
	add(claims, "saved per token by not waiting between chunk and reduce", MODELS,
	    "about 28 x 10 us", on_gpu(r, saved), "us", us / 2, us * 3 / 2);
	add(claims, "prefill is 100 times as fast as the cited kernel", RE_IMPLEMENTATION, "9.0 s",
	    on_gpu(r, 1e6 * S_PREFILL / r->prefill), "x", 100, 100);
	return claims;
}
