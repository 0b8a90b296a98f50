/* rewrite_cache.c - takes a rewritten text if its source is the same; see rewrite_cache.h.
 *
 * Texts name temporary files, in a folder that each run has its own of. A kept file is that folder,
 * a NUL, and the text.
 */
#include "config.h"

#include "tui/launch/rewrite_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "tui/launch/compile_kept.h"
#include "tui/launch/user_headers.h"

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

static bool take(const struct rewriting *r, const char *path, char **out)
{
	char *bytes;
	size_t count, start;

	if (!kept_read(path, &bytes, &count))
		return false;
	start = strlen(bytes) + 1;
	*out = start < count ? user_headers_show(xstrdup(bytes + start), bytes, r->folder) : NULL;
	free(bytes);
	if (*out)
		kept_touch(path);
	return *out;
}

static void keep(const struct rewriting *r, const char *path, const char *text)
{
	size_t start = strlen(r->folder) + 1, count = strlen(text);
	char *bytes;

	if (start + count > KEPT_BYTES)
		return;
	bytes = xmalloc(start + count + 1);
	memcpy(bytes, r->folder, start);
	memcpy(bytes + start, text, count + 1);
	kept_write(path, bytes, start + count);
	free(bytes);
}

enum status rewrite_cached(const struct rewriting *r, char **out)
{
	char *path = path_of(r);
	enum status status = STATUS_OK;

	if (!path || !take(r, path, out)) {
		status = r->rewrite(r->context, r->text, out);
		if (path && status == STATUS_OK)
			keep(r, path, *out);
	}
	free(path);
	return status;
}
