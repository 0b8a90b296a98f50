/* sandbox.c - the life of a sandbox: what it shows, its start, its end; see sandbox.h.
 *
 * tui/launch/bubblewrap.c starts bwrap.
 */
#include "config.h"

#include "tui/launch/sandbox.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "tui/datadir.h"
#include "tui/launch/bubblewrap.h"
#include "tui/launch/descendants.h"

/* Three quarters of the machine, so that the rest of it can go on working; and not so little that a
 * compiler fails. */
static uint64_t memory_limit(int jobs)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t limit = all / 4 * 3 / (uint64_t)(jobs > 0 ? jobs : 1);

	return limit > (uint64_t)1 << 30 ? limit : (uint64_t)1 << 30;
}

/* The folder of the running program; the caller frees it. NULL if unknown. */
static char *program_folder(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return NULL;
	*slash = '\0';
	return xstrdup(path);
}

static void show_own_files(struct sandbox *s)
{
	char *folder = program_folder(), *include = datadir_include();

	if (folder)
		sandbox_show(s, folder);
	sandbox_show(s, include);
	free(folder);
	free(include);
}

enum status sandbox_create(const struct sandbox_options *options, struct sandbox **out)
{
	char *name, *real;
	struct sandbox *s;

	*out = NULL;
	TRY(file_make_folder(NULL, "flashtwin", &name));
	real = realpath(name, NULL);    /* absolute, because compilers get it as TMPDIR */
	*out = s = xcalloc(1, sizeof *s);
	s->options = *options;
	s->scratch = real ? real : xstrdup(name);
	free(name);
	s->holder = s->input = -1;
	s->memory = memory_limit(options->jobs);
	if (options->timeout)
		s->deadline_ms = clock_ms() + options->timeout * 1000;
	sandbox_write(s, s->scratch);
	show_own_files(s);
	return STATUS_OK;
}

/* --- what is visible --- */

static char *absolute(const char *path)
{
	char *folder, *full;

	if (*path == '/')
		return xstrdup(path);
	folder = getcwd(NULL, 0);
	full = xasprintf("%s/%s", folder ? folder : "", path);
	free(folder);
	return full;
}

static void add_path(char ***list, int *count, const char *path)
{
	*list = xreallocarray(*list, (size_t)*count + 1, sizeof **list);
	(*list)[(*count)++] = absolute(path);
}

void sandbox_show(struct sandbox *s, const char *path)
{
	char *real = realpath(path, NULL);

	/* All of the root folder would undo the sandbox. */
	if (real && strcmp(real, "/") != 0) {
		add_path(&s->shown, &s->shown_count, real);
		if (strcmp(path, real) != 0 && strcmp(path, ".") != 0)
			add_path(&s->shown, &s->shown_count, path);
	}
	free(real);
}

void sandbox_show_folder_of(struct sandbox *s, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *folder = slash ? xasprintf("%.*s", (int)(slash - file + 1), file) : xstrdup(".");
	char *real = realpath(folder, NULL);

	sandbox_show(s, real && strcmp(real, "/") == 0 ? file : folder);
	free(real);
	free(folder);
}

/* A compiler finds its parts from the folder above its `bin`; a home folder is not shown. */
void sandbox_show_program(struct sandbox *s, const char *program)
{
	char *real = realpath(program, NULL), *slash;
	const char *home = getenv("HOME");

	sandbox_show_folder_of(s, program);
	if (real && (slash = strrchr(real, '/')) && slash > real) {
		*slash = '\0';
		sandbox_show(s, real);
		slash = strrchr(real, '/');
		if (slash && slash > real && strcmp(slash, "/bin") == 0) {
			*slash = '\0';
			if (!home || strcmp(home, real) != 0)
				sandbox_show(s, real);
		}
	}
	free(real);
}

void sandbox_write(struct sandbox *s, const char *path)
{
	add_path(&s->writable, &s->writable_count, path);
}

void sandbox_hide(struct sandbox *s, const char *folder)
{
	char *real = realpath(folder, NULL);

	if (real)
		add_path(&s->hidden, &s->hidden_count, real);
	free(real);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The length of the longest name of the path itself or a folder above it; 0: none. */
static size_t longest_above(const char *path, char *const *folders, int count)
{
	size_t longest = 0;

	for (int i = 0; path && i < count; i++)
		if (is_below(path, folders[i]) && strlen(folders[i]) > longest)
			longest = strlen(folders[i]);
	return longest;
}

bool sandbox_sees(const struct sandbox *s, const char *path)
{
	size_t shown, hidden;
	char *real;
	bool found;

	if (s->holder < 0)
		return true;
	real = realpath(path, NULL);
	shown = longest_above(real, s->shown, s->shown_count);
	hidden = longest_above(real, s->hidden, s->hidden_count);
	found = (shown > 0 && shown >= hidden)
		|| longest_above(real, s->writable, s->writable_count) > 0;
	free(real);
	return found;
}

/* --- start and end --- */

/* One process may make many sandboxes, each in vain for the same reason. */
static void warn_once(const struct sandbox *s)
{
	static bool warned;

	if (!warned)
		fprintf(stderr, "warning: %s: no sandbox, only resource limits: %s\n",
			s->options.command, s->why);
	warned = true;
}

enum status sandbox_start(struct sandbox *s)
{
	if (s->started)
		return STATUS_OK;
	s->started = true;
	if (s->options.mode == SANDBOX_NO) {
		s->why = xstrdup("--sandbox=no");
	} else if (bubblewrap_start(s) == STATUS_OK) {
		if (s->options.gpu)
			fprintf(stderr, "warning: %s: only compiling is inside the sandbox: a "
				"kernel on a GPU runs outside it\n", s->options.command);
		return STATUS_OK;
	} else {
		s->why = xstrdup(error_text());
		if (s->options.mode == SANDBOX_YES)
			return fail_context(STATUS_USAGE, "--sandbox=yes");
		error_clear();
		warn_once(s);
	}
	/* So that processes that a kernel leaves behind become ours to kill. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return STATUS_OK;
}

static void kill_one(pid_t pid, void *context)
{
	(void)context;
	kill(pid, SIGKILL);
}

/* The end of the first process of a process-id namespace ends all others. */
void sandbox_kill(struct sandbox *s)
{
	bubblewrap_stop(s);
	if (s->started)
		descendants_visit(getpid(), kill_one, NULL);
}

static void free_paths(char **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

void sandbox_close(struct sandbox *s)
{
	if (!s)
		return;
	sandbox_kill(s);
	file_remove_tree(s->scratch);
	free_paths(s->shown, s->shown_count);
	free_paths(s->hidden, s->hidden_count);
	free_paths(s->writable, s->writable_count);
	free(s->scratch);
	free(s->why);
	free(s);
}

char *sandbox_describe(bool *inside)
{
	const struct sandbox_options options = { .command = "info" };
	struct sandbox *s;
	char *text;

	*inside = false;
	if (sandbox_create(&options, &s) != STATUS_OK) {
		text = xstrdup(error_text());
		error_clear();
		return text;
	}
	if (bubblewrap_start(s) == STATUS_OK) {
		*inside = true;
		text = bubblewrap_name();
	} else {
		text = xstrdup(error_text());
		error_clear();
	}
	sandbox_close(s);
	return text;
}
