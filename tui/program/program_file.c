/* program_file.c - writes, reads and unpacks objects and executables; see program_file.h. */
#include "config.h"

#include "tui/program/program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/launch/user_headers.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define OBJECT_MARK "# flashtwin object 1\n"
#define PROGRAM_MARK "#!/bin/sh\n# flashtwin program 1\n"
#define END_OF_SCRIPT "\nexit 127\n"

/* --- collecting --- */

json_t *program_file_new(void)
{
	return json_pack("{s:[], s:[], s:{}}", "units", "libraries", "sources");
}

/* Sources that are not UTF-8 are stored byte by byte, marked by a list around the text. */
static json_t *text_json(const char *text)
{
	json_t *string = json_string(text);
	char *wide, *at;

	if (string)
		return string;
	wide = at = xmalloc(2 * strlen(text) + 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x80)
			*at++ = (char)(0xc0 | c >> 6);
		*at++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	}
	*at = '\0';
	string = json_pack("[s]", wide);
	free(wide);
	return string;
}

/* The caller frees it; NULL: it is neither form. */
static char *text_of(const json_t *stored)
{
	const char *text = json_string_value(stored);
	char *narrow, *at;

	if (text)
		return xstrdup(text);
	text = json_string_value(json_array_get(stored, 0));
	if (!text)
		return NULL;
	narrow = at = xmalloc(strlen(text) + 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x80 && text[1])
			c = (unsigned char)(c << 6 | ((unsigned char)*++text & 0x3f));
		*at++ = (char)c;
	}
	*at = '\0';
	return narrow;
}

/* The name without ".", ".." and double slashes; the caller frees it. */
static char *absolute(const char *name)
{
	char *folder = *name == '/' ? NULL : getcwd(NULL, 0);
	char *whole = xasprintf("%s/%s", folder ? folder : "", name), *rest = whole, *part;
	char *out = xstrdup("");

	free(folder);
	while ((part = strsep(&rest, "/")) != NULL) {
		char *longer, *slash;

		if (*part == '\0' || strcmp(part, ".") == 0)
			continue;
		slash = strrchr(out, '/');
		if (strcmp(part, "..") == 0) {
			if (slash)
				*slash = '\0';
			continue;
		}
		longer = xasprintf("%s/%s", out, part);
		free(out);
		out = longer;
	}
	free(whole);
	return out;
}

static json_t *absolute_flags(const char *const *flags)
{
	json_t *list = json_array();
	bool folder = false;

	for (; *flags; flags++) {
		char *place = folder ? absolute(*flags) : NULL;

		json_array_append_new(list, json_string(place ? place : *flags));
		folder = !folder && strcmp(*flags, "-I") == 0;
		free(place);
	}
	return list;
}

static void add_source(json_t *object, const char *name, const char *text)
{
	json_t *sources = json_object_get(object, "sources");
	char *place = absolute(name);

	if (!json_object_get(sources, place))
		json_object_set_new(sources, place, text_json(text));
	free(place);
}

enum status program_file_add(json_t *object, const struct program_source *one)
{
	struct program_text *list;
	json_t *unit, *flags;
	int count;
	char *file;

	TRY(program_compile_one(one, &list, &count));
	for (int i = 0; i < count; i++) {
		add_source(object, list[i].file, list[i].text);
		free(list[i].file);
		free(list[i].text);
	}
	free(list);
	file = absolute(one->files[0]);
	unit = json_object();
	flags = absolute_flags(one->flags);
	json_object_set_new(unit, "file", json_string(file));
	json_object_set_new(unit, "flags", flags);
	if (one->standard)
		json_object_set_new(unit, "standard", json_string(one->standard));
	json_array_append_new(json_object_get(object, "units"), unit);
	free(file);
	return STATUS_OK;
}

void program_file_merge(json_t *object, const json_t *from)
{
	json_array_extend(json_object_get(object, "units"), json_object_get(from, "units"));
	json_array_extend(json_object_get(object, "libraries"), json_object_get(from, "libraries"));
	json_object_update_missing(json_object_get(object, "sources"),
				   json_object_get(from, "sources"));
}

/* --- files --- */

bool program_file_is(const char *path, bool *executable)
{
	FILE *file = fopen(path, "re");
	char start[64] = "";
	size_t count = file ? fread(start, 1, sizeof start - 1, file) : 0;

	if (file)
		fclose(file);
	start[count] = '\0';
	*executable = strncmp(start, PROGRAM_MARK, strlen(PROGRAM_MARK)) == 0;
	return *executable || strncmp(start, OBJECT_MARK, strlen(OBJECT_MARK)) == 0;
}

enum status program_file_read(const char *path, json_t **out)
{
	const char *json;
	bool executable;
	char *text;
	size_t bytes;

	TRY(file_read(path, FILE_LIMIT, &text, &bytes));
	json = strstr(text, END_OF_SCRIPT);
	json = json ? json + strlen(END_OF_SCRIPT) : text + strlen(OBJECT_MARK);
	*out = program_file_is(path, &executable) ? json_loads(json, 0, NULL) : NULL;
	free(text);
	if (*out && json_is_array(json_object_get(*out, "units"))
	    && json_is_array(json_object_get(*out, "libraries"))
	    && json_is_object(json_object_get(*out, "sources")))
		return STATUS_OK;
	json_decref(*out);
	*out = NULL;
	return fail(STATUS_DAMAGED, "%s: not a file that flashtwin cc has made", path);
}

/* In single quotes of a shell. */
static void write_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	putc('\'', out);
}

