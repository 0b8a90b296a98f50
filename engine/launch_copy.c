/* launch_copy.c - deep copies of launches; see launch_copy.h.
 *
 * A copy is one block of memory, because the recorder makes one for each launch: its arguments, at
 * the beginning, and after them all that they and the launch point to.
 */
#include "engine/launch_copy.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Memory to be filled from its beginning. A block without memory measures what is needed. */
struct block {
	char *memory;
	size_t used;                    /* bytes */
};

/* Returns NULL if there is nothing to copy, or no memory. */
static void *copy_to(struct block *block, const void *from, size_t bytes)
{
	size_t align = alignof(max_align_t);
	void *to = block->memory ? block->memory + block->used : NULL;

	if (!from || bytes == 0)
		return NULL;
	block->used += (bytes + align - 1) / align * align;
	return to ? memcpy(to, from, bytes) : NULL;
}

static void copy_arg(struct block *block, struct arg *to, const struct arg *from)
{
	*to = *from;
	to->name = from->name ? copy_to(block, from->name, strlen(from->name) + 1) : NULL;
	if (from->kind != PARAM_BLOB)
		return;
	to->value.blob = copy_to(block, from->value.blob, from->bytes);
	to->fields = copy_to(block, from->fields, (size_t)from->field_count * sizeof *from->fields);
}

static struct launch copy_launch(struct block *block, const struct launch *from)
{
	struct arg *args = copy_to(block, from->args, (size_t)from->arg_count * sizeof *args);
	struct launch to = *from;
	struct arg measured;

	for (int i = 0; i < from->arg_count; i++)
		copy_arg(block, args ? &args[i] : &measured, &from->args[i]);
	to.args = args;
	to.attributes = copy_to(block, from->attributes,
				(size_t)from->attribute_count * sizeof *from->attributes);
	return to;
}

struct launch launch_copy(const struct launch *from)
{
	struct block block = { 0 };
	struct launch to;

	copy_launch(&block, from);
	block.memory = xmalloc(block.used + 1);
	block.used = 0;
	to = copy_launch(&block, from);
	to.args = (const struct arg *)block.memory;     /* without arguments too: to be freed */
	return to;
}

void launch_copy_free(struct launch *launch)
{
	free((void *)launch->args);
	*launch = (struct launch){ 0 };
}
