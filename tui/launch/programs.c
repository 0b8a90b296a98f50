/* programs.c - finds and runs compilers; see programs.h. */
#include "config.h"

#include "tui/launch/programs.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

extern char **environ;

void words_add(struct words *words, const char *word)
{
	if (words->count < MAX_WORDS)
		words->at[words->count++] = word;
}

void words_add_list(struct words *words, const char *const *list)
{
	while (*list)
		words_add(words, *list++);
}

void words_add_text(struct words *words, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words_add(words, word);
}

/* Whether the program can be run: a path, or a name on $PATH. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(name, '/') || !path)
		return access(name, X_OK) == 0;
	for (size_t length; *path && !found; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)length, path, name);

		found = access(file, X_OK) == 0;
		free(file);
	}
	return found;
}

const char *program_find(const char *variable, const char *const *names)
{
	const char *chosen = getenv(variable);

	if (chosen)
		return *chosen && is_program(chosen) ? chosen : NULL;
	for (; *names; names++)
		if (is_program(*names))
			return *names;
	return NULL;
}

enum status program_run(const struct words *words, const char *file)
{
	int error, ended;
	pid_t child;

	error = posix_spawnp(&child, words->at[0], NULL, NULL, (char *const *)words->at, environ);
	if (error != 0)
		return fail(STATUS_USAGE, "%s: %s", words->at[0], strerror(error));
	while (waitpid(child, &ended, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_INTERNAL, "%s: %s", words->at[0], strerror(errno));
	if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT)
		return fail(STATUS_INTERRUPTED, "interrupted");
	if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
		return fail(STATUS_COMPILE, "%s did not compile (%s)", file, words->at[0]);
	return STATUS_OK;
}
