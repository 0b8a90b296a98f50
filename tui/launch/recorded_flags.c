/* recorded_flags.c - checks the flags of a recorded launch; see recorded_flags.h. */
#include "tui/launch/recorded_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/launch/user_macros.h"

#define MAX_FLAGS 96                    /* the size of an arg_list, less what is always in it */

static const char *const standards[] = {
	"c++11", "c++14", "c++17", "c++20", "gnu++11", "gnu++14", "gnu++17", "gnu++20",
	"c11", "c17", "gnu11", "gnu17", NULL
};

static enum status refused(const char *flag, const char *why)
{
	return fail(STATUS_DAMAGED, "the trace's compiler flag '%s' is refused: %s", flag, why);
}

/* Takes over `flag`. */
static void add(struct recorded_flags *out, char *flag)
{
	out->list = xreallocarray(out->list, (size_t)out->count + 2, sizeof *out->list);
	out->list[out->count++] = flag;
	out->list[out->count] = NULL;
}

bool recorded_name_plain(const char *name)
{
	return !strpbrk(name, "$`\\\"';|&");
}

/* --- macros --- */

/* One argument of a compiler, but nvcc puts it into quotes of a shell's command. */
static enum status check_macro(const char *letter, const char *macro, bool cuda)
{
	char *shown = xasprintf("%s %s", letter, macro);
	enum status status = STATUS_OK;

	if (!user_macro_valid(macro))
		status = refused(shown, "expected NAME or NAME=VALUE");
	for (const char *at = macro; *at && status == STATUS_OK; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			status = refused(shown, "it has a control character");
	if (status == STATUS_OK && cuda && !recorded_name_plain(macro))
		status = refused(shown, "for a GPU it may not have characters that a shell"
				 " interprets");
	free(shown);
	return status;
}

/* --- folders --- */

bool recorded_name_inside(const char *name)
{
	if (*name == '/')
		return false;
	for (;;) {
		size_t part = strcspn(name, "/");

		if (part == 2 && strncmp(name, "..", 2) == 0)
			return false;
		if (!name[part])
			return true;
		name += part + 1;
	}
}

/* `path` without the recorded folder of the .cu file, if it begins with it; folder "a/" also
 * without its slash. */
static const char *below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (strncmp(path, folder, length) == 0)
		return path + length;
	return length && strlen(path) == length - 1 && strncmp(path, folder, length - 1) == 0
		? "" : path;
}

static enum status take_folder(const char *path, const char *folder, const char *directory,
			       bool cuda, struct recorded_flags *out)
{
	const char *inside = below(path, folder);
	char *shown;

	if (*path && recorded_name_inside(inside) && (!cuda || recorded_name_plain(inside))) {
		add(out, xstrdup("-I"));
		add(out, xasprintf("%s/%s", directory, inside));
		return STATUS_OK;
	}
	shown = xasprintf("-I %s", path);
	refused(shown, "expected a folder of the stored sources");
	free(shown);
	return STATUS_DAMAGED;
}

/* --- all of them --- */

static enum status check_standard(const char *flag)
{
	const char *name = strchr(flag, '=') + 1;

	for (int i = 0; standards[i]; i++)
		if (strcmp(name, standards[i]) == 0)
			return STATUS_OK;
	return refused(flag, "unknown language standard");
}

/* The value of flag -D, -U or -I: in the same string or the next one, which *at then skips. */
static enum status value_of(const json_t *flags, size_t *at, const char *flag, const char **value)
{
	*value = flag + 2;
	if (!**value)
		*value = json_string_value(json_array_get(flags, ++*at));
	return *value ? STATUS_OK : refused(flag, "it has no value");
}

static enum status take_flag(const json_t *flags, size_t *at, const char *folder,
			     const char *directory, bool cuda, struct recorded_flags *out)
{
	const char *flag = json_string_value(json_array_get(flags, *at)), *value;
	char letter[] = "-?";

	if (!flag)
		return fail(STATUS_DAMAGED, "the run's flags must be strings");
	if (strncmp(flag, "-std=", 5) == 0 || strncmp(flag, "--std=", 6) == 0) {
		TRY(check_standard(flag));
		add(out, xstrdup(flag));
		return STATUS_OK;
	}
	if (flag[0] != '-' || !flag[1] || !strchr("DUI", flag[1]))
		return refused(flag, "only -D, -U, -I and --std are taken from a trace");
	letter[1] = flag[1];
	TRY(value_of(flags, at, flag, &value));
	if (flag[1] == 'I')
		return take_folder(value, folder, directory, cuda, out);
	TRY(check_macro(letter, value, cuda));
	add(out, xstrdup(letter));
	add(out, xstrdup(value));
	return STATUS_OK;
}

enum status recorded_flags_take(const json_t *flags, const char *folder, const char *directory,
				bool cuda, struct recorded_flags *out)
{
	*out = (struct recorded_flags){ .list = xcalloc(1, sizeof *out->list) };
	if (json_array_size(flags) > MAX_FLAGS)
		return fail(STATUS_DAMAGED, "the run has %zu compiler flags; the maximum is %d",
			    json_array_size(flags), MAX_FLAGS);
	for (size_t i = 0; i < json_array_size(flags); i++)
		TRY(take_flag(flags, &i, folder, directory, cuda, out));
	return STATUS_OK;
}

void recorded_flags_free(struct recorded_flags *f)
{
	for (int i = 0; i < f->count; i++)
		free(f->list[i]);
	free(f->list);
	*f = (struct recorded_flags){ 0 };
}
