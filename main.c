/* main.c - the command table, and what all commands share: help, errors, exit codes.
 *
 * Each command is in its own tui/cmd_*.c and returns a status; only this file turns a status into a
 * line on stderr and an exit code. It prints the --help of commands.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/command.h"
#include "tui/options.h"
#include "tui/suggest.h"

static const struct command *const command_table[COMMAND_COUNT] = {
#define X(id, name) [COMMAND_##id] = &cmd_##name,
	COMMAND_LIST(X)
#undef X
};

/* COMMAND_COUNT if there is no command of this name. */
static int find_command(const char *name)
{
	int id = 0;

	while (id < COMMAND_COUNT && strcmp(command_names[id], name) != 0)
		id++;
	return id;
}

static void print_usage(FILE *out)
{
	fprintf(out, "usage: flashtwin COMMAND [OPTION...]\n\n"
		"Flash-decoding attention on a GPU and on its twin, a deterministic CPU simulator\n"
		"of the same kernels, bit for bit.\n\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s %s\n", command_names[i], command_table[i]->summary);
	fprintf(out, "\n`flashtwin help COMMAND` explains a command, flashtwin(1) everything.\n"
		"Exit codes: 0 done, 1 differs, 2 usage or I/O, 3 does not compile, 4 finding,\n"
		"5 step budget, 6 trace damaged, 70 our fault, 77 no GPU, 130 interrupted.\n");
}

static enum status unknown_command(const char *name)
{
	struct suggestion suggestion = { .word = name };

	for (int i = 0; i < COMMAND_COUNT; i++)
		suggestion_try(&suggestion, command_names[i]);
	if (!suggestion.nearest)
		return fail(STATUS_USAGE, "unknown command '%s': see flashtwin --help", name);
	return fail(STATUS_USAGE, "unknown command '%s': did you mean '%s'?", name,
		    suggestion.nearest);
}

static int is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Finds --help anywhere before a "--", even where an option expects a value. */
static int wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_help(argv[i]))
			return 1;
	return 0;
}

static enum status help(const char *name)
{
	int id;

	if (!name) {
		print_usage(stdout);
		return STATUS_OK;
	}
	id = find_command(name);
	if (id == COMMAND_COUNT)
		return unknown_command(name);
	fputs(command_table[id]->usage, stdout);
	options_print(stdout, (enum command_id)id);
	printf("\nExamples:\n%s", command_table[id]->examples);
	return STATUS_OK;
}

/* Runs `help`, `help COMMAND`, and `help --help`, where --help is not a command. */
static enum status run_help(int argc, char **argv)
{
	if (argc > 2)
		return fail(STATUS_USAGE, "help: unexpected argument '%s'", argv[2]);
	return help(argc > 1 && !is_help(argv[1]) ? argv[1] : NULL);
}

/* argv[0] is the command's name. */
static enum status run_command(int argc, char **argv)
{
	int id;

	if (is_help(argv[0]) || strcmp(argv[0], "help") == 0)
		return run_help(argc, argv);
	if (strcmp(argv[0], "--version") == 0) {
		puts(PACKAGE_STRING);
		return STATUS_OK;
	}
	if (argv[0][0] == '-')
		return fail(STATUS_USAGE, "%s: options come after a command: see flashtwin --help",
			    argv[0]);
	id = find_command(argv[0]);
	if (id == COMMAND_COUNT)
		return unknown_command(argv[0]);
	if (wants_help(argc, argv))
		return help(argv[0]);
	return command_table[id]->run(argc, argv);
}

/* Prints one line on stderr: the error record, or the meaning of the status if there is none.
 * Differences are already printed by the command. */
static void report(enum status status, const char *command)
{
	const char *text = error_text();

	if (status == STATUS_OK || (status == STATUS_DIFFERS && *text == '\0'))
		return;
	if (*text == '\0')
		text = status_text(status);
	if (command && find_command(command) != COMMAND_COUNT)
		fprintf(stderr, "flashtwin %s: %s\n", command, text);
	else
		fprintf(stderr, "flashtwin: %s\n", text);
}

/* Reports any error of writing to stdout, such as a full disk. A reader that closed its end of a
 * pipe is not an error. */
static enum status close_stdout(void)
{
	int failed = ferror(stdout), reason = command_stdout_error();

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return STATUS_OK;
	if (reason == 0)
		reason = errno;
	if (reason == EPIPE)
		return STATUS_OK;
	return fail(STATUS_IO, "standard output: %s",
		    reason != 0 ? strerror(reason) : "not everything could be written");
}

int main(int argc, char **argv)
{
	enum status status, closed;

	command_catch_signals();
	if (argc < 2) {
		print_usage(stderr);
		return status_exit_code(STATUS_USAGE);
	}
	status = run_command(argc - 1, argv + 1);
	/* close_stdout() reports this error, once. */
	if (status == STATUS_IO && command_stdout_error() != 0)
		status = STATUS_OK;
	report(status, argv[1]);
	error_clear();
	closed = close_stdout();
	report(closed, argv[1]);
	return command_exit(status_worse(status, closed));
}
