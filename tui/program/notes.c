/* notes.c - JSON objects in a file in memory, one a line; see notes.h. */
#include "config.h"

#include "tui/program/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/visible.h"
#include "base/xalloc.h"

/* Descriptors that programs get begin at the lowest free number. */
static int high_number(void)
{
	struct rlimit limit;
	rlim_t top = 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < top)
		top = limit.rlim_cur;
	return (int)top - 8;
}

enum status notes_open(int *out)
{
	int fd = memfd_create("flashtwin", MFD_CLOEXEC), high;

	if (fd < 0)
		return fail(STATUS_INTERNAL, "memfd_create: %s", strerror(errno));
	high = fcntl(fd, F_DUPFD_CLOEXEC, high_number());
	*out = high < 0 ? fd : high;
	if (high >= 0)
		close(fd);
	return STATUS_OK;
}

/* --- writing --- */

void notes_add(int fd, const char *kind, json_t *members)
{
	char *text, *line;

	if (!members)
		members = json_object();
	json_object_set_new(members, "note", json_string(kind));
	text = json_dumps(members, JSON_COMPACT | JSON_PRESERVE_ORDER);
	line = xasprintf("%s\n", text ? text : "{}");
	(void)fd_write(fd, line, strlen(line));
	free(line);
	free(text);
	json_decref(members);
}

json_t *notes_error(enum status status)
{
	json_t *note = json_object();
	char *text = visible_text(error_text());

	json_object_set_new(note, "status", json_integer(status));
	json_object_set_new(note, "text", json_string(text));
	free(text);
	return note;
}

/* --- reading --- */

static char *take_text(const json_t *note, const char *key)
{
	const char *text = json_string_value(json_object_get(note, key));

	return text && *text ? xstrdup(text) : NULL;
}

static void take_verdict(struct notes *n, const json_t *note)
{
	n->status = (enum status)json_integer_value(json_object_get(note, "status"));
	n->text = take_text(note, "text");
	n->fault = json_incref(json_object_get(note, "fault"));
	n->refused = json_incref(json_object_get(note, "refused"));
	n->report = json_incref(json_object_get(note, "report"));
}

static void take_note(struct notes *n, const json_t *note)
{
	const char *kind = json_string_value(json_object_get(note, "note"));

	if (!kind || n->ended || n->failed || n->crashed)
		return;
	n->entered |= strcmp(kind, "entered") == 0;
	n->findings += strcmp(kind, "finding") == 0;
	n->ended = strcmp(kind, "ended") == 0;
	n->failed = strcmp(kind, "failed") == 0;
	n->crashed = strcmp(kind, "crashed") == 0;
	if (n->ended || n->failed || n->crashed)
		take_verdict(n, note);
}

static char *read_all(int fd)
{
	struct stat about;
	char *text;

	if (fstat(fd, &about) != 0 || about.st_size <= 0 || lseek(fd, 0, SEEK_SET) != 0)
		return NULL;
	text = xcalloc(1, (size_t)about.st_size + 1);
	if (!fd_read(fd, text, (size_t)about.st_size))
		text[0] = '\0';
	return text;
}

void notes_read(int fd, struct notes *out)
{
	char *text = read_all(fd), *rest = text, *line;

	*out = (struct notes){ .status = STATUS_OK };
	while ((line = strsep(&rest, "\n")) != NULL) {
		json_t *note = json_loads(line, 0, NULL);

		if (note)
			take_note(out, note);
		json_decref(note);
	}
	free(text);
}

void notes_free(struct notes *n)
{
	free(n->text);
	json_decref(n->fault);
	json_decref(n->refused);
	json_decref(n->report);
}
