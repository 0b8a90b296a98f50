/* shadow.c - the recorder's data on each live buffer; see shadow.h. */
#include "engine/record/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_state.h"
#include "traces/digest_parts.h"

struct shadow *shadow_find(struct recorder *r, const struct buffer *buffer)
{
	for (int i = 0; i < r->shadow_count; i++)
		if (r->shadows[i].buffer == buffer)
			return &r->shadows[i];
	return NULL;
}

struct shadow *shadow_add(struct recorder *r, struct buffer *buffer, uint32_t id)
{
	struct shadow *shadow;

	r->shadows = xreallocarray(r->shadows, (size_t)r->shadow_count + 1, sizeof *r->shadows);
	shadow = &r->shadows[r->shadow_count++];
	*shadow = (struct shadow){ .buffer = buffer, .id = id, .upload_op = -1 };
	return shadow;
}

static void shadow_release(struct shadow *shadow)
{
	ranges_clear(&shadow->unsaved);
	digest_parts_free(shadow->parts);
	free(shadow->pointers);
}

void shadow_remove(struct recorder *r, struct shadow *shadow)
{
	size_t after = (size_t)(r->shadows + r->shadow_count - (shadow + 1));

	shadow_release(shadow);
	memmove(shadow, shadow + 1, after * sizeof *shadow);
	r->shadow_count--;
}

uint32_t shadow_id(struct recorder *r, const struct buffer *buffer)
{
	struct shadow *shadow = buffer ? shadow_find(r, buffer) : NULL;

	return shadow ? shadow->id : 0;
}

void shadow_written(struct recorder *r, struct shadow *shadow, uint64_t offset, uint64_t bytes)
{
	if (!shadow || bytes == 0)
		return;
	shadow->written = true;
	shadow->upload_op = -1;
	if (shadow->parts)
		digest_parts_change(shadow->parts, offset, bytes);
	if (!r->storing)
		ranges_add(&shadow->unsaved, offset, bytes);
}

void shadows_free(struct recorder *r)
{
	for (int i = 0; i < r->shadow_count; i++)
		shadow_release(&r->shadows[i]);
	free(r->shadows);
}
