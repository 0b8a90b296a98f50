/* programs.c - finds and runs compilers; see programs.h. */
#include "config.h"

#include "tui/launch/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/launch/confine.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/supervise.h"

void arg_list_add(struct arg_list *args, const char *arg)
{
	if (args->count < MAX_LIST_ARGS)
		args->at[args->count++] = arg;
}

void arg_list_add_all(struct arg_list *args, const char *const *list)
{
	while (*list)
		arg_list_add(args, *list++);
}

void arg_list_split(struct arg_list *args, char *text)
{
	char *rest = NULL;

	for (char *arg = strtok_r(text, " ", &rest); arg; arg = strtok_r(NULL, " ", &rest))
		arg_list_add(args, arg);
}

char *program_find(const char *name)
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

/* Parses `command`, a program with optional arguments. False if the program cannot be run. */
static bool take_command(struct compiler *compiler, const char *command)
{
	char *path = NULL;

	*compiler = (struct compiler){ .text = xstrdup(command) };
	arg_list_split(&compiler->args, compiler->text);
	if (compiler->args.count > 0)
		path = program_find(compiler->args.at[0]);
	if (!path)
		compiler_free(compiler);
	free(path);
	return path != NULL;
}

/* Uses $VARIABLE if it is set, else the first of the names that can be run. `needs` is what the
 * error says is missing. */
static enum status find_compiler(const char *variable, const char *const *names, const char *needs,
				 struct compiler *out)
{
	const char *chosen = getenv(variable);

	if (chosen && !take_command(out, chosen))
		return fail(STATUS_USAGE, "needs %s (%s=%s: no such program)", needs, variable,
			    chosen);
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
		return find_compiler("CC", c, "a C compiler, as CXX is empty: apt-get install gcc",
				     out);
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
	char *path = program_find(compiler->args.at[0]);
	char *shown = path ? path : xstrdup(compiler->args.at[0]);

	for (int i = 1; i < compiler->args.count; i++) {
		char *longer = xasprintf("%s %s", shown, compiler->args.at[i]);

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

void compiler_show_in(const struct compiler *compiler, struct sandbox *sandbox)
{
	char *path = program_find(compiler->args.at[0]);

	if (path)
		sandbox_show_program(sandbox, path);
	free(path);
}

#define CANNOT_RUN 127

/* In the child. errors: a file for standard error, -1: none. A compiler's own cache is not visible
 * in the sandbox. */
static void run(const struct arg_list *args, const struct sandbox *sandbox, int errors,
		pid_t parent)
{
	if (errors >= 0 && dup2(errors, STDERR_FILENO) < 0)
		_exit(CANNOT_RUN);
	confine(sandbox, CONFINE_COMPILER, parent);
	setenv("TMPDIR", sandbox->scratch, 1);
	if (sandbox->holder >= 0)
		setenv("CCACHE_DISABLE", "1", 1);
	execvp(args->at[0], (char *const *)(uintptr_t)args->at);
	_exit(CANNOT_RUN);
}

static enum status run_with(const struct arg_list *args, const char *file, struct sandbox *sandbox,
			    int errors)
{
	struct supervised w = { .report = -1 };
	pid_t parent = getpid();

	TRY(sandbox_start(sandbox));
	fflush(NULL);
	w.child = fork();
	if (w.child == 0)
		run(args, sandbox, errors, parent);
	if (w.child < 0)
		return fail(STATUS_INTERNAL, "fork: %s", strerror(errno));
	TRY(supervise(sandbox, &w));
	if (WIFEXITED(w.ended) && WEXITSTATUS(w.ended) == CANNOT_RUN)
		return fail(STATUS_USAGE, "%s: cannot be run%s", args->at[0], sandbox->holder >= 0
			    ? " in the sandbox" : "");
	if (!WIFEXITED(w.ended) || WEXITSTATUS(w.ended) != 0)
		return fail(STATUS_COMPILE, "%s did not compile (%s)", file, args->at[0]);
	return STATUS_OK;
}

enum status program_run(const struct arg_list *args, const char *file, struct sandbox *sandbox)
{
	return run_with(args, file, sandbox, -1);
}

enum status program_run_into(const struct arg_list *args, const char *file,
			     struct sandbox *sandbox, const char *errors)
{
	int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum status status;

	if (fd < 0)
		return fail(STATUS_IO, "%s: %s", errors, strerror(errno));
	status = run_with(args, file, sandbox, fd);
	close(fd);
	return status;
}
