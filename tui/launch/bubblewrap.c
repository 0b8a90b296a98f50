/* bubblewrap.c - runs `bwrap ... cat` as the holder of a sandbox; see bubblewrap.h.
 *
 * `cat` copies one byte when everything is in place, and ends, with all processes inside, when its
 * standard input does: when this process ends, in whatever way. Compilers and kernels do not pass
 * through bwrap: they join its namespaces (tui/launch/confine.c), which keeps their memory and
 * costs less than a start of bwrap for each.
 */
#include "config.h"

#include "tui/launch/bubblewrap.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"

#define INFO_FD 3

struct words {
	char **at;                      /* ends with NULL */
	int count;
};

static void add(struct words *words, const char *word)
{
	words->at = xreallocarray(words->at, (size_t)words->count + 2, sizeof *words->at);
	words->at[words->count++] = xstrdup(word);
	words->at[words->count] = NULL;
}

static void free_words(struct words *words)
{
	for (int i = 0; i < words->count; i++)
		free(words->at[i]);
	free(words->at);
}

static void add_three(struct words *words, const char *a, const char *b, const char *c)
{
	add(words, a);
	add(words, b);
	add(words, c);
}

char *bubblewrap_name(void)
{
	const char *chosen = getenv("FLASHTWIN_BWRAP");
	char *path = program_find(chosen && *chosen ? chosen : "bwrap");

	return path || chosen ? path : program_find("/usr/bin/bwrap");
}

/* --- the command line --- */

