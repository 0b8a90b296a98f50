/* rewrite_cache.c - takes a rewritten text if its source is the same; see rewrite_cache.h. */
#include "config.h"

#include "tui/launch/rewrite_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "tui/launch/compile_kept.h"

/* The path of the kept file; NULL: nothing is kept. The caller frees it. */
static char *path_of(const struct rewriting *r)
{
	XXH3_state_t *hash = xcheck(XXH3_createState());
	struct stat self;
	char *path = NULL;

	XXH3_128bits_reset(hash);
	if (stat("/proc/self/exe", &self) == 0) {
		kept_add_text(hash, "rewrite");
		kept_add_identity(hash, &self);
		kept_add_text(hash, r->what);
		kept_add_but(hash, r->text, strlen(r->text), r->folder);
		path = kept_path(hash);
	}
	XXH3_freeState(hash);
	error_clear();
	return path;
}

enum status rewrite_cached(const struct rewriting *r, char **out)
{
	char *path = path_of(r);
	enum status status = STATUS_OK;

	*out = path ? kept_read_text(path, r->folder, NULL, 0) : NULL;
	if (*out) {
		kept_touch(path);
	} else {
		status = r->rewrite(r->context, r->text, out);
		if (path && status == STATUS_OK)
			kept_write_text(path, r->folder, NULL, 0, *out);
	}
	free(path);
	return status;
}
