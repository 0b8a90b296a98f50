/* texture.c - where a fetch from a texture reads, and what it makes of the texels.
 *
 * The texels themselves are loaded by the kernel (sim/cuda/texture.h), so that a checker sees the
 * loads at the kernel's line. Numbers follow base/math/texture_model.c; what that has no rule for
 * ends the launch with error 719, as does an access that the object does not allow.
 */
#include "config.h"

#include <stdio.h>

#include "sim/cuda/runtime.h"
#include "sim/exec/worker.h"

#include "base/math/texture_model.c"

static void __attribute__((noreturn)) refuse(const char *file, int line, const char *call,
					     const char *what)
{
	char text[200];

	snprintf(text, sizeof text, "%.80s:%d: %s: %s", file, line, call, what);
	worker_abort(worker_self, 719, text);
}

void ft_texture_place(struct ft_fetch *f)
{
	const char *unknown;

	if (f->texture->surface || f->shape_of_object != f->shape)
		refuse(f->file, f->line, f->name, "the object is of another kind");
	unknown = texture_unknown(f);
	if (unknown) {
		char what[120];

		snprintf(what, sizeof what, "%s is not supported in the simulator", unknown);
		refuse(f->file, f->line, f->name, what);
	}
	texture_place(f);
}

void ft_texture_value(struct ft_fetch *f)
{
	if (texture_is_odd(f))
		refuse(f->file, f->line, f->name, "an infinity or NaN with the weight 0 is not "
		       "supported in the simulator");
	texture_value(f);
}

/* --- surfaces --- */

/* Whether an index is inside, after clamping if the mode says so. */
static bool inside(int64_t *at, int64_t size, unsigned mode)
{
	if (mode == 1)
		*at = *at < 0 ? 0 : *at < size ? *at : size - 1;
	return *at >= 0 && *at < size;
}

void *ft_surface_place(const struct ft_access *a)
{
	const struct ft_texture *t = a->texture;
	int64_t texel = (int64_t)(t->bits / 8 * t->channels);
	int64_t x = a->x, y = a->y, z = a->z;

	if (!t->surface || a->shape_of_object != a->shape)
		refuse(a->file, a->line, a->name, "the object is of another kind");
	if (a->bytes != (size_t)texel || x % texel)
		refuse(a->file, a->line, a->name, "the access is not one texel of the surface");
	x /= texel;
	if (inside(&x, (int64_t)t->width, a->mode) && inside(&y, (int64_t)t->height, a->mode)
	    && inside(&z, (int64_t)t->slices, a->mode))
		return (void *)(uintptr_t)(t->texels + (uint64_t)x * (uint64_t)texel
					   + (uint64_t)y * t->row + (uint64_t)z * t->slice);
	if (a->mode > 1)
		refuse(a->file, a->line, a->name, "the access is outside of the surface");
	return NULL;
}
