/* capture.c - standard output and error into files in memory; see capture.h. */
#include "config.h"

#include "tui/lab/run/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/visible.h"
#include "base/xalloc.h"

#define SHOWN 8192                      /* bytes that are kept */

enum status capture_begin(struct capture *c)
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		c->kept[i] = dup(i + 1);
		c->text[i] = memfd_create("printed", MFD_CLOEXEC);
	}
	for (int i = 0; i < 2; i++)
		if (c->kept[i] < 0 || c->text[i] < 0 || dup2(c->text[i], i + 1) < 0)
			return fail(STATUS_INTERNAL, "memfd_create: %s", strerror(errno));
	return STATUS_OK;
}

/* Line breaks and tabs stay. */
static char *read_text(int fd)
{
	char bytes[SHOWN + 1], *text = NULL;
	size_t size = 0;
	ssize_t length = pread(fd, bytes, SHOWN, 0);
	FILE *out = open_memstream(&text, &size);

	bytes[length > 0 ? length : 0] = '\0';
	if (!out)
		return xstrdup("");
	visible_print(out, bytes);
	fclose(out);
	return xcheck(text);
}

void capture_end(struct capture *c, char **out, char **err)
{
	char **const texts[] = { out, err };

	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (c->kept[i] >= 0)
			dup2(c->kept[i], i + 1);
		*texts[i] = read_text(c->text[i]);
		close(c->kept[i]);
		close(c->text[i]);
	}
}