/* The shell has read the first lines only when it becomes flashtwin. */
static void write_script(FILE *out, const char *flashtwin)
{
	fputs(PROGRAM_MARK "# Made by flashtwin cc. FLASHTWIN_RUN holds options of flashtwin run.\n"
	      "flashtwin=${FLASHTWIN:-", out);
	write_quoted(out, flashtwin);
	fputs("}\n[ -x \"$flashtwin\" ] || flashtwin=flashtwin\n"
	      "exec \"$flashtwin\" run $FLASHTWIN_RUN \"$0\" -- \"$@\"" END_OF_SCRIPT, out);
}

enum status program_file_write(const char *path, const json_t *object, const char *flashtwin)
{
	char *json = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
	struct output out;
	enum status status = output_open(path, &out);

	if (status == STATUS_OK) {
		if (flashtwin)
			write_script(out.file, flashtwin);
		else
			fputs(OBJECT_MARK, out.file);
		fprintf(out.file, "%s\n", json ? json : "{}");
		status = output_commit(&out);
	}
	free(json);
	if (status == STATUS_OK && flashtwin && chmod(path, 0777 & ~umask(umask(0))) != 0)
		return fail(STATUS_IO, "%s: %s", path, strerror(errno));
	return status;
}

/* --- unpacking --- */

static void make_folders(const char *path, size_t from)
{
	const char *slash = path + from;

	while ((slash = strchr(slash + 1, '/'))) {
		char *folder = xasprintf("%.*s", (int)(slash - path), path);

		mkdir(folder, 0700);    /* it exists, or writing the file will fail */
		free(folder);
	}
}

static bool leads_out(const char *name)
{
	return *name != '/' || strstr(name, "/../") != NULL;
}

static enum status write_one(const struct program_unpacked *u, const char *name, const char *text)
{
	char *path = xasprintf("%s%s", u->folder, name + 1);
	struct output out;
	enum status status;

	make_folders(path, strlen(u->folder) - 1);
	status = output_open(path, &out);
	if (status == STATUS_OK) {
		fputs(text, out.file);
		status = output_commit(&out);
	}
	free(path);
	return status;
}

static enum status write_sources(const struct program_unpacked *u, const json_t *object)
{
	const char *name;
	json_t *stored;

	json_object_foreach(json_object_get(object, "sources"), name, stored) {
		char *text = text_of(stored);
		enum status status;

		if (!text || leads_out(name)) {
			free(text);
			return fail(STATUS_DAMAGED, "the program's source %s cannot be unpacked",
				    name);
		}
		status = write_one(u, name, text);
		free(text);
		TRY(status);
	}
	return STATUS_OK;
}

static void append(char ***list, size_t *count, char *text)
{
	*list = xreallocarray(*list, *count + 2, sizeof **list);
	(*list)[(*count)++] = text;
	(*list)[*count] = NULL;
}

/* Folders of -I are in the new place first, then where they were: for what is not the user's. */
static char **flags_of(const struct program_unpacked *u, const json_t *unit)
{
	char **list = xcalloc(1, sizeof *list);
	bool folder = false;
	size_t count = 0, i;
	json_t *flag;

	json_array_foreach(json_object_get(unit, "flags"), i, flag) {
		const char *text = json_string_value(flag) ? json_string_value(flag) : "";

		append(&list, &count, folder && *text == '/'
		       ? xasprintf("%s%s", u->folder, text + 1) : xstrdup(text));
		if (folder) {
			append(&list, &count, xstrdup("-I"));
			append(&list, &count, xstrdup(text));
		}
		folder = !folder && strcmp(text, "-I") == 0;
	}
	append(&list, &count, xstrdup(u->prefix_flag));
	return list;
}

static enum status fill(const json_t *object, struct program_unpacked *u)
{
	size_t count = 0, units, i;
	json_t *unit, *library;

	units = json_array_size(json_object_get(object, "units"));
	u->files = xcalloc(units + 1, sizeof *u->files);
	u->flags = xcalloc(units + 1, sizeof *u->flags);
	u->libraries = xcalloc(1, sizeof *u->libraries);
	json_array_foreach(json_object_get(object, "units"), i, unit) {
		const char *file = json_string_value(json_object_get(unit, "file"));

		if (!file || leads_out(file))
			return fail(STATUS_DAMAGED, "the program has a file without a name");
		u->files[i] = xasprintf("%s%s", u->folder, file + 1);
		u->flags[i] = flags_of(u, unit);
	}
	u->standard = json_string_value(json_object_get(json_array_get(
		json_object_get(object, "units"), 0), "standard"));
	json_array_foreach(json_object_get(object, "libraries"), i, library)
		append(&u->libraries, &count, xstrdup(json_string_value(library)
						      ? json_string_value(library) : ""));
	return STATUS_OK;
}

enum status program_file_unpack(const json_t *object, const char *scratch,
				struct program_unpacked *u)
{
	char *folder;

	*u = (struct program_unpacked){ 0 };
	TRY(file_make_folder(scratch, "source", &folder));
	u->folder = xasprintf("%s/", folder);
	free(folder);
	u->prefix_flag = xasprintf("-fmacro-prefix-map=%s=/", u->folder);
	u->changes[0] = (struct name_change){ u->folder, "/" };
	TRY(write_sources(u, object));
	return fill(object, u);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void program_unpacked_free(struct program_unpacked *u)
{
	for (size_t i = 0; u->files && u->files[i]; i++)
		free_list(u->flags[i]);
	free(u->flags);
	free_list(u->files);
	free_list(u->libraries);
	free(u->folder);
	free(u->prefix_flag);
}
