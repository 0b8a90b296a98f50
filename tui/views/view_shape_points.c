/* view_shape_points.c - whose points are whose in kernels whose warps have all query heads of a KV
 * head; see view_shape.h.
 *
 * A warp takes every SPLIT_WARPS-th tile of a unit. It scores `scored` query heads at once, in as
 * many passes over a tile as the group needs. For each tile and pass a lane publishes the scores of
 * its keys, as far as the tile has them, and then, if it has the tile's first key, the softmax:
 *   kernels/split_attend.cuh   lane 4 * key + i has query head i of a pass, and keys `key` and
 *                              `key` + 8
 *   kernels/split_tensor.cuh   lane 4 * g + c has query head TENSOR_HEAD(g) of a pass, and keys
 *                              2 * c, 2 * c + 1, and those that are 8 further on
 */
#include "tui/views/view_shape.h"

#include "kernels/split_rule.h"

/* What a lane publishes. */
struct lane {
	int64_t key, first;             /* of each 8 keys; query head of each pass */
	int64_t keys;                   /* of each 8, one after the other */
	int64_t passes;                 /* that have such a head */
};

static struct lane lane_of(const struct view_shape *s, int64_t lane)
{
	struct lane out = { .key = lane / 4, .first = lane % 4, .keys = 1 };

	if (s->tensor)
		out = (struct lane){ .key = lane % 4 * 2, .first = TENSOR_HEAD(lane / 4),
				     .keys = 2 };

	if (out.first < s->scored && out.first < s->group)
		out.passes = (s->group - out.first - 1) / s->scored + 1;
	return out;
}

/* The lane's key `n` of a tile. */
static int64_t key_of_lane(const struct lane *l, int64_t n)
{
	return l->key + n % l->keys + n / l->keys * SPLIT_KEYS_AT_ONCE;
}

/* Scores that a lane publishes of a tile of `count` keys, in one pass. */
static int64_t scores_of(const struct lane *l, int64_t count)
{
	int64_t scores = 0;

	while (key_of_lane(l, scores) < count)
		scores++;
	return scores;
}

static int64_t per_pass(const struct lane *l, int64_t count)
{
	return scores_of(l, count) + (l->key == 0);
}

/* Tiles of a warp in a unit. */
static int64_t tiles_of(const struct view_shape *s, const struct view_unit *u, int64_t warp)
{
	int64_t keys = u->end - u->begin - warp * s->tile, step = (int64_t)s->warps * s->tile;

	return keys > 0 ? (keys + step - 1) / step : 0;
}

static int64_t key_of(const struct view_shape *s, const struct view_unit *u, int64_t warp,
		      int64_t tile)
{
	return u->begin + (tile * s->warps + warp) * s->tile;
}

/* Keys of a warp's tile: only the last one of a unit may be shorter. */
static int64_t keys_of(const struct view_shape *s, const struct view_unit *u, int64_t warp,
		       int64_t tile)
{
	int64_t left = u->end - key_of(s, u, warp, tile);

	return left < s->tile ? left : s->tile;
}

int64_t view_shape_points_in(const struct view_shape *s, int64_t unit, int64_t warp, int64_t lane)
{
	const struct view_unit *u = &s->units[unit];
	struct lane l = lane_of(s, lane);
	int64_t tiles = tiles_of(s, u, warp);

	if (tiles == 0)
		return 0;
	return l.passes * ((tiles - 1) * per_pass(&l, s->tile)
			   + per_pass(&l, keys_of(s, u, warp, tiles - 1)));
}

int64_t view_shape_points_before(const struct view_shape *s, int64_t unit, int64_t warp,
				 int64_t lane)
{
	int64_t points = 0;

	if (view_shape_runs(s))
		for (int64_t i = unit - 1; i >= 0 && s->units[i].block == s->units[unit].block; i--)
			points += view_shape_points_in(s, i, warp, lane);
	return points;
}

struct view_lanes view_shape_lanes(const struct view_shape *s, int64_t head)
{
	int64_t of_pass = s->scored > 0 ? head % s->group % s->scored : 0;

	if (s->tensor)
		return (struct view_lanes){ 4 * TENSOR_ROW(of_pass), 1, 4 };
	return (struct view_lanes){ of_pass, 4, 8 };
}

/* The point `n` of a lane in a unit. */
static struct view_shape_point point_in(const struct view_shape *s, int64_t unit, int64_t warp,
					const struct lane *l, int64_t n)
{
	const struct view_unit *u = &s->units[unit];
	int64_t each = l->passes * per_pass(l, s->tile), tiles = tiles_of(s, u, warp);
	int64_t tile = n / each < tiles - 1 ? n / each : tiles - 1;
	int64_t count = keys_of(s, u, warp, tile), pass = (n - tile * each) / per_pass(l, count);
	int64_t place = (n - tile * each) % per_pass(l, count), key = key_of(s, u, warp, tile);
	bool softmax = place == scores_of(l, count);

	return (struct view_shape_point){
		.unit = unit, .head = u->kv_head * s->group + pass * s->scored + l->first,
		.key = softmax ? key : key + key_of_lane(l, place), .tile = tile,
		.softmax = softmax,
	};
}

struct view_shape_point view_shape_point(const struct view_shape *s, int64_t block, int64_t warp,
					 int64_t lane, int64_t sequence)
{
	struct lane l = lane_of(s, lane);

	for (int64_t i = 0; i < s->unit_count && l.passes > 0 && warp < s->warps; i++) {
		int64_t points;

		if (s->units[i].block != block)
			continue;
		points = view_shape_points_in(s, i, warp, lane);
		if (sequence < points)
			return point_in(s, i, warp, &l, sequence);
		sequence -= points;
	}
	return (struct view_shape_point){ .unit = -1 };
}
