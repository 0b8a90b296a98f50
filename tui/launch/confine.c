/* confine.c - joins the sandbox and sets resource limits; see confine.h.
 *
 * A process joins a namespace of process ids only with its children, so one process stays between:
 * it waits, and ends as its child did.
 */
#include "config.h"

#include "tui/launch/confine.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/launch/sandbox.h"

#define FILE_LIMIT ((rlim_t)64 << 30)
#define CPU_LIMIT ((rlim_t)24 * 60 * 60)        /* seconds, without --timeout */
/* --jobs has up to 1024 threads. Counted within the sandbox's user namespace (from Linux 5.14 on),
 * so that what else the user runs does not matter. */
#define PROCESS_LIMIT 1200
#define MIN_DATA ((rlim_t)4 << 30)
#define LAST_CAPABILITY 63

static void give_up(const char *what)
{
	fprintf(stderr, "flashtwin: the sandbox cannot be entered: %s: %s\n", what,
		strerror(errno));
	_exit(126);
}

/* The death signal comes only for a parent that ends from now on. */
static void die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		give_up("PR_SET_PDEATHSIG");
	if (getppid() != parent)
		_exit(126);
}

static void limit(int resource, rlim_t soft)
{
	struct rlimit now;

	if (getrlimit(resource, &now) != 0)
		return;
	if (now.rlim_max != RLIM_INFINITY && soft > now.rlim_max)
		soft = now.rlim_max;
	if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > soft)
		now.rlim_cur = soft;
	now.rlim_max = now.rlim_cur;
	setrlimit(resource, &now);
}

/* Threads of all processes of this user. RLIMIT_NPROC counts these if there is no namespace. */
static rlim_t count_threads(void)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;
	rlim_t count = 0;

	while (all && (entry = readdir(all))) {
		char path[64];
		struct stat st;

		if (*entry->d_name < '1' || *entry->d_name > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%.20s/task", entry->d_name);
		/* A folder's links: itself, its parent, its folders. */
		if (stat(path, &st) == 0 && st.st_uid == getuid())
			count += st.st_nlink > 2 ? st.st_nlink - 2 : 1;
	}
	if (all)
		closedir(all);
	return count;
}

/* Memory is bounded by the watch in the parent (tui/launch/supervise.c), which sees all processes
 * together; RLIMIT_DATA only makes one absurd request fail at once. AddressSanitizer reserves more
 * for itself. */
static void set_limits(const struct sandbox *s, enum confine_as as)
{
	rlim_t data = (rlim_t)sysconf(_SC_PHYS_PAGES) * (rlim_t)sysconf(_SC_PAGESIZE);
	rlim_t seconds = s->options.timeout
		? (rlim_t)s->options.timeout * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) + 1
		: CPU_LIMIT;
	bool data_limited = as == CONFINE_COMPILER;

	limit(RLIMIT_CORE, 0);
	if (s->options.mode == SANDBOX_NO)
		return;
#ifndef __SANITIZE_ADDRESS__
	data_limited |= as == CONFINE_KERNEL;
#endif
	if (data_limited)
		limit(RLIMIT_DATA, data > MIN_DATA ? data : MIN_DATA);
	limit(RLIMIT_CPU, seconds);
	limit(RLIMIT_FSIZE, s->options.file_bytes ? s->options.file_bytes : FILE_LIMIT);
	if (as != CONFINE_GPU)
		limit(RLIMIT_NPROC, PROCESS_LIMIT + (s->holder < 0 ? count_threads() : 0));
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	for (int i = 0; i <= LAST_CAPABILITY; i++)
		prctl(PR_CAPBSET_DROP, i);      /* EINVAL for those that do not exist */
	if (syscall(SYS_capset, &header, none) != 0)
		give_up("capset");
}

/* Ends like the child. */
static void wait_for(pid_t child)
{
	int ended;

	while (waitpid(child, &ended, 0) < 0)
		if (errno != EINTR)
			_exit(126);
	if (WIFSIGNALED(ended)) {
		signal(WTERMSIG(ended), SIG_DFL);
		kill(getpid(), WTERMSIG(ended));
	}
	_exit(WEXITSTATUS(ended));
}

static void join(const struct sandbox *s)
{
	const int all = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
		| CLONE_NEWUTS;
	char *folder = getcwd(NULL, 0);
	pid_t child;

	if (setns(s->holder, all) != 0)
		give_up("setns");
	child = fork();
	if (child < 0)
		give_up("fork");
	if (child > 0)
		wait_for(child);
	die_with(0);                    /* the parent has no number in this namespace */
	if (!folder || chdir(folder) != 0)
		folder = NULL;          /* it is not visible: names relative to it fail */
	drop_capabilities();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		give_up("PR_SET_NO_NEW_PRIVS");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)      /* a change of credentials resets it */
		give_up("PR_SET_PDEATHSIG");
}

void confine(const struct sandbox *s, enum confine_as as, pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	die_with(parent);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
	setsid();
	if (s->holder >= 0 && as != CONFINE_GPU)
		join(s);
	else if (s->options.mode != SANDBOX_NO)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (s->input >= 0)
		close(s->input);        /* else the sandbox would outlive this program */
	set_limits(s, as);
}
