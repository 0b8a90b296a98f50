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

/* Where the program is: `name` if it is a path, or a file on $PATH; NULL when it cannot be run. The
 * caller frees it. */
static char *program_path(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/') || !path)
		return access(name, X_OK) == 0 ? xstrdup(name) : NULL;
	for (size_t length; *path; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)length, path, name);

		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

/* Takes `command`, a program and perhaps arguments. False: its program cannot be run. */
static bool take_command(struct compiler *compiler, const char *command)
{
	char *path = NULL;

	*compiler = (struct compiler){ .text = xstrdup(command) };
	words_add_text(&compiler->words, compiler->text);
	if (compiler->words.count > 0)
		path = program_path(compiler->words.at[0]);
	if (!path)
		compiler_free(compiler);
	free(path);
	return path != NULL;
}

/* Takes $VARIABLE, which decides when it is set, or the first of the names that can be run. `needs` is
 * what the error says is missing. */
static enum status find_compiler(const char *variable, const char *const *names, const char *needs,
				 struct compiler *out)
{
	const char *chosen = getenv(variable);

	if (chosen && !take_command(out, chosen))
		return fail(STATUS_USAGE, "needs %s (%s=%s: no such program)", needs, variable, chosen);
	for (; !chosen && *names; names++)
		if (take_command(out, *names))
			return STATUS_OK;
	return chosen ? STATUS_OK : fail(STATUS_USAGE, "needs %s", needs);
}

enum status compiler_find_sim(struct compiler *out)
{
	static const char *const cpp[] = { "c++", "g++", NULL }, *const c[] = { "cc", "gcc", NULL };
	const char *cxx = getenv("CXX");

	if (cxx && !*cxx)
		return find_compiler("CC", c, "a C compiler, as CXX is empty: apt-get install gcc", out);
	TRY(find_compiler("CXX", cpp, "a C++ compiler: apt-get install g++", out));
	out->cplusplus = true;
	return STATUS_OK;
}

enum status compiler_find_cuda(struct compiler *out)
{
	static const char *const names[] = { "nvcc", "/usr/local/cuda/bin/nvcc", NULL };

	TRY(find_compiler("NVCC", names, "nvcc, on PATH or in /usr/local/cuda/bin", out));
	out->cplusplus = true;
	return STATUS_OK;
}

char *compiler_show(const struct compiler *compiler)
{
	char *path = program_path(compiler->words.at[0]);
	char *shown = path ? path : xstrdup(compiler->words.at[0]);

	for (int i = 1; i < compiler->words.count; i++) {
		char *longer = xasprintf("%s %s", shown, compiler->words.at[i]);

		free(shown);
		shown = longer;
	}
	return shown;
}

void compiler_free(struct compiler *compiler)
{
	free(compiler->text);
	*compiler = (struct compiler){ 0 };
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
