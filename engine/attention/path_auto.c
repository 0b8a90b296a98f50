/* path_auto.c - picks a path for each step by the number of sequences and their lengths.
 *
 * One sequence: flash decoding if the chunk size is not 0; else one warp for fewer than 128 keys of
 * size 64 or less, else four warps. Several sequences: flash decoding if the longest has more than
 * 1,024 keys, else batched. Runs the code of these paths (path_parts.h), so that a step has the
 * same bits as on the path picked.
 */
#include "engine/attention/path_parts.h"

#define ONE_WARP_KEYS 128       /* four warps for this many keys or more */
#define ONE_WARP_DIM 64         /* four warps for a larger head size */
#define BATCHED_KEYS 1024       /* flash decoding for more keys */

struct path_choice {
	struct attention base;
	struct flash_part flash;
	struct batched_part batched;
};

static enum status check(const struct attention_shape *shape)
{
	return shape->chunk > 0 ? flash_check("auto", shape) : STATUS_OK;
}

static size_t shared(const struct attention_shape *shape)
{
	size_t four = merge_bytes(shape, 4), flash = shape->chunk > 0 ? flash_shared(shape) : 0;

	return flash > four ? flash : four;
}

static enum status create(struct attention *a)
{
	struct path_choice *choice = (struct path_choice *)a;

	if (a->shape.chunk > 0)
		TRY(flash_alloc(a, &choice->flash));
	return a->shape.slots > 1 ? batched_alloc(a, &choice->batched) : STATUS_OK;
}

static void destroy(struct attention *a)
{
	struct path_choice *choice = (struct path_choice *)a;

	flash_free(a, &choice->flash);
	batched_free(a, &choice->batched);
}

static int longest(const struct attention *a)
{
	int longest = 0;

	for (int slot = 0; slot < a->shape.slots; slot++)
		if (a->io->lens_now[slot] > longest)
			longest = a->io->lens_now[slot];
	return longest;
}

static enum status attend(struct attention *a, int layer)
{
	struct path_choice *choice = (struct path_choice *)a;
	bool flash = a->shape.chunk > 0;
	int keys = longest(a);

	if (a->shape.slots > 1)
		return flash && keys > BATCHED_KEYS ? flash_attend(a, &choice->flash, layer)
						    : batched_attend(a, &choice->batched, layer);
	if (flash)
		return flash_attend(a, &choice->flash, layer);
	return incremental_attend(
		a, layer, 0, keys < ONE_WARP_KEYS && a->shape.head_dim <= ONE_WARP_DIM ? 1 : 4);
}

static enum status launch(struct attention *a, int layer)
{
	TRY(step_io_scatter(a, layer));
	return attend(a, layer);
}

const struct path path_auto = {
	.name = "auto",
	.summary = "flash decoding, batched or incremental, by sequences and lengths",
	.size = sizeof(struct path_choice), .device_lengths = true,
	.chunk_optional = true,
	.check = check, .shared = shared,
	.create = create, .launch = launch, .destroy = destroy,
};
