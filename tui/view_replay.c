/* view_replay.c - replays one launch for the viewer; see view_replay.h.
 *
 * engine/replay/replay_points.h replays launches of our own kernels in this process. Code of a user
 * must not run here, and the viewer, which has the trace open, must not fork without a new program:
 * SQLite forbids it. So `flashtwin replay` runs the whole run, which is one launch.
 */
#include "tui/view_replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/replay/replay_points.h"
#include "sim/exec/fault.h"
#include "traces/store/scratch_trace.h"
#include "traces/store/store.h"
#include "traces/store/store_index.h"

#define MESSAGE_BYTES 1000

extern char **environ;

/* --- the other process --- */

/* Its output goes nowhere, except errors, which go to a file. */
static int spawn(const char *program, char *const *args, const char *errors, pid_t *child)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int error;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGHUP);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors,
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	error = posix_spawn(child, program, &files, &attributes, args, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

static enum status status_of_exit(int code)
{
	static const enum status statuses[] = {
		STATUS_DIFFERS, STATUS_USAGE, STATUS_COMPILE, STATUS_LIMIT, STATUS_DAMAGED,
		STATUS_INTERRUPTED,
	};

	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (status_exit_code(statuses[i]) == code)
			return statuses[i];
	return STATUS_INTERNAL;
}

/* The last line that the process printed, without the name of its command. */
static void read_message(const char *errors, char message[MESSAGE_BYTES])
{
	static const char prefix[] = "flashtwin replay: ";
	FILE *file = fopen(errors, "r");
	char line[MESSAGE_BYTES];

	snprintf(message, MESSAGE_BYTES, "the replay failed");
	while (file && fgets(line, sizeof line, file)) {
		const char *text = line;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(text, prefix, strlen(prefix)) == 0)
			text += strlen(prefix);
		if (*text)
			snprintf(message, MESSAGE_BYTES, "%s", text);
	}
	if (file)
		fclose(file);
}

static enum status wait_for(pid_t child, int *ended)
{
	while (waitpid(child, ended, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_INTERNAL, "waitpid: %s", strerror(errno));
	return STATUS_OK;
}

static enum status run_replay(const char *program, char *const *args, const char *errors)
{
	char message[MESSAGE_BYTES];
	int error, ended;
	pid_t child;

	error = spawn(program, args, errors, &child);
	if (error)
		return fail(STATUS_INTERNAL, "%s: %s", program, strerror(error));
	TRY(wait_for(child, &ended));
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
		return STATUS_OK;
	read_message(errors, message);
	if (!WIFEXITED(ended))
		return fail(STATUS_INTERNAL, "the replay died of signal %d", WTERMSIG(ended));
	if (WEXITSTATUS(ended) == status_exit_code(STATUS_DIFFERS))
		return fail(STATUS_DIFFERS, "the kernel does not write what was recorded: its"
			    " points cannot be shown");
	return fail(status_of_exit(WEXITSTATUS(ended)), "%s", message);
}

/* --- a user's kernel --- */

/* The new run gets the number of the recorded one. */
static enum status skip_runs(const struct scratch_trace *scratch, int64_t run)
{
	struct error_record error;
	enum status status;
	struct store *store;

	TRY(store_create(scratch->path, NULL, &store));
	status = scratch_trace_skip(store, run);
	error_save(&error);
	return error_first(status, &error, store_close(store));
}

static enum status replay_into(const struct scratch_trace *scratch, const char *path, int64_t run,
			       const char *program)
{
	char *number = xasprintf("%" PRId64, run);
	char *errors = xasprintf("%s/errors", scratch->folder);
	const char *const args[] = {
		"flashtwin", "replay", "--trust", "--log", "points", "--run", number, "-o",
		scratch->path, run > 1 ? "--append" : "--force", "--", path, NULL,
	};
	enum status status = run > 1 ? skip_runs(scratch, run) : STATUS_OK;

	if (status == STATUS_OK)
		status = run_replay(program, (char *const *)(uintptr_t)args, errors);
	unlink(errors);
	free(errors);
	free(number);
	return status;
}

static enum status replay_user(struct store *store, int64_t run, const char *program,
			       struct store **out)
{
	struct scratch_trace scratch;
	enum status status;

	if (!store_path(store))
		return fail(STATUS_USAGE, "a trace in memory cannot be replayed by another"
			    " process");
	TRY(scratch_trace_make(&scratch));
	status = replay_into(&scratch, store_path(store), run, program);
	if (status == STATUS_OK)
		status = store_open(scratch.path, out);
	scratch_trace_remove(&scratch);
	return status;
}

/* --- interface --- */

static enum status is_users(struct store *store, int64_t run, bool *users)
{
	struct store_run row;
	int64_t runs;

	TRY(store_run_count(store, &runs));     /* DAMAGED if numbers are missing */
	TRY(store_run_read(store, run, &row));
	*users = strcmp(row.command, "launch") == 0;
	store_run_free(&row);
	return STATUS_OK;
}

enum status view_replay(struct store *store, int64_t run, int64_t launch, bool trust,
			const char *program, struct store **out)
{
	enum status status;
	bool users;

	*out = NULL;
	TRY(is_users(store, run, &users));
	if (users && trust)
		TRY(replay_user(store, run, program, out));
	else
		TRY(replay_launch_points(store, run, launch, false, out));
	status = store_index_views(*out);
	if (status == STATUS_OK)
		return STATUS_OK;
	store_close(*out);
	*out = NULL;
	return status;
}

enum status view_replay_here(void *trust, struct store *store, int64_t run, int64_t launch,
			     struct store **out)
{
	enum status status = view_replay(store, run, launch, *(bool *)trust, "/proc/self/exe", out);

	fault_thread_end();     /* the thread may end after this */
	return status;
}