/* Folders of programs and libraries: links into /usr on most systems. */
static void add_system(struct words *words)
{
	static const char *const folders[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64" };

	add_three(words, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		struct stat st;
		char target[256];
		ssize_t length = readlink(folders[i], target, sizeof target - 1);

		if (length > 0) {
			target[length] = '\0';
			add_three(words, "--symlink", target, folders[i]);
		} else if (stat(folders[i], &st) == 0) {
			add_three(words, "--ro-bind", folders[i], folders[i]);
		}
	}
	/* Where Debian's c++ leads. */
	add_three(words, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
	add_three(words, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
	add_three(words, "--ro-bind-try", "/etc/ld.so.conf.d", "/etc/ld.so.conf.d");
	add(words, "--proc");
	add(words, "/proc");
	add(words, "--dev");
	add(words, "/dev");
	add(words, "--size");
	add(words, "67108864");
	add(words, "--tmpfs");
	add(words, "/tmp");
}

/* Hides what is in a shown folder, under the name that it has there. */
static void hide_in(struct words *words, const struct sandbox *s, const char *shown)
{
	char *real = realpath(shown, NULL);
	size_t length = real ? strlen(real) : 0;

	for (int i = 0; i < s->hidden_count && real; i++)
		if (strncmp(s->hidden[i], real, length) == 0 && s->hidden[i][length] == '/') {
			char *name = xasprintf("%s%s", shown, s->hidden[i] + length);

			add(words, "--tmpfs");
			add(words, name);
			free(name);
		}
	free(real);
}

static int by_length(const void *a, const void *b)
{
	size_t first = strlen(*(char *const *)a), second = strlen(*(char *const *)b);

	return (first > second) - (first < second);
}

/* Outer folders come first, so that each hides what is hidden in it and the next shows what is
 * shown of that. */
static void add_shown(struct words *words, const struct sandbox *s)
{
	hide_in(words, s, "/usr");      /* add_system() */
	if (s->shown_count > 0)
		qsort(s->shown, (size_t)s->shown_count, sizeof *s->shown, by_length);
	for (int i = 0; i < s->shown_count; i++) {
		if (s->hidden_count == 0 && strncmp(s->shown[i], "/usr/", 5) == 0)
			continue;
		add_three(words, "--ro-bind-try", s->shown[i], s->shown[i]);
		hide_in(words, s, s->shown[i]);
	}
}

static void add_all(struct words *words, const struct sandbox *s, const char *folder)
{
	static const char *const first[] = {
		"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net",
		"--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session",
		"--as-pid-1", "--clearenv", "--cap-drop", "ALL", "--info-fd", "3", NULL
	};

	for (int i = 0; first[i]; i++)
		add(words, first[i]);
	add_system(words);
	add_shown(words, s);
	for (int i = 0; i < s->writable_count; i++)
		add_three(words, "--bind", s->writable[i], s->writable[i]);
	if (folder) {
		add(words, "--dir");
		add(words, folder);
	}
	add(words, "--remount-ro");
	add(words, "/");
	add_three(words, "--chdir", "/", "--");
	add(words, "/usr/bin/cat");
}

/* --- starting --- */

struct ends {
	int input[2], output[2], info[2], errors;
};

static void close_all(const int *fds, int count)
{
	for (int i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static enum status open_ends(struct ends *e)
{
	memset(e, -1, sizeof *e);
	e->errors = memfd_create("bwrap", MFD_CLOEXEC);
	if (e->errors < 0 || pipe2(e->input, O_CLOEXEC) != 0 || pipe2(e->output, O_CLOEXEC) != 0
	    || pipe2(e->info, O_CLOEXEC) != 0) {
		enum status status = fail(STATUS_INTERNAL, "pipe: %s", strerror(errno));

		close_all((int *)e, sizeof *e / sizeof(int));
		return status;
	}
	return STATUS_OK;
}

/* In the child. A pipe's number may be that of a descriptor to replace: copies come first. */
static void run_bwrap(const struct ends *e, const char *program, const struct words *words)
{
	int input = fcntl(e->input[0], F_DUPFD_CLOEXEC, 10);
	int output = fcntl(e->output[1], F_DUPFD_CLOEXEC, 10);
	int errors = fcntl(e->errors, F_DUPFD_CLOEXEC, 10);
	int info = fcntl(e->info[1], F_DUPFD_CLOEXEC, 10);

	signal(SIGPIPE, SIG_DFL);
	/* Not part of the terminal's job: Ctrl-C is handled by this program, which then ends it. */
	setsid();
	if (dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(errors, 2) == 2
	    && dup2(info, INFO_FD) == INFO_FD)
		execv(program, words->at);
	_exit(127);
}

/* The first line that bwrap printed; the caller frees it. */
static char *first_error(int fd)
{
	char text[512];
	ssize_t length = pread(fd, text, sizeof text - 1, 0);

	if (length <= 0)
		return xstrdup("bwrap ended without a message");
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return xstrdup(text);
}

/* The pidfd of the process inside, from what bwrap wrote: { "child-pid": N }. */
static int open_holder(int info)
{
	char text[1024];
	ssize_t length = read(info, text, sizeof text);
	json_t *all = length > 0 ? json_loadb(text, (size_t)length, JSON_DISABLE_EOF_CHECK, NULL)
		: NULL;
	json_int_t pid = json_integer_value(json_object_get(all, "child-pid"));

	json_decref(all);
	return pid > 0 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
}

static enum status wait_until_ready(struct sandbox *s, const struct ends *e)
{
	char byte = 'x', *why;
	enum status status;

	if (write(e->input[1], &byte, 1) == 1 && read(e->output[0], &byte, 1) == 1) {
		s->holder = open_holder(e->info[0]);
		if (s->holder >= 0)
			return STATUS_OK;
		return fail(STATUS_USAGE, "bwrap did not name its process, or the kernel has no "
			    "pidfd_open");
	}
	why = first_error(e->errors);
	status = fail(STATUS_USAGE, "%s", why);
	free(why);
	return status;
}

static enum status start(struct sandbox *s, const char *program, const struct words *words)
{
	struct ends e;
	enum status status;

	TRY(open_ends(&e));
	s->bwrap = fork();
	if (s->bwrap == 0)
		run_bwrap(&e, program, words);
	close(e.input[0]);
	close(e.output[1]);
	close(e.info[1]);
	s->input = e.input[1];
	if (s->bwrap < 0) {
		s->bwrap = 0;
		status = fail(STATUS_INTERNAL, "fork: %s", strerror(errno));
	} else {
		status = wait_until_ready(s, &e);
	}
	close(e.output[0]);
	close(e.info[0]);
	close(e.errors);
	return status;
}

enum status bubblewrap_start(struct sandbox *s)
{
	char *program = bubblewrap_name(), *folder;
	struct words words = { 0 };
	enum status status;

	if (!program)
		return fail(STATUS_USAGE, "needs bwrap: apt-get install bubblewrap");
	folder = getcwd(NULL, 0);
	add(&words, program);
	add_all(&words, s, folder);
	status = start(s, program, &words);
	if (status != STATUS_OK) {
		struct error_record error;

		error_save(&error);
		bubblewrap_stop(s);
		error_restore(&error);
	}
	free_words(&words);
	free(folder);
	free(program);
	return status;
}

void bubblewrap_stop(struct sandbox *s)
{
	if (s->holder >= 0)
		syscall(SYS_pidfd_send_signal, s->holder, SIGKILL, NULL, 0);
	close_all((int[]){ s->holder, s->input }, 2);
	s->holder = s->input = -1;
	if (s->bwrap > 0) {
		kill(s->bwrap, SIGKILL);
		while (waitpid(s->bwrap, NULL, 0) < 0 && errno == EINTR)
			;
	}
	s->bwrap = 0;
}
