/* waits_for_key.c - waits until a viewer has handled everything typed: waits_for_key PARENT TTY
 * SECONDS
 *
 * PARENT is the process ID of the shell that runs the viewer, TTY the path of their terminal. Exit
 * code 0: the viewer waits for a key and has read all input, or PARENT runs no viewer any more; 1:
 * it is still at work after SECONDS; 2: a usage or system error. Used by tests/tmux.sh and
 * tests/tui/tour.py.
 *
 * The viewer blocks its signals except while it waits for a key (tui/viewer/viewer_term.c), which
 * /proc/PID/status shows. tests/fuzz/terminal.py uses the same rule.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t asked(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT };
	uint64_t mask = 0;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		mask |= UINT64_C(1) << (numbers[i] - 1);
	return mask;
}

static bool is_viewer(const char *pid, int parent)
{
	char path[300], name[17], state;
	int its_parent;
	FILE *file;
	bool is;

	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	is = fscanf(file, "%*d (%16[^)]) %c %d", name, &state, &its_parent) == 3
		&& its_parent == parent && state != 'Z' && strcmp(name, "flashtwin") == 0;
	fclose(file);
	return is;
}

/* The viewer among the children of `parent`; 0: there is none. */
static int find_viewer(int parent)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	if (!directory) {
		perror("/proc");
		exit(2);
	}
	while (!found && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
		    && is_viewer(entry->d_name, parent))
			found = atoi(entry->d_name);
	closedir(directory);
	return found;
}

/* Bytes typed that no process has read. poll() makes the kernel deliver those on their way. */
static bool has_unread(int terminal)
{
	struct pollfd in = { .fd = terminal, .events = POLLIN };
	int bytes = 0;

	return poll(&in, 1, 0) > 0 || ioctl(terminal, FIONREAD, &bytes) != 0 || bytes > 0;
}

/* True when the process is not stopped, catches the viewer's signals, blocks none, has none
 * pending. */
static bool waits(int pid)
{
	char path[64], line[256], state = 'T';
	uint64_t mask, wrong = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "State: %c", &state) == 1)
			continue;
		if (sscanf(line, "SigCgt: %" SCNx64, &mask) == 1)
			wrong |= ~mask;
		else if (sscanf(line, "SigPnd: %" SCNx64, &mask) == 1
			 || sscanf(line, "ShdPnd: %" SCNx64, &mask) == 1
			 || sscanf(line, "SigBlk: %" SCNx64, &mask) == 1)
			wrong |= mask;
	}
	fclose(file);
	return state != 'T' && (wrong & asked()) == 0;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int terminal, parent, viewer;
	time_t end;

	if (argc != 4) {
		fprintf(stderr, "usage: waits_for_key PARENT TTY SECONDS\n");
		return 2;
	}
	parent = atoi(argv[1]);
	terminal = open(argv[2], O_RDWR | O_NOCTTY);
	if (terminal < 0) {
		perror(argv[2]);
		return 2;
	}
	end = time(NULL) + atol(argv[3]);
	/* Input first: when all is read, a viewer that waits has handled it. */
	while ((viewer = find_viewer(parent)) != 0 && (has_unread(terminal) || !waits(viewer))) {
		if (time(NULL) > end)
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}
